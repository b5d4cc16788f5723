package observe

import (
	"context"
	"errors"
	"io/fs"
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

const (
	claudeRoot = "root/home/dev/.claude/"
	oneJob     = `{"state":"working","sessionId":"bbbbbbbb-0000-4000-8000-000000000000","cwd":"/home/dev/lamp"}`
	noTable    = `{"home":"/home/dev","host":"devbox","os":"linux","zone":"UTC","at":"2026-11-29T15:00:00Z"}`
	promptedBy = `{"display":"x","timestamp":1795962443543,"project":"/p","sessionId":"` + testID + `"}` + "\n"
)

// Whatever of Claude Code cannot be read or understood, its surface says so and
// says why, and no other.
func TestObserve_unread(t *testing.T) {
	job := `[{"id":"bbbbbbbb","pid":7,"cwd":"/home/dev/lamp","kind":"background","sessionId":"` + testID + `","status":"busy"}]`
	both := []string{"claude/listing", "claude/version"}
	for name, tt := range map[string]struct {
		files   map[string]string
		without string // a file that is not there
		cap     int
		unread  []string
		error   string
	}{
		"version fails":        {map[string]string{listed[1]: "3", version + "/stderr": "no room\nmore"}, "", 0, both, "claude --version: exit status 3: no room"},
		"version hangs":        {map[string]string{listed[1]: "timeout"}, "", 0, both, "claude --version: no answer within 1m0s"},
		"version is junk":      {map[string]string{listed[0]: "hello\n"}, "", 0, both, "claude --version: not a version of Claude Code"},
		"version breaks off":   {map[string]string{listed[1]: "x"}, "", 0, both, `claude --version: strconv.Atoi: parsing "x": invalid syntax`},
		"no program":           {nil, version, 0, both, "claude --version: claude: not recorded: executable file not found in $PATH"},
		"listing fails":        {map[string]string{listed[3]: "1"}, "", 0, both[:1], "claude agents: exit status 1"},
		"listing is no list":   {map[string]string{listed[2]: "{}"}, "", 0, both[:1], "the listing is not a JSON array"},
		"listing may be cut":   {map[string]string{claudeRoot + "jobs/bbbbbbbb/state.json": oneJob}, "", 1, both[:1], "1 rows, as many as a cut list could have, and job bbbbbbbb is not among them"},
		"no process table":     {map[string]string{"meta.json": noTable}, "", 0, []string{"claude/processes"}, "the process table was not recorded"},
		"no job of a listed":   {map[string]string{listed[2]: job}, "", 0, []string{"claude/jobs"}, "no job file, and the listing names 1 jobs"},
		"no file of a listed":  {nil, claudeRoot + "sessions", 0, []string{"claude/sessions"}, "no process file, and the listing names 1 processes"},
		"no transcript at all": {map[string]string{homed[0]: promptedBy}, claudeRoot + "projects", 0, []string{"claude/transcripts"}, "no transcript, and 1 sessions were prompted"},
	} {
		dir, _ := written(t, tt.files)
		if tt.without != "" {
			if err := os.RemoveAll(filepath.Join(dir, tt.without)); err != nil {
				t.Fatal(err)
			}
		}
		k := watchBroken(t, dir, nil, Claude{ListingCap: tt.cap})
		var unread []string
		for surface, s := range k.surfaces {
			if !s.OK || s.Absent {
				unread = append(unread, surface)
				if s.Error != tt.error {
					t.Errorf("%s: %s says %q, want %q", name, surface, s.Error, tt.error)
				}
			}
		}
		slices.Sort(unread)
		if !slices.Equal(unread, tt.unread) {
			t.Errorf("%s: not read are %q, want %q", name, unread, tt.unread)
		}
	}
}

// What is not understood in a file that is read is counted, on its surface.
func TestObserve_unparsed(t *testing.T) {
	for surface, files := range map[string]map[string]string{
		"claude/listing":     {listed[2]: `[7,{"pid":7,"kind":"interactive","sessionId":"` + testID + `","status":"busy"}]`},
		"claude/jobs":        {claudeRoot + "jobs/bbbbbbbb/state.json": "{"},
		"claude/sessions":    {claudeRoot + "sessions/8.json": "{"},
		"claude/transcripts": {projects[0]: "{\n" + endedTurn},
	} {
		dir, _ := written(t, files)
		for name, s := range watchBroken(t, dir, nil, Claude{}).surfaces {
			if want := map[bool]int{true: 1}[name == surface]; s.Unparsed != want || !s.OK {
				t.Errorf("%s is odd: %s has %+v", surface, name, s)
			}
		}
	}
}

// What is no job directory is no job that was not understood.
func TestObserve_besideJobs(t *testing.T) {
	dir, root := written(t, map[string]string{claudeRoot + "jobs/pins.json": "[]", claudeRoot + "jobs/bbbbbbbb/state.json": oneJob, claudeRoot + "projects/notes.txt": ""})
	for name, to := range map[string]string{"jobs/pins": "pins.json", "projects/notes": "notes.txt"} {
		replace(t, filepath.Join(root, "home/dev/.claude", name), to)
	}
	k := watchBroken(t, dir, nil, Claude{})
	if s := k.surfaces["claude/jobs"]; s.Rows != 1 || s.Unparsed != 0 {
		t.Errorf("jobs: got %+v", s)
	}
	if s := k.surfaces["claude/transcripts"]; !s.OK || s.Rows != 1 {
		t.Errorf("transcripts: got %+v", s)
	}
}

// A directory that was asked for and is not there, or cannot be looked at, is
// not read in any of its parts, and is not absent.
func TestObserve_givenDirectory(t *testing.T) {
	for want, by := range map[string]map[string]error{
		"/nowhere: no such directory":     nil,
		"stat nowhere: permission denied": {"stat nowhere": syscall.EACCES},
	} {
		dir, _ := written(t, nil)
		k := watchBroken(t, dir, by, Claude{Dirs: []string{"/nowhere"}})
		for _, name := range dirSurfaces {
			if s := k.surfaces[name]; s.OK || s.Absent || s.Error != want {
				t.Errorf("%s: got %+v, want %q", name, s, want)
			}
		}
		if !k.surfaces["claude/version"].OK {
			t.Errorf("the program is not read: %+v", k.surfaces["claude/version"])
		}
	}
}

// Whether a session was prompted is known only from a history that is there and
// understood to its end.
func TestObserve_history(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		text string
		by   map[string]error
		want *bool
	}{
		"names it":           {promptedBy, nil, &yes},
		"names another":      {strings.ReplaceAll(promptedBy, "aaaaaaaa", "bbbbbbbb"), nil, &no},
		"not understood":     {promptedBy + "{\n", nil, nil},
		"cannot be opened":   {promptedBy, map[string]error{"open home/dev/.claude/history.jsonl": syscall.EACCES}, nil},
		"cannot be read out": {promptedBy, map[string]error{"read home/dev/.claude/history.jsonl": syscall.EIO}, nil},
	} {
		dir, _ := written(t, map[string]string{homed[0]: tt.text})
		got := watchBroken(t, dir, tt.by, Claude{}).sessions[testID].Prompted
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: prompted is %v", name, got)
		}
	}
}

// A transcript, or one of a subagent, that is there and cannot be read may hold
// the newest activity: it says so. A session without subagents has none.
func TestObserve_brokenTranscript(t *testing.T) {
	own := strings.TrimPrefix(projects[0], "root/")
	below := strings.TrimSuffix(own, ".jsonl") + "/subagents"
	sub := "root/" + below + "/x/agent-1.jsonl"
	for name, tt := range map[string]struct {
		by   map[string]error
		want string
	}{
		"all is read":              {nil, ""},
		"transcript":               {map[string]error{"read " + own: syscall.EIO}, "read " + own + ": input/output error"},
		"directory of subagents":   {map[string]error{"list " + below + "/x": syscall.EACCES}, "a subagent's transcript: list " + below + "/x: permission denied"},
		"time of a subagent":       {map[string]error{"info " + below + "/x/agent-1.jsonl": syscall.EACCES}, "a subagent's transcript: info " + below + "/x/agent-1.jsonl: permission denied"},
		"transcript of a subagent": {map[string]error{"read " + below + "/x/agent-1.jsonl": syscall.EIO}, "a subagent's transcript: read " + below + "/x/agent-1.jsonl: input/output error"},
		"a subagent that is gone":  {map[string]error{"info " + below + "/x/agent-1.jsonl": fs.ErrNotExist}, ""},
	} {
		dir, _ := written(t, map[string]string{sub: endedTurn})
		if tr := watchBroken(t, dir, tt.by, Claude{}).sessions[testID].Transcript; !tr.Found || tr.Unread != tt.want {
			t.Errorf("%s: got %+v, want %q", name, tr, tt.want)
		}
	}
	dir, _ := written(t, nil)
	if tr := watchBroken(t, dir, nil, Claude{}).sessions[testID].Transcript; tr.Subagents != nil {
		t.Errorf("subagents of a session without any: %+v", tr.Subagents)
	}
}

// A command that failed or hung is recorded as one that did.
func TestRecord_failure(t *testing.T) {
	for status, want := range map[string]string{"3": "claude --version: exit status 3", "timeout": "claude --version: no answer within 0s"} {
		dir, _ := written(t, map[string]string{listed[1]: status})
		rec := filepath.Join(t.TempDir(), "rec")
		w, err := machine.New(dir, time.Time{}, false)
		if err == nil {
			err = w.Record(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
		k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
		if _, err := (Claude{Binary: "claude", ListingCap: 200}).Observe(context.Background(), w, k); err != nil {
			t.Fatal(err)
		}
		for _, s := range []record.Surface{k.surfaces["claude/version"], watch(t, rec).surfaces["claude/version"]} {
			if s.OK || s.Error != want {
				t.Errorf("got %+v, want %q", s, want)
			}
		}
	}
}

// A gh that is nowhere is absent; one that did not run well enough to tell is
// not read, whatever it left.
func TestGhNotStarted(t *testing.T) {
	m := newBox(t, "")
	t.Setenv("PATH", "")
	w := &machine.World{Home: m.dir, Host: "devbox", At: hubTime, FS: os.DirFS("/"), Getenv: func(string) string { return "" }}
	h := newHub(context.Background(), w, GitHub{Binary: "fleet-none"}, 1, 1)
	if out, f := h.run(time.Minute, "", "api"); out != nil || f == nil || !f.Absent || f.Says != "gh is not installed: fleet-none: not found in ~/.local/bin:/opt/homebrew/bin:/usr/local/bin" {
		t.Errorf("no gh: %q %+v", out, f)
	}
	for _, err := range []error{syscall.EACCES, errors.New("odd")} {
		if f := notStarted(err); f == nil || f.Absent || f.Says != "gh: "+err.Error() {
			t.Errorf("%v: %+v", err, f)
		}
	}
}
