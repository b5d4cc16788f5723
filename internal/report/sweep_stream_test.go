package report

import (
	"bytes"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// sweepOf is the report of a sweep.
func sweepOf(t *testing.T, build func(s *stream)) Sweep {
	t.Helper()
	s := &stream{t: t, wrote: map[string]int{}}
	build(s)
	set := new(record.Set)
	for l, err := range record.All(&s.b) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(l)
	}
	return BuildSweep(set, look)
}

// swept is the same as Markdown.
func swept(t *testing.T, build func(s *stream)) string {
	t.Helper()
	var b bytes.Buffer
	if err := SweepMarkdown(&b, sweepOf(t, build)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// decide adds a decision of a machine, act what became of it.
func decide(s *stream, host, agent, decision string, verb string) {
	d := record.Decision{Agent: agent, Decision: decision, Reason: "why-" + agent, Detail: "how " + agent + " is"}
	if verb != "" {
		d.Action = &record.Action{Verb: verb, Driver: "tmux"}
	}
	s.line(record.KindDecision, host, "fleet-reconcile", agent, d)
}

func became(s *stream, host string, o record.Outcome) { outcome(s, host, o.Agent, o) }

func outcome(s *stream, host, subject string, o record.Outcome) {
	says(s, record.KindOutcome, host, actor, subject, o)
}

// says adds what a program of a machine says, which reconciled closes.
func says(s *stream, kind record.Kind, host, by, subject string, data any) {
	s.line(kind, host, by, subject, data)
	s.wrote[by+" "+host]++
}

// ran has the programs of a sweep be run on a machine, whatever they say.
func ran(s *stream, host string) {
	for _, name := range sweepers {
		s.wrote[name+" "+host] += 0
	}
}

// reconciled closes the judge, who made n records, and who else said something.
func reconciled(s *stream, n int, notes ...string) {
	closed(s, record.Surface{OK: true, Rows: n, Records: &n, Notes: notes})
}

func closed(s *stream, judge record.Surface) {
	s.line(record.KindSurface, "", judgeOfSweeps, judgeOfSweeps, judge)
	for name, n := range s.wrote {
		if by, host, ok := cutLast(name, " "); ok {
			s.line(record.KindSurface, host, by, by, record.Surface{OK: true, Records: &n})
		}
	}
}
