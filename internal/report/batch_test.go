package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// batchOf is what Asks writes of a stream of tick 14 with an entry.
func batchOf(t *testing.T, entry record.Entry) string {
	t.Helper()
	got, err := asksOf(t, "lamp", entry, true)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// asksOf is what Asks answers of tick 14 of a scope, whole or without closing
// records.
func asksOf(t *testing.T, scope string, entry record.Entry, whole bool) (string, error) {
	t.Helper()
	return asksWith(t, scope, "", entry, whole)
}

// asksWith is asksOf with a configuration that is not at the usual path.
func asksWith(t *testing.T, scope, config string, entry record.Entry, whole bool) (string, error) {
	t.Helper()
	s := newStream(t)
	n := 14
	s.add(record.KindTick, "fleet-config", scope, record.Tick{Tick: &n, Scope: scope, Config: config, Host: "devbox"})
	s.add(record.KindAsk, "fleet-asks", "listing", record.Ask{Key: "listing", ID: "a9", Batch: 14, State: record.AskNew, Question: "never written"})
	s.add(record.KindEntry, "fleet-asks", "14-2", entry)
	stream := slices.Clone(s.b.Bytes())
	if whole {
		stream = s.bytes()
	}
	set := setOf(stream)
	var b bytes.Buffer
	err := Asks(&b, Build(set, set.Now(time.Time{})))
	return b.String(), err
}

// A batch of which lines may be missing is not written.
func TestBatch_notWhole(t *testing.T) {
	got, err := asksOf(t, "lamp", askEntry(14, `{"batch":14,"asks":[{"id":"a1","key":"k","question":"which?"}]}`), false)
	if want := "the batch is not whole: fleet-asks: no closing record"; got != "" || err == nil || err.Error() != want {
		t.Errorf("wrote %q, error %v, want %q", got, err, want)
	}
}

// A command is made only of what a shell reads as it stands.
func TestBatch_hostileIDs(t *testing.T) {
	entry := askEntry(14, `{"batch":14,"asks":[{"id":"a1; rm -rf ~","key":"k","question":"which?"}]}`)
	got, err := asksOf(t, "lamp", entry, true)
	if err != nil {
		t.Fatal(err)
	}
	has(t, got, "Answer all: `fleet-asks ack 14 --scope lamp`\n")
	hasNot(t, got, "Answer one")
	entry.Scope = "work; touch x"
	if got, err = asksOf(t, entry.Scope, entry, true); err != nil {
		t.Fatal(err)
	}
	has(t, got, "asks 1 question\n")
	hasNot(t, got, "fleet-asks ack")
}

// A configuration at another path is named as one word.
func TestBatch_config(t *testing.T) {
	entry := askEntry(14, `{"batch":14,"asks":[{"id":"a1","key":"k","question":"which?"}]}`)
	for config, want := range map[string]string{
		"/etc/fleet.json": "Answer one: `fleet-asks ack 14 --scope lamp --config /etc/fleet.json --ask a1`\n",
		"/my fleet/it's":  `--config '/my fleet/it'\''s'` + "`\n",
		"/x`y":            "",
		"/x\x1b[2J":       "",
	} {
		got, err := asksWith(t, "lamp", config, entry, true)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			hasNot(t, got, "fleet-asks ack")
			continue
		}
		has(t, got, want)
	}
}

func askEntry(tick int, target string) record.Entry {
	return record.Entry{V: 1, Kind: record.EntryIntent, Verb: "ask", Scope: "lamp", Tick: &tick, Target: json.RawMessage(target)}
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
	ack, mail, noTick, foreign := of14, of14, of14, of14
	ack.Kind, mail.Verb, noTick.Tick, foreign.Scope = record.EntryAck, "mail", nil, "desk"
	for name, e := range map[string]record.Entry{
		"a resolution": ack, "another intent": mail, "outside a tick": noTick, "another scope": foreign,
		"another tick": askEntry(13, string(of14.Target)), "an empty batch": askEntry(14, `{"batch":14,"asks":[]}`), "no batch": askEntry(14, `"all"`),
	} {
		if got := batchOf(t, e); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
