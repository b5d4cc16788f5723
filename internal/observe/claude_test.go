package observe

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// The listing is always that of the directory whose files are read, whatever
// directory the environment names.
func TestObserve_listingOfTheDirectory(t *testing.T) {
	base := t.TempDir()
	bin := filepath.Join(base, "claude")
	script := "#!/bin/sh\ncase $1 in --version) echo '2.1.280 (Claude Code)' ;; *) echo '[{\"pid\":1,\"sessionId\":\"'\"${CLAUDE_CONFIG_DIR:-none}\"'\"}]' ;; esac\n"
	if err := os.WriteFile(bin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".claude", "other"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(base, "other")
	t.Setenv("HOME", base)
	for _, tt := range []struct{ env, given, want string }{
		{"", "", "none"},
		{"", other, other},
		{other, "", other},
		{other, filepath.Join(base, ".claude"), "none"},
		{"/elsewhere", other, other},
	} {
		t.Setenv("CLAUDE_CONFIG_DIR", tt.env)
		w, err := machine.New("", time.Now(), true)
		if err != nil {
			t.Fatal(err)
		}
		c := Claude{Binary: bin, Timeout: time.Minute, ListingCap: 200}
		if tt.given != "" {
			c.Dirs = []string{tt.given}
		}
		k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
		if _, err := c.Observe(context.Background(), w, k); err != nil {
			t.Fatal(err)
		}
		if _, ok := k.sessions[tt.want]; !ok || len(k.sessions) != 1 {
			t.Errorf("%+v: got %v, %+v", tt, slices.Collect(maps.Keys(k.sessions)), k.surfaces["claude/listing"])
		}
	}
}

// path-collide-cjk: two directories whose names make one project directory are
// two places, and each session has the transcript of its own id.
func TestObserve_oneProjectDirectory(t *testing.T) {
	const a, b = "aaaaaaaa-1111-4000-8000-000000000000", "bbbbbbbb-1111-4000-8000-000000000000"
	const sessions, project = "root/home/dev/.claude/sessions/", "root/home/dev/.claude/projects/-w--------app/"
	dir, _ := written(t, map[string]string{
		"root/w/проект/app/dot-git/HEAD": "ref: refs/heads/one\n", "root/w/проект/app/dot-git/refs/x": "",
		"root/w/сервер/app/dot-git/HEAD": "ref: refs/heads/two\n", "root/w/сервер/app/dot-git/refs/x": "",
		sessions + "11.json":   `{"pid":11,"sessionId":"` + a + `","kind":"interactive","cwd":"/w/проект/app"}`,
		sessions + "12.json":   `{"pid":12,"sessionId":"` + b + `","kind":"interactive","cwd":"/w/сервер/app"}`,
		project + a + ".jsonl": endedTurn, project + b + ".jsonl": strings.Split(endedTurn, "\n")[0] + "\n",
	})
	k := watch(t, dir)
	if s := k.sessions[a]; s.Repo != "/w/проект/app/.git" || s.Branch != "one" || s.Transcript.LastTurn != "ended" {
		t.Errorf("got %+v, %+v", s, s.Transcript)
	}
	if s := k.sessions[b]; s.Repo != "/w/сервер/app/.git" || s.Branch != "two" || s.Transcript.LastTurn != "open" {
		t.Errorf("got %+v, %+v", s, s.Transcript)
	}
}

// The listing runs beside the question for the version; without an answer to
// that it is not waited for, and not left running.
func TestObserve_noVersion(t *testing.T) {
	base := t.TempDir()
	bin, began, ended := filepath.Join(base, "claude"), filepath.Join(base, "began"), filepath.Join(base, "ended")
	script := "#!/bin/sh\ncase $1 in --version) until [ -e " + began + " ]; do sleep 0.01; done; exit 3 ;; esac\n" +
		"trap 'echo >" + ended + "; exit' TERM\necho >" + began + "\nwhile :; do sleep 0.01; done\n"
	if err := os.WriteFile(bin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", base)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	w, err := machine.New("", time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	if _, err := (Claude{Binary: bin, Timeout: time.Hour, ListingCap: 200}).Observe(context.Background(), w, k); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ended); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"claude/version", "claude/listing"} {
		if s := k.surfaces[name]; s.OK || s.Error != "claude --version: exit status 3" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// The label of a further directory is its name, without any sign that divides a subject,
// and a hash where the guard would change that.
func TestLabelOf(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for path, want := range map[string]string{"/home/ana/.claude-work": "claude-work", "/x/.claude@work:2 é": "claude-work-2--", "/x/...": "claude", "/": "-"} {
		if got := labelOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"/x/.claude-" + token, "/x/" + token[:20] + "\u200b" + token[20:], "/x/caf\xe9"} {
		if got := labelOf(path); !strings.HasPrefix(got, "h-") || len(got) != 14 {
			t.Errorf("%q: %s", path, got)
		}
	}
	w := &machine.World{Home: "/home/ana", Getenv: func(string) string { return "" }}
	first, second := "/x/.claude-"+token, "/y/.claude-"+token
	if ds := (Claude{Dirs: []string{"~/.claude", first, second}}).dirs(w); ds[1].label == ds[2].label || !strings.HasPrefix(ds[2].label, ds[1].label+"-") {
		t.Errorf("%s, %s", ds[1].label, ds[2].label)
	}
}
