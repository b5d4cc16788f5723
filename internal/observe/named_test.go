package observe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// latin is a directory's name in Latin-1.
const latin = "caf\xe9"

// latinHome is a home that has directories of that name, as few systems allow.
func latinHome(t *testing.T, files map[string]string) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(home, latin), 0o700)
	}
	if err != nil {
		t.Skipf("this file system has no names that are not UTF-8: %v", err)
	}
	for name, text := range files {
		name = filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("MACF_WORKSPACE_ROOT", "")
	t.Chdir(home)
	return home
}

func hereWorld(t *testing.T) *machine.World {
	t.Helper()
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A directory whose name is not UTF-8 is looked through like any other. A workspace with
// such a path has a record that says so and is counted: no record can hold its path.
func TestWorkspaces_notUTF8(t *testing.T) {
	marker := ".macf/macf-agent.json"
	home := latinHome(t, map[string]string{"repos/a/" + marker: spaceJSON("a"), "repos/photos/" + latin + "/x": "", latin + "/ws/" + marker: spaceJSON("b")})
	root := filepath.Join(home, "repos")
	k := observeSpaces(t, hereWorld(t), Workspaces{})
	if s := k.surfaces[surfaceWorkspaces]; !strings.Contains(k.paths(), root+"/a") || !s.OK || s.Unparsed != 0 || s.Rows != 1 {
		t.Errorf("beside a directory: %s %+v", k.paths(), s)
	}
	if err := errors.Join(os.Rename(filepath.Join(home, latin, "ws"), filepath.Join(root, "photos", latin, "ws")), os.Symlink(filepath.Join(root, "photos", latin), filepath.Join(root, "pictures")),
		os.Symlink("a", filepath.Join(root, latin))); err != nil {
		t.Fatal(err)
	}
	for _, roots := range [][]string{nil, {filepath.Join(root, "photos", latin), root}} {
		k = observeSpaces(t, hereWorld(t), Workspaces{Roots: roots})
		b := root + `/photos/caf\xe9/ws`
		if s := k.surfaces[surfaceWorkspaces]; !s.OK || s.Unparsed != 1 || s.Rows != 1 || len(s.Notes) != 1 || s.Notes[0] != b+"/"+marker+": its path is not UTF-8, so no record can hold it" {
			t.Errorf("%q: %+v", roots, s)
		}
		if s := k.spaces[b]; s.Path != b || s.Agent != "" || s.Unread != "its path is not UTF-8" || k.paths() != root+"/a" {
			t.Errorf("%q: %+v", roots, k.spaces)
		}
	}
	rec := filepath.Join(t.TempDir(), "rec")
	w := hereWorld(t)
	if err := w.Record(rec); err != nil {
		t.Fatal(err)
	}
	observeSpaces(t, w, Workspaces{})
	w, err := machine.New(rec, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	k = observeSpaces(t, w, Workspaces{})
	if s := k.surfaces[surfaceWorkspaces]; k.paths() != root+"/a" || !s.OK || s.Unparsed != 1 {
		t.Errorf("recorded: %+v %+v", s, k.spaces)
	}
}

// What runs in a workspace whose path is not UTF-8 is told with that workspace, and in
// another directory of such a name with the workspace above it.
func TestOwner_notUTF8(t *testing.T) {
	home := latinHome(t, map[string]string{"repos/a/" + latin + "/x": "", "repos/a/.macf/macf-agent.json": "", "repos/" + latin + "/.macf/macf-agent.json": ""})
	h := &homes{w: hereWorld(t), surface: new(record.Surface), owners: map[string]string{}}
	for cwd, want := range map[string]string{"repos/a/" + latin: "/repos/a", "repos/" + latin + "/sub": `/repos/caf\xe9`, latin: ""} {
		if got := strings.TrimPrefix(h.owner(filepath.Join(home, cwd)), home); got != want {
			t.Errorf("%q: %q, want %q", cwd, got, want)
		}
	}
}

// A path is told by its bytes where it is not UTF-8, and a credential in it by none.
func TestNamed(t *testing.T) {
	const token = "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE"
	for path, want := range map[string]string{"/a/café": "/a/café", "/a/caf\xe9": `/a/caf\xe9`, "/\xff\xfe/x": `/\xff\xfe/x`, "/" + token: "/" + token, "/a\u200b": "/a\u200b"} {
		if got := named(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"/" + latin + "/" + token, "/" + token[:12] + "\xe9" + token[12:], "/" + token + "\xe9x", "/a\u200b\xe9"} {
		if got := named(path); !utf8.ValidString(got) || strings.Contains(got, "FAKEFAKE") || !filepath.IsAbs(got) || got == named(path+"\xe8") {
			t.Errorf("%q: %q", path, got)
		}
	}
}

// Transcripts in a directory whose name is not UTF-8 are read, and those beside it too.
func TestClaude_notUTF8(t *testing.T) {
	const other = "bbbbbbbb-0000-4000-8000-000000000000"
	projects := ".claude/projects/"
	home := latinHome(t, map[string]string{projects + "-a/" + testID + ".jsonl": endedTurn, projects + latin + "/" + other + ".jsonl": endedTurn,
		projects + latin + "/" + other + "/subagents/" + latin + "/agent-" + latin + ".jsonl": endedTurn,
		".claude/sessions/7.json":               `{"pid":7,"sessionId":"` + testID + `","kind":"interactive","status":"idle"}`,
		".claude/sessions/8.json":               `{"pid":8,"sessionId":"` + other + `","kind":"interactive","status":"idle"}`,
		".claude/jobs/" + latin + "/state.json": `{"sessionId":"` + other + `"}`})
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	if _, err := (Claude{Binary: filepath.Join(home, "none"), ListingCap: 200}).Observe(context.Background(), hereWorld(t), k); err != nil {
		t.Fatal(err)
	}
	if s := k.surfaces["claude/transcripts"]; !s.OK || s.Rows != 2 || s.Unparsed != 0 {
		t.Errorf("%+v", s)
	}
	for _, id := range []string{testID, other} {
		if tr := k.sessions[id].Transcript; tr == nil || tr.LastTurn != "ended" || tr.Unread != "" {
			t.Errorf("%s: %+v", id, tr)
		}
	}
	if s := k.sessions[other].Transcript.Subagents; s == nil || s.Count != 1 {
		t.Errorf("%+v", s)
	}
}
