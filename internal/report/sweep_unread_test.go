package report

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// What the table cannot be trusted without stands above it.
func TestSweep_unread(t *testing.T) {
	for name, tt := range map[string]struct {
		build func(s *stream)
		want  []string
		not   string
	}{
		"nothing":    {func(*stream) {}, []string{"**Decisions may be missing: fleet-reconcile: no closing record.**\n", "\nNothing was decided.\n"}, "|"},
		"no agent":   {func(s *stream) { reconciled(s, 0) }, []string{"\nNothing was decided.\n"}, "**"},
		"a cut list": {func(s *stream) { decide(s, "h", "a", "OK", ""); reconciled(s, 2) }, []string{"**Decisions may be missing: fleet-reconcile: closing record counts 2, 1 are here.**", "1 OK\n"}, "Nothing"},
		"unread": {func(s *stream) {
			says(s, record.KindSurface, "h", "fleet-observe-health", "macf/roster:lamp", record.Surface{Error: "/reg: permission denied"})
			says(s, record.KindSurface, "h", "fleet-observe-workspaces", "macf/workspaces", record.Surface{OK: true, Error: "not told"})
			decide(s, "h", "a", "SKIP", "")
			reconciled(s, 1)
		}, []string{"- Not read: **macf/roster:lamp** on h: /reg: permission denied\n", "1 SKIP\n"}, "not told"},
		"not understood": {func(s *stream) {
			says(s, record.KindSurface, "h", "fleet-observe-workspaces", "macf/workspaces", record.Surface{OK: true, Unparsed: 1, Notes: []string{"/w/a/.macf/macf-agent.json: agent_name is missing"}})
			says(s, record.KindSurface, "i", "fleet-observe-workspaces", "macf/workspaces", record.Surface{Error: "/w: not read", Unparsed: 1, Notes: []string{"/w/b: torn"}})
			says(s, record.KindSurface, "j", "fleet-observe-workspaces", "macf/workspaces", record.Surface{OK: true, Notes: []string{"not told"}})
			says(s, record.KindSurface, "h", "fleet-observe-claude", "claude/jobs", record.Surface{OK: true, Rows: 2, Unparsed: 1, Notes: []string{"not told"}})
			reconciled(s, 0)
		}, []string{"- Not read: **claude/jobs** on h: 1 of 3 could not be understood\n", "- Not read: **macf/workspaces** on i: /w: not read\n", "- Not read: **macf/workspaces** on h: 1 of 1 could not be understood: /w/a/.macf/macf-agent.json: agent_name is missing\n- Not read: **macf/workspaces** on i: 1 of 1 could not be understood: /w/b: torn\n"}, "not told"},
		"undecided": {func(s *stream) {
			closed(s, record.Surface{OK: true, Records: new(0), RC: new(2), Undecided: []string{"a, sessions: ledger: gone"}})
		}, []string{"- **Nothing is decided about a, sessions: ledger: gone**\n", "\nNothing was decided.\n"}, "Not read"},
		"an observer that was cut": {func(s *stream) {
			says(s, record.KindSurface, "h", "fleet-observe-claude", "claude/jobs", record.Surface{OK: true})
			s.wrote["fleet-observe-claude h"]++
			reconciled(s, 0)
		}, []string{"**Decisions may be wrong or missing: fleet-observe-claude: closing record counts 2, 1 are here.**\n", "- Not read: **fleet-observe-claude** on h: closing record counts 2, 1 are here\n"}, "|"},
		"an observer that never began": {func(s *stream) {
			says(s, record.KindTick, "h", "fleet-config", "lamp", record.Tick{Scope: "lamp", Host: "h", Heal: new(record.DefaultHealRules())})
			for _, name := range sweepers[1:] {
				if name != "fleet-observe-claude" {
					s.wrote[name+" h"] += 0
				}
			}
			reconciled(s, 0)
		}, []string{"**Decisions may be wrong or missing: fleet-observe-claude: not one record of it is here.**\n"}, "|"},
		"who acts was cut": {func(s *stream) {
			decide(s, "h", "a", "LAUNCH", "launch")
			became(s, "h", record.Outcome{Agent: "a", Verb: "launch", Result: record.Done})
			s.wrote["fleet-act h"]++
			reconciled(s, 1)
		}, []string{"**What was done may be missing: fleet-act: closing record counts 2, 1 are here.**\n", "1 done\n"}, "Not read"},
		"who acts did not end": {func(s *stream) {
			decide(s, "h", "a", "LAUNCH", "launch")
			s.line(record.KindOutcome, "h", actor, "a", record.Outcome{Agent: "a", Verb: "launch", Result: record.Done})
			reconciled(s, 1)
		}, []string{"**What was done may be missing: fleet-act: no closing record.**\n", "1 done\n"}, "Not read"},
	} {
		got := swept(t, tt.build)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
		if strings.Contains(got, tt.not) {
			t.Errorf("%s: %q in\n%s", name, tt.not, got)
		}
	}
}
