package reconcile

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// What differs is named, with its values where they are short and nobody's secret.
func TestDiffers(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for want, change := range map[string]func(d *record.Decision){
		"":                                      func(*record.Decision) {},
		"another command would start it now":    func(d *record.Decision) { d.Action.Argv = []string{"/bin/true", token} },
		"another text would be typed now":       func(d *record.Decision) { d.Action.Text = "rm -rf /" },
		"a person would be told something else": func(d *record.Decision) { d.Alert.Text = "y" },
		"the list names another workspace now: /x, and not /w/a":                           func(d *record.Decision) { d.Seen.Workspace = "/x" },
		"its action.verb is restart, and not launch; its decision is HEAL, and not LAUNCH": func(d *record.Decision) { d.Decision, d.Action.Verb, d.Detail = "HEAL", "restart", "x" },
		"its seen.pid is 8, and not 7":                                                     func(d *record.Decision) { d.Seen.PID = 8 },
		"its seen.pid is none, and not 7":                                                  func(d *record.Decision) { d.Seen.PID = 0 },
		"its attempt is 2, and not none":                                                   func(d *record.Decision) { d.Attempt = 2 },
		"its next_at is 2026-11-29T12:00:00.000Z, and not none":                            func(d *record.Decision) { d.NextAt = record.TimeOf(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)) },
		"its detail is another; its place among the decisions is another":                  func(d *record.Decision) { d.Detail, d.Order = "y", 3 },
		"what is not done, or why, is another":                                             func(d *record.Decision) { d.Not = []record.NotDone{{Verb: "x"}} },
		"its alert.severity is none, and not stuck; a person would be told something else": func(d *record.Decision) { d.Alert = nil },
		"nothing would be done to it now; its decision is SKIP, and not LAUNCH":            func(d *record.Decision) { d.Action, d.Decision = nil, "SKIP" },
	} {
		first := func() record.Decision {
			return record.Decision{Agent: "a", Decision: "LAUNCH", Reason: "gone", Detail: "x", Action: &record.Action{Verb: "launch", Driver: "tmux", Argv: []string{"/w/a/claude.sh"}},
				Alert: &record.Alert{Severity: "stuck", Text: "x"}, Seen: &record.Seen{Workspace: "/w/a", PID: 7}, Order: 1}
		}
		d := first()
		change(&d)
		if got := Differs(first(), d); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Differs(record.Decision{}, record.Decision{Action: &record.Action{Verb: "launch"}}); got != "something would be done to it now: launch" {
		t.Error(got)
	}
	d := record.Decision{Agent: "a", Seen: &record.Seen{Workspace: "/w/" + token + strings.Repeat("x", 4000)}}
	if got := Differs(d, record.Decision{Agent: "a", Seen: &record.Seen{}}); strings.Contains(got, "FAKEFAKE") || len(got) > 400 {
		t.Error(got)
	}
}
