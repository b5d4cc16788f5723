package fold

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Snapshot is Sum of a saved stream, and the ids of the intents in it, which the
// ledger should have. An empty one is no snapshot: nil, and no error.
func Snapshot(r io.Reader, tick int) (counts map[string]int, read, intents []string, err error) {
	set := new(record.Set)
	empty := true
	for line, err := range record.All(r) {
		if err != nil {
			return nil, nil, nil, err
		}
		set.Add(line)
		empty = false
	}
	if empty {
		return nil, nil, nil, nil
	}
	if counts, read, err = Sum(set, tick); err != nil {
		return nil, nil, nil, err
	}
	for _, r := range set.Of(record.KindEntry) {
		if e, ok := record.Payload[record.Entry](r); ok && e.Kind == record.EntryIntent {
			intents = append(intents, e.ID)
		}
	}
	return counts, read, intents, nil
}

// Sum counts the verdicts of a snapshot by class and lists the surfaces that
// it read, those of other machines as <host>/<name>. The error says that the
// snapshot is not of the tick, or was not judged whole.
func Sum(set *record.Set, tick int) (counts map[string]int, read []string, err error) {
	r, t, ok := set.Tick()
	if !ok || t.Tick == nil || *t.Tick != tick {
		return nil, nil, fmt.Errorf("it is not of tick %d", tick)
	}
	counts, read = map[string]int{}, []string{}
	by := map[string]bool{}
	for _, v := range set.Of(record.KindVerdict) {
		if p, ok := record.Payload[record.Verdict](v); ok {
			counts[p.Class]++
			by[v.By] = true
		}
	}
	closed := errors.New(judges[0] + ": no closing record")
	for _, j := range judges {
		if err := set.Closed("", j); err == nil {
			closed = nil
		} else if by[j] {
			return nil, nil, err
		}
	}
	if closed != nil {
		return nil, nil, closed
	}
	for _, s := range set.Of(record.KindSurface) {
		if p, _ := record.Payload[record.Surface](s); p.Records != nil || !p.OK || p.Absent || set.Closed(s.Host, closer(s)) != nil {
			continue
		}
		name := s.Subject
		if s.Host != r.Host {
			name = s.Host + "/" + name
		}
		if !slices.Contains(read, name) {
			read = append(read, name)
		}
	}
	slices.Sort(read)
	return counts, read, nil
}

// closer is the subject of the closing record that a surface record is counted
// in.
func closer(r record.Record) string {
	if _, label, ok := strings.Cut(r.Subject, "@"); ok {
		return r.By + "@" + label
	}
	return r.By
}
