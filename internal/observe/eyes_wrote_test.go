package observe

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// A session did something when its transcript or a subagent's was last written; another
// session's is no sign of it.
func TestEyes_Wrote(t *testing.T) {
	e := newEyed(t)
	ask := func(id string) (*record.Time, error) { return Eyes{}.Wrote(t.Context(), record.Seen{SessionID: id}) }
	for _, id := range []string{"", "s1"} {
		if at, err := ask(id); at != nil || err != nil {
			t.Errorf("no transcripts, %q: %v %v", id, at, err)
		}
	}
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	at := func(name string, after time.Duration) {
		name = ".claude/projects/" + name
		e.write(name, "{}\n")
		if err := os.Chtimes(filepath.Join(e.home, name), noon.Add(after), noon.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(id string, after time.Duration) {
		t.Helper()
		if got, err := ask(id); err != nil || got == nil || !got.Equal(noon.Add(after)) {
			t.Errorf("%s: %v %v, want %v", id, got, err, noon.Add(after))
		}
	}
	e.write(".claude/projects/README", "no directory")
	at("-w/s1.jsonl", 0)
	at("-w/s2.jsonl", time.Hour)
	want("s1", 0)
	at("-w/s1/subagents/agent-a.jsonl", time.Minute)
	at("-w/s1/subagents/workflows/x/agent-b.jsonl", 2*time.Minute)
	at("-w/s1/subagents/agent-a.meta.json", time.Hour)
	at("-w/s1/tool-results/x.jsonl", time.Hour)
	want("s1", 2*time.Minute)
	at("-elsewhere/s1.jsonl", 3*time.Minute)
	want("s1", 3*time.Minute)
	if at, err := ask("s3"); at != nil || err != nil {
		t.Errorf("another: %v %v", at, err)
	}
	if _, err := ask("../s1"); err == nil {
		t.Error("an id that is none")
	}
	if err := os.Symlink("s4.jsonl", filepath.Join(e.home, ".claude/projects/-w/s4.jsonl")); err != nil {
		t.Fatal(err)
	}
	if at, err := ask("s4"); at != nil || err == nil {
		t.Errorf("one that cannot be looked at: %v %v", at, err)
	}
	t.Setenv("HOME", "")
	if at, err := ask("s1"); at != nil || err == nil {
		t.Errorf("no home: %v %v", at, err)
	}
}

// Where subagents cannot be looked at, here because the path is too long for Linux,
// nobody can tell when one wrote.
func TestEyes_Wrote_unread(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how long a path may be is Linux's")
	}
	const projects, file, most = "/.claude/projects/-w", "/s1.jsonl", 4095
	home := t.TempDir()
	for rest := most - len(projects) - len(file) - len(home); rest > 0; rest = most - len(projects) - len(file) - len(home) {
		home += "/" + strings.Repeat("d", min(rest-1, 200))
	}
	if err := errors.Join(os.MkdirAll(home+projects, 0o700), os.WriteFile(home+projects+file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	if at, err := (Eyes{}).Wrote(t.Context(), record.Seen{SessionID: "s1"}); at != nil || !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("%v, %v", at, err)
	}
}
