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
	e, err := word(command, args)
	if err != nil {
		return err
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
	how := nobodyLooked               // of a session
	if strings.HasPrefix(e.Key, sessionPrefix) && e.Kind != record.EntryAgentExit {
		var dir string
		if e.Key, dir, how, err = p.session(s.StateDir, e.Key, known); err != nil {
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
	if e.Kind == record.EntryUnpause && !before.Paused && state.Damaged+state.NewerLines() == 0 { // any of them may be a pause
		return p.notPaused(s, known, e.Key, how)
	}
	e.DryRun = s.DryRun || p.w.Dry()
	if err := l.Note(p.std.Clock, e); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	p.doubt(s, before, known, e)
	if how == unseen {
		p.std.Warn("the last tick or sweep saw no %s; it is noted all the same", strings.Replace(e.Key, sessionPrefix, "session ", 1))
	}
	return nil
}

// word is the entry of a command and its arguments, by whoever gives it: of a session the
// name is as it was given.
func word(command string, args []string) (record.Entry, error) {
	e := record.Entry{Key: args[0]}
	if !strings.HasPrefix(e.Key, sessionPrefix) {
		e.Key = desired.Name(e.Key)
	}
	switch {
	case !isAgent(e.Key) && (command == "exited" || !strings.HasPrefix(e.Key, sessionPrefix)): // of a session it may be the name
		return e, cli.Usage(fmt.Errorf(wanted, command))
	case command == "pause" && len(args) == 1:
		e.Kind = record.EntryPause
	case command == "unpause" && len(args) == 1:
		e.Kind = record.EntryUnpause
	case command == "exited" && len(args) == 2:
		status, err := strconv.Atoi(args[1])
		if err != nil || status < 0 || status > 255 {
			return e, cli.Usage(errors.New("exited: STATUS is an exit status, 0 to 255"))
		}
		e.Kind, e.By, e.Exit = record.EntryAgentExit, "hook", &status
	default:
		return e, cli.Usage(errors.New("which command? pause AGENT, unpause AGENT or exited AGENT STATUS\ntry fleet-ledger --help"))
	}
	if e.By == "" {
		by, err := cli.Owner()
		if err != nil {
			return e, err
		}
		e.By = by
	}
	return e, nil
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
		p.std.Warn("nothing that can be read says that %s is paused; the unpause is noted all the same", e.Key)
	}
	if strings.HasPrefix(e.Key, sessionPrefix) || s.Desired == "" && e.Kind == record.EntryAgentExit {
		return
	}
	names, of, err := agents(s, known)
	if err != nil {
		p.std.Warn("it is noted; whether there is an agent called %s is not known: %v", e.Key, err)
		return
	}
	what := map[string]string{record.EntryPause: "pause", record.EntryUnpause: "unpause", record.EntryAgentExit: "exit"}[e.Kind]
	switch nearest, d := near(e.Key, names); {
	case d == 0:
	case d <= typo:
		p.std.Warn("no agent %s is called %s; did you mean %s? The %s is noted all the same", of, e.Key, nearest, what)
	default:
		p.std.Warn("no agent %s is called %s; the %s is noted all the same", of, e.Key, what)
	}
}

// notPaused answers an unpause that would end nothing, and is not noted: well of an agent or
// a session that there is, since it is as was asked for, of any other name an error, which
// says what is paused.
func (p program) notPaused(s *config.Scope, known []record.Heal, key string, how sight) error {
	names, of, err := agents(s, known)
	_, d := near(key, names)
	if session := strings.HasPrefix(key, sessionPrefix); session && how == wasSeen || !session && err == nil && d == 0 {
		p.std.Warn("%s was not paused", key)
		return nil
	}
	paused := []string{}
	for _, h := range known {
		if h.Paused {
			paused = append(paused, guard.Text(h.Agent, errorWidth))
		}
	}
	says := "unpause: " + key + " is not paused"
	switch {
	case how == unseen:
		says += ", and the last tick or sweep saw no such session"
	case !strings.HasPrefix(key, sessionPrefix) && err == nil:
		says += ", and no agent " + of + " is called so"
	}
	if nearest, d := near(key, append(paused, names...)); d <= typo {
		says += "; did you mean " + nearest + "?"
	}
	if len(paused) == 0 {
		return errors.New(says + "\nnothing is paused")
	}
	return fmt.Errorf("%s\npaused: %s", says, strings.Join(paused, ", "))
}

// agents are the names that the scope's list has, or without one those that sweeps acted
// on; of says where they are from. The error says why nobody knows.
func agents(s *config.Scope, known []record.Heal) (names []string, of string, err error) {
	names = swept(known)
	switch {
	case s.Desired != "":
		names, err = listed(s.Desired)
		return names, "of " + s.Desired, err
	case len(names) == 0:
		err = errors.New("no list names the agents, and no sweep acted yet")
	}
	return names, "that a sweep acted on", err
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
