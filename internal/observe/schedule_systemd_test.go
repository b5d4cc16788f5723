package observe

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/schedule"
)

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
	if err := os.RemoveAll(filepath.Join(r.dir, "commands", machine.CommandDir(argv, ""))); err != nil {
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

// A systemctl that cannot be run is none that says nothing: it was not read.
func TestSystemd_notRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "systemctl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	r := &scheduleReading{w: &machine.World{OS: "linux", Home: dir, Getenv: func(string) string { return dir }}}
	p := r.systemd()
	if p.OK || p.Absent || p.Error != "systemctl: "+filepath.Join(dir, "systemctl")+" cannot be run: permission denied" {
		t.Errorf("got %+v", p.Surface)
	}
}
