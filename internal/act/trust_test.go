package act

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

const (
	pause = `{"by":"owner:tty","dry_run":false,"id":"act-1","key":"agent-0","kind":"pause","scope":"lamp","tick":null,"ts":"2026-11-29T11:00:00.000Z","v":1}` + "\n"
	well  = `{"by":"act","dry_run":false,"id":"act-2","kind":"sweep","scope":"lamp","tick":null,"ts":"2026-11-29T11:00:00.000Z","v":1}` + "\n"
)

func TestHalves(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"entries", pause + well, 0},
		{"a blank line", well + "\n" + well, 0},
		{"the last is torn", well + pause[:60], 1},
		{"one within is torn", pause[:60] + "\n" + well, 1},
		{"torn within a letter", well + `{"v":1,"key":"` + "\xc3", 1},
		{"zeros", well + strings.Repeat("\x00", 99) + "\n" + well, 1},
		{"torn, then zeros", well + pause[:60] + "\x00\x00\x00", 1},
		{"garbage", well + "garbage\n", 0},
		{"half a list", well + `["pause", "age`, 0},
		{"the end of an entry", well + pause[60:], 0},
		{"two entries in one line", strings.TrimSpace(pause) + well, 0},
		{"a zero within an entry", strings.Replace(pause, "agent", "ag\x00nt", 1), 0},
		{"another version", strings.Replace(pause, `"v":1`, `"v":2`, 1), 0},
		{"longer than any entry", `{"key":"` + strings.Repeat("x", fold.MaxLine), 0},
	} {
		if n, err := Halves(fold.Lines(strings.NewReader(tt.text))); n != tt.want || err != nil {
			t.Errorf("%s: %d, %v", tt.name, n, err)
		}
	}
	if _, err := Halves(func(yield func(fold.Line, error) bool) { yield(fold.Line{}, syscall.EIO) }); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}

// onDisk is a desk whose ledger is a file that begins with a text.
func onDisk(t *testing.T, text string) (*desk, ledger.Ledger) {
	d, l := newDesk(t), ledger.New(t.TempDir(), "lamp")
	if err := os.WriteFile(l.Path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d, l
}

// acts is what the desk does by a ledger, and the outcomes.
func (d *desk) acts(l Book, text string, ds ...record.Decision) (got []string, err error) {
	a := d.actor("")
	a.Book, a.Eyes, a.Drivers = l, d, map[string]driver.Driver{"tmux": d}
	a.Sleep = func(_ context.Context, t time.Duration) { d.now = d.now.Add(t) }
	a.Emit = func(_ string, o record.Outcome) error {
		got = append(got, strings.TrimSpace(fmt.Sprint(o.Verb, " ", o.Result, " ", o.Reason)))
		return nil
	}
	a.Halves, _ = Halves(fold.Lines(strings.NewReader(text)))
	a.SeenAt = record.TimeOf(d.now)
	d.now = d.now.Add(time.Second)
	return got, a.Do(context.Background(), ds)
}

// By a ledger that hides what may be a pause nothing is done, and a person is told;
// what was never noted hides nothing.
func TestLedger_damaged(t *testing.T) {
	later := strings.NewReplacer(`"pause"`, `"held"`).Replace(pause)
	for _, tt := range []struct {
		name, text, want string
	}{
		{"whole", well, "launch done"},
		{"the last line is torn", well + pause[:60], "launch done"},
		{"zeros", well + strings.Repeat("\x00", 500), "launch done"},
		{"garbage within", well + "x" + pause + well, "launch refused ledger"},
		{"another version", well + strings.Replace(pause, `"v":1`, `"v":2`, 1), "launch refused ledger"},
		{"a kind of a later release", well + later, "launch refused ledger"},
		{"paused", well + pause, "launch refused paused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, l := onDisk(t, tt.text)
			dec := d.decided(0, "launch")
			var got []string
			a := []record.Decision{dec}
			got, err := d.acts(l, tt.text, a...)
			if err != nil {
				t.Fatal(err)
			}
			want(t, got, tt.want)
			s, err := l.Read()
			if err != nil {
				t.Fatal(err)
			}
			h := s.Heal("agent-0")
			if done := tt.want == "launch done"; (d.starts > 0) != done || (h.Attempts > 0) != done || len(s.Open()) > 0 {
				t.Errorf("%d starts, %+v", d.starts, h)
			}
			if told := fmt.Sprint(h.Alerts) == "[kept-ledger]"; told != (tt.want == "launch refused ledger") {
				t.Errorf("told %v", h.Alerts)
			}
		})
	}
	t.Run("a directory", func(t *testing.T) {
		d, l := newDesk(t), ledger.New(t.TempDir(), "lamp")
		if err := os.Mkdir(l.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if got, err := d.acts(l, "", d.decided(0, "launch")); err == nil || len(got) > 0 || d.starts > 0 {
			t.Errorf("%q, %v, %d starts", got, err, d.starts)
		}
	})
	t.Run("a link to a disk that is not there", func(t *testing.T) {
		d, l := newDesk(t), ledger.New(t.TempDir(), "lamp")
		if err := os.Symlink(filepath.Join(l.Dir, "disk", "ledger"), l.Path()); err != nil {
			t.Fatal(err)
		}
		if got, err := d.acts(l, "", d.decided(0, "launch")); err == nil || len(got) > 0 || d.starts > 0 {
			t.Errorf("%q, %v, %d starts", got, err, d.starts)
		}
	})
}

// looks runs something when the session is looked at, and when it is started.
type looks struct {
	*desk
	look, start func()
}

func (l looks) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	l.look()
	return l.desk.Look(ctx, t)
}

func (l looks) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	l.start()
	return l.desk.Start(ctx, t, how)
}

// A ledger that goes, or comes to be another, while a run is on its way: nothing is
// begun by it, and what was begun is told although it can be closed no more.
func TestLedger_replaced(t *testing.T) {
	nothing := func() {}
	run := func(d *desk, l Book, look, start func(), ds ...record.Decision) (got []string, err error) {
		a := d.actor("")
		dr := looks{d, look, start}
		a.Book, a.Eyes, a.Drivers = l, dr, map[string]driver.Driver{"tmux": dr}
		a.Emit = func(_ string, o record.Outcome) error {
			got = append(got, strings.TrimSpace(fmt.Sprint(o.Agent, " ", o.Verb, " ", o.Result, " ", o.Reason)))
			return nil
		}
		return got, a.Do(context.Background(), ds)
	}
	d, l := onDisk(t, pause+well)
	got, err := run(d, l, func() { os.Remove(l.Path()) }, nothing, d.decided(0, "launch"))
	if err != nil || d.starts > 0 {
		t.Errorf("it goes before the intent: %v, %d starts", err, d.starts)
	}
	want(t, got, "agent-0 launch refused ledger")

	d, l = onDisk(t, well)
	got, err = run(d, l, nothing, func() { os.WriteFile(l.Path(), []byte(well), 0o600) }, d.decided(0, "launch"), d.decided(1, "launch"))
	if err == nil || d.starts != 1 || !strings.Contains(err.Error(), "noting what became of launch agent-0") {
		t.Errorf("another comes in its place: %v, %d starts", err, d.starts)
	}
	want(t, got, "agent-0 launch done")
}

// full is a ledger on a disk without room: for an intent, or for its outcome.
type full struct {
	Book
	begin, end bool
}

func (f full) Begin(at time.Time, e record.Entry, may func(*fold.State) error) (string, error) {
	if f.begin {
		return "", syscall.ENOSPC
	}
	return f.Book.Begin(at, e, may)
}

func (f full) End(at time.Time, of string, e record.Entry) error {
	if f.end {
		return syscall.ENOSPC
	}
	return f.Book.End(at, of, e)
}

// Without room for the intent nothing is done, to nobody. Without room for the
// outcome what was done is told, and the next run closes it, and does nothing again.
func TestLedger_full(t *testing.T) {
	d := newDesk(t)
	got, err := d.acts(full{d, true, false}, "", d.decided(0, "launch"), d.decided(1, "launch"))
	if !errors.Is(err, syscall.ENOSPC) || len(got) > 0 || d.starts > 0 || d.wrote > 0 {
		t.Errorf("%q, %v, %d starts, %d entries", got, err, d.starts, d.wrote)
	}
	dec := d.decided(0, "launch")
	got, err = d.acts(full{d, false, true}, "", dec, d.decided(1, "launch"))
	if !errors.Is(err, syscall.ENOSPC) || d.starts != 1 || len(d.state.Open()) != 1 {
		t.Errorf("%v, %d starts, open %v", err, d.starts, d.state.Open())
	}
	want(t, got, "launch done")
	got, err = d.acts(d, "", dec)
	if err != nil || d.starts != 1 || len(d.state.Open()) > 0 || d.state.Heal("agent-0").LastEnd != record.EntryDone {
		t.Errorf("%v, %d starts, %+v", err, d.starts, d.state.Heal("agent-0"))
	}
	want(t, got, "launch refused changed")
}

// Of two runs that have the same decision, and of which none waits for the other,
// one begins it.
func TestTwoAtOnce(t *testing.T) {
	_, l := onDisk(t, well)
	var meet sync.WaitGroup
	meet.Add(2)
	var mu sync.Mutex
	got, starts := map[string]int{}, 0
	var runs sync.WaitGroup
	for range 2 {
		d := newDesk(t)
		a, dec := d.actor(""), d.decided(0, "launch")
		dr := looks{d, func() { meet.Done(); meet.Wait() }, func() { mu.Lock(); starts++; mu.Unlock() }}
		a.Book, a.Eyes, a.Drivers = l, d, map[string]driver.Driver{"tmux": dr}
		a.Emit = func(_ string, o record.Outcome) error {
			mu.Lock()
			defer mu.Unlock()
			got[o.Result]++
			return nil
		}
		runs.Go(func() {
			if err := a.Do(context.Background(), []record.Decision{dec}); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if starts != 1 || got[record.Done] != 1 || got[record.Refused] != 1 {
		t.Errorf("%d starts, %v", starts, got)
	}
}
