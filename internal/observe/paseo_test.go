package observe

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// kept is a Sink that keeps what it gets.
type kept struct {
	lines    bytes.Buffer
	surfaces map[string]*record.Surface
	agents   map[string]*record.Agent
	plans    map[string]*record.Schedule
	records  int
}

func (k *kept) AddData(kind record.Kind, at record.Time, host, subject string, data any) error {
	r, err := record.New(kind, at, host, "fleet-observe-paseo", subject, data)
	if err != nil {
		return err
	}
	line, err := r.Line()
	if err != nil {
		return err
	}
	k.lines.Write(line)
	k.records++
	if s, ok := record.Payload[record.Surface](r); ok {
		k.surfaces[subject] = s
	}
	if a, ok := record.Payload[record.Agent](r); ok {
		k.agents[subject] = a
	}
	if s, ok := record.Payload[record.Schedule](r); ok {
		k.plans[strings.TrimPrefix(subject, "paseo/")] = s
	}
	return nil
}

func (k *kept) Close(record.Time, string, string) error { return nil }

// watched is a file system on which things happen while it is read.
type watched struct {
	fstest.MapFS
	opened func(name string, fsys fstest.MapFS) error // before a file is opened
	listed func(name string, fsys fstest.MapFS) error // before a directory is listed
}

func (w watched) Open(name string) (fs.File, error) {
	if w.opened != nil {
		if err := w.opened(name, w.MapFS); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	return w.MapFS.Open(name)
}

func (w watched) ReadDir(name string) ([]fs.DirEntry, error) {
	if w.listed != nil {
		if err := w.listed(name, w.MapFS); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	return w.MapFS.ReadDir(name)
}

var looked = time.Date(2026, 11, 29, 15, 40, 0, 0, time.UTC)

// observePaseo observes fsys as if it were this machine.
func observePaseo(t *testing.T, fsys fs.FS) (k *kept, unread []string, pauses []time.Duration) {
	t.Helper()
	k = &kept{surfaces: map[string]*record.Surface{}, agents: map[string]*record.Agent{}, plans: map[string]*record.Schedule{}}
	w := &World{Home: "/home/ana", Host: "devbox", Zone: "Europe/Berlin", At: looked, FS: fsys, env: func(string) string { return "" }}
	unread, err := Paseo{Pause: func(d time.Duration) { pauses = append(pauses, d) }}.Observe(w, k)
	if err != nil {
		t.Fatal(err)
	}
	return k, unread, pauses
}

// files makes a file system of what is below /home/ana/.paseo.
func files(content map[string]string) fstest.MapFS {
	m := fstest.MapFS{"home/ana/.paseo/config.json": {Data: []byte("{}")}}
	for name, data := range content {
		m["home/ana/.paseo/"+name] = &fstest.MapFile{Data: []byte(data)}
	}
	return m
}

func agentJSON(id, updated, more string) string {
	return fmt.Sprintf(`{"id":%q,"provider":"claude","cwd":"/home/ana/wt","createdAt":"2026-11-29T15:00:00.000Z","updatedAt":%q,"lastStatus":"running"%s}`, id, updated, more)
}

func scheduleJSON(id, more string) string {
	return fmt.Sprintf(`{"id":%q,"name":"sweep","prompt":"FAKE-PROMPT","cadence":{"type":"cron","expression":"0 9 * * *"},"target":{"type":"new-agent","config":{"cwd":"/home/ana/wt"}},
"status":"active","createdAt":"2026-11-29T15:00:00.000Z","updatedAt":"2026-11-29T15:00:00.000Z","nextRunAt":"2026-11-30T09:00:00.000Z","lastRunAt":null,"pausedAt":null,"expiresAt":null,"maxRuns":null,"runs":[]%s}`, id, more)
}

const morning = "2026-11-29T15:10:00.000Z"

var paseoSurfaces = []string{"paseo/agents", "paseo/daemon", "paseo/schedules"}

// Not installed is absent, and no failure; installed and empty is neither.
func TestPaseo_absent(t *testing.T) {
	for name, tt := range map[string]struct {
		fsys fs.FS
		want record.Surface
	}{
		"no directory":    {fstest.MapFS{"home/ana/x": {}}, record.Surface{OK: true, Absent: true}},
		"empty directory": {files(nil), record.Surface{OK: true}},
	} {
		k, unread, _ := observePaseo(t, tt.fsys)
		if len(unread) > 0 || k.records != 3 {
			t.Errorf("%s: %d records, not read: %q", name, k.records, unread)
		}
		for _, s := range paseoSurfaces {
			got := *k.surfaces[s]
			got.Notes = nil
			if diff := pretty.Diff(got, tt.want); len(diff) > 0 {
				t.Errorf("%s: %s: %s", name, s, strings.Join(diff, "; "))
			}
		}
	}
}

// A directory that cannot be listed is a surface that was not read; what lies
// beside it still is.
func TestPaseo_unreadable(t *testing.T) {
	content := map[string]string{
		"agents/x/a-1.json": agentJSON("a-1", morning, ""), "agents/y/a-2.json": agentJSON("a-2", morning, ""), "schedules/0badcafe.json": scheduleJSON("0badcafe", ""),
	}
	for dir, want := range map[string]struct {
		failed  []string
		records int
	}{
		"home/ana/.paseo":           {paseoSurfaces, 3},
		"home/ana/.paseo/agents":    {[]string{"paseo/agents"}, 4},
		"home/ana/.paseo/agents/x":  {[]string{"paseo/agents"}, 5},
		"home/ana/.paseo/schedules": {[]string{"paseo/schedules"}, 5},
	} {
		k, unread, _ := observePaseo(t, watched{MapFS: files(content), listed: func(name string, _ fstest.MapFS) error {
			if name == dir {
				return fs.ErrPermission
			}
			return nil
		}})
		var failed []string
		for name, s := range k.surfaces {
			if !s.OK {
				failed = append(failed, name)
				if !strings.HasSuffix(s.Error, "/"+dir+": permission denied") || s.Absent {
					t.Errorf("%s: %+v", name, s)
				}
			}
		}
		slices.Sort(failed)
		if !slices.Equal(failed, want.failed) || len(unread) != len(failed) || k.records != want.records {
			t.Errorf("%s: failed %q, %d records; want %q, %d", dir, failed, k.records, want.failed, want.records)
		}
	}
}

// Both layouts are read; temporary files, deeper directories and other files
// are not; of two files of one agent the newer counts.
func TestPaseo_layouts(t *testing.T) {
	k, unread, pauses := observePaseo(t, files(map[string]string{
		"agents/a-flat.json":                                         agentJSON("a-flat", morning, ""),
		"agents/home-ana-wt/a-1.json":                                agentJSON("a-1", morning, `,"title":"new"`),
		"agents/home-ana-old/a-1.json":                               agentJSON("a-1", "2026-11-29T15:05:00.000Z", `,"title":"old"`),
		"agents/home-ana-wt/.agent.tmp-45-1795965955445-56dac50b":    "", // of a daemon that died, 0.1.65
		"agents/home-ana-wt/.a-2.json.45.1795965955445.56dac50b.tmp": agentJSON("a-2", morning, ""),
		"agents/home-ana-wt/.a-3.json":                               "",
		"agents/home-ana-wt/deep/a-4.json":                           agentJSON("a-4", morning, ""),
		"agents/home-ana-wt/notes.txt":                               "x",
		"agents/.config-x/a-5.json":                                  agentJSON("a-5", morning, ""), // of the cwd /.config/x
		"schedules/.0badcafe.json.45.1795965955445.56dac50b.tmp":     "",
		"schedules/0badcafe.json":                                    scheduleJSON("0badcafe", ""),
		"loops/loops.json":                                           "[]",
	}))
	if got := slices.Sorted(maps.Keys(k.agents)); !slices.Equal(got, []string{"a-1", "a-5", "a-flat"}) || k.agents["a-1"].Title != "new" {
		t.Errorf("agents %q, a-1 is %+v", got, k.agents["a-1"])
	}
	s := k.surfaces["paseo/agents"]
	if s.Rows != 3 || s.Unparsed != 0 || !slices.Equal(s.Notes, []string{"agents with several records, of which the newest counts: 1"}) {
		t.Errorf("surface %+v", s)
	}
	if len(k.plans) != 1 || len(unread) > 0 || len(pauses) > 0 {
		t.Errorf("schedules %v, not read %q, waited %v", k.plans, unread, pauses)
	}
}

// An agent that is deleted between listing and reading is no failure; one that
// moves then is found where it went.
func TestPaseo_vanishing(t *testing.T) {
	const wt, moved = "home/ana/.paseo/agents/home-ana-wt/", "home/ana/.paseo/agents/a-home-of-its-own/"
	k, unread, pauses := observePaseo(t, watched{
		MapFS: files(map[string]string{
			"agents/home-ana-wt/a-1.json": agentJSON("a-1", morning, ""), "agents/home-ana-wt/a-2.json": agentJSON("a-2", morning, ""),
			"agents/home-ana-wt/a-3.json": agentJSON("a-3", morning, ""), "agents/a-home-of-its-own/.keep": "",
		}),
		opened: func(name string, m fstest.MapFS) error {
			if name == wt+"a-1.json" {
				delete(m, wt+"a-1.json")
				if f, ok := m[wt+"a-2.json"]; ok {
					m[moved+"a-2.json"] = f
					delete(m, wt+"a-2.json")
				}
			}
			return nil
		},
	})
	if got := slices.Sorted(maps.Keys(k.agents)); !slices.Equal(got, []string{"a-2", "a-3"}) {
		t.Errorf("agents %q", got)
	}
	if s := k.surfaces["paseo/agents"]; !s.OK || s.Unparsed != 0 || s.Rows != 2 || len(unread) > 0 || len(pauses) > 0 {
		t.Errorf("surface %+v, not read %q, waited %v", s, unread, pauses)
	}
}

// A schedule that is being written is empty for a while (0.1.65: up to 90 ms);
// one that stays empty is counted, and does not hide the others.
func TestPaseo_emptySchedule(t *testing.T) {
	const writing, cut = "home/ana/.paseo/schedules/a1.json", "home/ana/.paseo/schedules/c3.json"
	for readings, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 3} { // readings that find it empty → pauses
		left := readings
		k, unread, pauses := observePaseo(t, watched{
			MapFS: files(map[string]string{"schedules/a1.json": scheduleJSON("a1", ""), "schedules/b2.json": scheduleJSON("b2", "")}),
			opened: func(name string, m fstest.MapFS) error {
				if name != writing {
					return nil
				}
				m[writing] = &fstest.MapFile{Data: []byte(scheduleJSON("a1", ""))}
				if left > 0 {
					m[writing] = &fstest.MapFile{}
				}
				left--
				return nil
			},
		})
		if s := k.surfaces["paseo/schedules"]; s.Unparsed != 0 || len(k.plans) != 2 || len(pauses) != want || len(unread) > 0 {
			t.Errorf("empty at %d readings: %+v, waited %v", readings, s, pauses)
		}
	}
	k, unread, pauses := observePaseo(t, files(map[string]string{"schedules/a1.json": "", "schedules/b2.json": scheduleJSON("b2", ""), "schedules/c3.json": scheduleJSON("c3", "")[:200]}))
	s, total := k.surfaces["paseo/schedules"], time.Duration(0)
	for _, p := range pauses {
		total += p
	}
	if len(pauses) != 3 || total != 300*time.Millisecond {
		t.Errorf("waited %v", pauses)
	}
	if !s.OK || s.Unparsed != 2 || s.Rows != 1 || k.plans["b2"] == nil || len(unread) > 0 {
		t.Errorf("%+v, not read %q; cut is %s", s, unread, cut)
	}
	if want := []string{"schedules/a1.json: empty file", "schedules/c3.json: not JSON at byte 200"}; !slices.Equal(s.Notes, want) {
		t.Errorf("notes %q, want %q", s.Notes, want)
	}
}

// Records that do not parse are counted, and what they hold is not shown.
func TestPaseo_unparsed(t *testing.T) {
	content := map[string]string{"agents/x/good.json": agentJSON("good", morning, ""), "agents/x/large.json": agentJSON("large", morning, `,"queuedPrompts":"`+strings.Repeat("FAKE", 2<<20)+`"`)}
	for i, bad := range []string{"", "\x00\x00", "FAKE-GARBAGE", `{"id":"x"}`, agentJSON("cut", morning, `,"title":"FAKE`)} {
		content[fmt.Sprintf("agents/x/bad-%d.json", i)] = bad
	}
	k, unread, _ := observePaseo(t, files(content))
	s := k.surfaces["paseo/agents"]
	if !s.OK || s.Rows != 1 || s.Unparsed != 6 || len(s.Notes) != badShown+1 || s.Notes[badShown] != "and 3 more that are not understood" || len(unread) > 0 {
		t.Errorf("%s", pretty.Sprint(s))
	}
	if bytes.Contains(k.lines.Bytes(), []byte("FAKE")) {
		t.Errorf("input is quoted: %s", k.lines.Bytes())
	}
}

// Words that this release does not know are named once each.
func TestPaseo_drift(t *testing.T) {
	k, _, _ := observePaseo(t, files(map[string]string{
		"agents/x/a.json": strings.Replace(agentJSON("a", morning, ""), "running", "zombie", 1), "agents/x/b.json": strings.Replace(agentJSON("b", morning, ""), "running", "zombie", 1),
		"schedules/c.json": strings.Replace(scheduleJSON("c", ""), "active", "dormant", 1),
	}))
	if a, s := k.surfaces["paseo/agents"].Drift, k.surfaces["paseo/schedules"].Drift; !slices.Equal(a, []string{"lastStatus zombie"}) || !slices.Equal(s, []string{"schedule status dormant"}) {
		t.Errorf("drift %q and %q", a, s)
	}
}

// Of two schedules with one id the one that bears its name counts.
func TestPaseo_doubledSchedule(t *testing.T) {
	k, _, _ := observePaseo(t, files(map[string]string{
		"schedules/a.json": strings.Replace(scheduleJSON("b", ""), "sweep", "copy", 1), "schedules/b.json": scheduleJSON("b", ""), "schedules/c.json": strings.Replace(scheduleJSON("b", ""), "sweep", "copy", 1),
	}))
	if k.records != 4 || k.plans["b"].Name != "sweep" {
		t.Errorf("%d records, %+v", k.records, k.plans["b"])
	}
}

func TestPaseo_daemon(t *testing.T) {
	pid := func(n int, started string) string { return fmt.Sprintf(`{"pid":%d,"startedAt":%q}`, n, started) }
	const gone = 1<<22 + 1 // above the largest pid of Linux and macOS
	yes, no := true, false
	for _, tt := range []struct {
		name, file string
		boot       time.Time
		rows       int
		err, note  string
		leftover   *bool // of an agent that was written at 15:10
	}{
		{name: "lives", file: pid(os.Getpid(), "2026-11-29T15:05:00.000Z"), rows: 1, note: fmt.Sprintf("process %d lives, started 2026-11-29T15:05:00.000Z", os.Getpid()), leftover: &no},
		{name: "lives, restarted since", file: pid(os.Getpid(), "2026-11-29T15:15:00.000Z"), rows: 1, note: fmt.Sprintf("process %d lives, started 2026-11-29T15:15:00.000Z", os.Getpid()), leftover: &yes},
		{name: "lives, since when is not said", file: fmt.Sprintf(`{"pid":%d}`, os.Getpid()), rows: 1, note: fmt.Sprintf("process %d lives", os.Getpid())},
		{name: "killed", file: pid(gone, "2026-11-29T15:05:00.000Z"), note: fmt.Sprintf("no daemon lives: its process %d is gone", gone), leftover: &yes},
		{name: "killed, its pid is another's since the last boot", file: pid(os.Getpid(), "2026-11-28T15:05:00.000Z"), boot: looked.Add(-time.Hour),
			note: fmt.Sprintf("no daemon lives: its process %d was of an earlier boot", os.Getpid()), leftover: &yes},
		{name: "stopped", note: "no daemon lives: there is no paseo.pid", leftover: &yes},
		{name: "not JSON", file: "FAKE", err: "/home/ana/.paseo/paseo.pid: not JSON at byte 1"},
		{name: "a group, not a process", file: pid(-1, morning), err: "/home/ana/.paseo/paseo.pid: no pid"},
	} {
		content := map[string]string{"agents/x/a.json": agentJSON("a", morning, "")}
		if tt.file != "" {
			content["paseo.pid"] = tt.file
		}
		k := &kept{surfaces: map[string]*record.Surface{}, agents: map[string]*record.Agent{}, plans: map[string]*record.Schedule{}}
		w := &World{Home: "/home/ana", At: looked, BootAt: tt.boot, FS: files(content), env: func(string) string { return "" }}
		unread, err := Paseo{Pause: func(time.Duration) {}}.Observe(w, k)
		if err != nil {
			t.Fatal(err)
		}
		s := k.surfaces["paseo/daemon"]
		if s.OK != (tt.err == "") || s.Error != tt.err || s.Rows != tt.rows || strings.Join(s.Notes, ";") != tt.note || len(unread) != s.Unparsed {
			t.Errorf("%s: %s", tt.name, pretty.Sprint(s))
		}
		if got := k.agents["a"].Leftover; pretty.Sprint(got) != pretty.Sprint(tt.leftover) {
			t.Errorf("%s: left over %s, want %s", tt.name, pretty.Sprint(got), pretty.Sprint(tt.leftover))
		}
	}
}

func TestPaseo_placement(t *testing.T) {
	m := files(map[string]string{})
	for _, name := range []string{"home/ana/lamp/.git/HEAD", "home/ana/lamp/.git/refs/x", "home/ana/lamp/src/x", "home/ana/plain/x"} {
		m[name] = &fstest.MapFile{Data: []byte("ref: refs/heads/main\n")}
	}
	for i, cwd := range []string{"/home/ana/lamp/src", "/home/ana/plain", "/home/ana/gone", "/home/ana/lamp/.claude/worktrees/gone", "relative"} {
		id := fmt.Sprintf("a-%d", i)
		m["home/ana/.paseo/agents/x/"+id+".json"] = &fstest.MapFile{Data: []byte(strings.Replace(agentJSON(id, morning, ""), "/home/ana/wt", cwd, 1))}
		m["home/ana/.paseo/schedules/"+id+".json"] = &fstest.MapFile{Data: []byte(strings.Replace(scheduleJSON(id, ""), "/home/ana/wt", cwd, 1))}
	}
	k, _, _ := observePaseo(t, m)
	for i, want := range []string{record.PlacedByCwd, record.PlacedNone, record.PlacedGone, record.PlacedAbove, record.PlacedUnreadable} {
		a, s := k.agents[fmt.Sprintf("a-%d", i)], k.plans[fmt.Sprintf("a-%d", i)]
		repo := ""
		if want == record.PlacedByCwd || want == record.PlacedAbove {
			repo = "/home/ana/lamp/.git"
		}
		if a.Placement != want || a.Repo != repo || s.Placement != want || s.Repo != repo || s.Cwd != a.Cwd {
			t.Errorf("%s: agent %s %q, schedule %s %q; want %s %q", a.Cwd, a.Placement, a.Repo, s.Placement, s.Repo, want, repo)
		}
	}
}
