package observe

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// seen collects what an observer adds.
type seen struct {
	sessions map[string]record.Session
	surfaces map[string]record.Surface
}

func (k *seen) Warn(string, ...any) {}

func (k *seen) AddData(_ record.Kind, _ record.Time, _, subject string, data any) error {
	switch d := data.(type) {
	case record.Session:
		k.sessions[subject] = d
	case *record.Surface:
		k.surfaces[subject] = *d
	}
	return nil
}

func (k *seen) Close(record.Time, string, string) error { return nil }

const testID = "aaaaaaaa-0000-4000-8000-000000000000"

// written is a recording with one busy session, whose transcript ends in an
// open call, and files beside or instead of that; its root is returned too.
func written(t *testing.T, files map[string]string) (dir, root string) {
	t.Helper()
	dir = t.TempDir()
	root = filepath.Join(dir, "root")
	all := map[string]string{
		"meta.json":                             `{"home":"/home/dev","host":"devbox","os":"linux","zone":"UTC","at":"2026-11-29T15:00:00Z","processes":[]}`,
		listed[0]:                               "2.1.280 (Claude Code)\n",
		listed[1]:                               "0\n",
		listed[2]:                               `[{"pid":7,"cwd":"/home/dev/lamp","kind":"interactive","startedAt":1795962443543,"sessionId":"` + testID + `","status":"busy"}]`,
		listed[3]:                               "0\n",
		projects[0]:                             endedTurn,
		homed[0]:                                "",
		"root/other":                            "",
		"root/home/dev/.claude/sessions/7.json": `{"pid":7,"sessionId":"` + testID + `","kind":"interactive","status":"busy"}`,
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, root
}

var (
	version  = filepath.Join("commands", machine.CommandDir([]string{"claude", "--version"}, ""))
	agents   = filepath.Join("commands", machine.CommandDir([]string{"claude", "agents", "--json", "--all"}, ""))
	listed   = []string{version + "/stdout", version + "/status", agents + "/stdout", agents + "/status"}
	projects = []string{"root/home/dev/.claude/projects/-home-dev-lamp/" + testID + ".jsonl"}
	homed    = []string{"root/home/dev/.claude/history.jsonl"}
)

// watch observes a recording. It must end.
func watch(t *testing.T, dir string) *seen {
	t.Helper()
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	done := make(chan error, 1)
	go func() {
		w, err := machine.New(dir, time.Time{}, false)
		if err == nil {
			_, err = Claude{Binary: "claude", ListingCap: 200}.Observe(context.Background(), w, k)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it hangs")
	}
	return k
}

// replace puts a named pipe, a directory or a link where a file was.
func replace(t *testing.T, name, by string) {
	t.Helper()
	err := os.RemoveAll(name)
	switch {
	case err != nil:
	case by == "pipe":
		err = syscall.Mkfifo(name, 0o600)
	case by == "directory":
		err = os.Mkdir(name, 0o700)
	default:
		err = os.Symlink(by, name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A named pipe or a directory in the place of any file that is read hangs
// nothing, and what it hides is told.
func TestObserve_noFile(t *testing.T) {
	const claude = "home/dev/.claude/"
	agent := claude + "projects/-home-dev-lamp/" + testID + "/subagents/agent-1.jsonl"
	for _, by := range []string{"pipe", "directory"} {
		for name, told := range map[string]func(*seen) bool{
			claude + "jobs/bbbbbbbb/state.json":                     func(k *seen) bool { return k.surfaces["claude/jobs"].Unparsed == 1 },
			claude + "sessions/7.json":                              func(k *seen) bool { return k.sessions[testID].Process.Unread != "" },
			claude + "history.jsonl":                                func(k *seen) bool { return k.sessions[testID].Prompted == nil },
			claude + "projects/-home-dev-lamp/" + testID + ".jsonl": func(k *seen) bool { return k.sessions[testID].Transcript.Unread != "" },
			agent:                        func(k *seen) bool { return k.sessions[testID].Transcript.Unread != "" },
			"home/dev/lamp/dot-git/HEAD": func(k *seen) bool { return k.sessions[testID].Branch == "" },
		} {
			dir, root := written(t, map[string]string{"root/" + name: "", "root/home/dev/lamp/dot-git/refs/x": ""})
			replace(t, filepath.Join(root, name), by)
			if k := watch(t, dir); !told(k) {
				t.Errorf("%s %s: nobody tells: %+v", by, name, k.sessions[testID])
			}
		}
	}
}

// A session with two transcripts of which one cannot be read may be anywhere.
func TestObserve_secondTranscript(t *testing.T) {
	for _, project := range []string{"-a", "-z"} {
		dir, root := written(t, nil)
		if err := os.MkdirAll(filepath.Join(root, "home/dev/.claude/projects", project, testID+".jsonl"), 0o700); err != nil {
			t.Fatal(err)
		}
		if tr := watch(t, dir).sessions[testID].Transcript; !tr.Found || tr.Unread == "" {
			t.Errorf("%s: got %+v", project, tr)
		}
	}
}

// What stands behind a symbolic link is read, and behind one that leads nowhere
// nobody can look: that is no empty directory and no absent product.
func TestObserve_links(t *testing.T) {
	for _, name := range []string{"", "jobs", "sessions", "projects", "projects/-home-dev-lamp"} {
		dir, root := written(t, nil)
		name = filepath.Join(root, "home/dev/.claude", name)
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
		moved := filepath.Join(root, "home/dev/moved")
		if err := os.Rename(name, moved); err != nil {
			t.Fatal(err)
		}
		target, err := filepath.Rel(filepath.Dir(name), moved)
		if err != nil {
			t.Fatal(err)
		}
		replace(t, name, target)
		if k := watch(t, dir); k.sessions[testID].Transcript.LastTurn != "ended" || k.sessions[testID].Process == nil {
			t.Errorf("%s: a link is not followed: %+v", name, k.sessions[testID])
		}
		if err := os.RemoveAll(moved); err != nil {
			t.Fatal(err)
		}
		k := watch(t, dir)
		if !slices.ContainsFunc(dirSurfaces, func(s string) bool { return !k.surfaces[s].OK }) {
			t.Errorf("%s: a link that leads nowhere is not told: %+v", name, k.surfaces)
		}
	}
}

// Files of pid 0, and those whose name is no plain number, are no process
// files: pid 0 would be that of every row without a process.
func TestObserve_pidNames(t *testing.T) {
	const file = `{"sessionId":"bbbbbbbb-0000-4000-8000-000000000000","kind":"interactive","status":"busy"}`
	const sessions = "root/home/dev/.claude/sessions/"
	dir, _ := written(t, map[string]string{sessions + "0.json": file, sessions + "-7.json": file, sessions + "+7.json": file, sessions + "007.json": file})
	if k := watch(t, dir); k.surfaces["claude/sessions"].Rows != 1 || len(k.sessions) != 1 {
		t.Errorf("got %+v, %d sessions", k.surfaces["claude/sessions"], len(k.sessions))
	}
}

// A version is a foreign word like any other.
func TestObserve_versionWord(t *testing.T) {
	dir, _ := written(t, map[string]string{listed[0]: "\x1b[31m9.9\u202e\u009b" + strings.Repeat("x", 100_000) + " (Claude Code)\n"})
	drift := watch(t, dir).surfaces["claude/version"].Drift
	if len(drift) != 1 || len(drift[0]) > 400 || strings.ContainsAny(drift[0], "\x1b\u202e\u009b") {
		t.Errorf("got %.200q", drift)
	}
}

// However many unknown words the files hold, a surface names some of them.
func TestMerge_bounded(t *testing.T) {
	var have, more []string
	for i := range 100_000 {
		more = append(more, strings.Repeat("x", i%7)+string(rune('A'+i)))
	}
	begin := time.Now()
	for range 3 {
		have = merge(have, more)
	}
	if len(have) != maxWords+1 || time.Since(begin) > 10*time.Second {
		t.Errorf("%d words in %s", len(have), time.Since(begin))
	}
}

// Without the program, too, a directory that cannot be looked at is not absent.
func TestObserve_noProgram(t *testing.T) {
	dir, root := written(t, nil)
	replace(t, filepath.Join(root, "home/dev/.claude"), "gone")
	if err := os.RemoveAll(filepath.Join(dir, "commands")); err != nil {
		t.Fatal(err)
	}
	for name, s := range watch(t, dir).surfaces {
		if strings.HasPrefix(name, "claude/") && name != "claude/processes" && (s.OK || s.Absent) {
			t.Errorf("%s: got %+v", name, s)
		}
	}
}
