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

func became(s *stream, host string, o record.Outcome) {
	s.line(record.KindOutcome, host, "fleet-act", o.Agent, o)
}

// reconciled closes the judge, who made n records.
func reconciled(s *stream, n int, notes ...string) {
	s.line(record.KindSurface, "", "fleet-reconcile", "fleet-reconcile", record.Surface{OK: true, Rows: n, Records: &n, Notes: notes})
}
