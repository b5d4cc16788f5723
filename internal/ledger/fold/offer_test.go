package fold

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// stream is the lines of a tick that wants two entries written.
type stream []record.Record

func rec(kind record.Kind, host, by, subject string, data any) record.Record {
	r, err := record.New(kind, at(0), host, by, subject, data)
	if err != nil {
		panic(err)
	}
	return r
}

func closing(host, by string, records int) record.Record {
	return rec(record.KindSurface, host, by, by, record.Surface{OK: true, Rows: records, Records: &records})
}

// entry is an entry record of tick 13, changed by change.
func entry(n int, change func(*record.Entry)) record.Record {
	e := record.Entry{V: 1, ID: fmt.Sprintf("13-%d", n), TS: at(1), Scope: "lamp", Tick: num(13), By: "act", Kind: "intent", Verb: "ask", Target: json.RawMessage(`{"asks":[],"batch":13}`)}
	if change != nil {
		change(&e)
	}
	return rec(record.KindEntry, "", "fleet-asks", fmt.Sprintf("13-%d", n), e)
}

func resolution(keys ...string) record.Record {
	return entry(3, func(e *record.Entry) { e.Kind, e.Verb, e.Target, e.Keys, e.Resolved = "ack", "", nil, keys, true })
}

func whole() stream {
	return stream{
		rec(record.KindTick, "devbox", "fleet-config", "lamp", record.Tick{Tick: num(13), Scope: "lamp", Host: "devbox"}),
		closing("devbox", "fleet-config", 1),
		rec(record.KindSurface, "devbox", "fleet-ledger", "ledger", record.Surface{OK: true}),
		rec(record.KindAsked, "devbox", "fleet-ledger", "x", record.Asked{Key: "x", ID: "a1", Batch: 12, Intent: "12-2", State: "open"}),
		rec(record.KindAsked, "devbox", "fleet-ledger", "y", record.Asked{Key: "y", ID: "a2", Batch: 12, Intent: "12-2", State: "acked"}),
		closing("devbox", "fleet-ledger", 3),
		rec(record.KindVerdict, "devbox", "fleet-classify", "s1", record.Verdict{Class: "3"}),
		closing("", "fleet-classify", 1),
		rec(record.KindAsk, "", "fleet-asks", "z", record.Ask{Key: "z"}),
		entry(2, nil),
		resolution("x", "y"),
		closing("", "fleet-asks", 3),
	}
}

func (s stream) without(i int) stream { return append(slices.Clone(s[:i]), s[i+1:]...) }

func (s stream) with(i int, r record.Record) stream {
	c := slices.Clone(s)
	c[i] = r
	return c
}

func (s stream) set(t testing.TB) *record.Set {
	t.Helper()
	var text strings.Builder
	for _, r := range s {
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		text.Write(line)
	}
	set := new(record.Set)
	for l, err := range record.All(strings.NewReader(text.String())) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(l)
	}
	return set
}

func TestNewOffer(t *testing.T) {
	const tick, ledgerSurface, ledgerClose, verdict, judgeClose, ask, batchEntry, resolve, asksClose = 0, 2, 5, 6, 7, 8, 9, 10, 11
	none := whole()[:9:9] // no entries
	none = append(none, closing("", "fleet-asks", 1))
	noNumber := rec(record.KindTick, "devbox", "fleet-config", "lamp", record.Tick{Scope: "lamp"})
	bad := func(change func(*record.Entry)) stream { return whole().with(batchEntry, entry(2, change)) }
	tests := []struct {
		name    string
		s       stream
		entries int
		nothing string
		err     string
	}{
		{"whole", whole(), 2, "", ""},
		{"whole, without entries", none, 0, "", ""},
		{"no lines", nil, 0, "no tick record", ""},
		{"no tick record", none.without(tick), 0, "no tick record", ""},
		{"the tick has no number", none.with(tick, noNumber), 0, "the tick record has no number", ""},
		{"the ledger is not closed", none.without(ledgerClose), 0, "the ledger was not read: fleet-ledger: no closing record", ""},
		{"the ledger has no surface", none.with(ledgerClose, closing("devbox", "fleet-ledger", 2)).without(ledgerSurface), 0, "the ledger was not read", ""},
		{"the ledger was not read", none.with(ledgerSurface, rec(record.KindSurface, "devbox", "fleet-ledger", "ledger", record.Surface{Error: "denied"})), 0, "the ledger was not read", ""},
		{"the ledger is not there", none.with(ledgerSurface, rec(record.KindSurface, "devbox", "fleet-ledger", "ledger", record.Surface{OK: true, Absent: true})), 0, "the ledger was not read", ""},
		{"entries without a tick record", whole().without(tick), 2, "", "the stream has entries and no tick record with a number"},
		{"entries and a tick without a number", whole().with(tick, noNumber), 2, "", "the stream has entries and no tick record with a number"},
		{"the judge is not closed", whole().without(judgeClose), 2, "", "fleet-classify: no closing record"},
		{"the judge was cut", whole().without(verdict), 2, "", "fleet-classify: closing record counts 1, 0 are here"},
		{"no judge", whole().without(judgeClose).without(verdict), 2, "", "fleet-classify: no closing record"},
		{"no judge and no entries", none.without(judgeClose).without(verdict), 0, "", "fleet-classify: no closing record"},
		{"another judge beside", append(whole(), rec(record.KindFinding, "", "fleet-watch", "f", record.Finding{Name: "late"})), 2, "", "fleet-watch: no closing record"},
		{"a judge that is none of ours", append(whole(), rec(record.KindVerdict, "", "my-judge", "s9", record.Verdict{Class: "5"})), 2, "", "my-judge: no closing record"},
		{"another judge alone", whole().with(verdict, rec(record.KindVerdict, "", "fleet-reconcile", "s1", record.Verdict{})).with(judgeClose, closing("", "fleet-reconcile", 1)), 2, "", ""},
		{"the asks are not closed", whole().without(asksClose), 2, "", "fleet-asks: no closing record"},
		{"the asks were cut", whole().without(ask), 2, "", "fleet-asks: closing record counts 3, 2 are here"},
		{"an entry was cut", whole().without(resolve), 1, "", "fleet-asks: closing record counts 3, 2 are here"},
		{"the asks are not there", none.without(ask).without(8), 0, "", "fleet-asks: no closing record"},
		{"another tick", bad(func(e *record.Entry) { e.Tick = num(12) }), 2, "", "entry 13-2 is not of tick 13"},
		{"no tick", bad(func(e *record.Entry) { e.Tick = nil }), 2, "", "entry 13-2 is not of tick 13"},
		{"another scope", bad(func(e *record.Entry) { e.Scope = "mantle" }), 2, "", "entry 13-2 is not of the scope of its tick"},
		{"another id", bad(func(e *record.Entry) { e.ID = "13-9" }), 2, "", "entry 13-2: its id is another"},
		{"no ts", bad(func(e *record.Entry) { e.TS = record.Time{} }), 2, "", "entry 13-2: entry has no ts"},
		{"another version", bad(func(e *record.Entry) { e.V = 2 }), 2, "", "entry 13-2: ledger version 2, this program reads 1"},
		{"a kind of tomorrow", bad(func(e *record.Entry) { e.Kind = "later" }), 2, "", "entry 13-2: a kind that this release does not know"},
		{"too long", bad(func(e *record.Entry) { e.Detail = strings.Repeat("x", MaxLine) }), 2, "", "entry 13-2: longer than 4194304 bytes"},
		{"an id that is none", whole().with(batchEntry, rec(record.KindEntry, "", "fleet-asks", "ghp_secret", record.Entry{V: 1, ID: "ghp_secret", TS: at(0), Kind: "ack", Scope: "lamp", Tick: num(13)})), 2, "", "an entry's id is not 13-<n>"},
		{"an id of another tick", whole().with(batchEntry, rec(record.KindEntry, "", "fleet-asks", "12-2", record.Entry{V: 1, ID: "12-2", TS: at(0), Kind: "ack", Scope: "lamp", Tick: num(13)})), 2, "", "entry 12-2 is not of tick 13"},
		{"an entry twice", append(whole().without(ask), rec(record.KindEntry, "otherbox", "fleet-asks", "13-2", json.RawMessage(entry(2, nil).Data))), 3, "", "entry 13-2 is there twice"},
	}
	for _, tt := range tests {
		o, err := NewOffer(tt.s.set(t))
		if len(o.Entries) != tt.entries {
			t.Errorf("%s: %d entries, want %d", tt.name, len(o.Entries), tt.entries)
		}
		if o.Nothing != tt.nothing {
			t.Errorf("%s: nothing: %q, want %q", tt.name, o.Nothing, tt.nothing)
		}
		if got := fmt.Sprint(err); got != cmpOr(tt.err, "<nil>") {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.err)
		}
	}
}

// No part of a stream that is written is written when more of it is missing.
func TestNewOffer_cut(t *testing.T) {
	for k := range whole() {
		o, err := NewOffer(whole()[:k].set(t))
		if err == nil && o.Nothing == "" {
			t.Errorf("the first %d lines fit", k)
		}
		if len(o.Entries) > 0 && err == nil {
			t.Errorf("the first %d lines offer entries", k)
		}
	}
}

func tailOf(es ...record.Entry) []record.Entry {
	return append([]record.Entry{{ID: "13-1", Kind: "tick_fire", Tick: num(13)}}, es...)
}

func TestAdmit(t *testing.T) {
	ack := func(of, asks string) record.Entry {
		return record.Entry{ID: "owner-1", Kind: "ack", Of: of, Asks: json.RawMessage(asks)}
	}
	batchLine := `{"by":"act","dry_run":false,"id":"13-2","kind":"intent","scope":"lamp","target":{"asks":[],"batch":13},"tick":13,"ts":"2026-10-01T12:01:00.000Z","v":1,"verb":"ask"}`
	resolveLine := func(keys string) string {
		return `{"by":"act","dry_run":false,"id":"13-3","keys":[` + keys + `],"kind":"ack","resolved":true,"scope":"lamp","tick":13,"ts":"2026-10-01T12:01:00.000Z","v":1}`
	}
	tests := []struct {
		name    string
		tail    []record.Entry
		lines   []string
		already int
		dropped string
		err     string
	}{
		{"all", tailOf(), []string{batchLine, resolveLine(`"x","y"`)}, 0, "", ""},
		{"an id is there", tailOf(record.Entry{ID: "13-2"}), []string{resolveLine(`"x","y"`)}, 1, "", ""},
		{"all ids are there", tailOf(record.Entry{ID: "13-3"}, record.Entry{ID: "13-2"}), nil, 2, "", ""},
		{"answered meanwhile", tailOf(ack("12-2", `"all"`)), []string{batchLine, resolveLine(`"y"`)}, 0, "x", ""},
		{"answered by its id", tailOf(ack("12-2", `["a1"]`)), []string{batchLine, resolveLine(`"y"`)}, 0, "x", ""},
		{"another ask answered", tailOf(ack("12-2", `["a2"]`)), []string{batchLine, resolveLine(`"x","y"`)}, 0, "", ""},
		{"another batch answered", tailOf(ack("11-2", `"all"`)), []string{batchLine, resolveLine(`"x","y"`)}, 0, "", ""},
		{"seen is no answer", tailOf(record.Entry{ID: "o", Kind: "seen", Of: "12-2", Asks: json.RawMessage(`"all"`)}), []string{batchLine, resolveLine(`"x","y"`)}, 0, "", ""},
		{"no fire", nil, nil, 0, "", "the entries are of tick 13; the ledger has no tick"},
		{"entries and no fire", []record.Entry{{ID: "owner-1", Kind: "ack"}}, nil, 0, "", "the entries are of tick 13; the ledger has no tick"},
		{"a later fire", []record.Entry{{ID: "14-1", Kind: "tick_fire", Tick: num(14)}}, nil, 0, "", "the entries are of tick 13; the last tick that began is 14"},
	}
	for _, tt := range tests {
		o, err := NewOffer(whole().set(t))
		if err != nil {
			t.Fatal(err)
		}
		a, err := o.Admit(tt.tail)
		var lines []string
		for _, l := range a.Lines {
			lines = append(lines, string(l))
		}
		if !slices.Equal(lines, tt.lines) || a.Already != tt.already || strings.Join(a.Dropped, ",") != tt.dropped || fmt.Sprint(err) != cmpOr(tt.err, "<nil>") {
			t.Errorf("%s: %q %d %q %v", tt.name, lines, a.Already, a.Dropped, err)
		}
	}
	o, err := NewOffer(whole().with(10, resolution("x")).set(t))
	if err != nil {
		t.Fatal(err)
	}
	a, err := o.Admit(tailOf(ack("12-2", `"all"`)))
	if err != nil || len(a.Lines) != 1 || len(a.Dropped) != 1 {
		t.Errorf("a resolution of which nothing is left: %+v %v", a, err)
	}
	if o, err = NewOffer(whole().with(10, entry(3, func(e *record.Entry) { e.Kind, e.Keys = "ack", []string{"x"} })).set(t)); err != nil {
		t.Fatal(err)
	}
	if a, err = o.Admit(tailOf(ack("12-2", `"all"`))); err != nil || len(a.Lines) != 2 || len(a.Dropped) != 0 {
		t.Errorf("keys that are not resolved: %+v %v", a, err)
	}
}

// An entry is written as it is: fields that this release does not know too.
func TestAdmit_asItIs(t *testing.T) {
	data := `{"v":1, "id":"13-3","ts":"2026-10-01T12:01:00Z","scope":"lamp","tick":13,"by":"tick","kind":"ack","keys":["x","<&>"],"resolved":true,"later":{"n":9007199254740993}}`
	o, err := NewOffer(whole().with(10, rec(record.KindEntry, "", "fleet-asks", "13-3", json.RawMessage(data))).set(t))
	if err != nil {
		t.Fatal(err)
	}
	a, err := o.Admit(tailOf())
	if err != nil || string(a.Lines[1]) != strings.ReplaceAll(data, `, "id"`, `,"id"`) {
		t.Errorf("%s %v", a.Lines, err)
	}
	a, err = o.Admit(tailOf(record.Entry{Kind: "ack", Of: "12-2", Asks: json.RawMessage(`"all"`)}))
	want := `{"by":"tick","id":"13-3","keys":["<&>"],"kind":"ack","later":{"n":9007199254740993},"resolved":true,"scope":"lamp","tick":13,"ts":"2026-10-01T12:01:00Z","v":1}`
	if err != nil || string(a.Lines[1]) != want {
		t.Errorf("%s %v", a.Lines, err)
	}
}

// Entries are written by their numbers, 10 behind 9.
func TestOffer_order(t *testing.T) {
	s := whole()[:9:9]
	for _, n := range []int{10, 2, 9} {
		s = append(s, entry(n, nil))
	}
	o, err := NewOffer(append(s, closing("", "fleet-asks", 4)).set(t))
	if err != nil || o.Entries[0].Subject != "13-2" || o.Entries[1].Subject != "13-9" || o.Entries[2].Subject != "13-10" {
		t.Errorf("%v %v", o.Entries, err)
	}
}
