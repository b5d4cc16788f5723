package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

const sessionPrefix = "session:"

// whole is what names one session alone: its id or pid:<n>, with the label of its
// directory behind it or not.
var whole = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|pid:[0-9]+)(@.+)?$`)
})

// shortest is how many characters the beginning of an id has at least.
const shortest = 4

// known is what the last tick and sweep saw of a session of this machine.
type known struct {
	name string // or its id
	dir  string // in which it worked; "" when it was not told
}

// sight is whether the last tick or sweep saw a session, or the ledger has it as paused.
type sight int

const (
	nobodyLooked sight = iota // or what they saw cannot be read
	unseen
	wasSeen
)

// session returns the key of the session that a person means, and its directory: by its
// whole id, the beginning of one as reports show it, or its name. What means no session of
// this machine that the last tick or sweep saw, and is no whole id, would pause nothing:
// that is an error.
func (p program) session(stateDir, key string, paused []record.Heal) (_, dir string, how sight, err error) {
	meant := strings.TrimPrefix(key, sessionPrefix)
	all, err := seen(stateDir, p.w.Host)
	if err != nil {
		p.std.Warn("which sessions there are is not known: %v", err)
	}
	saw := len(all) > 0
	for _, h := range paused {
		if id, ok := strings.CutPrefix(h.Agent, sessionPrefix); ok && h.Paused && all[id].name == "" {
			all[id] = known{id, h.PausedIn}
		}
	}
	if all[meant].name != "" {
		return key, all[meant].dir, wasSeen, nil
	}
	fits := []string{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if len(meant) >= shortest && strings.HasPrefix(id, meant) || all[id].name == meant {
			fits = append(fits, id)
		}
	}
	switch {
	case len(fits) == 1:
		p.std.Warn("%s%s is meant, %s", sessionPrefix, fits[0], all[fits[0]].name)
		return sessionPrefix + fits[0], all[fits[0]].dir, wasSeen, nil
	case len(fits) > 1:
		return "", "", nobodyLooked, fmt.Errorf("%s may be one of %d sessions: %s", guard.Text(key, errorWidth), len(fits), strings.Join(fits[:min(len(fits), 5)], ", "))
	case !whole().MatchString(meant):
		return "", "", nobodyLooked, fmt.Errorf("no session of this machine that the last tick or sweep saw is called %q, or has an id that begins so; want its id", guard.Text(meant, errorWidth))
	case saw:
		return key, "", unseen, nil
	}
	return key, "", nobodyLooked, nil
}

// seen are the sessions of a machine in the newest tick and the last sweep, by id.
// What is not there saw none.
func seen(stateDir, host string) (map[string]known, error) {
	ticks, err := filepath.Glob(filepath.Join(stateDir, "ticks", "*", "snapshot.ndjson"))
	files := append(ticks[max(0, len(ticks)-1):], filepath.Join(stateDir, "heal", "sweep.ndjson"))
	all := map[string]known{}
	for _, file := range files {
		err = cmp.Or(err, sessionsOf(file, host, all))
	}
	return all, err
}

func sessionsOf(file, host string, all map[string]known) error {
	f, err := cli.OpenFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for line, err := range record.All(f) {
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		r := line.Record
		if r.Host != host {
			continue
		}
		is := all[r.Subject]
		if s, ok := record.Payload[record.Session](r); ok && r.Kind == record.KindSession {
			all[r.Subject] = known{cmp.Or(is.name, r.Subject), s.Cwd}
		}
		if v, ok := record.Payload[record.Verdict](r); ok && r.Kind == record.KindVerdict {
			all[r.Subject] = known{cmp.Or(v.Session.Name, r.Subject), cmp.Or(is.dir, v.Session.Cwd)}
		}
	}
	return nil
}
