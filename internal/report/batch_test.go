package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// batchOf is what Asks writes of a stream of tick 14 with an entry.
func batchOf(t *testing.T, entry record.Entry) string {
	t.Helper()
	s := newStream(t)
	n := 14
	s.add(record.KindTick, "fleet-config", "lamp", record.Tick{Tick: &n, Scope: "lamp", Host: "devbox"})
	s.add(record.KindAsk, "fleet-asks", "listing", record.Ask{Key: "listing", ID: "a9", Batch: 14, State: record.AskNew, Question: "never written"})
	s.add(record.KindEntry, "fleet-asks", "14-2", entry)
	set := setOf(s.b.Bytes())
	var b bytes.Buffer
	if err := Asks(&b, Build(set, set.Now(time.Time{}))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func askEntry(tick int, target string) record.Entry {
	return record.Entry{V: 1, Kind: record.EntryIntent, Verb: "ask", Tick: &tick, Target: json.RawMessage(target)}
}

func TestBatch(t *testing.T) {
	two := `{"batch":14,"asks":[{"id":"a1","class":"3","key":"k","question":"wick: may I run <b>rm</b> *now*?"},{"id":"a2","class":"","key":"listing","question":""}]}`
	want := "# Tick 14 of lamp asks 2 questions\n\n" +
		"- **a1** (class 3): wick: may I run &lt;b>rm&lt;/b> \\*now\\*?\n" +
		"- **a2**: (no question)\n\n" +
		"Answer all: `fleet-asks ack 14 --scope lamp`\n\n" +
		"Answer one: `fleet-asks ack 14 --scope lamp --ask a1`\n"
	if got := batchOf(t, askEntry(14, two)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	one := `{"batch":14,"asks":[{"id":"a1","class":"7","key":"k","question":"which?"}]}`
	if got := batchOf(t, askEntry(14, one)); !strings.HasPrefix(got, "# Tick 14 of lamp asks 1 question\n") {
		t.Errorf("one question:\n%s", got)
	}
}

// Nothing new is nothing written: the caller keeps no empty file.
func TestBatch_nothingNew(t *testing.T) {
	of14 := askEntry(14, `{"batch":14,"asks":[{"id":"a1","key":"k","question":"which?"}]}`)
	ack, mail, noTick := of14, of14, of14
	ack.Kind, mail.Verb, noTick.Tick = record.EntryAck, "mail", nil
	for name, e := range map[string]record.Entry{
		"a resolution": ack, "another intent": mail, "outside a tick": noTick,
		"another tick": askEntry(13, string(of14.Target)), "an empty batch": askEntry(14, `{"batch":14,"asks":[]}`), "no batch": askEntry(14, `"all"`),
	} {
		if got := batchOf(t, e); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
