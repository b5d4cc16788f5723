package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/command"
)

// aged is a ledger of 60 ticks with a damaged line.
func aged(t *testing.T) Ledger {
	l := newLedger(t)
	var b strings.Builder
	for n := range 60 {
		b.WriteString(fireLine(n+1) + "\n")
	}
	b.WriteString("half a li\n" + fireLine(61) + "\n")
	l.put(t, File, b.String())
	return l
}

func TestCompact(t *testing.T) {
	l := aged(t)
	before := l.text(t)
	c, err := l.Compact()
	if err != nil || c.Dropped != 13 || len(c.Kept) != 48 || len(c.Damaged) != 1 {
		t.Fatalf("%d dropped, %d kept, %d damaged, %v", c.Dropped, len(c.Kept), len(c.Damaged), err)
	}
	want := strings.Replace(before[strings.Index(before, fireLine(14)):], "half a li\n", "", 1)
	if got := l.text(t); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	aside, err := os.ReadFile(filepath.Join(l.Dir, DamagedFile))
	if err != nil || string(aside) != "half a li\n" {
		t.Errorf("set aside %q, %v", aside, err)
	}
	info, err := os.Stat(l.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if n, err := l.Fire(noon, true, "", nil); n != 62 || err != nil {
		t.Errorf("the next tick is %d, %v", n, err)
	}
	os.Remove(filepath.Join(l.Dir, DamagedFile))
	was, _ := os.Stat(l.Path())
	if c, err := l.Compact(); err != nil || c.Dropped != 1 {
		t.Errorf("one tick later %d are dropped, %v", c.Dropped, err)
	}
	again, _ := os.Stat(l.Path())
	if c, err := l.Compact(); err != nil || c.Dropped != 0 {
		t.Errorf("%d dropped, %v", c.Dropped, err)
	}
	last, _ := os.Stat(l.Path())
	if os.SameFile(was, again) || !os.SameFile(again, last) {
		t.Error("a ledger of which nothing goes is written again, or one is not")
	}
	if _, err := os.Stat(filepath.Join(l.Dir, DamagedFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was damaged: %v", err)
	}
}

// Whatever stops a compaction, the ledger is as it was.
func TestCompact_fails(t *testing.T) {
	tests := []struct {
		name string
		err  string
		do   func(t *testing.T, l *Ledger)
	}{
		{"a tick runs", "a tick runs: ", func(t *testing.T, l *Ledger) {
			lock, err := command.TryLock(filepath.Join(l.Dir, tickLock), "tick 61")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { lock.Close() })
		}},
		{"the tick's lock cannot be made", "is a directory", func(t *testing.T, l *Ledger) { must(t, os.Mkdir(filepath.Join(l.Dir, tickLock), 0o700)) }},
		{"the ledger's neither", "is a directory", func(t *testing.T, l *Ledger) {
			os.Remove(filepath.Join(l.Dir, lockFile))
			must(t, os.Mkdir(filepath.Join(l.Dir, lockFile), 0o700))
		}},
		{"nothing can be set aside", "is a directory", func(t *testing.T, l *Ledger) { must(t, os.Mkdir(filepath.Join(l.Dir, DamagedFile), 0o700)) }},
		{"setting aside fails", "ledger.damaged: no space left on device", func(t *testing.T, l *Ledger) { *l = l.on(faulty{room: 1}) }},
		{"where it is set aside is no file", "ledger.damaged: not a regular file", func(t *testing.T, l *Ledger) {
			must(t, os.Symlink("/dev/full", filepath.Join(l.Dir, DamagedFile)))
		}},
		{"it cannot be opened", "input/output error", func(t *testing.T, l *Ledger) {
			l.openFile = func(string, int) (file, error) { return nil, syscall.EIO }
		}},
		{"it cannot be read", "reading " + "ledger.jsonl: line 1: input/output error", func(t *testing.T, l *Ledger) {
			*l = l.on(faulty{readErr: syscall.EIO})
		}},
		{"it is no file", "not a regular file", func(t *testing.T, l *Ledger) { *l = l.on(faulty{statErr: errors.New("not a regular file")}) }},
	}
	for _, tt := range tests {
		l := aged(t)
		before := l.text(t)
		clean := l
		tt.do(t, &l)
		c, err := l.Compact()
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), l.Dir+"/", ""), tt.err) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
		}
		if got := clean.text(t); got != before || c.Dropped > 0 && tt.name == "a tick runs" {
			t.Errorf("%s: the ledger changed", tt.name)
		}
		if info, err := os.Lstat(filepath.Join(l.Dir, DamagedFile)); err == nil && info.Mode().IsRegular() {
			t.Errorf("%s: half of the damaged lines are set aside", tt.name)
		}
	}
	if _, err := newLedger(t).Compact(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no ledger: %v", err)
	}
}

// A ledger that cannot be put in place of the old one, or whose place is not
// durable, is told; so is one that would say something else.
func TestCompact_told(t *testing.T) {
	begin := func() Ledger {
		l := aged(t)
		l.put(t, File, strings.Replace(l.text(t), "half a li\n", "", 1))
		return l
	}
	l := begin()
	l.openFile = func(name string, flag int) (file, error) {
		f, err := os.OpenFile(name, flag, 0o600)
		must(t, os.Rename(l.Dir, l.Dir+".moved"))
		return f, err
	}
	if _, err := l.Compact(); err == nil || !strings.HasPrefix(err.Error(), "writing "+l.Path()+": ") {
		t.Errorf("its directory is gone: %v", err)
	}
	l = begin().on(faulty{dirErr: syscall.EIO})
	if _, err := l.Compact(); !errors.Is(err, syscall.EIO) {
		t.Errorf("the directory is not durable: %v", err)
	}
	l = aged(t)
	was := l.text(t)
	if _, err := l.on(faulty{room: 1 << 20, dirErr: syscall.EIO}).Compact(); !errors.Is(err, syscall.EIO) || l.text(t) != was {
		t.Errorf("what is set aside is not durable, and the ledger lacks it: %v", err)
	}
	l = begin()
	ask := `{"by":"act","id":"ID","kind":"intent","scope":"lamp","target":{"asks":[{"id":"a1","key":"KEY"}],"batch":1},"tick":1,"ts":"2026-11-29T12:00:00Z","v":1,"verb":"ask"}` + "\n" +
		`{"by":"tick","id":"1-3","keys":["KEY"],"kind":"ack","resolved":true,"scope":"lamp","tick":1,"ts":"2026-11-29T12:00:00Z","v":1}` + "\n"
	text := strings.NewReplacer("KEY", "old", "ID", "1-2").Replace(ask) + l.text(t) + strings.NewReplacer("KEY", "new", "ID", "61-2").Replace(ask)
	l.put(t, File, text)
	if c, err := l.Compact(); c.Kept != nil || err == nil || l.text(t) != text {
		t.Errorf("one id for two resolutions: %d kept, %v", len(c.Kept), err)
	}
}

// A ledger that lies elsewhere stays there, with the link that leads to it; of one from
// which all goes nothing is left, not an empty line.
func TestCompact_linked(t *testing.T) {
	l, far := newLedger(t), filepath.Join(t.TempDir(), "far.jsonl")
	must(t, os.MkdirAll(l.Dir, 0o700))
	must(t, os.WriteFile(far, []byte("half a li\n"), 0o600))
	must(t, os.Symlink(far, l.Path()))
	if c, err := l.Compact(); err != nil || len(c.Damaged) != 1 {
		t.Fatalf("%d damaged, %v", len(c.Damaged), err)
	}
	if to, err := os.Readlink(l.Path()); err != nil || to != far || l.text(t) != "" {
		t.Errorf("it leads to %q, %v, and is %q", to, err, l.text(t))
	}
	synced := ""
	l.openFile = func(name string, flag int) (file, error) {
		if name == filepath.Dir(far) {
			synced = name
		}
		return os.OpenFile(name, flag, 0o600)
	}
	must(t, os.WriteFile(far, []byte("half a li\n"), 0o600))
	if _, err := l.Compact(); err != nil || synced == "" {
		t.Errorf("the place of the ledger is not durable: %v", err)
	}
	long := filepath.Join(filepath.Dir(far), strings.Repeat("f", 255)) // nothing can be made beside it that has its name and more
	must(t, os.WriteFile(long, []byte("half a li\n"), 0o600))
	must(t, os.Remove(l.Path()))
	must(t, os.Symlink(long, l.Path()))
	if _, err := l.Compact(); err == nil || l.text(t) != "half a li\n" {
		t.Errorf("no room beside it: %v, %q", err, l.text(t))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
