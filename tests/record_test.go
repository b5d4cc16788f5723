package tests

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/observe"
	"github.com/fleet-tools/fleet/internal/record"
)

// observeAll observes a root in this process and records it into to, unless
// that is empty.
func observeAll(t *testing.T, dir, to string) []record.Line {
	t.Helper()
	w, err := machine.New(dir, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Record(to); err != nil {
		t.Fatal(err)
	}
	m := &memory{by: "fleet-observe-claude"}
	c := observe.Claude{Binary: "claude", Timeout: time.Second, ListingCap: 200}
	if _, err := c.Observe(context.Background(), w, m); err != nil {
		t.Fatal(err)
	}
	return m.lines
}

// sessionLines are the session records as they are written.
func sessionLines(lines []record.Line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		if l.Record.Kind == record.KindSession {
			b.Write(l.Raw)
		}
	}
	return b.Bytes()
}

// What --record writes is observed as the machine was: the same sessions, byte
// for byte; and recording a recording changes nothing.
func TestRecord(t *testing.T) {
	roots := map[string]string{"cc-2.1.280": filepath.Join(root, "fixtures/cc-2.1.280")}
	for snapshot := range situations(t) {
		roots[snapshot] = t.TempDir()
		layOut(t, snapshot, roots[snapshot], unchanged)
	}
	for name, dir := range roots {
		once, twice := filepath.Join(t.TempDir(), "once"), filepath.Join(t.TempDir(), "twice")
		want := sessionLines(observeAll(t, dir, once))
		got := sessionLines(observeAll(t, once, twice))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the recording is observed otherwise:\n%s", name, diff.Diff("machine", want, "recording", got))
		}
		if len(want) == 0 {
			t.Errorf("%s: no sessions", name)
		}
		a, b := tree(t, once), tree(t, twice)
		if a != b {
			t.Errorf("%s: a recording of the recording differs:\n%s", name, diff.Diff("once", []byte(a), "twice", []byte(b)))
		}
	}
}

// So it is of Paseo, whose records are all in the recording: the same bytes.
func TestRecordPaseo(t *testing.T) {
	for stage, want := range paseoStages {
		once, twice := filepath.Join(t.TempDir(), "once"), filepath.Join(t.TempDir(), "twice")
		source := observePaseo(t, paseoDir(stage), "--record", once)
		if got := observePaseo(t, once, "--record", twice); !bytes.Equal(got, source) {
			t.Errorf("%s: the recording is observed otherwise:\n%s", stage, diff.Diff("machine", source, "recording", got))
		}
		a, b := tree(t, once), tree(t, twice)
		if a != b {
			t.Errorf("%s: a recording of the recording differs:\n%s", stage, diff.Diff("once", []byte(a), "twice", []byte(b)))
		}
		if strings.Contains(a, "FAKE") {
			t.Errorf("%s: a planted secret is recorded", stage)
		}
		if n := strings.Count(a, "/agents/"); n != want.agents {
			t.Errorf("%s: %d agents are recorded, want %d", stage, n, want.agents)
		}
	}
}

// tree is every file of a directory with its contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		b.WriteString("-- " + rel + " --\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
