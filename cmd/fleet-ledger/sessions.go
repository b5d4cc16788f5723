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

// session returns the key of the session that a person means: by its whole id, the
// beginning of one as reports show it, or its name. What means no session that the last
// tick or sweep saw, and is no whole id, would pause nothing: that is an error.
func (p program) session(stateDir, key string, paused []record.Heal) (string, error) {
	meant := strings.TrimPrefix(key, sessionPrefix)
	known, err := seen(stateDir)
	if err != nil {
		p.std.Warn("which sessions there are is not known: %v", err)
	}
	saw := len(known) > 0
	for _, h := range paused {
		if id, ok := strings.CutPrefix(h.Agent, sessionPrefix); ok && h.Paused && known[id] == "" {
			known[id] = id
		}
	}
	if known[meant] != "" {
		return key, nil
	}
	fits := []string{}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if len(meant) >= shortest && strings.HasPrefix(id, meant) || known[id] == meant {
			fits = append(fits, id)
		}
	}
	switch {
	case len(fits) == 1:
		p.std.Warn("%s%s is meant, %s", sessionPrefix, fits[0], known[fits[0]])
		return sessionPrefix + fits[0], nil
	case len(fits) > 1:
		return "", fmt.Errorf("%s may be one of %d sessions: %s", key, len(fits), strings.Join(fits[:min(len(fits), 5)], ", "))
	case !whole().MatchString(meant):
		return "", fmt.Errorf("no session that the last tick or sweep saw is called %s, or has an id that begins so; want its id", guard.Text(meant, errorWidth))
	case saw:
		p.std.Warn("the last tick or sweep saw no session %s; it is noted all the same", meant)
	}
	return key, nil
}

// seen are the sessions of the newest tick and the last sweep, a name or the id again by id.
// What is not there saw none.
func seen(stateDir string) (map[string]string, error) {
	ticks, err := filepath.Glob(filepath.Join(stateDir, "ticks", "*", "snapshot.ndjson"))
	files := append(ticks[max(0, len(ticks)-1):], filepath.Join(stateDir, "heal", "sweep.ndjson"))
	known := map[string]string{}
	for _, file := range files {
		err = cmp.Or(err, sessionsOf(file, known))
	}
	return known, err
}

func sessionsOf(file string, known map[string]string) error {
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
		if r.Kind == record.KindSession && known[r.Subject] == "" {
			known[r.Subject] = r.Subject
		}
		if v, ok := record.Payload[record.Verdict](r); ok && r.Kind == record.KindVerdict && v.Session.Name != "" {
			known[r.Subject] = v.Session.Name
		}
	}
	return nil
}
