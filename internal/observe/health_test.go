package observe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/broken"
)

// spacesOf is a stream of workspace records of the host of recordings, each
// "<project> <agent> <registry kind> <registry id>", with its closing record.
func spacesOf(t *testing.T, spaces ...string) *record.Set {
	t.Helper()
	set, n := new(record.Set), 0
	put := func(kind record.Kind, subject string, data any) {
		r, err := record.New(kind, record.NewTime(hubTime), "devbox", byWorkspaces, subject, data)
		var line []byte
		if err == nil {
			line, err = r.Line()
		}
		if err != nil {
			t.Fatal(err)
		}
		for l, err := range record.All(strings.NewReader(string(line))) {
			if err != nil {
				t.Fatal(err)
			}
			set.Add(l)
		}
	}
	for _, s := range spaces {
		f := strings.Fields(s)
		put(record.KindWorkspace, "/w/"+f[1], record.Workspace{Project: f[0], Agent: f[1], Registry: &record.Registry{Kind: f[2], ID: f[3]}, Path: "/w/" + f[1], Processes: []record.AgentProc{}})
		n++
	}
	put(record.KindWorkspace, "/tmp", record.Workspace{Path: "/tmp", Processes: []record.AgentProc{}})
	n++
	put(record.KindSurface, byWorkspaces, record.Surface{OK: true, Records: &n})
	return set
}

func observeHealth(t *testing.T, w *machine.World, set *record.Set) *agentSink {
	t.Helper()
	k := newAgentSink(t)
	unread, err := Health{Binary: "gh", Timeout: time.Second, GHTimeout: time.Second}.Observe(context.Background(), w, set, k)
	if err != nil {
		t.Fatal(err)
	}
	k.told(unread)
	return k
}

func entryJSON(port int) string {
	return fmt.Sprintf(`{"host":"desk","port":%d,"type":"worker","instance_id":"i","started":"2026-11-29T14:00:00Z"}`, port)
}

// page records a page of variables; rows are name and value in turn.
func (r *recording) page(path string, page, total int, rows ...string) {
	vs := []string{}
	for i := 0; i < len(rows); i += 2 {
		vs = append(vs, fmt.Sprintf(`{"name":%q,"value":%q}`, rows[i], rows[i+1]))
	}
	r.api(fmt.Sprintf("%s/actions/variables?per_page=30&page=%d", path, page), 200, fmt.Sprintf(`{"total_count":%d,"variables":[%s]}`, total, strings.Join(vs, ",")))
}

const storeJSON = `{"schema_version":1,"project":"lamp","agents":{"a":{"host":"desk","port":1,"type":"worker"}}}`

// A roster that was not read whole is not read, whatever stands in its way, and
// says so; no agent of it is known.
func TestHealth_rosters(t *testing.T) {
	for name, tt := range map[string]struct {
		registry string
		make     func(r *recording)
		by       string // what fails
		want     string // the error; "" when it is read
		agents   int
	}{
		"a directory": {"local /reg", func(r *recording) {
			r.write("root/reg/LAMP_AGENT_A", entryJSON(1))
			r.write("root/reg/LAMP_AGENT_B", "null")
			r.write("root/reg/LAMP_AGENT_C.tmp", entryJSON(1))
			r.write("root/reg/DESK_AGENT_A", entryJSON(1))
		}, "", "", 2},
		"one behind a link that leads nowhere": {"local /x/r.json", func(r *recording) {
			r.write("root/x/y", "")
			if err := os.Symlink("z.json", filepath.Join(r.dir, "root/x/r.json")); err != nil {
				t.Fatal(err)
			}
		}, "", "/x/r.json: a symbolic link that leads nowhere", 0},
		"an empty one":    {"local /reg", func(r *recording) { r.write("root/reg/x", "") }, "", "", 0},
		"that of a home":  {"local ~/reg", func(r *recording) { r.write("root/home/ana/reg/LAMP_AGENT_A", entryJSON(1)) }, "", "", 1},
		"none":            {"local /reg", func(*recording) {}, "", "/reg: no such file or directory", 0},
		"hidden":          {"local /reg", func(r *recording) { r.write("root/reg/LAMP_AGENT_A", entryJSON(1)) }, "list reg", "/reg: permission denied", 0},
		"a hidden entry":  {"local /reg", func(r *recording) { r.write("root/reg/LAMP_AGENT_A", entryJSON(1)) }, "open reg/LAMP_AGENT_A", "/reg/LAMP_AGENT_A: permission denied", 0},
		"a relative path": {"local reg", func(*recording) {}, "", "the path of its registry is not absolute", 0},
		"macf's own file": {"local /r.json", func(r *recording) { r.write("root/r.json", storeJSON) }, "", "", 1},
		"of another":      {"local /r.json", func(r *recording) { r.write("root/r.json", strings.Replace(storeJSON, "lamp", "desk", 1)) }, "", "/r.json: it is the registry of another project", 0},
		"not there yet":   {"local /x/r.json", func(r *recording) { r.write("root/x/y", "") }, "", "", 0},
		"nor its place":   {"local /x/r.json", func(*recording) {}, "", "/x/r.json: file does not exist", 0},
		"nobody can tell": {"local /x/r.json", func(r *recording) { r.write("root/x/y", "") }, "stat x", "/x/r.json: permission denied", 0},
		"a hidden file":   {"local /r.json", func(r *recording) { r.write("root/r.json", storeJSON) }, "open r.json", "/r.json: permission denied", 0},
		"an organization": {"org acme", func(r *recording) { r.page("orgs/acme", 1, 1, "LAMP_AGENT_A", entryJSON(1)) }, "", "", 1},
		"a profile":       {"profile ana", func(r *recording) { r.page("repos/ana/ana", 1, 1, "LAMP_AGENT_A", entryJSON(1)) }, "", "", 1},
		"two pages": {"repo acme/lamp", func(r *recording) {
			r.page("repos/acme/lamp", 1, 3, "LAMP_AGENT_A", entryJSON(1), "LAMP_AGENT_B", entryJSON(2))
			r.page("repos/acme/lamp", 2, 3, "LAMP_AGENT_C", "odd")
		}, "", "", 3},
		"a cut list": {"repo acme/lamp", func(r *recording) {
			r.page("repos/acme/lamp", 1, 3, "LAMP_AGENT_A", entryJSON(1))
			r.page("repos/acme/lamp", 2, 3)
		}, "", "gh api: 1 variables of 3", 0},
		"no end": {"repo acme/lamp", func(r *recording) {
			for n := 1; n <= 40; n++ {
				r.page("repos/acme/lamp", n, 9999, "LAMP_AGENT_A", entryJSON(1))
			}
		}, "", "gh api: more than 1200 variables", 0},
		"a page that fails": {"repo acme/lamp", func(r *recording) {
			r.page("repos/acme/lamp", 1, 2, "LAMP_AGENT_A", entryJSON(1))
			r.api("repos/acme/lamp/actions/variables?per_page=30&page=2", 502, "")
		}, "", "gh: HTTP 502", 0},
		"no list": {"repo acme/lamp", func(r *recording) { r.api("repos/acme/lamp/actions/variables?per_page=30&page=1", 200, "{}") }, "", "gh api: no list of variables", 0},
		"no access": {"org acme", func(r *recording) {
			r.api("orgs/acme/actions/variables?per_page=30&page=1", 403, `{"message":"Resource not accessible"}`)
		}, "", "HTTP 403: Resource not accessible", 0},
		"no gh":      {"org acme", func(*recording) {}, "", "gh is not installed: gh: not recorded: executable file not found in $PATH", 0},
		"no slug":    {"repo acme", func(*recording) {}, "", "its registry, of the kind repo, has a name that GitHub has none of", 0},
		"of no kind": {"moon x", func(*recording) {}, "", "its registry, of the kind moon, has a name that GitHub has none of", 0},
	} {
		r := newRecording(t)
		tt.make(r)
		w := r.world()
		if tt.by != "" {
			w.FS = broken.FS{FS: w.FS, By: map[string]error{tt.by: syscall.EACCES}}
		}
		k := observeHealth(t, w, spacesOf(t, "lamp a "+tt.registry))
		s := k.surfaces["macf/roster:lamp"]
		if s.Error != tt.want || s.OK != (tt.want == "") || len(k.health) != tt.agents || s.Rows+s.Unparsed != tt.agents {
			t.Errorf("%s: %d agents, %+v", name, len(k.health), s)
		}
		if b, listed := k.health["lamp/b"]; name == "a directory" && (s.Unparsed != 1 || len(s.Notes) != 1 || !listed || b.Failure != "unreachable" ||
			b.Detail != "its entry in the registry is not understood: not a JSON object") {
			t.Errorf("an entry that is none: %+v, %+v", s, b)
		}
		if h := k.surfaces[surfaceHealth]; !h.OK || h.Rows != tt.agents {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// One registry serves several projects, and two registries serve none.
func TestHealth_projects(t *testing.T) {
	r := newRecording(t)
	r.page("orgs/acme", 1, 4, "LAMP_AGENT_A", entryJSON(1), "DESK_AGENT_A", entryJSON(2), "lamp_agent_a", "null", "LAMP_AGENT_AGENT_B", entryJSON(3))
	k := observeHealth(t, r.world(), spacesOf(t, "lamp a org acme", "desk b org acme", "lamp-agent c org acme", "moon d org acme", "moon e org other"))
	got := ""
	for _, subject := range []string{"desk/a", "lamp/a", "lamp-agent/b"} {
		got += k.health[subject].Address + " "
	}
	moon := k.surfaces["macf/roster:moon"]
	if got != "desk:2 desk:1 desk:3 " || len(k.health) != 3 || moon.OK || moon.Error != "its workspaces name two registries: that of /w/d is org acme, that of /w/e is org other" {
		t.Errorf("%s %+v %+v", got, k.health, moon)
	}
	if s := k.surfaces["macf/roster:lamp"]; len(s.Notes) != 1 || s.Notes[0] != "a is listed twice; the later start counts" {
		t.Errorf("%+v", s)
	}
}

// Without all workspaces nobody knows whom to ask, and who is known is asked.
func TestHealth_workspacesUnread(t *testing.T) {
	r := newRecording(t)
	r.page("orgs/acme", 1, 1, "LAMP_AGENT_A", entryJSON(1))
	with := func(s record.Surface) *record.Set {
		set := new(record.Set)
		n := 1
		for subject, data := range map[string]record.Surface{surfaceWorkspaces: s, byWorkspaces: {OK: true, Records: &n}} {
			rec, err := record.New(record.KindSurface, record.NewTime(hubTime), "devbox", byWorkspaces, subject, data)
			if err != nil {
				t.Fatal(err)
			}
			line, err := rec.Line()
			if err != nil {
				t.Fatal(err)
			}
			for l := range record.All(strings.NewReader(string(line))) {
				set.Add(l)
			}
		}
		return set
	}
	for name, tt := range map[string]struct {
		set    *record.Set
		want   string
		absent bool
	}{
		"nothing":  {new(record.Set), "fleet-observe-workspaces: no closing record", false},
		"not read": {with(record.Surface{Error: "hidden"}), "macf/workspaces: hidden", false},
		"absent":   {with(record.Surface{OK: true, Absent: true}), "", true},
		"read":     {with(record.Surface{OK: true}), "", false},
	} {
		s := observeHealth(t, r.world(), tt.set).surfaces[surfaceHealth]
		if s.Error != tt.want || s.OK != (tt.want == "") || s.Absent != tt.absent {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A recorded answer is judged as one of the network is, and a damaged one is none.
func TestHealth_replay(t *testing.T) {
	r := newRecording(t)
	r.write("root/w/a/.macf/macf-agent.json", spaceJSON("the-bot"))
	body := `{"agent":"%s","status":"online","version":"1"}`
	for name, tt := range map[string]struct{ answer, want string }{
		"its own name":     {fmt.Sprintf(`{"status":200,"body":`+body+`}`, "a"), ""},
		"its workspace's":  {fmt.Sprintf(`{"status":299,"body":`+body+`}`, "The_Bot"), ""},
		"another's":        {fmt.Sprintf(`{"status":200,"body":`+body+`}`, "b"), "identity: it answers as b"},
		"199":              {fmt.Sprintf(`{"status":199,"body":`+body+`}`, "a"), "status: HTTP 199"},
		"300":              {fmt.Sprintf(`{"status":300,"body":`+body+`}`, "a"), "status: HTTP 300"},
		"no body":          {`{"status":200}`, "body: its answer does not fit: not JSON at byte 0"},
		"a failure":        {`{"status":200,"failure":"timeout","detail":"slow"}`, "timeout: slow"},
		"a damaged record": {`{`, "unreachable: the recorded answer is not understood"},
		"no record":        {"", "unreachable: no answer was recorded"},
	} {
		r.write("root/reg/LAMP_AGENT_A", entryJSON(1))
		file := "health/desk_1.json"
		if r.write(file, tt.answer); tt.answer == "" {
			if err := os.Remove(filepath.Join(r.dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		h := observeHealth(t, r.world(), spacesOf(t, "lamp a local /reg")).health["lamp/a"]
		if got := strings.TrimSuffix(h.Failure+": "+h.Detail, ": "); got != tt.want || h.Online != (tt.want == "") || h.Listed != "i" || h.StartedAt == nil {
			t.Errorf("%s: %+v, want %q", name, h, tt.want)
		}
	}
}

// That the token file was not used is told of what was asked of GitHub, and of
// nothing else.
func TestHealth_tokenFile(t *testing.T) {
	r := newRecording(t)
	r.write("root/reg/x", "")
	r.page("orgs/acme", 1, 1, "LAMP_AGENT_A", entryJSON(1))
	k := newAgentSink(t)
	h := Health{Binary: "gh", TokenFile: "/nowhere", Timeout: time.Second, GHTimeout: time.Second}
	if _, err := h.Observe(context.Background(), r.world(), spacesOf(t, "desk b local /reg", "lamp a org acme"), k); err != nil {
		t.Fatal(err)
	}
	if s := k.surfaces["macf/roster:lamp"]; !s.OK || len(s.Notes) != 1 || s.Notes[0] != "token file not used: no such file or directory" {
		t.Errorf("%+v", s)
	}
	if s := k.surfaces["macf/roster:desk"]; !s.OK || len(s.Notes) != 0 {
		t.Errorf("%+v", s)
	}
}
