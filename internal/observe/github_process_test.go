package observe

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// box is this machine with a home, a repository and a gh of its own: a bash
// script that finds in $api and $list how to answer.
type box struct {
	t      *testing.T
	dir    string
	script string
	env    map[string]string
	file   string // token file
}

const scriptHead = `#!/bin/bash
dir=%q
repo='HTTP/2.0 200 OK

{"id":1,"full_name":"acme/lamp","default_branch":"main","permissions":{"admin":false}}'
rules='HTTP/2.0 200 OK

[]'
echo "$*" >> "$dir/calls"
case "$*" in
*repos/acme/lamp) what=repo ;;
*rules/branches*) what=rules ;;
*'pr list'*) what=list ;;
*rate_limit) what=limit ;;
esac
`

// answers is how a gh without a fault ends.
const answers = `
case $what in
repo) echo "$repo" ;;
rules) echo "$rules" ;;
list) echo '[]' ;;
*) exit 1 ;;
esac
`

func newBox(t *testing.T, fault string) *box {
	t.Helper()
	m := &box{t: t, dir: t.TempDir(), env: map[string]string{"PATH": os.Getenv("PATH")}}
	m.script = fmt.Sprintf(scriptHead, m.dir) + fault + answers
	m.put("gh", m.script, 0o755)
	m.put("lamp/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	m.put("lamp/.git/refs/.keep", "", 0o644)
	m.put("lamp/.git/config", "[remote \"origin\"]\n\turl = git@github.com:acme/lamp.git\n", 0o644)
	return m
}

func (m *box) put(name, text string, mode os.FileMode) {
	m.t.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

// observe returns the record and the surface of the repository.
func (m *box) observe(timeout time.Duration) (*record.Repo, *record.Surface) {
	m.t.Helper()
	w := &machine.World{Home: m.dir, Host: "devbox", At: hubTime, FS: os.DirFS("/"), Getenv: func(name string) string { return m.env[name] }}
	g := GitHub{Binary: filepath.Join(m.dir, "gh"), Timeout: timeout, Paths: []string{filepath.Join(m.dir, "lamp")}, TokenFile: m.file}
	var buf bytes.Buffer
	std := &cli.Std{Program: "fleet-observe-gh", Out: bufio.NewWriter(&buf)}
	if _, err := g.Observe(context.Background(), w, new(record.Set), std); err != nil {
		m.t.Fatal(err)
	}
	std.Out.Flush()
	set := new(record.Set)
	for line, err := range record.All(&buf) {
		if err != nil {
			m.t.Fatal(err)
		}
		set.Add(line)
	}
	s, _ := set.Get(record.Identity{Host: "devbox", Kind: record.KindSurface, Subject: "gh/acme/lamp"})
	surface, ok := record.Payload[record.Surface](s)
	repos := set.Of(record.KindRepo)
	if !ok || len(repos) != 1 {
		m.t.Fatal(buf.String())
	}
	repo, _ := record.Payload[record.Repo](repos[0])
	return repo, surface
}

func (m *box) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(m.dir, name))
	return string(b)
}

func TestGhProcess(t *testing.T) {
	tests := []struct {
		name, fault string
		error       string // "" when the repository is observed
		absent      bool
	}{
		{"answers", ``, "", false},
		{"warns on stderr and answers", `echo "warning: x" >&2`, "", false},
		{"hangs", `[ $what = rules ] && sleep 60`, "gh api: no answer within 1s", false},
		{"hangs and ignores TERM", `[ $what = rules ] && { trap '' TERM; sleep 60 & wait; sleep 60; }`, "gh api: no answer within 1s", false},
		{"leaves a child that holds its output", `sleep 60 &`, "gh api: no answer within 1s", false},
		{"junk with status 0", `[ $what = list ] && { echo 'Welcome to gh'; exit 0; }`, "gh pr list printed no JSON list", false},
		{"a list and then more", `[ $what = list ] && { echo '[] []'; exit 0; }`, "gh pr list printed more than a list", false},
		{"nothing with status 0", `[ $what = repo ] && exit 0`, "gh api: no HTTP answer", false},
		{"the answer and status 1", `[ $what = list ] && { echo '[]'; echo 'GraphQL: no' >&2; exit 1; }`, "GraphQL: no", false},
		{"status 2", `[ $what = list ] && exit 2`, "gh: exit status 2", false},
		{"status 4", `echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4`, "gh has no login for github.com", true},
		{"killed", `kill -9 $$`, "gh: exit status 137", false},
		{"a flood", `[ $what = list ] && { head -c 40000000 /dev/zero; exit 0; }`, "gh pr: wrote more than 33554432 bytes", false},
		{"control characters", `[ $what = list ] && { printf 'a\033[31mb\rc\nsecond line\n' >&2; exit 1; }`, "a", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			timeout := 20 * time.Second
			if strings.Contains(tt.fault, "sleep") {
				timeout = time.Second
			}
			m := newBox(t, tt.fault+"\n")
			repo, s := m.observe(timeout)
			if repo.OK != (tt.error == "") || !strings.HasPrefix(repo.Error, tt.error) || s.Absent != tt.absent || s.OK != (tt.error == "" || tt.absent) || (repo.PRs != nil) != repo.OK {
				t.Errorf("%+v\n%+v", repo, s)
			}
			if strings.ContainsAny(repo.Error, "\x1b\r\n") || strings.Contains(repo.Error, "second line") {
				t.Errorf("%q", repo.Error)
			}
		})
	}
}

// A deadline ends all that gh started.
func TestGhHangLeavesNothing(t *testing.T) {
	m := newBox(t, "sleep 61 & echo $! > \"$dir/child\"; wait\n")
	start := time.Now()
	if repo, _ := m.observe(time.Second); repo.OK {
		t.Errorf("%+v", repo)
	}
	if d := time.Since(start); d > 15*time.Second {
		t.Errorf("took %s", d)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(m.read("child")))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := syscall.Kill(pid, 0); err != nil {
			return
		}
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(b), ") Z ") {
			return // dead, and nobody has reaped it yet
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d outlives gh", pid)
}

// Gh gets a listed environment.
func TestGhEnvironment(t *testing.T) {
	m := newBox(t, "env | sort > \"$dir/env\"\n")
	m.env = map[string]string{"PATH": os.Getenv("PATH"), "HOME": m.dir, "GH_CONFIG_DIR": "/c", "HTTPS_PROXY": "http://127.0.0.1:9", "GH_TOKEN": "t1", "GITHUB_TOKEN": "t2"}
	for _, name := range []string{"GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR", "CLICOLOR_FORCE", "GH_HOST", "GH_REPO", "PAGER", "GH_ENTERPRISE_TOKEN", "AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "LD_PRELOAD"} {
		m.env[name] = "x"
	}
	repo, _ := m.observe(20 * time.Second)
	env := m.read("env")
	for _, want := range []string{"HOME=" + m.dir, "GH_CONFIG_DIR=/c", "HTTPS_PROXY=http://127.0.0.1:9", "NO_COLOR=1", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GH_TOKEN=t1", "GITHUB_TOKEN=t2"} {
		if !strings.Contains(env, want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(env, "=x\n") || repo.Login != loginEnv || !repo.OK {
		t.Errorf("%+v\n%s", repo, env)
	}
}

// A token file that others can read, or that holds no token, is not used and
// said so; its content is in no argument and in no record.
func TestGhTokenFile(t *testing.T) {
	tests := []struct {
		name, content string
		mode          os.FileMode
		note          string // "" when it is used
	}{
		{"0600", "hunter2\n", 0o600, ""},
		{"0400", "hunter2", 0o400, ""},
		{"0644", "hunter2\n", 0o644, "token file not used: its mode is 0644, not 0600 or 0400"},
		{"0700", "hunter2\n", 0o700, "token file not used: its mode is 0700, not 0600 or 0400"},
		{"empty", "\n", 0o600, "token file not used: it holds no token"},
		{"two words", "hunter2 x\n", 0o600, "token file not used: it holds no token"},
		{"huge", strings.Repeat("hunter2", 1000), 0o600, "token file not used: token: 7000 bytes"},
		{"gone", "", 0, "token file not used: no such file or directory"},
	}
	for _, tt := range tests {
		m := newBox(t, "env > \"$dir/env\"\n")
		m.env["GITHUB_TOKEN"] = "inherited"
		m.file = filepath.Join(m.dir, "token")
		if tt.mode != 0 {
			m.put("token", tt.content, tt.mode)
		}
		repo, s := m.observe(20 * time.Second)
		used := strings.Contains(m.read("env"), "GH_TOKEN=hunter2\n")
		inherited := strings.Contains(m.read("env"), "GITHUB_TOKEN=inherited\n")
		note := strings.Join(s.Notes, " ")
		if !repo.OK || used != (tt.note == "") || inherited == used || !strings.HasPrefix(note, tt.note) || (repo.Login == loginFile) != used {
			t.Errorf("%s: used %v, inherited %v, login %q, notes %q", tt.name, used, inherited, repo.Login, note)
		}
		if strings.Contains(m.read("calls")+note+repo.Error, "hunter2") {
			t.Errorf("%s: the token is shown", tt.name)
		}
	}
}

// Three calls a repository, and one more an hour of need.
func TestGhCalls(t *testing.T) {
	m := newBox(t, "")
	m.observe(20 * time.Second)
	want := []string{"api --include --hostname github.com repos/acme/lamp", "api --include --hostname github.com repos/acme/lamp/rules/branches/main?per_page=100",
		"pr list -R github.com/acme/lamp --state open --limit 200 --json author,"}
	calls := strings.Split(strings.TrimSpace(m.read("calls")), "\n")
	if len(calls) != len(want) {
		t.Fatalf("%q", calls)
	}
	for i := range want {
		if !strings.HasPrefix(calls[i], want[i]) {
			t.Errorf("%q, want %q", calls[i], want[i])
		}
	}
}
