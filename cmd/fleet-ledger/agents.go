package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// about runs a command about one agent.
func (p program) about(command string, args []string) error {
	e := record.Entry{Key: args[0]}
	if !strings.HasPrefix(e.Key, "session:") {
		e.Key = reconcile.Name(e.Key)
	}
	switch {
	case !isAgent(e.Key):
		return cli.Usage(fmt.Errorf("%s: AGENT is the name of one, or session:ID", command))
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
	return p.note(e)
}

// isAgent tells whether a name can be one of an agent or a session.
func isAgent(name string) bool {
	for _, r := range name {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return false
		}
	}
	return name != "" && name[0] != '-' && len(name) <= 200 && guard.Withhold(name) == name
}

// swept notes that a sweep ended.
func (p program) swept() error {
	return p.note(record.Entry{Kind: record.EntrySweepExit, By: "act", Exit: &p.opts.Status, Detail: guard.Text(p.opts.Detail, errorWidth)})
}

func (p program) note(e record.Entry) error {
	l, s, err := p.open(p.opts.Scope)
	if err != nil {
		return err
	}
	e.DryRun = s.DryRun || p.w.Dry()
	return l.Note(p.std.Clock, e)
}
