package observe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// planSeen is what fleet-observe-schedule wrote.
type planSeen struct {
	rows     map[string]*record.Schedule
	surfaces map[string]*record.Surface
	unread   []string
}

func observeSchedule(t *testing.T, w *machine.World, scope *config.Scope) planSeen {
	t.Helper()
	var buf bytes.Buffer
	std := &cli.Std{Program: "fleet-observe-schedule", Out: bufio.NewWriter(&buf)}
	unread, err := Schedule{Scope: scope}.Observe(t.Context(), w, std)
	if err != nil {
		t.Fatal(err)
	}
	std.Out.Flush()
	set := new(record.Set)
	for line, err := range record.All(&buf) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(line)
	}
	if err := set.Closed(w.Host, "fleet-observe-schedule"); err != nil {
		t.Error(err)
	}
	s := planSeen{map[string]*record.Schedule{}, map[string]*record.Surface{}, unread}
	for _, r := range set.All() {
		if p, ok := record.Payload[record.Schedule](r); ok {
			s.rows[r.Subject] = p
		}
		if p, ok := record.Payload[record.Surface](r); ok && p.Records == nil {
			s.surfaces[r.Subject] = p
		}
	}
	return s
}

// mac is a recording of a Mac with jobs, each with the answer of launchctl.
type mac struct{ *recording }

const agentsDir = "root/Users/ana/Library/LaunchAgents/"

func newMac(t *testing.T) mac {
	m := mac{newRecording(t)}
	b, err := json.Marshal(machine.Meta{Home: "/Users/ana", Host: "studio", OS: "darwin", Zone: "Europe/Lisbon", At: hubTime})
	if err != nil {
		t.Fatal(err)
	}
	m.write("meta.json", string(b))
	return m
}

func plistOf(label, body string) string {
	return `<plist version="1.0"><dict><key>Label</key><string>` + label + `</string>` + body + `</dict></plist>`
}

func (m mac) agent(label, body, status, stdout, stderr string) {
	m.write(agentsDir+label+".plist", plistOf(label, body))
	m.answer([]string{"launchctl", "print", "gui/501/" + label}, status, stdout, stderr)
}

// answer puts a command into the recording.
func (r *recording) answer(argv []string, status, stdout, stderr string) {
	dir := "commands/" + machine.CommandDir(argv, "") + "/"
	r.write(dir+"status", status+"\n")
	r.write(dir+"stdout", stdout)
	r.write(dir+"stderr", stderr)
}

const idleJob = "gui/501/x = {\n\tstate = not running\n\truns = 1\n\tlast exit code = 0\n}\n"

var exampleScope = &config.Scope{LaunchdPrefix: "com.example."}

func TestLaunchd(t *testing.T) {
	m := newMac(t)
	m.agent("com.example.a", "<key>StartInterval</key><integer>3600</integer><key>StandardOutPath</key><string>/l/a.log</string>", "0", idleJob, "")
	m.agent("com.example.b", "", "113", "", "Could not find service \"com.example.b\" in domain")
	m.agent("com.examples.c", "", "0", idleJob, "")
	m.write(agentsDir+"z.plist", plistOf("com.example.a", ""))
	m.write(agentsDir+"y.plist", "<plist>")
	m.write(agentsDir+"d.plist/x.plist", plistOf("com.example.d", ""))
	m.write("root/l/a.log", "")
	m.write("root/l/mine.log", "")
	m.write(timesFile, `{"/l/a.log":"`+hubTime.Add(-time.Hour).Format(time.RFC3339)+`"}`)
	s := observeSchedule(t, m.world(), exampleScope)
	a, b, l := s.rows["launchd/com.example.a"], s.rows["launchd/com.example.b"], s.surfaces["schedule/launchd"]
	if len(s.rows) != 2 || a == nil || a.Status != "loaded" || a.LastRun == nil || !a.LastRun.Equal(hubTime.Add(-time.Hour)) || a.Stale || b == nil || b.Status != "not loaded" {
		t.Errorf("%+v %+v", a, b)
	}
	if !l.OK || l.Rows != 2 || l.Unparsed != 2 || len(s.unread) > 0 || len(l.Notes) != 2 || l.Notes[1] != "z.plist: another file has the same Label" {
		t.Errorf("%+v %q", l, s.unread)
	}
	// The configuration's log is the stronger one; without a time in the
	// recording the file has its own.
	scope := *exampleScope
	scope.LaunchdLogs = map[string]string{"com.example.a": "/l/mine.log"}
	own := hubTime.Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(m.dir, "root/l/mine.log"), own, own); err != nil {
		t.Fatal(err)
	}
	if a := observeSchedule(t, m.world(), &scope).rows["launchd/com.example.a"]; a.LastRun == nil || !a.LastRun.Equal(own) {
		t.Errorf("%+v", a)
	}
}

// What could not be read or asked is said, and what could be is told all the
// same.
func TestLaunchd_unread(t *testing.T) {
	const hourly = "<key>StartInterval</key><integer>3600</integer>"
	for _, tt := range []struct {
		name string
		make func(m mac)
		want string // the error of the surface
		rows string // subject and status
	}{
		{"no directory", func(m mac) {}, "", ""},
		{"a file in its place", func(m mac) { m.write(strings.TrimSuffix(agentsDir, "/"), "") }, "/Users/ana/Library/LaunchAgents: not a directory", ""},
		{"a list too large", func(m mac) {
			m.agent("com.example.a", "", "0", idleJob, "")
			m.write(agentsDir+"b.plist", strings.Repeat(" ", agentLimit+1))
		}, "/Users/ana/Library/LaunchAgents/b.plist: b.plist: 1048577 bytes, more than the 1048576 that are read", "a loaded"},
		{"a link that leads nowhere", func(m mac) {
			m.agent("com.example.a", "", "0", idleJob, "")
			if err := os.Symlink("gone", filepath.Join(m.dir, agentsDir, "b.plist")); err != nil {
				m.t.Fatal(err)
			}
		}, "/Users/ana/Library/LaunchAgents/b.plist: /Users/ana/Library/LaunchAgents/b.plist: a symbolic link that leads nowhere", "a loaded"},
		{"no launchctl", func(m mac) { m.write(agentsDir+"a.plist", plistOf("com.example.a", "")) }, "launchctl print: launchctl: not recorded: executable file not found in $PATH", "a unknown"},
		{"launchd hangs", func(m mac) {
			m.agent("com.example.a", "", "timeout", "", "")
			m.agent("com.example.b", "", "0", idleJob, "")
		}, "launchctl print: timed out", "a unknown, b unknown"},
		{"no domain", func(m mac) {
			m.agent("com.example.a", "", "0", idleJob, "")
			m.agent("com.example.b", "", "112", "", "Could not find domain for user gui: 501\n")
		}, "launchctl print: exit status 112: Could not find domain for user gui: 501", "a loaded, b unknown"},
		{"an answer of another form", func(m mac) { m.agent("com.example.a", "", "0", "{}", "") }, "launchctl print: it tells no state", "a unknown"},
		{"a log that is none", func(m mac) {
			m.agent("com.example.a", hourly+"<key>StandardOutPath</key><string>/l</string>", "0", idleJob, "")
			m.write("root/l/x", "")
		}, "/l: not a regular file", "a loaded"},
		{"a log behind a file", func(m mac) {
			m.agent("com.example.a", hourly+"<key>StandardOutPath</key><string>/l/x</string>", "0", idleJob, "")
			m.write("root/l", "")
		}, "/l/x: not a directory", "a loaded"},
		{"a log on a disk that is not there", func(m mac) {
			m.agent("com.example.a", hourly+"<key>StandardOutPath</key><string>/l/x</string>", "0", idleJob, "")
			if err := os.Symlink("gone", filepath.Join(m.dir, "root/l")); err != nil {
				m.t.Fatal(err)
			}
		}, "/l/x: /l: a symbolic link that leads nowhere", "a loaded"},
		{"times that are not understood", func(m mac) {
			m.agent("com.example.a", hourly+"<key>StandardOutPath</key><string>/l</string>", "0", idleJob, "")
			m.write("root/l", "")
			m.write(timesFile, "[]")
		}, "/l: json: cannot unmarshal array into Go value of type map[string]time.Time", "a loaded"},
	} {
		m := newMac(t)
		tt.make(m)
		s := observeSchedule(t, m.world(), exampleScope)
		p := s.surfaces["schedule/launchd"]
		var rows []string
		for _, subject := range slices.Sorted(maps.Keys(s.rows)) {
			rows = append(rows, strings.TrimPrefix(subject, "launchd/com.example.")+" "+s.rows[subject].Status)
		}
		unread := []string{}
		if tt.want != "" {
			unread = append(unread, "schedule/launchd: not read: "+tt.want)
		}
		if p.OK != (tt.want == "") || p.Error != tt.want || p.Absent || strings.Join(rows, ", ") != tt.rows || !slices.Equal(s.unread, unread) {
			t.Errorf("%s: %+v %q %q", tt.name, p, rows, s.unread)
		}
	}
}

// A Mac on which launchctl is not found is not one without launchd.
func TestLaunchd_notFound(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("launchctl is there")
	}
	t.Setenv("PATH", "")
	w := &machine.World{Home: "/Users/ana", Host: "studio", OS: "darwin", At: hubTime, Getenv: func(string) string { return "" },
		FS: fstest.MapFS{"Users/ana/Library/LaunchAgents/a.plist": {Data: []byte(plistOf("com.example.a", ""))}}}
	s := observeSchedule(t, w, exampleScope)
	if p, a := s.surfaces["schedule/launchd"], s.rows["launchd/com.example.a"]; p.OK || !strings.HasPrefix(p.Error, "launchctl: not found in ") || a == nil || a.Status != "unknown" {
		t.Errorf("%+v %+v", p, a)
	}
}

// A recording that cannot be written is a failure of the program.
func TestSchedule_recordFails(t *testing.T) {
	r := linuxBox(t)
	r.answer(listTimers, "0", "[]", "")
	r.answer(listFiles, "0", "[]", "")
	w := r.world()
	dir := t.TempDir()
	if err := w.Record(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "commands"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	std := &cli.Std{Program: "fleet-observe-schedule", Out: bufio.NewWriter(new(bytes.Buffer))}
	if _, err := (Schedule{}).Observe(context.Background(), w, std); err == nil || !strings.HasPrefix(err.Error(), "--record: ") {
		t.Errorf("%v", err)
	}
}

// What did not answer is recorded as that, and replays as that.
func TestSchedule_recordsFailures(t *testing.T) {
	m := newMac(t)
	m.agent("com.example.a", "", "0", idleJob, "")
	m.agent("com.example.b", "", "113", "", "Bad request.\nCould not find service \"com.example.b\" in domain")
	m.agent("com.example.c", "", "timeout", "", "")
	w, dir := m.world(), t.TempDir()
	if err := w.Record(dir); err != nil {
		t.Fatal(err)
	}
	first := observeSchedule(t, w, exampleScope)
	again, err := machine.New(dir, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	second := observeSchedule(t, again, exampleScope)
	if p := second.surfaces["schedule/launchd"]; p.Error != "launchctl print: timed out" || second.rows["launchd/com.example.b"].Status != "not loaded" || second.rows["launchd/com.example.c"].Status != "unknown" {
		t.Errorf("%+v %+v", p, second.rows)
	}
	if len(first.rows) != 3 || len(second.rows) != 3 {
		t.Errorf("%d rows, then %d", len(first.rows), len(second.rows))
	}
}
