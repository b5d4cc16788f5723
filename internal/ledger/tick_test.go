package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFire(t *testing.T) {
	l := newLedger(t)
	for want := 1; want <= 2; want++ {
		if n, err := l.Fire(noon, true, "release: x", nil); n != want || err != nil {
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
		{"the counter is negative", fireLine(30) + "\n" + fireLine(7) + "\n", "-4", "", 31},
		{"no tick", `{"by":"owner:tty","id":"owner-1","kind":"ack","ts":"2026-11-29T12:00:00Z","v":1}` + "\n", "", "", 1},
		{"the word of a fire and no tick", `{"by":"act","id":"owner-1","kind":"seen","of":"1-2","result":{"button":"tick_fire"},"ts":"2026-11-29T12:00:00Z","v":1}` + "\n", "", "", 1},
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
		n, err := l.Fire(noon, true, "", nil)
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
	if _, err := l.Fire(noon, true, "", nil); err != nil {
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
	if n, err := blocked.Fire(noon, true, "", nil); n != 0 || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the state directory is a file: %d %v", n, err)
	}
	if err := os.Mkdir(filepath.Join(l.Dir, counterFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Fire(noon, true, "", nil); n != 0 || err == nil || !strings.Contains(err.Error(), counterFile) {
		t.Errorf("the counter is a directory: %d %v", n, err)
	}
	if text := l.text(t); text != "" {
		t.Errorf("written without a counter: %s", text)
	}
	l = newLedger(t)
	if err := os.MkdirAll(l.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Fire(noon, true, "", nil); n != 0 || err == nil {
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
	if n, err := l.Fire(noon, true, "", nil); n != 0 || err == nil || !strings.HasSuffix(err.Error(), "ledger.jsonl: not a regular file") {
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
	if n, err := l.Fire(noon, false, "", nil); n != 1 || err != nil {
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
	l.put(t, File, "")
	if err := l.Exit(noon, false, Ended{}); err == nil || err.Error() != "tick 0 is not the last one that began" {
		t.Errorf("an empty ledger: %v", err)
	}
	l.put(t, File, `{"by":"act","id":"owner-1","kind":"ack","v":1,"ts":"2026-11-29T12:00:00Z"}`+"\n")
	if err := l.Exit(noon, false, Ended{Tick: 0}); err == nil {
		t.Error("the end of a tick that never began is noted")
	}
	l.put(t, File, fireLine(4)+"\n"+strings.Replace(strings.Replace(fireLine(4), "4-1", "4-9", 1), "tick_fire", "b_step", 1)+"\n"+
		strings.Replace(strings.Replace(fireLine(3), "3-1", "3-50", 1), "tick_fire", "b_step", 1)+"\n"+
		`{"id":"owner-1-77","kind":"ack","v":1,"ts":"2026-11-29T12:00:00Z"}`+"\n")
	if err := l.Exit(noon, false, Ended{Tick: 4}); err != nil || !strings.Contains(l.text(t), `"id":"4-10"`) {
		t.Errorf("the next free number: %v\n%s", err, l.text(t))
	}
	if strings.Contains(l.text(t), "counts") {
		t.Error("counts without a snapshot")
	}
}
