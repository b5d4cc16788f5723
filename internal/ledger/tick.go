package ledger

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/natefinch/atomic"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// The ids of a tick T: T-1 its fire, T-2 its batch of asks, T-3 its
// resolutions. Its exit takes the next number that is free, 4 at least.
const (
	fireNumber = 1
	exitNumber = 4
)

// Fire begins a tick: it takes a number one past every number that a tick of
// this ledger ever had, notes it, and returns it. The state directory is made
// when it is missing. clock is the machine's, nil when it cannot be told.
func (l Ledger) Fire(at time.Time, dry bool, detail string, clock *record.Clock) (int, error) {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return 0, err
	}
	n := 0
	err := l.update(os.O_CREATE, func(h held) ([][]byte, error) {
		last, err := l.lastTick(h)
		n = last + 1
		if err == nil {
			err = l.writeCounter(n) // first: a number is rather left out than used twice
		}
		e := l.entry(record.EntryFire, at, dry, &n)
		e.ID, e.Detail, e.Clock = entryID(n, fireNumber), detail, clock
		return [][]byte{fold.Marshal(e)}, err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// entry is what all entries of a tick's own have in common.
func (l Ledger) entry(kind string, at time.Time, dry bool, tick *int) record.Entry {
	return record.Entry{V: record.Version, Kind: kind, TS: record.NewTime(at), Scope: l.Scope, By: "tick", DryRun: dry, Tick: tick}
}

func entryID(tick, n int) string { return fmt.Sprintf("%d-%d", tick, n) }

// lastTick is the largest number ever taken: that of the counter or of the last
// fire. Without a counter the whole ledger and the names of what ticks left
// are searched.
func (l Ledger) lastTick(h held) (int, error) {
	tail, err := l.tail(h)
	if err != nil {
		return 0, err
	}
	last := 0
	if len(tail) > 0 && tail[0].Kind == record.EntryFire {
		last = *tail[0].Tick
	}
	if n, ok := l.counter(); ok {
		return max(n, last), nil
	}
	s, err := l.fold(io.NewSectionReader(h, 0, h.size))
	if err != nil {
		return 0, err
	}
	return max(last, s.MaxTick, l.lastNamed("ticks"), l.lastNamed("asks")), nil
}

// counter reads the counter file; one that is missing or holds no number does
// not count.
func (l Ledger) counter() (int, bool) {
	name := filepath.Join(l.Dir, counterFile)
	var b []byte
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // a pipe would wait for its other end
		b, _ = os.ReadFile(name) // what cannot be read holds no number
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return n, err == nil && n >= 0 && n <= fold.TickLimit
}

func (l Ledger) writeCounter(n int) error {
	name := filepath.Join(l.Dir, counterFile)
	if err := atomic.WriteFile(name, strings.NewReader(strconv.Itoa(n)+"\n")); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return l.syncDir(l.Dir)
}

// syncDir makes the names in a directory durable.
func (l Ledger) syncDir(name string) error {
	d, err := l.open(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// lastNamed is the largest number that a name in a directory begins with:
// ticks/00012, asks/00012.md.
func (l Ledger) lastNamed(dir string) int {
	last := 0
	names, _ := os.ReadDir(filepath.Join(l.Dir, dir)) // what cannot be listed names nothing
	for _, name := range names {
		digits, _, _ := strings.Cut(name.Name(), ".")
		if n, err := strconv.Atoi(digits); err == nil && n <= fold.TickLimit {
			last = max(last, n)
		}
	}
	return last
}

// Ended is how a tick ended.
type Ended struct {
	Tick   int
	Status int
	Detail string
	Counts map[string]int // sessions by class; nil without a snapshot
	Read   []string       // surfaces read; nil without a snapshot
	Wrote  []string       // ids of the intents that the ledger should have of it
}

// Exit notes the end of a tick. It refuses when the tick is not the last one of
// this scope, or has ended. What the tick wrote and the ledger has no more, as
// when the ledger was replaced meanwhile, is an error, and noted as a failure.
func (l Ledger) Exit(at time.Time, dry bool, end Ended) error {
	var lost error
	err := l.update(0, func(h held) ([][]byte, error) {
		es, err := l.tail(h, `"`+record.EntryExit+`"`, fmt.Sprintf(`"%d-`, end.Tick))
		if err != nil {
			return nil, err
		}
		if len(es) == 0 || es[0].Kind != record.EntryFire || *es[0].Tick != end.Tick {
			return nil, fmt.Errorf("tick %d is not the last one that began", end.Tick)
		}
		id := exitNumber
		for _, want := range end.Wrote {
			if !slices.ContainsFunc(es, func(e record.Entry) bool { return e.ID == want }) {
				lost = fmt.Errorf("%s has no %s any more: what tick %d asked is lost there, and asked again", h.name, want, end.Tick)
				end.Status = max(end.Status, 1)
			}
		}
		for _, e := range es {
			if e.Kind == record.EntryExit {
				return nil, fmt.Errorf("tick %d has ended already", end.Tick)
			}
			var tick, n int
			if fmt.Sscanf(e.ID, "%d-%d", &tick, &n); tick == end.Tick {
				id = max(id, n+1)
			}
		}
		e := l.entry(record.EntryExit, at, dry, &end.Tick)
		e.ID, e.Exit, e.Detail, e.Counts, e.Read = entryID(end.Tick, id), &end.Status, end.Detail, end.Counts, end.Read
		return [][]byte{fold.Marshal(e)}, nil
	})
	return cmp.Or(err, lost)
}

// tail is what h.tail returns, of a ledger of this scope.
func (l Ledger) tail(h held, words ...string) ([]record.Entry, error) {
	es, err := h.tail(words...)
	if err == nil && len(es) > 0 && es[0].Kind == record.EntryFire && es[0].Scope != l.Scope {
		scope := es[0].Scope
		return nil, fmt.Errorf("%s is the ledger of the scope \"%s\": two scopes have one state_dir", h.name, guard.Text(scope, 60))
	}
	return es, err
}
