package report

import (
	"os"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// What is to be done comes first, under its numbers; what was done is told in
// place of what would be.
func TestSweep(t *testing.T) {
	build := func(s *stream) {
		for _, row := range []struct{ agent, decision, verb string }{
			{"ok-b", "OK", ""}, {"ok-a", "OK", ""}, {"skipped", "SKIP", ""}, {"upgraded", "UPGRADE", "upgrade"}, {"resumed", "RESUME", "mail"},
			{"launched", "LAUNCH", "launch"}, {"healed", "HEAL", "restart"}, {"refused", "HEAL", "inject"}, {"dry", "HEAL", "inject"}, {"told", "HEAL", ""},
		} {
			decide(s, "devbox", row.agent, row.decision, row.verb)
		}
		decide(s, "attic", "healed", "HEAL", "restart")
		became(s, "devbox", record.Outcome{Agent: "healed", Verb: "restart", Result: record.Done, Proof: "process 7", Detail: "not shown"})
		became(s, "devbox", record.Outcome{Agent: "launched", Verb: "launch", Result: record.Failed, Reason: "gone", Detail: "no process of it runs"})
		became(s, "devbox", record.Outcome{Agent: "refused", Verb: "inject", Result: record.Refused, Reason: "busy"})
		became(s, "devbox", record.Outcome{Agent: "told", Verb: "inject", Result: record.Dry, Reason: "dry", Detail: "DRY_RUN is set"})
		became(s, "devbox", record.Outcome{Agent: "ok-a", Verb: "nudge", Result: record.Done})
		reconciled(s, 11, "3 sweeps in a row", "stopped: 2 are left")
	}
	want := []string{"# Sweep, 2026-11-29 14:50 UTC", "", "- 3 sweeps in a row", "- stopped: 2 are left", "", "2 done, 1 failed (gone), 1 refused (busy), 5 not done (4 no fleet-act has seen it, 1 DRY_RUN is set), 1 left, 1 well", "",
		"Decided: 5 HEAL, 1 LAUNCH, 1 RESUME, 1 UPGRADE, 1 SKIP, 2 OK", "",
		"| AGENT | DECISION | REASON | DID | DETAIL |", "",
		"| healed | HEAL | why-healed | would restart | how healed is |",
		"| dry | HEAL | why-dry | would inject | how dry is |",
		"| healed | HEAL | why-healed | restart: done; process 7 | how healed is |",
		"| refused | HEAL | why-refused | inject: refused (busy) | how refused is |",
		"| told | HEAL | why-told | inject: dry; DRY_RUN is set | how told is |",
		"| launched | LAUNCH | why-launched | launch: failed (gone); no process of it runs | how launched is |",
		"| resumed | RESUME | why-resumed | would mail | how resumed is |",
		"| upgraded | UPGRADE | why-upgraded | would upgrade | how upgraded is |",
		"| skipped | SKIP | why-skipped | — | how skipped is |",
		"| ok-a | OK | why-ok-a | nudge: done | how ok-a is |",
		"| ok-b | OK | why-ok-b | — | how ok-b is |", "",
		"- **refused**: inject: refused (busy)", "- **launched**: launch: failed (gone); no process of it runs", ""}
	got := strings.Split(swept(t, build), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	got[10] = "" // the line below the head
	for i, line := range got {
		if compact(line) != want[i] {
			t.Errorf("line %d\n got %s\nwant %s", i, compact(line), want[i])
		}
	}
}

// The first line counts what was done, and names what holds the rest back.
func TestSweep_ends(t *testing.T) {
	const id = "0612c97c-13cd-412b-a500-b86039f1e0aa"
	cause := strings.Repeat("the agents of this fleet were started a short time ago, and ", 4) + "fleet-launch.log says why"
	got := swept(t, func(s *stream) {
		one := func(agent, decision, reason, verb string, o *record.Outcome) {
			d := record.Decision{Decision: decision, Reason: reason}
			if verb != "" {
				d.Action = &record.Action{Verb: verb}
			}
			s.line(record.KindDecision, "h", "fleet-reconcile", agent, d)
			if o != nil {
				o.Agent, o.Verb = agent, verb
				became(s, "h", *o)
			}
		}
		for i := range 12 {
			one("gap-"+string(rune('a'+i)), "RESUME", "stopped", "resume", &record.Outcome{Result: record.Refused, Reason: "fleet-gap"})
		}
		one("waits", "LAUNCH", "backoff", "", nil)
		one("fails", "LAUNCH", "gone", "launch", &record.Outcome{Result: record.Failed, Reason: "driver", Detail: cause})
		one("session:"+id, "RESUME", "stopped", "resume", &record.Outcome{Result: record.Refused, Reason: "runs", Detail: cause})
		one("fails-too", "LAUNCH", "gone", "launch", &record.Outcome{Result: record.Failed, Reason: "driver", Detail: cause})
		one("unseen", "LAUNCH", "gone", "launch", &record.Outcome{Result: record.Unknown, Reason: "unseen"})
		for _, reason := range []string{"blind", "paused", "backoff"} { // of what is left alone no reason holds it back
			one(reason, "SKIP", reason, "", nil)
		}
		one("works", "HEAL", "busy", "", nil)
		one("fine", "OK", "reachable", "", nil)
		reconciled(s, 22)
	})
	has(t, got, "\n2 failed (driver), 1 of unknown end (unseen), 1 refused (runs), 13 held (12 fleet-gap, 1 backoff), 1 undecided, 3 left, 1 well\n\nDecided: 1 HEAL, 4 LAUNCH, 13 RESUME, 3 SKIP, 1 OK\n",
		"| session:"+id+" |",
		"\n- **fails**, **fails-too**: launch: failed (driver); "+cause+"\n- **unseen**: launch: unknown (unseen)\n- **session:"+id+"**: resume: refused (runs); "+cause+"\n")
	if strings.Contains(got, "**gap-") || strings.Count(got, "\n- ") != 3 {
		t.Errorf("what only waits is told as trouble\n%s", got)
	}
}

// What was only said is no act, whatever else is left.
func TestSweep_dry(t *testing.T) {
	got := swept(t, func(s *stream) {
		decide(s, "h", "a", "LAUNCH", "launch")
		became(s, "h", record.Outcome{Agent: "a", Verb: "launch", Result: record.Dry, Detail: "the mode is not act"})
		decide(s, "h", "b", "SKIP", "")
		reconciled(s, 2)
	})
	has(t, got, "UTC\n\n1 to be done, 1 left; nothing was done: the mode is not act\n\nDecided: 1 LAUNCH, 1 SKIP\n")
}

// A look at a stall that is only to be told is no act; a nudge of an agent about which
// nothing was decided is one.
func TestSweep_stalls(t *testing.T) {
	stall := func(s *stream, o record.Outcome) { outcome(s, "h", "stall:"+o.Agent, o) }
	looked := record.Outcome{Agent: "c", Verb: "look", Result: record.Done, Detail: "it shows the stall limit"}
	got := swept(t, func(s *stream) {
		decide(s, "h", "a", "LAUNCH", "launch")
		became(s, "h", record.Outcome{Agent: "a", Verb: "launch", Result: record.Dry, Detail: "the mode is not act"})
		decide(s, "h", "c", "OK", "")
		stall(s, looked)
		reconciled(s, 2)
	})
	has(t, got, "\n1 to be done, 1 left, 1 well; nothing was done: the mode is not act\n\nDecided: 1 LAUNCH, 1 OK\n", "| stall:c | —        | —      | look: done; it shows the stall limit ")
	got = swept(t, func(s *stream) {
		stall(s, record.Outcome{Agent: "b", Verb: "nudge", Result: record.Refused, Reason: "draft", Detail: "somebody's text is in the prompt"})
		stall(s, looked)
		reconciled(s, 0)
	})
	has(t, got, "\n1 refused (draft), 1 left\n\n| AGENT ", "| stall:b | —        | —      | nudge: refused (draft); somebody's text is in the prompt", "\n- **stall:b**: nudge: refused (draft); somebody's text is in the prompt\n")
}

// A rehearsal says what would be refused as things are, and what a person would be told.
func TestSweep_rehearsal(t *testing.T) {
	got := swept(t, func(s *stream) {
		for _, agent := range []string{"a", "b", "d"} {
			s.line(record.KindDecision, "h", "fleet-reconcile", agent, record.Decision{Agent: agent, Decision: "HEAL", Reason: "deaf", Detail: "it does not answer",
				Action: &record.Action{Verb: "restart", Driver: "tmux"}, Alert: &record.Alert{Severity: "restarted", Text: agent + " is | restarted"}})
		}
		became(s, "h", record.Outcome{Agent: "a", Verb: "restart", Result: record.Dry, Reason: record.Dry, Detail: "the mode is not act", Kept: "attached: a person has it"})
		became(s, "h", record.Outcome{Agent: "b", Verb: "restart", Result: record.Dry, Reason: record.Dry, Detail: "the mode is not act"})
		became(s, "h", record.Outcome{Agent: "d", Verb: "restart", Result: record.Dry, Reason: record.Dry, Detail: "the mode is not act", Kept: "backoff: attempt 1 was a short time ago", Tells: "it is not restarted"})
		s.line(record.KindDecision, "h", "fleet-reconcile", "c", record.Decision{Agent: "c", Decision: "SKIP", Reason: "stuck", Alert: &record.Alert{Severity: "stuck", Text: "three attempts"}})
		reconciled(s, 4)
	})
	has(t, got, "\n1 to be done, 1 would be refused (attached), 1 held (backoff), 1 left; nothing was done: the mode is not act\n\nDecided: 3 HEAL, 1 SKIP\n",
		"\n- **a**: restart: dry; as it is now it would be refused: attached: a person has it\n- **d**: restart: dry; as it is now it would be refused: backoff: attempt 1 was a short time ago\n\n- you would be told of **b**: b is \\| restarted\n- you would be told of **d**: it is not restarted\n- you would be told of **c**: three attempts\n")
	if strings.Contains(got, "told of **a**") {
		t.Errorf("that it is restarted would not be told\n%s", got)
	}
	got = swept(t, func(s *stream) {
		s.line(record.KindDecision, "h", "fleet-reconcile", "b", record.Decision{Agent: "b", Decision: "HEAL", Action: &record.Action{Verb: "restart", Driver: "tmux"}, Alert: &record.Alert{Severity: "restarted", Text: "x"}})
		became(s, "h", record.Outcome{Agent: "b", Verb: "restart", Result: record.Done})
		reconciled(s, 1)
	})
	if strings.Contains(got, "would") {
		t.Errorf("what was done\n%s", got)
	}
}

// What is longer than its cell stands below the table in full, with what leads there; and
// the page says from when on it is of the past.
func TestSweep_full(t *testing.T) {
	long := strings.Repeat("no process runs in the workspace, ", 4) + "and attempt 1 was a moment ago"
	got := swept(t, func(s *stream) {
		rules := record.DefaultHealRules()
		ran(s, "h")
		says(s, record.KindTick, "h", "fleet-config", "lamp", record.Tick{Scope: "lamp", Host: "h", Heal: &rules})
		s.line(record.KindDecision, "h", "fleet-reconcile", "a", record.Decision{Agent: "a", Decision: "LAUNCH", Reason: "backoff", Detail: long, Seen: &record.Seen{Tmux: "p@a", PID: 7}})
		s.line(record.KindDecision, "h", "fleet-reconcile", "b", record.Decision{Agent: "b", Decision: "OK", Detail: long})
		for _, o := range []record.Outcome{{Agent: "e", Verb: "restart", Result: record.Refused, Reason: "absent", Detail: "it is elsewhere"}, {Agent: "f", Verb: "restart", Result: record.Dry, Detail: "dry", Kept: "absent: it is elsewhere"}} {
			s.line(record.KindDecision, "h", "fleet-reconcile", o.Agent, record.Decision{Agent: o.Agent, Decision: "HEAL", Seen: &record.Seen{Tmux: "p@" + o.Agent, PID: 8}, Action: &record.Action{Verb: "restart"}})
			became(s, "h", o)
		}
		says(s, record.KindVerdict, "h", "fleet-classify", "s1", record.Verdict{Class: "6", Session: record.VerdictSession{Name: "invoice | export", Process: true, Tmux: "den"}})
		s.line(record.KindDecision, "h", "fleet-reconcile", "session:s1", record.Decision{Agent: "session:s1", Decision: "HEAL", Reason: "mail-interval", Detail: long})
		s.line(record.KindDecision, "h", "fleet-reconcile", "c", record.Decision{Agent: "c", Decision: "SKIP", Reason: "paused", Detail: "short"})
		reconciled(s, 6)
	})
	has(t, got, "# Sweep, 2026-11-29 14:50 UTC\n\nThe next sweep is due in 10 minutes: if it is past 2026-11-29 15:05 UTC, sweeps have stopped or are switched off.\n\n1 refused (absent), 2 held",
		"\n\n- **e**: restart: refused (absent); it is elsewhere\n- **f**: restart: dry; as it is now it would be refused: absent: it is elsewhere\n- **invoice \\| export** (`tmux attach -t '=den'`), **a** (`tmux attach -t '=p@a'`): "+long+"\n")
	if strings.Count(got, "\n- ") != 3 {
		t.Error(got)
	}
}

// The words that say that something is due and waits are those of the documents: of one
// that has another name by now a sweep would count what waits as refused.
func TestHolds(t *testing.T) {
	var pages string
	for _, page := range []string{"act.md", "reconcile.md"} {
		b, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(b)
	}
	for reason := range holds {
		if !strings.Contains(pages, "`"+reason+"`") {
			t.Errorf("no document has %s", reason)
		}
	}
	for reason := range waits {
		if _, refusal, _ := strings.Cut(pages, "| refused: `paused`"); !holds[reason] || !strings.Contains(strings.SplitN(refusal, "\n", 2)[0], "`"+reason+"`") {
			t.Errorf("%s is none of the refusals that wait", reason)
		}
	}
}

// Hostile text in every field stays in its place, and makes no element that
// harmless text does not.
func TestSweep_hostile(t *testing.T) {
	with := func(x string) string {
		return swept(t, func(s *stream) {
			for _, decision := range sweepOrder {
				s.line(record.KindDecision, "h", "fleet-reconcile", "a"+decision, record.Decision{Agent: x, Decision: decision, Reason: x, Detail: x, Action: &record.Action{Verb: x}})
			}
			s.line(record.KindDecision, "h", "fleet-reconcile", "x"+x, record.Decision{Agent: x, Decision: "OK", Reason: x, Detail: x})
			says(s, record.KindOutcome, "h", "fleet-act", "aOK", record.Outcome{Agent: x, Verb: x, Result: x, Reason: x, Detail: x, Proof: x})
			says(s, record.KindSurface, "h", x+"y", "x/"+x, record.Surface{Error: x})
			reconciled(s, 7, x)
		})
	}
	elements := func(md string) string { return strings.Join(tag.FindAllString(toHTML(t, md), -1), "") }
	short, long := with("x"), with(strings.Repeat("x", 200)) // what its cell cuts stands below the table too
	for _, x := range nasty {
		md, benign := with(x), short
		if clip(x, psPath) != clean(x) {
			benign = long
		}
		if got := elements(md); got != elements(benign) && strings.TrimSpace(clip(x, 9)) != "" {
			t.Errorf("%.60q makes %s\n%s", x, got, md)
		}
		if strings.ContainsAny(md, "\x1b\x00\u202e\u009b") || strings.Count(md, "\n") != strings.Count(benign, "\n") || len(md) > 1<<16 {
			t.Errorf("%.60q: %d bytes\n%.2000s", x, len(md), md)
		}
	}
}

// A session has its name, and what is typed or run is told once for all.
func TestSweep_deeds(t *testing.T) {
	got := swept(t, func(s *stream) {
		for id, name := range map[string]string{"s1": "invoice | export", "s2": ""} {
			says(s, record.KindVerdict, "devbox", "fleet-classify", id, record.Verdict{Class: "2", Session: record.VerdictSession{Name: name}})
			s.line(record.KindDecision, "devbox", "fleet-reconcile", "session:"+id, record.Decision{Decision: "RESUME", Detail: "it stopped", Action: &record.Action{Verb: "inject", Text: "go on"}})
		}
		s.line(record.KindDecision, "devbox", "fleet-reconcile", "code", record.Decision{Decision: "LAUNCH", Action: &record.Action{Verb: "launch", Argv: []string{"/w/claude.sh", "it's"}}})
		s.line(record.KindDecision, "devbox", "fleet-reconcile", "docs", record.Decision{Decision: "UPGRADE", Action: &record.Action{Verb: "upgrade", To: "1.2.3"}})
		reconciled(s, 4)
	})
	has(t, got, `invoice \| export: it stopped`)
	has(t, got, "- inject types `go on`: invoice \\| export, session:s2\n- launch runs `/w/claude.sh 'it'\\''s'`: code\n")
	if n := strings.Count(got, "\n- "); n != 2 {
		t.Errorf("%d deeds in\n%s", n, got)
	}
}
