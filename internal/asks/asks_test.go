package asks

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// keys returns the keys of the asks with their states, in their order.
func (f Fold) keys() (out []string) {
	for _, a := range f.Asks {
		out = append(out, a.State+" "+a.Key)
	}
	return out
}

// The entries of a tick: the batch of the new asks by class and key, and the
// resolutions.
func TestEntries(t *testing.T) {
	w := newWorld(stuck(devbox, "s1"), waits(attic, "s3"), waits(devbox, "s2@work"), failed("devbox paseo/daemon"),
		asks("rules:acme/wick:x", record.AskOpen), asks("drift:version 2.2.0", record.AskAcked), asks("other:x", record.AskOpen))
	f := w.fold(t)
	prompt, far, blocked := "prompt:s2@work:"+promptTag, "prompt:attic/s3:"+promptTag, "blocked:s1:"+blockedTag
	if len(f.Entries) != 2 {
		t.Fatalf("%d entries", len(f.Entries))
	}
	var got record.Batch
	if err := json.Unmarshal(f.Entries[0].Target, &got); err != nil {
		t.Fatal(err)
	}
	batch := record.Batch{Batch: 8, Asks: []record.BatchAsk{{Class: "3", ID: "a1", Key: far, Question: "n-s3: Go?"}, {Class: "3", ID: "a2", Key: prompt, Question: "n-s2@work: Go?"},
		{Class: "7", ID: "a3", Key: blocked, Question: "n-s1: Go?"}, {ID: "a4", Key: "surface:paseo/daemon", Question: "paseo/daemon was not read"}}}
	for _, d := range pretty.Diff(batch, got) {
		t.Error("batch:", d)
	}
	want := []record.Entry{
		{V: 1, ID: "8-2", TS: noon, Scope: "home", Tick: ptr(8), DryRun: true, By: "act", Kind: record.EntryIntent, Verb: "ask", Key: "batch:8", Target: f.Entries[0].Target},
		{V: 1, ID: "8-3", TS: noon, Scope: "home", Tick: ptr(8), DryRun: true, By: "tick", Kind: record.EntryAck, Resolved: true,
			Keys: []string{"drift:version 2.2.0", "rules:acme/wick:x"}}}
	for i := range want {
		for _, d := range pretty.Diff(want[i], f.Entries[i]) {
			t.Error("entries:", i, d)
		}
	}
	order := []string{"new " + blocked, "new " + far, "new " + prompt, "new surface:paseo/daemon", "unchecked other:x",
		"resolved drift:version 2.2.0", "resolved rules:acme/wick:x"}
	if !slices.Equal(f.keys(), order) {
		t.Errorf("asks %q, want %q", f.keys(), order)
	}
	first := Ask{attic, record.Ask{Key: far, ID: "a1", Batch: 8, State: record.AskNew, Class: "3", Question: "n-s3: Go?", FirstTick: 8, Since: &noon, Session: "s3"}}
	for _, d := range pretty.Diff(first, f.Asks[1]) {
		t.Error("ask:", d)
	}
}

// What the ledger remembers of an ask stays; what the stream says now goes
// before it.
func TestRemembered(t *testing.T) {
	far := "prompt:attic/s3:" + promptTag
	for _, tt := range []struct {
		change   change
		state    string
		question string
	}{
		{waits(attic, "s3"), record.AskOpen, "n-s3: Go?"},
		{failed("attic claude/listing"), record.AskUnchecked, "as it was"},
		{func(*world) {}, record.AskResolved, "as it was"},
	} {
		f := newWorld(asks(far, record.AskOpen), tt.change).fold(t)
		i := slices.IndexFunc(f.Asks, func(a Ask) bool { return a.Key == far })
		want := Ask{attic, record.Ask{Key: far, ID: "a1", Batch: 3, State: tt.state, Class: "3", Question: tt.question, FirstTick: 3, Since: &dawn, Session: "s3"}}
		for _, d := range pretty.Diff(want, f.Asks[i]) {
			t.Error(tt.state, d)
		}
	}
}

// That a batch could not be shown is told of what is open of it alone.
func TestUnshown(t *testing.T) {
	far, why := "prompt:attic/s3:"+promptTag, &record.Unshown{Since: dawn, Why: "exit status 7"}
	for _, tt := range []struct {
		change change
		known  string
		state  string
		want   *record.Unshown
	}{
		{waits(attic, "s3"), record.AskOpen, record.AskOpen, why},
		{failed("attic claude/listing"), record.AskOpen, record.AskUnchecked, why},
		{func(*world) {}, record.AskOpen, record.AskResolved, nil},
		{waits(attic, "s3"), record.AskAcked, record.AskAcked, nil},
		{failed("attic claude/listing"), record.AskAcked, record.AskAcked, nil},
	} {
		unshown := func(w *world) { w.asked[0].Unshown = why }
		f := newWorld(asks(far, tt.known), unshown, tt.change).fold(t)
		i := slices.IndexFunc(f.Asks, func(a Ask) bool { return a.Key == far })
		if a := f.Asks[i]; a.State != tt.state || a.Unshown != tt.want && (a.Unshown == nil || tt.want == nil || *a.Unshown != *tt.want) {
			t.Errorf("%s: %s, %+v", tt.state, a.State, a.Unshown)
		}
	}
}

// A question about a session has the command that leads to it: of what is asked the present
// one, of what is only remembered that of then, and of a machine that nobody knows how to
// reach none.
func TestGo(t *testing.T) {
	at := func(tmux string) func(*seat) {
		return func(s *seat) { s.verdict.Session.Tmux, s.verdict.Session.Process = tmux, true }
	}
	prompt := "prompt:s1:" + promptTag
	remembered := func(w *world) {
		asks(prompt, record.AskOpen)(w)
		w.asked[len(w.asked)-1].Go = "tmux attach -t then"
	}
	ssh := ticked(func(tick *record.Tick) { tick.SSH = map[string]string{attic: "ana@attic"} })
	for name, tt := range map[string]struct {
		change change
		key    string
		want   string
	}{
		"in a pane":            {waits(devbox, "s1", at("work:@3.%7")), prompt, "tmux attach -t work:@3.%7"},
		"nowhere":              {waits(devbox, "s1"), prompt, ""},
		"asked before":         {all(waits(devbox, "s1", at("work:@3.%7")), remembered), prompt, "tmux attach -t work:@3.%7"},
		"asked, now nowhere":   {all(waits(devbox, "s1"), remembered), prompt, ""},
		"only remembered":      {all(failed("devbox claude/listing"), remembered), prompt, "tmux attach -t then"},
		"on another machine":   {all(waits(attic, "s3", at("den")), ssh), "prompt:attic/s3:" + promptTag, `ssh -t ana@attic 'tmux attach -t '\''=den'\'''`},
		"nobody knows the way": {waits(attic, "s3", at("den")), "prompt:attic/s3:" + promptTag, ""},
		"what a sweep filed":   {all(healed("session:s1", "stuck"), judged(devbox, "s1", "2", "", at("den"))), "heal:session:s1:stuck", "tmux attach -t '=den'"},
		"of one that is unknown": {all(healed("session:s1", "stuck"), judged(devbox, "s1", "unknown", "", func(s *seat) {
			s.verdict.Session.SessionID, s.verdict.Session.Cwd = "0612c97c-13cd-412b-a500-b86039f1e0aa", "/w/lamp"
		})), "heal:session:s1:stuck", ""},
		"of one that ended": {all(healed("session:s1", "stuck"), judged(devbox, "s1", "2", "", func(s *seat) {
			s.verdict.Session.SessionID, s.verdict.Session.Cwd = "0612c97c-13cd-412b-a500-b86039f1e0aa", "/w/lamp"
		})), "heal:session:s1:stuck", "cd /w/lamp && claude --resume 0612c97c-13cd-412b-a500-b86039f1e0aa"},
	} {
		f := newWorld(tt.change).fold(t)
		i := slices.IndexFunc(f.Asks, func(a Ask) bool { return a.Key == tt.key })
		if i < 0 || f.Asks[i].Go != tt.want {
			t.Errorf("%s: %+v, want %q", name, f.Asks, tt.want)
			continue
		}
		var b record.Batch
		if f.Asks[i].State != record.AskNew {
			continue
		}
		if err := json.Unmarshal(f.Entries[0].Target, &b); err != nil || !slices.ContainsFunc(b.Asks, func(a record.BatchAsk) bool { return a.Key == tt.key && a.Go == tt.want }) {
			t.Errorf("%s: the ledger gets %+v, %v", name, b, err)
		}
	}
}

// Oldest first, whatever the order of the lines; an ask without a time last.
func TestOrder(t *testing.T) {
	w := newWorld(failed("attic claude/listing", "attic claude/jobs"))
	for i, key := range []string{"prompt:attic/z:1", "prompt:attic/y:1", "prompt:attic/x:1", "prompt:attic/w:1"} {
		a := record.Asked{Key: key, State: record.AskOpen, FirstTick: 8 - i}
		if i < 3 {
			at := record.NewTime(dawn.Add(-1e9 * 60 * 60 * 24 * (1 << i)))
			a.Since = &at
		}
		w.asked = append(w.asked, a)
	}
	want := []string{"new listing:attic", "new surface:attic/claude/jobs", "unchecked prompt:attic/x:1", "unchecked prompt:attic/y:1", "unchecked prompt:attic/z:1", "unchecked prompt:attic/w:1"}
	rs := w.records()
	for range 20 {
		f, err := Of(setOf(rs), noon, odd)
		if err != nil || !slices.Equal(f.keys(), want) {
			t.Fatalf("%v %q, want %q", err, f.keys(), want)
		}
		slices.Reverse(rs[len(rs)/3:])
		slices.Reverse(rs[:len(rs)/2])
	}
}

// Without a configuration only sessions and the listing are asked about, and
// nothing is remembered.
func TestLocal(t *testing.T) {
	local := func(changes ...change) *world {
		w := newWorld(changes...)
		w.tick, w.labels, w.repos = nil, nil, nil
		w.silent[devbox+" "+ledger] = true
		for _, p := range []string{"paseo", "gh", "board"} {
			w.silent[devbox+" "+observer+p] = true
		}
		w.sessions = slices.DeleteFunc(w.sessions, func(s seat) bool { return s.host != devbox || strings.Contains(s.subject, "@") })
		return w
	}
	prompt := "prompt:s1:" + promptTag
	noisy := all(drifted("devbox claude/version", "version 2.2.0"), failed("devbox claude/jobs"), found("records-without-process", "records-without-process"))
	for _, tt := range []struct {
		name string
		w    *world
		want []string
	}{
		{"nothing", local(), nil},
		{"a prompt", local(waits(devbox, "s1"), noisy), []string{"new " + prompt}},
		{"blocked", local(stuck(devbox, "s1")), []string{"new blocked:s1:" + blockedTag}},
		{"no listing", local(failed("devbox claude/listing")), []string{"new listing"}},
		{"no claude", local(absent("devbox claude/listing")), []string{"new listing"}},
		{"the judge cut", local(waits(devbox, "s1"), cut(" "+judge)), nil},
	} {
		f := tt.w.fold(t)
		if !slices.Equal(f.keys(), tt.want) || len(f.Entries) > 0 {
			t.Errorf("%s: %q and %d entries, want %q", tt.name, f.keys(), len(f.Entries), tt.want)
		}
		for _, a := range f.Asks {
			if a.ID != "" || a.Batch != 0 || a.Since != nil {
				t.Errorf("%s: %s is in a batch", tt.name, a.Key)
			}
		}
	}
	empty := setOf([]record.Record{must(record.New(record.KindSurface, noon, "", judge, judge, record.Surface{OK: true, Records: ptr(0)}))})
	if f, _ := Of(empty, noon, odd); !slices.Equal(f.keys(), []string{"new listing"}) {
		t.Errorf("a judge of nothing: %q", f.keys())
	}
	if f, _ := Of(new(record.Set), noon, odd); len(f.Asks) > 0 {
		t.Errorf("nothing at all: %q", f.keys())
	}
}

// Without a number, or without a ledger, nothing is written; what cannot be
// known is not called new.
func TestPersists(t *testing.T) {
	prompt := "prompt:s1:" + promptTag
	without := func(kind record.Kind) func(rs []record.Record) []record.Record {
		return func(rs []record.Record) []record.Record {
			return slices.DeleteFunc(rs, func(r record.Record) bool { return r.Kind == kind })
		}
	}
	same := func(rs []record.Record) []record.Record { return rs }
	open, listing := asks(prompt, record.AskOpen), asks("listing", record.AskOpen)
	for _, tt := range []struct {
		name    string
		changes []change
		edit    func([]record.Record) []record.Record
		want    []string
		entries int
	}{
		{"all is there", []change{waits(devbox, "s1"), listing}, same, []string{"new " + prompt, "resolved listing"}, 2},
		{"no number", []change{waits(devbox, "s1"), listing, ticked(func(t *record.Tick) { t.Tick = nil })}, same, []string{"new " + prompt, "resolved listing"}, 0},
		{"no ledger yet", []change{waits(devbox, "s1"), absent("devbox ledger")}, same, []string{"new " + prompt}, 0},
		{"ledger not read", []change{waits(devbox, "s1"), listing, failed("devbox ledger")}, same, []string{"unchecked listing", "unchecked " + prompt, "unchecked surface:ledger"}, 0},
		{"ledger not run", []change{waits(devbox, "s1"), silent("devbox " + ledger)}, same, []string{"unchecked " + prompt}, 0},
		{"answers lost", []change{waits(devbox, "s1"), asks(prompt, record.AskAcked)}, without(record.KindAsked), []string{"unchecked " + prompt}, 0},
		{"tick not closed", []change{waits(devbox, "s1"), listing, cut("devbox " + config)}, same, []string{"new " + prompt, "unchecked listing"}, 0},
		{"tick lost", []change{waits(devbox, "s1"), open, listing}, without(record.KindTick), []string{"unchecked listing", "unchecked " + prompt}, 0},
		{"judge not closed", []change{waits(devbox, "s1"), open, listing, cut(" " + judge)}, same, []string{"unchecked listing", "unchecked " + prompt}, 0},
		{"a verdict lost", []change{waits(devbox, "s1"), open, listing}, without(record.KindVerdict), []string{"unchecked listing", "unchecked " + prompt}, 0},
	} {
		f, err := Of(setOf(tt.edit(newWorld(tt.changes...).records())), noon, odd)
		if err != nil || !slices.Equal(f.keys(), tt.want) || len(f.Entries) != tt.entries {
			t.Errorf("%s: %q and %d entries (%v), want %q and %d", tt.name, f.keys(), len(f.Entries), err, tt.want, tt.entries)
		}
	}
}

// A ledger that is observed without a configuration is heeded; one that failed
// leaves open whether a prompt was answered.
func TestLedgerAlone(t *testing.T) {
	prompt := "prompt:s1:" + promptTag
	for state, changes := range map[string][]change{
		record.AskAcked:     {asks(prompt, record.AskAcked)},
		record.AskUnchecked: {failed("devbox ledger")},
		record.AskNew:       {absent("devbox ledger")},
	} {
		w := newWorld(append(changes, waits(devbox, "s1"))...)
		w.tick = nil
		if got := w.fold(t).state(prompt); got != state {
			t.Errorf("%q, want %q", got, state)
		}
	}
}
