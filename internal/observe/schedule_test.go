package observe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/schedule"
)

// planSeen is what fleet-observe-schedule wrote.
type planSeen struct {
	rows     map[string]*record.Schedule
	surfaces map[string]*record.Surface
	unread   []string
}

func observeSchedule(t *testing.T, w *World, scope *config.Scope) planSeen {
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
	b, err := json.Marshal(Meta{Home: "/Users/ana", Host: "studio", OS: "darwin", Zone: "Europe/Lisbon", At: hubTime})
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
	dir := "commands/" + CommandDir(argv, "") + "/"
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
	w := &World{Home: "/Users/ana", Host: "studio", OS: "darwin", At: hubTime, env: func(string) string { return "" },
		FS: fstest.MapFS{"Users/ana/Library/LaunchAgents/a.plist": {Data: []byte(plistOf("com.example.a", ""))}}}
	s := observeSchedule(t, w, exampleScope)
	if p, a := s.surfaces["schedule/launchd"], s.rows["launchd/com.example.a"]; p.OK || !strings.HasPrefix(p.Error, "launchctl: not found in ") || a == nil || a.Status != "unknown" {
		t.Errorf("%+v %+v", p, a)
	}
}

// linuxBox is a recording of a machine with a service manager.
func linuxBox(t *testing.T) *recording {
	r := newRecording(t)
	r.write("root/run/systemd/system/.keep", "")
	return r
}

var (
	listTimers = []string{"systemctl", "--user", "list-timers", "--all", "--output=json"}
	listFiles  = []string{"systemctl", "--user", "list-unit-files", "--type=timer", "--output=json"}
)

func showUnits(names ...string) []string {
	return append([]string{"systemctl", "--user", "show", "--property=" + schedule.Properties, "--"}, names...)
}

func unitText(name, more string) string {
	return "Id=" + name + "\nLoadState=loaded\nActiveState=active\nSubState=waiting\n" + more
}

const noBus = "Failed to connect to bus: No such file or directory\n"

func TestSystemd(t *testing.T) {
	const timerRow, fileRow = `[{"next":1795966000000000,"last":1795964400000000,"unit":"a.timer"}]`, `[{"unit_file":"a.timer"},{"unit_file":"b.timer"}]`
	units := unitText("a.timer", "Unit=a.service\nFragmentPath=/home/ana/a\n") + "\n" + unitText("b.timer", "FragmentPath=/usr/lib/b\n")
	service := "Id=a.service\nLoadState=loaded\nActiveState=failed\nResult=exit-code\nExecMainStatus=3\n"
	for _, tt := range []struct {
		name string
		make func(r *recording)
		want string // the error; "absent"
		rows string // subject, status and result
	}{
		{"whole", func(r *recording) {}, "", "a.timer active exit 3"},
		{"no systemctl", func(r *recording) { remove(r, listTimers) }, "absent", ""},
		{"no manager", func(r *recording) { r.answer(listTimers, "1", "", noBus) }, "systemctl: " + strings.TrimSpace(noBus), ""},
		{"no reason", func(r *recording) { r.answer(listTimers, "1", "", "") }, "systemctl: exit status 1", ""},
		{"it hangs", func(r *recording) { r.answer(listTimers, "timeout", "", "") }, "systemctl: timed out", ""},
		{"not run by systemd", func(r *recording) {
			r.answer(listTimers, "1", "", noBus)
			if err := os.RemoveAll(filepath.Join(r.dir, "root/run")); err != nil {
				r.t.Fatal(err)
			}
		}, "absent", ""},
		{"whether systemd runs it cannot be told", func(r *recording) {
			r.answer(listTimers, "1", "", noBus)
			if err := errors.Join(os.RemoveAll(filepath.Join(r.dir, "root/run")), os.Symlink("gone", filepath.Join(r.dir, "root/run"))); err != nil {
				r.t.Fatal(err)
			}
		}, "/run/systemd/system: /run: a symbolic link that leads nowhere", ""},
		{"an older systemd", func(r *recording) { r.answer(listTimers, "0", "NEXT LEFT\n", "") }, "systemctl list-timers: its answer is no JSON list", ""},
		{"the files are not told", func(r *recording) {
			r.answer(listFiles, "1", "", noBus)
			r.answer(showUnits("a.timer"), "0", unitText("a.timer", "Unit=a.service\n"), "")
		}, "systemctl: " + strings.TrimSpace(noBus), "a.timer active exit 3"},
		{"files in another form", func(r *recording) {
			r.answer(listFiles, "0", "UNIT FILE\n", "")
			r.answer(showUnits("a.timer"), "0", unitText("a.timer", "Unit=a.service\n"), "")
		}, "systemctl list-unit-files: its answer is no JSON list", "a.timer active exit 3"},
		{"no timer is described", func(r *recording) { r.answer(showUnits("a.timer", "b.timer"), "1", "", noBus) }, "systemctl: " + strings.TrimSpace(noBus), ""},
		{"one is missing", func(r *recording) { r.answer(showUnits("a.timer", "b.timer"), "0", unitText("a.timer", ""), "") },
			"systemctl show: it describes 1 units of 2", ""},
		{"no service is described", func(r *recording) { r.answer(showUnits("a.service"), "1", "", noBus) }, "systemctl: " + strings.TrimSpace(noBus), "a.timer active "},
		{"an alias", func(r *recording) {
			r.answer(showUnits("a.timer", "b.timer"), "0", unitText("a.timer", "Unit=a.service\n")+"\n"+unitText("a.timer", "Unit=a.service\n"), "")
		}, "", "a.timer active exit 3"},
		{"what it starts has no name that can be asked for", func(r *recording) {
			r.answer(showUnits("a.timer", "b.timer"), "0", unitText("a.timer", "Unit=--all\n")+"\n"+unitText("b.timer", "FragmentPath=/lib/b\n"), "")
		}, "", "a.timer active "},
		{"none", func(r *recording) { r.answer(listTimers, "0", "[]", ""); r.answer(listFiles, "0", "[]", "") }, "", ""},
	} {
		r := linuxBox(t)
		r.answer(listTimers, "0", timerRow, "")
		r.answer(listFiles, "0", fileRow, "")
		r.answer(showUnits("a.timer", "b.timer"), "0", units, "")
		r.answer(showUnits("a.service"), "0", service, "")
		tt.make(r)
		s := observeSchedule(t, r.world(), nil)
		p := s.surfaces["schedule/systemd"]
		var rows []string
		for _, subject := range slices.Sorted(maps.Keys(s.rows)) {
			rows = append(rows, strings.TrimPrefix(subject, "systemd/")+" "+s.rows[subject].Status+" "+s.rows[subject].LastResult)
		}
		says := p.Error
		if p.Absent {
			says = "absent"
		}
		if says != tt.want || p.OK != (tt.want == "" || tt.want == "absent") || strings.Join(rows, ", ") != tt.rows || (len(s.unread) > 0) == p.OK {
			t.Errorf("%s: %+v %q %q", tt.name, p, rows, s.unread)
		}
		if whole := tt.name == "whole"; whole && !slices.Equal(p.Notes, []string{"timers that packages brought, not listed: 1"}) {
			t.Errorf("%q", p.Notes)
		}
	}
}

func remove(r *recording, argv []string) {
	if err := os.RemoveAll(filepath.Join(r.dir, "commands", CommandDir(argv, ""))); err != nil {
		r.t.Fatal(err)
	}
}

// More units than one command is asked for.
func TestSystemd_many(t *testing.T) {
	r := linuxBox(t)
	var names, rows, blocks []string
	for i := range shownAtOnce + 1 {
		name := "t" + strconv.Itoa(1000+i) + ".timer"
		names = append(names, name)
		rows = append(rows, `{"unit_file":"`+name+`"}`)
		blocks = append(blocks, unitText(name, ""))
	}
	r.answer(listTimers, "0", "[]", "")
	r.answer(listFiles, "0", "["+strings.Join(rows, ",")+"]", "")
	r.answer(showUnits(names[:shownAtOnce]...), "0", strings.Join(blocks[:shownAtOnce], "\n"), "")
	r.answer(showUnits(names[shownAtOnce:]...), "0", blocks[shownAtOnce], "")
	if s := observeSchedule(t, r.world(), nil); len(s.rows) != shownAtOnce+1 || len(s.unread) > 0 {
		t.Errorf("%d rows, %q", len(s.rows), s.unread)
	}
	r.answer(showUnits(names[shownAtOnce:]...), "1", "", noBus)
	if s := observeSchedule(t, r.world(), nil); len(s.rows) != 0 || len(s.unread) != 1 {
		t.Errorf("%d rows, %q", len(s.rows), s.unread)
	}
}

// The commands are those of the closed table, and no other is.
func TestSchedule_commands(t *testing.T) {
	for _, argv := range [][]string{listTimers, listFiles, showUnits("a.timer"), showUnits("a.timer", `b\x2dc@d.timer`), {"launchctl", "print", "gui/501/com.example.a"}} {
		if !command.Allowed(argv) {
			t.Errorf("refused: %q", argv)
		}
	}
	for _, argv := range [][]string{showUnits(), showUnits("--all"), showUnits("a.timer", "-H"), {"systemctl", "--user", "start", "a.timer"}, {"systemctl", "--user", "show", "--property=Environment", "--", "a.service"},
		{"launchctl", "print", "system/a"}, {"launchctl", "print", "gui/"}, {"launchctl", "kickstart", "gui/501/a"}} {
		if command.Allowed(argv) {
			t.Errorf("allowed: %q", argv)
		}
	}
}

func TestLogs(t *testing.T) {
	const line = `{"ts":"2026-11-29T12:00:00Z","status":"ok"}` + "\n"
	for _, tt := range []struct {
		name, path string
		make       func(r *recording)
		want       string // the error
		row        string // status and result
	}{
		{"a last line", "/l/x", func(r *recording) { r.write("root/l/x", line+line) }, "", "on time succeeded"},
		{"text", "/l/x", func(r *recording) { r.write("root/l/x", "done\n") }, "", "on time "},
		{"empty", "/l/x", func(r *recording) { r.write("root/l/x", "") }, "", "on time "},
		{"not there", "/l/x", func(r *recording) {}, "", "never ran "},
		{"longer than is read", "/l/x", func(r *recording) { r.write("root/l/x", strings.Repeat("x", logEnd)+"\n"+line) }, "", "on time succeeded"},
		{"a last line longer than is read", "/l/x", func(r *recording) { r.write("root/l/x", line+`{"ok":true,"a":"`+strings.Repeat("x", logEnd)+`"}`) }, "", "on time "},
		{"a directory", "/l", func(r *recording) { r.write("root/l/x", line) }, "/l: not a regular file", ""},
		{"behind a file", "/l/x", func(r *recording) { r.write("root/l", line) }, "/l/x: not a directory", ""},
	} {
		r := newRecording(t)
		tt.make(r)
		r.write(timesFile, `{"/l/x":"`+hubTime.Format(time.RFC3339)+`"}`)
		scope := &config.Scope{RunLogs: []config.RunLog{{Source: "digest", Path: tt.path, StaleAfterH: 24 * 365}}}
		s := observeSchedule(t, r.world(), scope)
		p, row := s.surfaces["schedule/log:digest"], ""
		if l := s.rows["log/digest"]; l != nil {
			row = l.Status + " " + l.LastResult
		}
		if p == nil || p.OK != (tt.want == "") || p.Error != tt.want || row != tt.row || (len(s.unread) > 0) == p.OK {
			t.Errorf("%s: %+v %q %q", tt.name, p, row, s.unread)
		}
	}
}

func TestLogs_names(t *testing.T) {
	r := newRecording(t)
	scope := &config.Scope{BookkeepingLog: "/l/b", DreamLog: "/l/d", RunLogs: []config.RunLog{{Source: "x", Path: "/l/x", StaleAfterH: 3}, {Source: "bookkeeping", Path: "/l/own", StaleAfterH: 4}}}
	s := observeSchedule(t, r.world(), scope)
	got := map[string]string{}
	for subject, row := range s.rows {
		got[subject] = row.Cadence
	}
	if want := map[string]string{"log/x": "at least every 3 hours", "log/bookkeeping": "at least every 4 hours", "log/dream": "at least every 7 days"}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if p := s.surfaces["schedule/log:bookkeeping"]; p.OK || p.Error != "two run logs have this name" {
		t.Errorf("%+v", p)
	}
}

// changing is a file system on which a log does not stay as it was.
type changing struct {
	fstest.MapFS
	open func(name string) (fs.File, error)
}

func (b changing) Open(name string) (fs.File, error) {
	if b.open != nil && name == "l/x" {
		return b.open(name)
	}
	return b.MapFS.Open(name)
}

func (b changing) Stat(name string) (fs.FileInfo, error) { return b.MapFS.Stat(name) }

// oddFile is an open file of which a part fails.
type oddFile struct {
	fs.File
	stat, read error
}

func (o oddFile) Stat() (fs.FileInfo, error) {
	if o.stat != nil {
		return nil, o.stat
	}
	return o.File.Stat()
}

// oddReader is one that can be read anywhere.
type oddReader struct{ oddFile }

func (o oddReader) ReadAt(p []byte, off int64) (int, error) { return 0, o.read }

func TestLog_changes(t *testing.T) {
	base := fstest.MapFS{"l/x": {Data: []byte("{}\n"), ModTime: hubTime}}
	file := func() fs.File {
		f, err := base.Open("l/x")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, tt := range []struct {
		name string
		open func(string) (fs.File, error)
		want string
	}{
		{"removed meanwhile", func(string) (fs.File, error) { return nil, fs.ErrNotExist }, ""},
		{"not ours", func(string) (fs.File, error) { return nil, syscall.EACCES }, "/l/x: permission denied"},
		{"no size", func(string) (fs.File, error) { return oddReader{oddFile{file(), syscall.EIO, nil}}, nil }, "/l/x: input/output error"},
		{"no end", func(string) (fs.File, error) { return oddFile{file(), nil, nil}, nil }, "/l/x: its end cannot be read"},
		{"no bytes", func(string) (fs.File, error) { return oddReader{oddFile{file(), nil, syscall.EIO}}, nil }, "/l/x: input/output error"},
	} {
		w := &World{Home: "/home/ana", Host: "devbox", OS: "plan9", At: hubTime, FS: changing{base, tt.open}, env: func(string) string { return "" }}
		s := observeSchedule(t, w, &config.Scope{RunLogs: []config.RunLog{{Source: "digest", Path: "/l/x", StaleAfterH: 24}}})
		p, row := s.surfaces["schedule/log:digest"], s.rows["log/digest"]
		if p.Error != tt.want || p.OK != (tt.want == "") || (row != nil) != p.OK || row != nil && row.Status != "never ran" {
			t.Errorf("%s: %+v %+v", tt.name, p, row)
		}
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
	again, err := New(dir, time.Time{}, false)
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
