package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/tests/broken"
)

// Roots come from whoever named them first, and are one however they overlap.
func TestWorkspaces_roots(t *testing.T) {
	r := newRecording(t)
	r.table("")
	r.space("/a/x", "x")
	r.space("/b", "b")
	r.space("/home/ana/repos/c", "c")
	r.space("/home/ana/repos/d/e", "e")
	for name, tt := range map[string]struct {
		roots, configured []string
		env, want         string
		ok                bool
	}{
		"the usual one":       {nil, nil, "", "/home/ana/repos/c /home/ana/repos/d/e", true},
		"of the command":      {[]string{"/a"}, []string{"/b"}, "/b", "/a/x", true},
		"of the variable":     {nil, []string{"/a"}, ": /b :~/repos/d: ", "/b /home/ana/repos/d/e", true},
		"signs alone":         {nil, []string{"/a"}, " : ", "/a/x", true},
		"of the file":         {nil, []string{"/a", "/b", "/a/x", "/"}, "", "/a/x /b /home/ana/repos/c", true},
		"one is not there":    {[]string{"/a", "/nowhere"}, nil, "", "/a/x", false},
		"none is there":       {nil, []string{"/nowhere"}, "", "", false},
		"one is no directory": {[]string{"/b/.macf/macf-agent.json"}, nil, "", "", false},
	} {
		w := r.world()
		w.Getenv = func(v string) string { return map[string]string{"MACF_WORKSPACE_ROOT": tt.env}[v] }
		k := observeSpaces(t, w, Workspaces{tt.roots, tt.configured})
		if s := k.surfaces[surfaceWorkspaces]; k.paths() != tt.want || s.OK != tt.ok || s.Rows != len(strings.Fields(tt.want)) || s.Absent {
			t.Errorf("%s: %s, want %s; %+v", name, k.paths(), tt.want, s)
		}
	}
}

// On this machine the project of the working directory has a say.
func TestWorkspaces_beside(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p/one", "p/two"} {
		file := filepath.Join(dir, name, ".macf/macf-agent.json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(spaceJSON(filepath.Base(name))), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "p/one/below"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "p/one/below"))
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("MACF_WORKSPACE_ROOT", "")
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := observeSpaces(t, w, Workspaces{}).paths(), dir+"/p/one "+dir+"/p/two"; !strings.Contains(" "+got+" ", want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := observeSpaces(t, w, Workspaces{Roots: []string{".."}}).paths(); !strings.Contains(got, dir+"/p/one") {
		t.Errorf("of a root from here: %s", got)
	}
}

// Links are followed, none for ever, and a directory is as deep as the shortest
// way to it is long.
func TestWorkspaces_links(t *testing.T) {
	r := newRecording(t)
	r.table("")
	r.space("/home/ana/repos/1/2/3/4", "four")
	r.space("/home/ana/repos/1/2/3/4x/5", "five")
	r.space("/srv/ws", "far")
	for from, to := range map[string]string{"repos/loop": ".", "repos/short": "1/2/3", "repos/far": "../../../srv/ws", "repos/nowhere": "/nowhere", "repos/round": "round"} {
		if err := os.Symlink(to, filepath.Join(r.dir, "root/home/ana", from)); err != nil {
			t.Fatal(err)
		}
	}
	k := observeSpaces(t, r.world(), Workspaces{})
	if s := k.surfaces[surfaceWorkspaces]; k.paths() != "/home/ana/repos/1/2/3/4 /home/ana/repos/1/2/3/4x/5 /srv/ws" || s.OK || !strings.HasPrefix(s.Error, "/home/ana/repos/round: ") {
		t.Errorf("%s %+v", k.paths(), s)
	}
}

// What could not be looked at is told, and the rest stays.
func TestWorkspaces_unread(t *testing.T) {
	r := newRecording(t)
	r.table("")
	r.space("/home/ana/repos/a", "a")
	r.space("/home/ana/repos/b/c", "c")
	r.write("root/home/ana/.macf/last-exit/a", "143")
	r.write("root/home/ana/.macf/last-exit/c", "soon")
	r.write("root/home/ana/.macf/maintenance-locks/a.lock", `{"schema_version":1,"agent":"a","heartbeat_at":1795964700}`)
	r.write("root/home/ana/.macf/maintenance-locks/c.lock", `{}`)
	for by, tt := range map[string]struct {
		says, paths string
		unparsed    int
	}{
		"":                      {"", "a b/c", 2},
		"list home/ana/repos/b": {"/home/ana/repos/b: permission denied", "a", 0},
		"list home/ana/repos":   {"/home/ana/repos: permission denied", "", 0},
		"stat home/ana/repos":   {"/home/ana/repos: permission denied", "", 0},
		"stat home/ana/repos/a/.macf/macf-agent.json": {"/home/ana/repos/a: permission denied", "b/c", 2},
		"open home/ana/repos/a/.macf/macf-agent.json": {"", "b/c", 3},
		"open home/ana/.macf/last-exit/a":             {"", "a b/c", 3},
		"stat home/ana/.macf":                         {"/home/ana/.macf: permission denied", "a b/c", 2},
	} {
		w := r.world()
		w.FS = broken.FS{FS: w.FS, By: map[string]error{by: syscall.EACCES}}
		k := observeSpaces(t, w, Workspaces{})
		s := k.surfaces[surfaceWorkspaces]
		if got := strings.ReplaceAll(k.paths(), "/home/ana/repos/", ""); got != tt.paths || s.OK != (tt.says == "") || s.Error != tt.says || s.Unparsed != tt.unparsed || len(s.Notes) != tt.unparsed || s.Absent {
			t.Errorf("%s: %s, %+v", by, got, s)
		}
		if a := k.spaces["/home/ana/repos/a"]; by == "" && (a.LastExit == nil || a.LastExit.Code != 143 || a.Maintenance == nil) {
			t.Errorf("%+v", a)
		}
		if c := k.spaces["/home/ana/repos/b/c"]; c.LastExit != nil || c.Maintenance != nil {
			t.Errorf("%s: %+v", by, c)
		}
	}
	w := r.world()
	w.FS = broken.FS{FS: w.FS, By: map[string]error{"list home/ana/repos/b": syscall.EACCES, "stat home/ana/repos/a/.macf/macf-agent.json": syscall.EACCES}}
	if s := observeSpaces(t, w, Workspaces{}).surfaces[surfaceWorkspaces]; s.Error != "/home/ana/repos/a: permission denied, and 1 more that could not be read" {
		t.Errorf("%+v", s)
	}
}

// A configuration that is not understood is counted and named, and is no
// workspace; what runs in it is told all the same, with its path.
func TestWorkspaces_bad(t *testing.T) {
	r := newRecording(t)
	r.write("root/home/ana/repos/a/.macf/macf-agent.json", `{"project":"lamp"}`)
	r.table(`{"pid":7,"start":"7","cwd":"/home/ana/repos/a/sub","exe":"/usr/bin/claude"}`)
	k := observeSpaces(t, r.world(), Workspaces{})
	a, s := k.spaces["/home/ana/repos/a"], k.surfaces[surfaceWorkspaces]
	if s.Unparsed != 1 || s.Rows != 0 || len(s.Notes) != 1 || s.Notes[0] != "/home/ana/repos/a/.macf/macf-agent.json: agent_name is missing, agent_role is missing, agent_type is missing, registry is missing" ||
		len(k.spaces) != 1 || a.Unread != ".macf/macf-agent.json is not understood" || a.Registry != nil || a.Path != "/home/ana/repos/a" || len(a.Processes) != 1 {
		t.Errorf("%+v %+v", s, k.spaces)
	}
}

// It has a record also when nothing runs in it, and so has a workspace that no root leads to
// when something does: neither says whose it is.
func TestWorkspaces_unreadSpace(t *testing.T) {
	r := newRecording(t)
	r.write("root/home/ana/repos/a/.macf/macf-agent.json", `{"project":`)
	r.space("/srv/b", "b")
	r.table(`{"pid":7,"start":"7","cwd":"/srv/b","exe":"/usr/bin/claude"},{"pid":8,"start":"8","cwd":"/srv/c","exe":"/usr/bin/claude"}`)
	k := observeSpaces(t, r.world(), Workspaces{})
	for path, want := range map[string]string{"/home/ana/repos/a": ".macf/macf-agent.json is not understood", "/srv/b": "no root of workspace_roots leads to it", "/srv/c": ""} {
		if s, ok := k.spaces[path]; !ok || s.Unread != want || s.Agent != "" || s.Path != path || len(s.Processes) != map[bool]int{false: 1}[path == "/home/ana/repos/a"] {
			t.Errorf("%s: %+v", path, s)
		}
	}
}

// What runs in a workspace that no root leads to is told without a name: it may
// claim to be anybody.
func TestWorkspaces_unrooted(t *testing.T) {
	r := newRecording(t)
	r.space("/home/ana/repos/a", "a")
	r.space("/home/ana/repos/a/inner", "a")
	r.space("/tmp/x", "a")
	r.table(`{"pid":7,"start":"7","cwd":"/tmp/x/sub","exe":"/usr/bin/claude"},{"pid":8,"start":"8","cwd":"/home/ana/repos/a/inner","exe":"/usr/bin/claude"}`)
	k := observeSpaces(t, r.world(), Workspaces{})
	if k.paths() != "/home/ana/repos/a" || k.surfaces[surfaceWorkspaces].Rows != 1 || len(k.spaces) != 3 ||
		k.spaces["/tmp/x"].Path != "/tmp/x" || len(k.spaces["/home/ana/repos/a/inner"].Processes) != 1 || len(k.spaces["/home/ana/repos/a"].Processes) != 0 {
		t.Errorf("%+v", k.spaces)
	}
}

// macf is there when anything of it is.
func TestWorkspaces_absent(t *testing.T) {
	for name, tt := range map[string]struct {
		file, table string
		absent      bool
	}{
		"nothing":             {"root/x", "", true},
		"a session":           {"root/x", `{"pid":7,"start":"7","cwd":"/w","exe":"/usr/bin/claude"}`, true},
		"a channel server":    {"root/x", `{"pid":7,"start":"7","cwd":"/w","exe":"/usr/bin/node","server":"/x/macf-channel-server"}`, false},
		"a home":              {"root/home/ana/.macf/x", "", false},
		"a bad configuration": {"root/home/ana/repos/a/.macf/macf-agent.json", "", false},
	} {
		r := newRecording(t)
		r.table(tt.table)
		r.write(tt.file, "x")
		if s := observeSpaces(t, r.world(), Workspaces{}).surfaces[surfaceWorkspaces]; s.Absent != tt.absent || !s.OK {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Who runs where: helpers run nowhere, and what was another process's is not
// this one's.
func TestWorkspaces_processes(t *testing.T) {
	r := newRecording(t)
	r.space("/home/ana/repos/a", "a")
	r.write("root/home/ana/repos/a/sub/.git/x", "")
	r.write("root/home/ana/repos/a/wt/dot-git", "gitdir: /r/.git/worktrees/wt\n")
	r.write("root/home/ana/repos/a/mod/dot-git", "gitdir: /r/.git/modules/mod\n")
	r.write("root/lib/macf-channel-server/package.json", `{"version":"1.2.3"}`)
	for from, to := range map[string]string{"home/ana/repos/a/srv": "/lib/macf-channel-server"} {
		if err := os.Symlink("../../../.."+to, filepath.Join(r.dir, "root", from)); err != nil {
			t.Fatal(err)
		}
	}
	file := func(pid int, more string) {
		r.write(fmt.Sprintf("root/home/ana/.claude/sessions/%d.json", pid), fmt.Sprintf(`{"pid":%d,"sessionId":"s%d","cwd":"/home/ana/repos/a","procStart":"%d"%s}`, pid, pid, pid, more))
	}
	file(1, `,"kind":"interactive"`)
	file(2, `,"kind":"daemon"`)
	file(3, `,"kind":"bg","spare":true`)
	file(4, ``)
	r.write("root/home/ana/.claude/sessions/5.json", `{"pid":5,"sessionId":"old","cwd":"/home/ana/repos/a","kind":"daemon","procStart":"4"}`)
	r.write("root/home/ana/.claude/sessions/6.json", `torn`)
	row := func(pid int, cwd, more string) string {
		return fmt.Sprintf(`{"pid":%d,"start":"%d","cwd":%q,"exe":"/usr/bin/claude"%s}`, pid, pid, cwd, more)
	}
	a := "/home/ana/repos/a"
	r.table(strings.Join([]string{row(1, "", ""), row(2, a, ""), row(3, a, ""), row(4, a+"/sub", ""), row(5, a+"/mod", ""), row(6, a+" (deleted)", ""),
		row(7, a+"/wt/x", ""), row(8, "", ""), row(9, "relative", ""),
		row(10, a, `,"server":"srv"`), row(11, a, `,"server":"/nowhere/macf-channel-server"`), row(12, "", `,"server":"srv"`)}, ","))
	k := observeSpaces(t, r.world(), Workspaces{})
	got := map[string]string{}
	for subject, s := range k.spaces {
		for _, p := range s.Processes {
			got[subject] += fmt.Sprintf("%d:%s%s ", p.PID, p.Session, p.Version)
		}
	}
	want := map[string]string{a: "10:1.2.3 11: 1:s1 4:s4 5: 6: ", a + "/wt/x": "7: ", "pid:8": "8: ", "pid:12": "12: ", "relative": "9: "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if s := k.surfaces[surfaceAgents]; s.Rows != 10 || len(s.Notes) != 2 || !s.OK {
		t.Errorf("%+v", s)
	}
}

// Without a process table nothing is said of what runs.
func TestWorkspaces_noTable(t *testing.T) {
	r := newRecording(t)
	r.space("/home/ana/repos/a", "a")
	for name, meta := range map[string]string{"none": `{"home":"/home/ana","host":"h","at":"2026-11-29T15:10:00Z"}`,
		"of another shape": `{"home":"/home/ana","host":"h","at":"2026-11-29T15:10:00Z","processes":[{"pid":1,"env":7}]}`} {
		r.write("meta.json", meta)
		w, err := machine.New(r.dir, time.Time{}, false)
		if err != nil {
			t.Fatal(err)
		}
		k := observeSpaces(t, w, Workspaces{})
		if s := k.surfaces[surfaceAgents]; s.OK || k.paths() == "" {
			t.Errorf("%s: %+v", name, s)
		}
		if err := os.Remove(filepath.Join(r.dir, "meta.json")); err != nil {
			t.Fatal(err)
		}
		if _, err := machine.RecordedProcesses[macf.Process](w); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// What cannot be written, as a record or in a recording, is a failure.
func TestWorkspaces_output(t *testing.T) {
	r := newRecording(t)
	r.table("")
	r.space("/home/ana/repos/a", "a")
	for _, subject := range []string{"/home/ana/repos/a", surfaceWorkspaces, surfaceAgents, "closing"} {
		if _, err := (Workspaces{}).Observe(r.world(), failingSink{subject}); err != errSink {
			t.Errorf("%s: %v", subject, err)
		}
	}
	w, to := r.world(), filepath.Join(t.TempDir(), "rec")
	if err := errors.Join(w.Record(to), os.RemoveAll(to)); err != nil {
		t.Fatal(err)
	}
	if _, err := (Workspaces{}).Observe(w, failingSink{}); err == nil || !strings.HasPrefix(err.Error(), "--record: ") {
		t.Error(err)
	}
}
