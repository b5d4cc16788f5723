package observe

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/broken"
)

// watchBroken observes a recording with claude on a file system that fails.
func watchBroken(t *testing.T, dir string, by map[string]error, c Claude) *seen {
	t.Helper()
	w, err := machine.New(dir, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	w.FS = broken.FS{FS: w.FS, By: by}
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	c.Binary, c.ListingCap, c.Timeout = "claude", cmp.Or(c.ListingCap, 200), time.Minute
	unread, err := c.Observe(context.Background(), w, k)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range k.surfaces {
		if told := slices.Contains(unread, name+": not read: "+s.Error); told == s.OK {
			t.Errorf("%s: ok %t, and it is among the unread: %t", name, s.OK, told)
		}
	}
	return k
}

// failingSink takes records up to one that it can't, whose subject, or word for
// the closing record, fails names.
type failingSink struct{ fails string }

var errSink = errors.New("no room for it")

func (s failingSink) Warn(string, ...any) {}

func (s failingSink) AddData(_ record.Kind, _ record.Time, _, subject string, _ any) error {
	if subject == s.fails {
		return errSink
	}
	return nil
}

func (s failingSink) Close(record.Time, string, string) error {
	if s.fails == "closing" {
		return errSink
	}
	return nil
}

// observers observe, each, a recording that has a surface of that name.
func observers(t *testing.T) map[string]func(Sink, string) error {
	world := func(dir, to string) *machine.World {
		w, err := machine.New(dir, time.Time{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Record(to); err != nil {
			t.Fatal(err)
		}
		if to != "" {
			if err := os.RemoveAll(to); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
	claudes, _ := written(t, nil)
	r := newRecording(t)
	r.repo("lamp", "https://github.com/acme/lamp")
	r.fine("acme/lamp")
	r.write(boardDir+"lamp/events.jsonl", boardLine("s1"))
	r.write("root/home/ana/.paseo/config.json", "{}")
	return map[string]func(Sink, string) error{
		"claude/listing": func(s Sink, to string) error {
			_, err := Claude{Binary: "claude", ListingCap: 200}.Observe(context.Background(), world(claudes, to), s)
			return err
		},
		"gh/acme/lamp": func(s Sink, to string) error {
			_, err := GitHub{Binary: "gh", Paths: []string{"/r/lamp"}}.Observe(context.Background(), world(r.dir, to), new(record.Set), s)
			return err
		},
		"board/lamp": func(s Sink, to string) error {
			_, err := Board{}.Observe(world(r.dir, to), s)
			return err
		},
		"paseo/agents": func(s Sink, to string) error {
			_, err := Paseo{}.Observe(world(r.dir, to), s)
			return err
		},
	}
}

// A record that could not be written is the observer's failure, whichever
// record it is.
func TestObservers_output(t *testing.T) {
	for surface, observe := range observers(t) {
		for _, fails := range []string{surface, "closing"} {
			if err := observe(failingSink{fails}, ""); err != errSink {
				t.Errorf("%s: %s is not written: got %v", surface, fails, err)
			}
		}
	}
}

// A recording that could not be written is a failure, and says so.
func TestObservers_recording(t *testing.T) {
	for surface, observe := range observers(t) {
		if surface == "paseo/agents" {
			continue
		}
		to := filepath.Join(t.TempDir(), "rec")
		if err := observe(failingSink{}, to); err == nil || !strings.HasPrefix(err.Error(), "--record: ") || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", surface, err)
		}
	}
}

// A board whose directory cannot be looked at is not absent.
func TestBoardBroken(t *testing.T) {
	r := newRecording(t)
	r.write(boardDir+"lamp/x", "")
	w := r.world()
	dir := "home/ana/.local/state/ctx/lamp"
	w.FS = broken.FS{FS: w.FS, By: map[string]error{"stat " + dir: syscall.EACCES}}
	_, surfaces, unread := observeBoard(t, w, Board{})
	if s := surfaces["board/lamp"]; s.OK || s.Absent || s.Error != "/"+dir+": permission denied" || len(unread) != 1 {
		t.Errorf("got %+v, unread %q", s, unread)
	}
}
