package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// about runs a command about one agent.
func (p program) about(command string, args []string) error {
	e := record.Entry{Key: args[0]}
	if !strings.HasPrefix(e.Key, sessionPrefix) {
		e.Key = desired.Name(e.Key)
	}
	switch {
	case !isAgent(e.Key) && (command == "exited" || !strings.HasPrefix(e.Key, sessionPrefix)): // of a session it may be the name
		return cli.Usage(fmt.Errorf(wanted, command))
	case command == "pause" && len(args) == 1:
		e.Kind = record.EntryPause
	case command == "unpause" && len(args) == 1:
		e.Kind = record.EntryUnpause
	case command == "exited" && len(args) == 2:
		status, err := strconv.Atoi(args[1])
		if err != nil || status < 0 || status > 255 {
			return cli.Usage(errors.New("exited: STATUS is an exit status, 0 to 255"))
		}
		e.Kind, e.By, e.Exit = record.EntryAgentExit, "hook", &status
	default:
		return cli.Usage(errors.New("which command? pause AGENT, unpause AGENT or exited AGENT STATUS\ntry fleet-ledger --help"))
	}
	if e.By == "" {
		by, err := cli.Owner()
		if err != nil {
			return err
		}
		e.By = by
	}
	l, s, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	state, err := l.ReadOrNone()
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	known := state.Heals(p.std.Clock) // for people; what is noted does not rest on it
	if strings.HasPrefix(e.Key, sessionPrefix) && e.Kind != record.EntryAgentExit {
		var dir string
		if e.Key, dir, err = p.session(s.StateDir, e.Key, known); err != nil {
			return cli.Usage(fmt.Errorf("%s: %w", command, err))
		}
		if !isAgent(e.Key) {
			return cli.Usage(fmt.Errorf(wanted, command))
		}
		if e.Kind == record.EntryPause {
			e.Detail = guard.Path(dir)
		}
	}
	before := state.Heal(e.Key)
	e.DryRun = s.DryRun || p.w.Dry()
	if err := l.Note(p.std.Clock, e); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	p.doubt(s, before, known, e)
	return nil
}

// wanted says what a name is; its verb is the command.
const wanted = "%s: want the name of an agent, of letters and digits with -, _ and . between them, or session:ID"

// paused prints what the owner paused, a name and since when a line.
func (p program) paused() error {
	l, _, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	state, err := l.ReadOrNone()
	if err != nil {
		return fmt.Errorf("paused: %w", err)
	}
	for _, h := range state.Heals(p.std.Clock) {
		if h.Paused {
			fmt.Fprintf(p.std.Out, "%s\t%s\n", guard.Text(h.Agent, errorWidth), h.PausedAt.Format(time.RFC3339))
		}
	}
	if n := state.Damaged + state.NewerLines(); n > 0 {
		return cli.Partial(fmt.Errorf("paused: lines of the ledger that cannot be read, %d, may be pauses, or ends of one: fleet-ledger verify names them", n))
	}
	return nil
}

// isAgent tells whether a name can be one of an agent or a session.
func isAgent(name string) bool {
	if guard.Withhold(name) != name {
		return false
	}
	if id, ok := strings.CutPrefix(name, sessionPrefix); ok {
		return sessionID().MatchString(id)
	}
	return desired.IsName(name)
}

// sessionID is what names a session: its id or pid:<n>, with the label of its
// directory behind it or not.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z:._@-]{0,190}$`) })

// doubt tells what the owner may have meant otherwise: a name that neither the scope's
// list nor, without one, a sweep had, a pause that is one already, or is none.
func (p program) doubt(s *config.Scope, before record.Heal, known []record.Heal, e record.Entry) {
	switch {
	case e.Kind == record.EntryPause && before.Paused:
		p.std.Warn("%s is paused already, since %s", e.Key, before.PausedAt.Format(time.RFC3339))
	case e.Kind == record.EntryUnpause && !before.Paused:
		p.std.Warn("%s was not paused", e.Key)
	}
	if strings.HasPrefix(e.Key, sessionPrefix) || s.Desired == "" && e.Kind == record.EntryAgentExit {
		return
	}
	var err error
	names, of := swept(known), "that a sweep acted on"
	switch {
	case s.Desired != "":
		names, err = listed(s.Desired)
		of = "of " + s.Desired
	case len(names) == 0:
		err = errors.New("no list names the agents, and no sweep acted yet")
	}
	if err != nil {
		p.std.Warn("it is noted; whether there is an agent called %s is not known: %v", e.Key, err)
		return
	}
	what := map[string]string{record.EntryPause: "pause", record.EntryUnpause: "unpause", record.EntryAgentExit: "exit"}[e.Kind]
	if meant, other := meaning(e.Key, names); other {
		p.std.Warn("no agent %s is called %s%s%s is noted all the same", of, e.Key, meant, what)
	}
}

// swept are the agents of which a sweep that acts spoke.
func swept(known []record.Heal) (names []string) {
	for _, h := range known {
		if h.SweptAt != nil && !strings.HasPrefix(h.Agent, sessionPrefix) {
			names = append(names, h.Agent)
		}
	}
	return names
}

// listed are the names of a list of agents.
func listed(file string) (names []string, err error) {
	b, err := cli.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list, err := desired.Parse(file, b)
	for _, d := range list {
		names = append(names, d.Agent)
	}
	return names, err
}

// meaning asks whether another of the names was meant. other tells that the name is
// none of them.
func meaning(name string, names []string) (asks string, other bool) {
	asks = "; the "
	for _, n := range names {
		switch d := distance(n, name); {
		case d == 0:
			return "", false
		case d <= 2 && asks == "; the ":
			asks = "; did you mean " + n + "? The "
		}
	}
	return asks, true
}

// distance is how many letters must be changed, added or taken away to come from one
// word to another.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			n := diagonal
			if x != y {
				n = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], n
		}
	}
	return row[len(to)]
}

// swept notes that a sweep ended, and what it could not decide, by its stream. Without
// one, or of one that is cut, it is noted all the same.
func (p program) swept() error {
	e := record.Entry{Exit: &p.opts.Status, Detail: guard.Text(p.opts.Detail, errorWidth)}
	l, s, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	e.DryRun = s.DryRun || p.w.Dry()
	undecided, bad := fold.Undecided(p.std.In)
	if bad != nil {
		bad = fmt.Errorf("that a sweep ended is noted without what it left undecided: its stream: %w", bad)
	}
	return cmp.Or(l.Swept(p.std.Clock, e, guard.Text(undecided, errorWidth)), bad)
}
