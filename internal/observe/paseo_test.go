package observe

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/machine"
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

func (k *kept) Warn(string, ...any) {}

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
	w := &machine.World{Home: "/home/ana", Host: "devbox", Zone: "Europe/Berlin", At: looked, FS: fsys, Getenv: func(string) string { return "" }}
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
		w := &machine.World{Home: "/home/ana", At: looked, BootAt: tt.boot, FS: files(content), Getenv: func(string) string { return "" }}
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
