package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func newLedger(t testing.TB) Ledger {
	l := New(filepath.Join(t.TempDir(), "lamp"), "lamp")
	l.Wait = 50 * time.Millisecond
	return l
}

func (l Ledger) text(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (l Ledger) put(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(l.Dir, filepath.Dir(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fireLine(n int) string {
	return fmt.Sprintf(`{"by":"tick","dry_run":true,"id":"%d-1","kind":"tick_fire","scope":"lamp","tick":%d,"ts":"2026-11-29T12:00:00.000Z","v":1}`, n, n)
}

func TestFire(t *testing.T) {
	l := newLedger(t)
	for want := 1; want <= 2; want++ {
		if n, err := l.Fire(noon, true, "release: x"); n != want || err != nil {
			t.Fatalf("%d %v, want %d", n, err, want)
		}
	}
	want := strings.ReplaceAll(fireLine(1)+"\n"+fireLine(2)+"\n", `"dry_run"`, `"detail":"release: x","dry_run"`)
	if got := l.text(t); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for name, mode := range map[string]os.FileMode{"": 0o700 | fs.ModeDir, File: 0o600, lockFile: 0o600, counterFile: 0o600} {
		if info, err := os.Stat(filepath.Join(l.Dir, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, mode)
		}
	}
}

// A number is never used twice, whatever is lost.
func TestFire_numbers(t *testing.T) {
	act := `{"by":"act","dry_run":true,"id":"31-2","kind":"intent","scope":"lamp","tick":31,"ts":"2026-11-29T12:00:00Z","v":1,"verb":"mail"}`
	tests := []struct {
		name, ledger, counter, file string
		want                        int
	}{
		{"the counter is ahead", fireLine(7) + "\n", "12", "", 13},
		{"the ledger is ahead", fireLine(20) + "\n", "12", "", 21},
		{"the counter is lost", fireLine(30) + "\n" + act + "\n" + fireLine(7) + "\n", "", "", 32},
		{"the counter is no number", fireLine(30) + "\n" + fireLine(7) + "\n", "\x00\x00", "", 31},
		{"the counter is negative", fireLine(30) + "\n", "-4", "", 31},
		{"the counter is beyond all ticks", fireLine(30) + "\n", "99999999999", "", 31},
		{"the ledger is lost", "", "12\n", "", 13},
		{"a torn fire", fireLine(7) + "\n" + fireLine(8)[:50], "8", "", 9},
		{"both are lost, a snapshot is left", "", "", "ticks/00040/report.md", 41},
		{"both are lost, asks are left", "", "", "asks/00041.md", 42},
		{"both are lost, and what is left names no tick", "", "", "ticks/99999999999/x", 1},
	}
	for _, tt := range tests {
		l := newLedger(t)
		for name, text := range map[string]string{File: tt.ledger, counterFile: tt.counter, tt.file: "x"} {
			if text != "" && name != "" {
				l.put(t, name, text)
			}
		}
		n, err := l.Fire(noon, true, "")
		if n != tt.want || err != nil {
			t.Errorf("%s: %d %v, want %d", tt.name, n, err, tt.want)
		}
		if s, err := l.Read(); err != nil || s.LastTick < n {
			t.Errorf("%s: %v %v", tt.name, s, err)
		}
	}
}

func TestFire_torn(t *testing.T) {
	l := newLedger(t)
	l.put(t, File, fireLine(7)+"\n"+fireLine(8)[:50])
	if _, err := l.Fire(noon, true, ""); err != nil {
		t.Fatal(err)
	}
	if got, want := l.text(t), fireLine(7)+"\n"+fireLine(8)[:50]+"\n"+fireLine(8)+"\n"; got != want {
		t.Errorf("what was torn is ended and kept:\n%s", got)
	}
}

func TestFire_fails(t *testing.T) {
	l := newLedger(t)
	l.put(t, "x", "")
	blocked := l
	blocked.Dir = filepath.Join(l.Dir, "x")
	if n, err := blocked.Fire(noon, true, ""); n != 0 || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the state directory is a file: %d %v", n, err)
	}
	if err := os.Mkdir(filepath.Join(l.Dir, counterFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Fire(noon, true, ""); n != 0 || err == nil || !strings.Contains(err.Error(), counterFile) {
		t.Errorf("the counter is a directory: %d %v", n, err)
	}
	if text := l.text(t); text != "" {
		t.Errorf("written without a counter: %s", text)
	}
	l = newLedger(t)
	if err := os.MkdirAll(l.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Fire(noon, true, ""); n != 0 || err == nil {
		t.Errorf("the ledger is a directory: %d %v", n, err)
	}
	if _, err := l.Read(); err == nil || !strings.HasSuffix(err.Error(), "ledger.jsonl: not a regular file") {
		t.Errorf("the ledger is a directory: %v", err)
	}
	l = newLedger(t)
	l.put(t, "x", "")
	if err := os.Symlink("/dev/null", l.Path()); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Fire(noon, true, ""); n != 0 || err == nil || !strings.HasSuffix(err.Error(), "ledger.jsonl: not a regular file") {
		t.Errorf("the ledger is a device: %d %v", n, err)
	}
}

func TestExit(t *testing.T) {
	l := newLedger(t)
	end := Ended{Tick: 1, Status: 3, Detail: "observe=3", Counts: map[string]int{"5": 2}, Read: []string{"ledger"}}
	if err := l.Exit(noon, false, end); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no state directory: %v", err)
	}
	l.put(t, "x", "")
	if err := l.Exit(noon, false, end); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no ledger: %v", err)
	}
	if n, err := l.Fire(noon, false, ""); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := l.Exit(noon, false, Ended{Tick: 2}); err == nil || err.Error() != "tick 2 is not the last one that began" {
		t.Errorf("another tick: %v", err)
	}
	if err := l.Exit(noon, false, end); err != nil {
		t.Fatal(err)
	}
	want := `{"by":"tick","counts":{"5":2},"detail":"observe=3","dry_run":false,"exit":3,"id":"1-4","kind":"runner_exit","read":["ledger"],"scope":"lamp","tick":1,"ts":"2026-11-29T12:00:00.000Z","v":1}`
	if _, got, _ := strings.Cut(l.text(t), "\n"); got != want+"\n" {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if err := l.Exit(noon, false, end); err == nil || err.Error() != "tick 1 has ended already" {
		t.Errorf("twice: %v", err)
	}
	l = newLedger(t)
	l.put(t, File, `{"by":"act","id":"owner-1","kind":"ack","v":1,"ts":"2026-11-29T12:00:00Z"}`+"\n")
	if err := l.Exit(noon, false, Ended{Tick: 0}); err == nil {
		t.Error("the end of a tick that never began is noted")
	}
	l.put(t, File, fireLine(4)+"\n"+strings.Replace(strings.Replace(fireLine(4), "4-1", "4-9", 1), "tick_fire", "b_step", 1)+"\n"+
		`{"id":"owner-1-77","kind":"ack","v":1,"ts":"2026-11-29T12:00:00Z"}`+"\n")
	if err := l.Exit(noon, false, Ended{Tick: 4}); err != nil || !strings.Contains(l.text(t), `"id":"4-10"`) {
		t.Errorf("the next free number: %v\n%s", err, l.text(t))
	}
	if strings.Contains(l.text(t), "counts") {
		t.Error("counts without a snapshot")
	}
}

// counting notes how much is read.
type counting struct {
	io.ReaderAt
	read int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

// The cost of an append does not grow with the file.
func TestTail(t *testing.T) {
	var big bytes.Buffer
	for n := 1; big.Len() < 20<<20; n++ {
		big.WriteString(fireLine(n) + "\n" + strings.Replace(fireLine(n), "-1", "-2", 1) + "\n")
	}
	last := strings.Replace(strings.Replace(fireLine(1), "1-1", "1-2", 1), "tick_fire", "b_step", 1) + "\n"
	for _, tt := range []struct {
		name, text string
		want       int   // entries
		most       int64 // bytes read
	}{
		{"empty", "", 0, 0},
		{"a large ledger", big.String() + fireLine(9) + "\n" + last, 2, tailWindow},
		{"a large tick", big.String() + fireLine(9) + "\n" + strings.Repeat(last, 2000), 2001, 1 << 20},
		{"no fire", strings.Repeat(last, 2000), 2000, 1 << 20},
		{"torn", big.String() + fireLine(9) + "\n" + last + fireLine(10)[:40], 2, tailWindow},
		{"a damaged line and a newer one", fireLine(9) + "\n{\n" + `{"v":1,"kind":"later"}` + "\n" + last, 2, 1 << 10},
	} {
		c := &counting{ReaderAt: strings.NewReader(tt.text)}
		es, err := tail(c, int64(len(tt.text)))
		if err != nil || len(es) != tt.want || c.read > tt.most {
			t.Errorf("%s: %d entries, %d bytes read, %v", tt.name, len(es), c.read, err)
		}
		if len(es) > 0 && tt.name != "no fire" && es[0].ID != "9-1" {
			t.Errorf("%s: begins with %s", tt.name, es[0].ID)
		}
	}
}

// However the first window falls on the lines, the fire is found and no line is
// read in part.
func TestTail_windows(t *testing.T) {
	for shift := range 2 * len(fireLine(7)) {
		behind := strings.Repeat(" ", tailWindow-shift) + "\n"
		es, err := tail(strings.NewReader(fireLine(6)+"\n"+fireLine(7)+"\n"+behind), int64(len(fireLine(6)+fireLine(7)+behind)+2))
		if err != nil || len(es) != 1 || es[0].ID != "7-1" {
			t.Fatalf("%d bytes of the fires in the window: %+v %v", shift, es, err)
		}
	}
}

type failingAt struct{ io.ReaderAt }

func (failingAt) ReadAt([]byte, int64) (int, error) { return 0, syscall.EIO }

func TestTail_fails(t *testing.T) {
	if es, err := tail(failingAt{}, 100); len(es) != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("%v %v", es, err)
	}
}

// faulty is a ledger on a disk that fails.
type faulty struct {
	*os.File
	room                    int // bytes that can be written
	readErr, syncErr, trErr error
}

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if f.readErr != nil {
		return 0, f.readErr
	}
	return f.File.ReadAt(p, off)
}

func (f *faulty) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, _ := f.File.Write(p[:f.room])
		return n, syscall.ENOSPC
	}
	return f.File.Write(p)
}

func (f *faulty) Sync() error { return errors.Join(f.syncErr, f.File.Sync()) }

func (f *faulty) Truncate(size int64) error {
	if f.trErr != nil {
		return f.trErr
	}
	return f.File.Truncate(size)
}

func TestAppendTo_faults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		f     faulty
		lines []string
		want  string
		errs  []error
	}{
		{"all is well", faulty{room: 100}, []string{"b", "c"}, "a\nb\nc\n", nil},
		{"nothing to write", faulty{room: 0}, nil, "a", nil},
		{"the disk is full", faulty{room: 3}, []string{"b", "c"}, "a", []error{syscall.ENOSPC}},
		{"the sync fails", faulty{room: 100, syncErr: syscall.EIO}, []string{"b"}, "a", []error{syscall.EIO}},
		{"the sync fails, nothing to write", faulty{syncErr: syscall.EIO}, nil, "a", []error{syscall.EIO}},
		{"the end cannot be read", faulty{room: 100, readErr: syscall.EIO}, []string{"b"}, "a", []error{syscall.EIO}},
		{"full, and it cannot be taken back", faulty{room: 3, trErr: syscall.EROFS}, []string{"b", "c"}, "a\nb\n", []error{syscall.ENOSPC, syscall.EROFS}},
	} {
		name := filepath.Join(t.TempDir(), "l")
		if err := os.WriteFile(name, []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if tt.f.File, err = os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0); err != nil {
			t.Fatal(err)
		}
		var lines [][]byte
		for _, l := range tt.lines {
			lines = append(lines, []byte(l))
		}
		err = appendTo(&tt.f, 1, lines)
		tt.f.Close()
		if (err == nil) != (len(tt.errs) == 0) {
			t.Errorf("%s: %v", tt.name, err)
		}
		for _, want := range tt.errs {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", tt.name, err, want)
			}
		}
		got, _ := os.ReadFile(name)
		if want := tt.want; string(got) != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

func TestLocked(t *testing.T) {
	l := newLedger(t)
	l.put(t, lockFile, "")
	l.put(t, File, fireLine(1)+"\n")
	f, err := os.Open(filepath.Join(l.Dir, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Fire(noon, true, ""); err == nil || !strings.HasSuffix(err.Error(), "ledger.lock: another process held it for 50ms") {
		t.Errorf("%v", err)
	}
	if _, err := l.Read(); err == nil {
		t.Error("read while another process writes")
	}
	l.Wait = time.Minute
	time.AfterFunc(30*time.Millisecond, func() { f.Close() })
	if n, err := l.Fire(noon, true, ""); n != 2 || err != nil {
		t.Errorf("when the lock is free: %d %v", n, err)
	}
}

func TestRead(t *testing.T) {
	l := newLedger(t)
	if s, err := l.Read(); s != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v %v", s, err)
	}
	l.put(t, File, fireLine(3)+"\n"+fireLine(4)[:30])
	s, err := l.Read()
	if err != nil || s.LastTick != 3 || s.Damaged != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := os.Stat(filepath.Join(l.Dir, lockFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading made a lock file")
	}
	if _, err := l.fold(io.NewSectionReader(failingAt{}, 0, 9)); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), l.Path()) {
		t.Errorf("%v", err)
	}
}

func TestOwner(t *testing.T) {
	l := newLedger(t)
	if _, err := l.Ack("owner:tty", noon, fold.Pick{All: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no ledger: %v", err)
	}
	seed, err := os.ReadFile("testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	l.put(t, File, string(seed))
	if err := l.Seen("act", noon, "12-2", record.Shown{Button: "Later", GaveUp: true}); err != nil {
		t.Fatal(err)
	}
	if err := l.Seen("act", noon, "11-2", record.Shown{}); err == nil || err.Error() != `no batch has the intent "11-2"` {
		t.Errorf("%v", err)
	}
	if _, err := l.Ack("owner:tty", noon, fold.Pick{Batch: 11}); err == nil || err.Error() != "no batch 11" {
		t.Errorf("%v", err)
	}
	keys, err := l.Ack("owner:/dev/pts/1", noon, fold.Pick{Batch: 12})
	if err != nil || len(keys) != 1 || !strings.HasPrefix(keys[0], "blocked:") {
		t.Errorf("%q %v", keys, err)
	}
	if keys, err := l.Ack("owner:/dev/pts/1", noon, fold.Pick{All: true}); len(keys) != 0 || err != nil {
		t.Errorf("%q are answered twice, %v", keys, err)
	}
	want := `{"by":"act","dry_run":false,"id":"owner-1795953600000","kind":"seen","of":"12-2","result":{"button":"Later","gave_up":true},"scope":"lamp","tick":null,"ts":"2026-11-29T12:00:00.000Z","v":1}
{"asks":"all","by":"owner:/dev/pts/1","dry_run":false,"id":"owner-1795953600000-2","kind":"ack","of":"12-2","scope":"lamp","tick":null,"ts":"2026-11-29T12:00:00.000Z","v":1}
`
	if got := strings.TrimPrefix(l.text(t), string(seed)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	l.put(t, File, l.text(t)+strings.NewReplacer("12-2", "14-2", "batch:12", "batch:14", `"batch":12`, `"batch":14`).Replace(strings.Split(string(seed), "\n")[1])+"\n"+
		strings.NewReplacer("12-2", "15-2", `"batch":12`, `"batch":15`, "prompt:", "p:", "rules:", "r:", "blocked:", "b:").Replace(strings.Split(string(seed), "\n")[1])+"\n")
	if keys, err := l.Ack("owner:tty", noon, fold.Pick{All: true}); len(keys) != 6 || err != nil || !strings.Contains(l.text(t), `"owner-1795953600000-4"`) {
		t.Errorf("two batches at once: %q %v", keys, err)
	}
	if s, err := l.Read(); err != nil || s.Damaged > 0 {
		t.Errorf("%+v %v", s, err)
	}
}
