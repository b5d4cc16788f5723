package schedule

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"
)

func TestParseTimers(t *testing.T) {
	at := func(us int64) time.Time { return time.UnixMicro(us).UTC() }
	for _, tt := range []struct {
		in   string
		want []Elapse
		err  string
	}{
		{"[]", nil, ""},
		{` [{"next":1795981862000000,"left":1,"last":1795981860000800,"passed":2,"unit":"a.timer","activates":"a.service"}]`,
			[]Elapse{{"a.timer", at(1795981862000000), at(1795981860000800)}}, ""},
		{`[{"next":null,"last":0,"unit":"a.timer"},{"unit":"b\\x2dc@d.timer","next":18446744073709551615,"last":null}]`, []Elapse{{Unit: "a.timer"}, {Unit: `b\x2dc@d.timer`}}, ""},
		{`[{"next":253402300800000000,"last":1,"unit":"a.timer"}]`, []Elapse{{"a.timer", time.Time{}, at(1)}}, ""},
		{"", nil, "its answer is no JSON list"},
		{"NEXT LEFT LAST\n- - - a.timer\n", nil, "its answer is no JSON list"},
		{"null", nil, "its answer is no JSON list"},
		{`[{"next":"soon","unit":"a.timer"}]`, nil, "its answer is not understood"},
		{`[{"next":-1,"unit":"a.timer"}]`, nil, "its answer is not understood"},
		{`[{"next":1}]`, nil, "a row without a timer"},
		{`[{"next":1,"unit":"a.service"}]`, nil, "a row without a timer"},
		{`[{"next":1,"unit":"--all.timer"}]`, nil, "a row without a timer"},
		{`[{"next":1,"unit":"*.timer"}]`, nil, "a row without a timer"},
	} {
		got, err := ParseTimers([]byte(tt.in))
		says := ""
		if err != nil {
			says = strings.TrimPrefix(err.Error(), "systemctl list-timers: ")
		}
		if says != tt.err || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v %q, want %+v %q", tt.in, got, says, tt.want, tt.err)
		}
	}
}

func TestParseTimerFiles(t *testing.T) {
	for _, tt := range []struct{ in, want, err string }{
		{`[{"unit_file":"a.timer","state":"enabled","preset":null},{"unit_file":"t@.timer","state":"disabled"},{"unit_file":"t@x.timer"}]`, "a.timer t@x.timer", ""},
		{`[]`, "", ""},
		{`UNIT FILE STATE`, "", "systemctl list-unit-files: its answer is no JSON list"},
		{`[{"unit_file":7}]`, "", "systemctl list-unit-files: its answer is not understood"},
		{`[{"unit_file":"a.service"}]`, "", "systemctl list-unit-files: a row without a timer"},
	} {
		got, err := ParseTimerFiles([]byte(tt.in))
		says := ""
		if err != nil {
			says = err.Error()
		}
		if strings.Join(got, " ") != tt.want || says != tt.err {
			t.Errorf("%s: %q %q, want %q %q", tt.in, got, says, tt.want, tt.err)
		}
	}
}

const shownUnits = `Unit=a.service
TimersCalendar={ OnCalendar=*-*-* 02:00:00 ; next_elapse=Mon 2026-11-30 02:00:00 UTC }
TimersMonotonic={ OnUnitActiveUSec=1h ; next_elapse=0 }
LastTriggerUSec=Sun 2026-11-29 02:00:00 UTC
Persistent=yes
Id=a.timer
Description=A = B
LoadState=loaded
ActiveState=active
SubState=waiting
FragmentPath=/home/ana/.config/systemd/user/a.timer
UnitFileState=enabled
ActiveEnterTimestamp=n/a
LoadError=
Unheard=of

Result=exit-code
ExecMainExitTimestamp=Sun 2026-11-29 02:00:05 UTC
ExecMainStatus=3
Id=a.service
LoadState=loaded
ActiveState=failed
SubState=failed
`

func TestParseUnits(t *testing.T) {
	want := []Unit{{Name: "a.timer", Description: "A = B", Load: "loaded", Active: "active", Sub: "waiting", FileState: "enabled",
		Path: "/home/ana/.config/systemd/user/a.timer", Persistent: true, Starts: "a.service", Calendar: []string{"*-*-* 02:00:00"}, Monotonic: []string{"OnUnitActiveSec=1h"},
		LastTrigger: time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)},
		{Name: "a.service", Load: "loaded", Active: "failed", Sub: "failed", Result: "exit-code", Status: 3, Exited: time.Date(2026, 11, 29, 2, 0, 5, 0, time.UTC)}}
	for _, in := range []string{shownUnits, strings.ReplaceAll(shownUnits, "\n", "\r\n"), "\n\n" + shownUnits + "\n\n"} {
		var d Drift
		got, err := ParseUnits([]byte(in), 2, &d)
		if err != nil || !reflect.DeepEqual(got, want) || d != nil {
			t.Errorf("%v %v %v", err, d, pretty.Diff(got, want))
		}
	}
	for _, tt := range []struct {
		in    string
		n     int
		want  string
		drift string
	}{
		{shownUnits, 1, "systemctl show: it describes 2 units of 1", ""},
		{"", 1, "systemctl show: it describes 0 units of 1", ""},
		{"Id=a.timer\n", 1, "systemctl show: unit 1 has no name or no state", ""},
		{"LoadState=loaded\n", 1, "systemctl show: unit 1 has no name or no state", ""},
		{"Id=a.timer\nLoadState=loaded\nLastTriggerUSec=Sun 2026-11-29 14:55:58 EST\n", 1, "", "LastTriggerUSec is no time in UTC"},
		{"Id=a.timer\nLoadState=loaded\nExecMainStatus=x\n", 1, "", "ExecMainStatus x"},
		{"Id=a.timer\nLoadState=loaded\nLastTriggerUSec=0\nTimersCalendar=\n", 1, "", ""},
	} {
		var d Drift
		us, err := ParseUnits([]byte(tt.in), tt.n, &d)
		says := ""
		if err != nil {
			says = err.Error()
		}
		if says != tt.want || strings.Join(d.Words(), "; ") != tt.drift || err == nil && !us[0].LastTrigger.IsZero() {
			t.Errorf("%q: %q %q %+v", tt.in, says, d, us)
		}
	}
}

func TestCadence(t *testing.T) {
	for _, tt := range []struct {
		calendar, monotonic []string
		words, zone         string
		period              time.Duration
	}{
		{[]string{"*-*-* 02:00:00"}, nil, "every day 02:00 Europe/Lisbon", "Europe/Lisbon", day},
		{[]string{"*-*-* *:00:00"}, nil, "every hour at :00", "Europe/Lisbon", time.Hour},
		{[]string{"*-*-* *:00/15:00"}, nil, "every 15 minutes", "Europe/Lisbon", time.Hour},
		{[]string{"*-*-* *:05..07:00"}, nil, "every hour at :05, :06, :07", "Europe/Lisbon", time.Hour},
		{[]string{"*-*-* 09,17:30:00 UTC"}, nil, "every day 09:30, 17:30 UTC", "UTC", day},
		{[]string{"Mon..Fri *-*-* 09:30:00 America/New_York"}, nil, "Monday to Friday 09:30 America/New_York", "America/New_York", week},
		{[]string{"Sat,Sun *-*-* 09:30:00"}, nil, "Sunday, Saturday 09:30 Europe/Lisbon", "Europe/Lisbon", week},
		{[]string{"Fri..Sun *-*-* 09:30:00"}, nil, "Sunday, Friday, Saturday 09:30 Europe/Lisbon", "Europe/Lisbon", week},
		{[]string{"*-*-01 04:00:00"}, nil, "day 1 of the month 04:00 Europe/Lisbon", "Europe/Lisbon", 31 * day},
		{[]string{"*-02-29 02:30:00"}, nil, "day 29 of the month in February 02:30 Europe/Lisbon", "Europe/Lisbon", 8 * 366 * day},
		{[]string{"Mon *-*-01 04:00:00"}, nil, "OnCalendar=Mon *-*-01 04:00:00", "Europe/Lisbon", 0},
		{[]string{"*-*~01 04:00:00"}, nil, "OnCalendar=*-*~01 04:00:00", "Europe/Lisbon", 0},
		{[]string{"2020-01-01 00:00:00"}, nil, "OnCalendar=2020-01-01 00:00:00", "Europe/Lisbon", 0},
		{[]string{"*-*-* *:*:00/2"}, nil, "OnCalendar=*-*-* *:*:00/2", "Europe/Lisbon", 0},
		{[]string{"*-*-* 00..23:00..59:00"}, nil, "OnCalendar=*-*-* 00..23:00..59:00", "Europe/Lisbon", 0},
		{[]string{"*-*-* 25:00:00"}, nil, "OnCalendar=*-*-* 25:00:00", "Europe/Lisbon", 0},
		{[]string{"*-*-* 02:00:00", "Sun *-*-* 04:00:00"}, nil, "every day 02:00 Europe/Lisbon; Sunday 04:00 Europe/Lisbon", "Europe/Lisbon", day},
		{nil, []string{"OnUnitActiveSec=1h 30min", "OnBootSec=5min"}, "every 90 minutes; OnBootSec=5min", "", 90 * time.Minute},
		{nil, []string{"OnUnitInactiveSec=1w"}, "after each run, in 7 days", "", week},
		{nil, []string{"OnUnitActiveSec=soon"}, "OnUnitActiveSec=soon", "", 0},
		{nil, []string{"OnUnitActiveSec=9999999999y"}, "OnUnitActiveSec=9999999999y", "", 0},
		{nil, nil, "no time known", "", 0},
	} {
		words, zone, period := Unit{Calendar: tt.calendar, Monotonic: tt.monotonic}.cadence(looked)
		if words != tt.words || zone != tt.zone || period != tt.period {
			t.Errorf("%q %q: %q %q %v, want %q %q %v", tt.calendar, tt.monotonic, words, zone, period, tt.words, tt.zone, tt.period)
		}
	}
}

func TestTimerRecord(t *testing.T) {
	ago := func(d time.Duration) time.Time { return looked.At.Add(-d) }
	nightly := Unit{Name: "a.timer", Load: "loaded", Active: "active", Sub: "waiting", FileState: "enabled", Calendar: []string{"*-*-* 02:00:00"}, Starts: "a.service", ActiveSince: ago(30 * day)}
	with := func(change func(*Unit)) Unit { u := nightly; change(&u); return u }
	done := &Unit{Name: "a.service", Load: "loaded", Active: "inactive", Sub: "dead", Result: "success", Exited: ago(time.Hour)}
	service := func(change func(*Unit)) *Unit { u := *done; change(&u); return &u }
	next := &Elapse{Unit: "a.timer", Next: ago(-11 * time.Hour), Last: ago(13 * time.Hour)}
	for _, tt := range []struct {
		name  string
		timer Timer
		want  string
		drift string
	}{
		{"on time", Timer{nightly, done, next}, "active|succeeded|false|02:10|02:10|", ""},
		{"its own word for the last run", Timer{with(func(u *Unit) { u.LastTrigger = ago(14 * time.Hour) }), done, &Elapse{Next: next.Next}}, "active|succeeded|false|01:10|02:10|", ""},
		{"not in memory", Timer{with(func(u *Unit) { u.LastTrigger = ago(14 * time.Hour) }), done, nil}, "active|succeeded|false|01:10||", ""},
		{"late once", Timer{nightly, done, &Elapse{Next: next.Next, Last: ago(38 * time.Hour)}}, "active|succeeded|true|01:10|02:10|late: a run was missed", ""},
		{"late", Timer{nightly, done, &Elapse{Next: next.Next, Last: ago(80 * time.Hour)}}, "active|succeeded|true|07:10|02:10|late: at least 3 runs were missed", ""},
		{"due and not started", Timer{nightly, done, &Elapse{Next: ago(61 * time.Minute), Last: ago(13 * time.Hour)}}, "active|succeeded|true|02:10|14:09|late: systemd did not start it when it was due", ""},
		{"due a moment ago", Timer{nightly, done, &Elapse{Next: ago(59 * time.Minute), Last: ago(13 * time.Hour)}}, "active|succeeded|false|02:10|14:11|", ""},
		{"late and at work", Timer{with(func(u *Unit) { u.Sub = "running" }), service(func(u *Unit) { u.Active, u.Sub = "activating", "start" }), &Elapse{Last: ago(80 * time.Hour)}}, "running|running|false|07:10||", ""},
		{"stays active after it ended", Timer{nightly, service(func(u *Unit) { u.Active, u.Sub = "active", "exited" }), next}, "active|succeeded|false|02:10|02:10|", ""},
		{"a daemon", Timer{nightly, service(func(u *Unit) { u.Active, u.Sub = "active", "running" }), next}, "active|running|false|02:10|02:10|", ""},
		{"never ran", Timer{nightly, done, &Elapse{Next: next.Next}}, "active||true||02:10|no run of it is known", ""},
		{"not yet", Timer{with(func(u *Unit) { u.ActiveSince = ago(time.Hour) }), done, &Elapse{Next: next.Next}}, "active||false||02:10|it has not run yet", ""},
		{"since when is not known", Timer{with(func(u *Unit) { u.ActiveSince = time.Time{} }), done, &Elapse{Next: next.Next}}, "active||false||02:10|it has not run yet", ""},
		{"not since the machine started", Timer{nightly, service(func(u *Unit) { u.Exited = time.Time{} }), next}, "active||false|02:10|02:10|", ""},
		{"a target", Timer{nightly, service(func(u *Unit) { u.Result = "" }), next}, "active||false|02:10|02:10|", ""},
		{"failed", Timer{nightly, service(func(u *Unit) { u.Result, u.Status = "exit-code", 3 }), next}, "active|exit 3|false|02:10|02:10|", ""},
		{"killed", Timer{nightly, service(func(u *Unit) { u.Result, u.Status = "signal", 9 }), next}, "active|failed|false|02:10|02:10|the last run ended so: signal", ""},
		{"another result", Timer{nightly, service(func(u *Unit) { u.Result = "eaten" }), next}, "active|failed|false|02:10|02:10|the last run ended so: eaten", "result eaten"},
		{"no service", Timer{nightly, service(func(u *Unit) { u.Load = "not-found" }), next}, "active||false|02:10|02:10|what it starts is not there: a.service is not-found", ""},
		{"service not known", Timer{nightly, nil, next}, "active||false|02:10|02:10|", ""},
		{"future", Timer{nightly, done, &Elapse{Next: next.Next, Last: ago(-time.Hour)}}, "active|succeeded|true||02:10|its last run bears a time that has not come yet; no run of it is known", ""},
		{"stopped", Timer{with(func(u *Unit) { u.Active, u.Sub = "inactive", "dead" }), nil, nil}, "paused||false|||it is enabled and was stopped", ""},
		{"disabled", Timer{with(func(u *Unit) { u.Active, u.Sub, u.FileState = "inactive", "dead", "disabled" }), nil, nil}, "paused||false|||it was not started, and is not enabled (disabled)", ""},
		{"over", Timer{with(func(u *Unit) { u.Sub = "elapsed" }), done, &Elapse{Last: ago(80 * time.Hour)}}, "completed|succeeded|false|07:10||it has elapsed and is not due again", ""},
		{"bad file", Timer{with(func(u *Unit) {
			u.Load, u.LoadError = "bad-setting", `org.freedesktop.systemd1.BadUnitSetting "Unit a.timer has a bad unit file setting."`
		}), nil, nil}, "not loaded||false|||systemd does not load it: Unit a.timer has a bad unit file setting.", ""},
		{"no reason", Timer{with(func(u *Unit) { u.Load = "odd" }), nil, nil}, "not loaded||false|||systemd does not load it: odd", "load state odd"},
		{"the timer failed", Timer{with(func(u *Unit) { u.Active, u.Sub, u.Result = "failed", "failed", "resources" }), nil, nil}, "failed||false|||the timer itself has failed: resources", ""},
		{"another sub state", Timer{with(func(u *Unit) { u.Sub = "dozing" }), done, next}, "active|succeeded|false|02:10|02:10|", "timer state dozing"},
		{"another state", Timer{with(func(u *Unit) { u.Active = "dozing" }), done, next}, "dozing|succeeded|false|02:10|02:10|", "active state dozing"},
	} {
		var d Drift
		if got := line(tt.timer.Record(looked, &d)); got != tt.want || strings.Join(d.Words(), "; ") != tt.drift {
			t.Errorf("%s:\n got %s %q\nwant %s %q", tt.name, got, d, tt.want, tt.drift)
		}
	}
	named := with(func(u *Unit) { u.Description = "Nightly" })
	if r := (Timer{named, nil, nil}).Record(looked, new(Drift)); r.Name != "Nightly" || r.ID != "a.timer" || r.Source != "systemd" || r.Zone != "Europe/Lisbon" {
		t.Errorf("%+v", r)
	}
	if r := (Timer{nightly, nil, nil}).Record(looked, new(Drift)); r.Name != "a.timer" {
		t.Errorf("%+v", r)
	}
}

func TestVendor(t *testing.T) {
	for path, want := range map[string]bool{"/usr/lib/systemd/user/a.timer": true, "/lib/systemd/user/a.timer": true, "/etc/systemd/user/a.timer": false, "/home/ana/.config/systemd/user/a.timer": false, "": false} {
		if (Unit{Path: path}).Vendor() != want {
			t.Errorf("%q: %t", path, !want)
		}
	}
}
