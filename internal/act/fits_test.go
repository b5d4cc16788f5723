package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// What can't be noted, and what list and switches have otherwise by now, is not
// acted on, and nothing of it is in the ledger.
func TestFits(t *testing.T) {
	argv, token := starts("", "/w"), "ghp_"+strings.Repeat("FAKE", 9)
	inject := record.Action{Verb: "inject", Text: reconcile.InjectText}
	for _, tt := range []struct {
		agent  string
		action record.Action
		want   string // reason; "": it fits
	}{
		{"a", record.Action{Verb: "launch", Argv: argv}, ""},
		{"a", record.Action{Verb: "restart", Argv: argv}, ""},
		{"a", record.Action{Verb: "upgrade", To: "1.2.3", Argv: argv}, ""},
		{"a", inject, ""},
		{"a", record.Action{Verb: "nudge", Text: NudgeText}, ""},
		{"a", record.Action{Verb: "launch"}, "decision"}, // nothing would be started
		{"a", record.Action{Verb: "restart"}, "decision"},
		{"a", record.Action{Verb: "upgrade", To: "1.2.3"}, "decision"},
		{"a", record.Action{Verb: "launch", Argv: []string{"/usr/bin/touch", "/w/x"}}, "decision"},
		{"a", record.Action{Verb: "upgrade", To: "1.2.3+" + token, Argv: argv}, "decision"},
		{"", inject, "decision"},
		{"A", inject, "decision"}, // the pause of a would not hold it
		{" a", inject, "decision"},
		{"a_b", inject, "decision"},
		{"a/b", inject, "decision"},
		{"glpat-" + "fake0123456789bcdghij", inject, "decision"}, // a name, and a credential
		{"session:s1@" + token, inject, "decision"},
		{"session:", inject, "decision"},
		{"session:s1", inject, ""},
		{"session:s1@second", inject, ""},
	} {
		a := &Actor{Command: starts, Rules: record.DefaultHealRules()}
		d := record.Decision{Agent: tt.agent, Action: &tt.action, Seen: &record.Seen{Workspace: "/w", SessionID: "s1"}}
		if got := reasonOf(a.fits(d)); got != tt.want {
			t.Errorf("%s %+v: %q, want %q", tt.agent, tt.action, got, tt.want)
		}
		a.Command = func(string, string) []string { return nil } // of no list any more
		if got := reasonOf(a.fits(d)); (got == "") != (tt.want == "" && len(tt.action.Argv) == 0) {
			t.Errorf("%s %+v, which nothing starts: %q", tt.agent, tt.action, got)
		}
	}
	d := newDesk(t)
	dec := d.decided(0, "restart")
	dec.Action.Argv = append(dec.Action.Argv, "x")
	want(t, d.run(dec), "restart refused decision")
	if n := len(d.state.Open()); n > 0 || d.state.Heal(dec.Agent).Attempts > 0 {
		t.Errorf("%d intents", n)
	}
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	reason, _, _ := strings.Cut(err.Error(), ":")
	return reason
}

// A switch that was turned off since the judge looked holds at the act.
func TestFits_switchedOff(t *testing.T) {
	d := newDesk(t)
	dec := d.decided(0, "restart")
	d.rules.AllowRestart = false
	want(t, d.run(dec), "restart refused switched-off")
	if d.starts > 0 || d.state.Heal("agent-0").Attempts > 0 {
		t.Errorf("%d starts", d.starts)
	}
	if d.state.Heal("agent-0").SweptAt == nil {
		t.Error("the sweep does not count")
	}
	want(t, d.run(d.decided(1, "launch")), "launch done") // no matter of the switch
}

// A decision that asks for nothing is one of an agent as well: what is said of none
// ends no episode, and reaches nobody.
func TestFits_withoutAction(t *testing.T) {
	d := newDesk(t)
	d.dead = true
	want(t, d.run(d.decided(0, "launch")), "launch failed gone")
	seen := record.Seen{Host: "devbox", Workspace: "/w/0"}
	far := seen
	far.Host = "attic"
	alert := &record.Alert{Severity: "stuck", Text: "x"}
	for _, dec := range []record.Decision{
		{Agent: "agent-0", Decision: "OK"},
		{Agent: "agent-0", Decision: "OK", Seen: &far},
		{Agent: "Agent_0", Decision: "OK", Seen: &seen, Alert: alert},
		{Agent: "", Decision: "HEAL", Seen: &seen, Alert: alert},
		{Agent: "agent-0", Decision: "HEAL", Alert: alert},
		{Agent: "session:", Decision: "HEAL", Seen: &seen, Alert: alert},
	} {
		n := d.wrote
		want(t, d.run(dec))
		if h := d.state.Heal("agent-0"); h.Attempts != 1 || d.wrote != n+1 || len(h.Alerts) > 0 { // the sweep, of nobody
			t.Errorf("%+v: %d entries, %+v", dec, d.wrote-n, h)
		}
	}
	d.run(record.Decision{Agent: "agent-0", Decision: "OK", Seen: &seen})
	if h := d.state.Heal("agent-0"); h.Attempts != 0 {
		t.Errorf("the judge's own ends no episode: %+v", h)
	}
}

// What the stream says has nothing of a credential in the ledger or in what is told,
// and never makes an entry that nobody reads.
func TestFits_texts(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	long := strings.Repeat("<", 900_000)
	for _, change := range []func(*record.Decision){
		func(d *record.Decision) { d.Agent = token },
		func(d *record.Decision) { d.Agent = "agent-0 " + token },
		func(d *record.Decision) { d.Reason, d.Detail = token+long, long+token },
		func(d *record.Decision) { d.Alert = &record.Alert{Severity: token, Text: token} },
		func(d *record.Decision) { d.Alert = &record.Alert{Severity: long, Text: long} },
		func(d *record.Decision) { d.Seen.Tmux = token },
		func(d *record.Decision) { d.Seen.Tmux = long },
		func(d *record.Decision) { d.Seen.Workspace = "/w/" + token },
		func(d *record.Decision) { d.Seen.SessionID = token },
		func(d *record.Decision) { d.Seen.Host = token },
		func(d *record.Decision) { d.Decision = token },
		func(d *record.Decision) { d.Action.Verb = token },
		func(d *record.Decision) { d.Action.Driver = token },
		func(d *record.Decision) { d.Action.Argv = []string{"/w/0/claude.sh", token} },
	} {
		d, out := newDesk(t), ""
		book := keeps{Book: d}
		a := d.at(d.now)
		a.Book = &book
		a.Tell = func(_ context.Context, agent, severity, text string) error {
			out += agent + severity + text
			return nil
		}
		a.Warn = func(format string, args ...any) { out += fmt.Sprintf(format, args...) }
		a.Emit = func(subject string, o record.Outcome) error {
			out += fmt.Sprint(subject, o)
			return nil
		}
		dec := d.decided(0, "launch")
		change(&dec)
		if err := a.Do(context.Background(), []record.Decision{dec}); err != nil {
			t.Fatal(err)
		}
		for _, e := range append(book.kept, out) {
			if strings.Contains(e, "FAKEFAKE") || len(e) > 20_000 {
				t.Errorf("%d bytes: %.200s", len(e), e)
			}
		}
	}
}

// keeps has what was written.
type keeps struct {
	Book
	kept []string
}

func (k *keeps) Begin(at time.Time, e record.Entry, may func(*fold.State) error) (string, error) {
	k.kept = append(k.kept, string(fold.Marshal(e)))
	return k.Book.Begin(at, e, may)
}

func (k *keeps) End(at time.Time, of string, e record.Entry) error {
	k.kept = append(k.kept, string(fold.Marshal(e)))
	return k.Book.End(at, of, e)
}

func (k *keeps) Note(at time.Time, e record.Entry) error {
	k.kept = append(k.kept, string(fold.Marshal(e)))
	return k.Book.Note(at, e)
}

// A command of the list with a credential in it is in no plan; what it would start
// is not, and a person is told why.
func TestFits_secretCommand(t *testing.T) {
	d := newDesk(t)
	command := []string{"/opt/start", "--token", "ghp_" + strings.Repeat("FAKE", 9)}
	for _, argv := range [][]string{command, reconcile.Told(command)} {
		a, told := d.at(d.now), []string{}
		a.Command = func(string, string) []string { return command }
		a.Tell = func(_ context.Context, _, severity, text string) error {
			told = append(told, severity)
			if strings.Contains(text, "FAKE") {
				t.Error(text)
			}
			return nil
		}
		dec := d.decided(0, "launch")
		dec.Action.Argv = argv
		if err := a.Do(context.Background(), []record.Decision{dec}); err != nil || d.starts > 0 {
			t.Errorf("%v, %d starts", err, d.starts)
		}
		d.now = d.now.Add(time.Minute)
		if slices.Equal(argv, command) != (len(told) == 1) { // once in an episode
			t.Errorf("told %q", told)
		}
	}
	if got := d.state.Heal("agent-0").Alerts; !slices.Equal(got, []string{"kept-secret"}) {
		t.Errorf("filed %q", got)
	}
	a := d.at(d.now)
	a.Command = func(string, string) []string { return command }
	d.runs(d.agents[0])
	d.agents[0].answers = false
	if err := a.Do(t.Context(), []record.Decision{d.decided(0, "inject")}); err != nil || len(d.said) != 1 {
		t.Errorf("%v: written to %q: nothing is started by a message", err, d.said)
	}
}

// A session without an id is called by its process.
func TestFits_pid(t *testing.T) {
	for agent, want := range map[string]string{"session:pid:7": "", "session:": "decision"} {
		a := &Actor{}
		if got := reasonOf(a.fits(record.Decision{Agent: agent, Decision: "OK", Seen: &record.Seen{PID: 7}})); got != want {
			t.Errorf("%s: %q, want %q", agent, got, want)
		}
	}
}

// An error that is no refusal is what could not be seen, not a refusal without a reason.
func TestRefuse(t *testing.T) {
	for err, want := range map[error]string{refused("busy", "it works"): "refused busy it works", errors.New("no room"): "refused unknown no room"} {
		if o := refuse(record.Outcome{}, err); o.Result+" "+o.Reason+" "+o.Detail != want {
			t.Errorf("%+v, want %s", o, want)
		}
	}
}
