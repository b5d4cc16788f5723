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
		{"a large ledger", big.String() + fireLine(9) + "\n" + last, 2, tailBlock},
		{"a large tick", big.String() + fireLine(9) + "\n" + strings.Repeat(last, 2000), 2001, 1 << 20},
		{"no fire", strings.Repeat(last, 2000), 2000, 1 << 20},
		{"torn", big.String() + fireLine(9) + "\n" + last + fireLine(10)[:40], 2, tailBlock},
		{"the word of a fire that is none", fireLine(9) + "\n" + strings.Repeat(last, 2000) + `{"tick_fire":1}` + "\n", 2001, 1 << 20},
		{"a line of many blocks", fireLine(9) + "\n" + last + strings.Repeat("x", 9*tailBlock+7) + "\n" + last, 3, 1 << 20},
		{"a fire of many blocks", fireLine(8) + "\n" + last + strings.TrimSuffix(fireLine(9), "}") + `,"detail":"` + strings.Repeat("x", 9*tailBlock) + `"}` + "\n" + last, 2, 1 << 20},
		{"a damaged line and a newer one", fireLine(9) + "\n{\n" + `{"v":1,"kind":"later"}` + "\n" + last, 2, 1 << 10},
	} {
		c := &counting{ReaderAt: strings.NewReader(tt.text)}
		es, err := tail(c, int64(len(tt.text)), []string{`"v"`})
		if err != nil || len(es) != tt.want || c.read > tt.most {
			t.Errorf("%s: %d entries, %d bytes read, %v", tt.name, len(es), c.read, err)
		}
		if len(es) > 0 && tt.name != "no fire" && es[0].ID != "9-1" {
			t.Errorf("%s: begins with %s", tt.name, es[0].ID)
		}
	}
}

// However the first block falls on the lines, the fire is found and no line is
// read in part.
func TestTail_blocks(t *testing.T) {
	for shift := range 2 * len(fireLine(7)) {
		behind := strings.Repeat(" ", tailBlock-shift) + "\n"
		es, err := tail(strings.NewReader(fireLine(6)+"\n"+fireLine(7)+"\n"+behind), int64(len(fireLine(6)+fireLine(7)+behind)+2), []string{`"v"`})
		if err != nil || len(es) != 1 || es[0].ID != "7-1" {
			t.Fatalf("%d bytes of the fires in the block: %+v %v", shift, es, err)
		}
	}
}

func TestLocked(t *testing.T) {
	l := newLedger(t)
	l.Wait = 50 * time.Millisecond
	l.put(t, lockFile, "")
	l.put(t, File, fireLine(1)+"\n")
	f, err := os.Open(filepath.Join(l.Dir, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Fire(noon, true, "", nil); err == nil || !strings.HasSuffix(err.Error(), "ledger.lock: no lock within 50ms") {
		t.Errorf("%v", err)
	}
	if _, err := l.Read(); err == nil {
		t.Error("read while another process writes")
	}
	l.Wait = time.Minute
	time.AfterFunc(30*time.Millisecond, func() { f.Close() })
	if n, err := l.Fire(noon, true, "", nil); n != 2 || err != nil {
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
