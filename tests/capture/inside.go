package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

const (
	patience       = 2 * time.Minute // for one session to come into its situation
	pickerPatience = 10 * time.Second
	stubAddress    = "127.0.0.1:8099"
)

// inside runs in the box as its user: it brings up the fleet and takes the moment.
func inside() error {
	members := members()
	server, err := stubapi.Start(stubAddress, append(scenarios(members), subagents()...)...)
	if err != nil {
		return err
	}
	defer server.Close()
	log, err := os.Create(filepath.Join(boxOut, "requests.jsonl"))
	if err != nil {
		return err
	}
	defer log.Close()
	server.Log = log
	box, err := claudebox.New(claudebox.Config{
		Home: boxHome, Binary: boxBinary, Version: version, BaseURL: server.URL(), Subscriber: true, Projects: projects(),
		Env: map[string]string{"CLAUDE_CODE_TMPDIR": "/tmp"}, // the usual place
	})
	if err != nil {
		return err
	}
	defer box.Close()
	ctx := context.Background()
	if err := layRepositories(ctx, box); err != nil {
		return err
	}
	fleet, err := startAll(ctx, box, members)
	if err != nil {
		return err
	}
	if err := lastActions(ctx, box, fleet); err != nil {
		return err
	}
	return takeMoment(ctx, box, fleet)
}

// scenarios returns what the model says to each member that is prompted.
func scenarios(members []member) []stubapi.Scenario {
	var table []stubapi.Scenario
	for _, m := range members {
		if m.prompt != "" && m.kind != shellJob {
			table = append(table, stubapi.Scenario{
				Name: m.key, Prompt: m.prompt, Title: cmp.Or(m.label, strings.ReplaceAll(m.key, "-", " ")), Label: m.label,
				Verdict: m.verdict, Steps: m.steps,
			})
		}
	}
	return table
}

// startAll starts the members one after the other, each when the one before is in its situation.
func startAll(ctx context.Context, box *claudebox.Box, members []member) ([]session, error) {
	var fleet []session
	var failures []error
	for i, m := range members {
		ctx, cancel := context.WithTimeout(ctx, patience)
		began := time.Now()
		s, err := start(ctx, box, m)
		cancel()
		if err != nil {
			screen, _ := box.Screen(context.Background(), m.key)
			failures = append(failures, fmt.Errorf("%s (%s): %w\n%s", m.key, m.situation, err, screen))
			continue
		}
		fleet = append(fleet, s)
		progress("%2d/%d %-16s %s (%s)", i+1, len(members), m.key, m.situation, time.Since(began).Round(100*time.Millisecond))
	}
	return fleet, errors.Join(failures...)
}

// start brings one member into its situation.
func start(ctx context.Context, box *claudebox.Box, m member) (session, error) {
	s := session{member: m}
	dir := box.Path(repositories, m.dir)
	var args []string
	if m.kind == printing {
		args = append(args, "-p")
	}
	if m.prompt != "" && m.kind != shellJob {
		args = append(args, m.prompt)
	}
	args = append(args, m.args...)
	if m.name != "" {
		args = append(args, "--name", m.name)
	}
	var err error
	switch m.kind {
	case interactive, printing:
		s.pid, err = box.Interactive(ctx, m.key, dir, args...)
	case shellJob:
		s.jobID, err = box.Background(ctx, dir, append(args, "--exec", m.prompt)...)
	case worktree:
		s.jobID, err = box.Background(ctx, dir, append(args, "--worktree", m.key)...)
	default:
		s.jobID, err = box.Background(ctx, dir, args...)
	}
	if err != nil {
		return s, err
	}
	return s, claudebox.Await(ctx, "its situation", func() bool {
		return s.identify(box) && m.ready(box, s)
	})
}

// identify fills in the ids of a session that has begun, and reports whether it has them.
func (s *session) identify(box *claudebox.Box) bool {
	if s.kind == shellJob {
		j, err := box.Job(s.jobID)
		s.id = j.SessionID
		return err == nil
	}
	for _, file := range box.Sessions() {
		if file.PID == s.pid && s.jobID == "" || file.JobID == s.jobID && s.jobID != "" {
			s.pid, s.id = file.PID, file.SessionID
			return true
		}
	}
	return false
}

// lastActions makes the changes that the moment is to show, and checks that every session is in
// its situation still.
func lastActions(ctx context.Context, box *claudebox.Box, fleet []session) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, s := range fleet {
		if s.last.do == nil {
			continue
		}
		if err := s.last.do(ctx, box, s); err != nil {
			return fmt.Errorf("%s (%s): %w", s.key, s.last.what, err)
		}
		progress("%s: %s", s.key, s.last.what)
	}
	var errs []error
	for _, s := range fleet {
		holds := s.ready
		if s.last.then != nil {
			holds = s.last.then
		}
		if !holds(box, s) {
			errs = append(errs, fmt.Errorf("%s: no longer in its situation (%s)", s.key, s.situation))
		}
	}
	return errors.Join(errs...)
}
