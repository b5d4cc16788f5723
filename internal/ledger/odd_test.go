package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Two scopes with one state directory do not answer each other's questions.
func TestFire_otherScope(t *testing.T) {
	l := newLedger(t)
	if _, err := l.Fire(noon, true, "", nil); err != nil {
		t.Fatal(err)
	}
	before := l.text(t)
	other := l
	other.Scope = "desk"
	if n, err := other.Fire(noon, true, "", nil); n != 0 || err == nil || !strings.HasSuffix(err.Error(), `is the ledger of the scope "lamp": two scopes have one state_dir`) {
		t.Errorf("%d, %v", n, err)
	}
	n := 1
	offered := fold.Offer{Scope: "desk", Tick: 1, Entries: []record.Record{{Kind: record.KindEntry, Subject: "1-2"}}}
	if a, err := other.Append(offered); len(a.Lines) > 0 || err == nil || !strings.Contains(err.Error(), `of the scope "lamp"`) {
		t.Errorf("append: %v", err)
	}
	if err := other.Exit(noon, true, Ended{Tick: n}); err == nil || !strings.Contains(err.Error(), `of the scope "lamp"`) {
		t.Errorf("exit: %v", err)
	}
	if l.text(t) != before {
		t.Error("the ledger changed")
	}
}

// What a tick wrote and the ledger has no more is told by its end, which is noted
// as that of a tick that failed.
func TestExit_lost(t *testing.T) {
	l := newLedger(t)
	if _, err := l.Fire(noon, true, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Exit(noon, true, Ended{Tick: 1, Wrote: []string{"1-2"}}); err == nil || !strings.Contains(err.Error(), " has no 1-2 any more") {
		t.Errorf("%v", err)
	}
	if text := l.text(t); !strings.Contains(text, `"exit":1,`) {
		t.Error(text)
	}
}

// A pipe in the place of a file of the ledger is an error at once: nobody is at
// its other end.
func TestPipes(t *testing.T) {
	for _, name := range []string{File, lockFile} {
		l := newLedger(t)
		must(t, os.MkdirAll(l.Dir, 0o700))
		must(t, syscall.Mkfifo(filepath.Join(l.Dir, name), 0o600))
		if _, err := l.Fire(noon, true, "", nil); err == nil || !strings.HasSuffix(err.Error(), name+": not a regular file") {
			t.Errorf("fire, %s: %v", name, err)
		}
		if _, err := l.Read(); name == File && (err == nil || !strings.HasSuffix(err.Error(), name+": not a regular file")) {
			t.Errorf("read, %s: %v", name, err)
		}
	}
	l := newLedger(t)
	must(t, os.MkdirAll(l.Dir, 0o700))
	must(t, syscall.Mkfifo(filepath.Join(l.Dir, counterFile), 0o600))
	if n, err := l.Fire(noon, true, "", nil); n != 1 || err != nil {
		t.Errorf("a counter that is a pipe: %d, %v", n, err)
	}
}

// A ledger that is older than what withholds credentials gives none away.
func TestObserve_secret(t *testing.T) {
	token := "ghp_" + "FAKE" + strings.Repeat("a1B2", 8)
	target := fold.Marshal(record.Batch{Batch: 1, Asks: []record.BatchAsk{{ID: "a1", Key: "prompt:s:1", Class: "3", Question: "push with " + token}}})
	l := newLedger(t)
	l.put(t, File, `{"by":"act","dry_run":true,"id":"1-2","key":"batch:1","kind":"intent","scope":"lamp","target":`+string(target)+`,"tick":1,"ts":"2026-10-01T10:00:00.000Z","v":1,"verb":"ask"}`+"\n")
	state, err := l.Read()
	must(t, err)
	out, _, _ := run(t, strings.NewReader(""), func(std *cli.Std) error { return Observe(std, state, record.NewTime(noon), "devbox") })
	if !strings.Contains(out, "push with") || bytes.Contains([]byte(out), []byte(token)) {
		t.Errorf("%s", out)
	}
}

// A ledger behind a link that leads nowhere, as to a disk that is not mounted, is
// not one that is not there.
func TestRead_dangling(t *testing.T) {
	l := newLedger(t)
	must(t, os.MkdirAll(filepath.Dir(l.Dir), 0o700))
	must(t, os.Symlink("nowhere", l.Dir))
	if _, err := l.Read(); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), ": a symbolic link that leads nowhere") {
		t.Errorf("%v", err)
	}
	must(t, os.Remove(l.Dir))
	if _, err := l.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
