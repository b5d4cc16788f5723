package schedule

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"howett.net/plist"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

var looked = Look{At: time.Date(2026, 11, 29, 15, 10, 0, 0, time.UTC), Zone: "Europe/Lisbon"}

// list is a property list with a label and what is in body.
func list(body string) []byte {
	return []byte(`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>Label</key><string>com.example.a</string>` + body + `</dict></plist>`)
}

func TestParseAgent(t *testing.T) {
	const calendar = `<key>StartCalendarInterval</key>`
	for _, tt := range []struct {
		name, body, words string
		period            time.Duration
		notes             string
	}{
		{"on demand", ``, "on demand", 0, ""},
		{"at load", `<key>RunAtLoad</key><true/>`, "at load", 0, ""},
		{"not at load", `<key>RunAtLoad</key><false/>`, "on demand", 0, ""},
		{"kept alive", `<key>KeepAlive</key><true/>`, "at load, kept alive", 0, ""},
		{"kept alive under conditions", `<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>`, "at load, kept alive", 0, ""},
		{"no conditions", `<key>KeepAlive</key><dict/>`, "on demand", 0, ""},
		{"an interval", `<key>StartInterval</key><integer>3600</integer>`, "every hour", time.Hour, ""},
		{"an odd interval", `<key>StartInterval</key><integer>5400</integer><key>RunAtLoad</key><true/>`, "every 90 minutes; at load", 90 * time.Minute, ""},
		{"no interval", `<key>StartInterval</key><integer>0</integer>`, "on demand", 0, "its StartInterval is not greater than zero, which launchd ignores"},
		{"a negative one", `<key>StartInterval</key><integer>-5</integer>`, "on demand", 0, "its StartInterval is not greater than zero, which launchd ignores"},
		{"a huge one", `<key>StartInterval</key><integer>18446744073709551615</integer>`, "on demand", 0, "its StartInterval is out of range"},
		{"a text", `<key>StartInterval</key><string>60</string>`, "on demand", 0, "its StartInterval is no whole number"},
		{"a real", `<key>StartInterval</key><real>60.5</real>`, "on demand", 0, "its StartInterval is no whole number"},
		{"a calendar", calendar + `<dict><key>Hour</key><integer>2</integer><key>Minute</key><integer>0</integer></dict>`, "every day 02:00 X/Y", day, ""},
		{"an empty calendar", calendar + `<dict/>`, "every minute", time.Hour, ""},
		{"Sunday is 7", calendar + `<dict><key>Weekday</key><integer>7</integer><key>Hour</key><integer>2</integer><key>Minute</key><integer>0</integer></dict>`, "Sunday 02:00 X/Y", week, ""},
		{"Sunday is 0", calendar + `<dict><key>Weekday</key><integer>0</integer><key>Hour</key><integer>2</integer><key>Minute</key><integer>0</integer></dict>`, "Sunday 02:00 X/Y", week, ""},
		{"a list", calendar + `<array><dict><key>Minute</key><integer>0</integer></dict><dict><key>Minute</key><integer>30</integer></dict></array>`, "every 30 minutes", time.Hour, ""},
		{"an empty list", calendar + `<array/>`, "on demand", 0, ""},
		{"both", `<key>StartInterval</key><integer>60</integer>` + calendar + `<dict><key>Minute</key><integer>0</integer></dict>`, "every minute; every hour at :00", time.Minute, ""},
		{"out of range", calendar + `<array><dict><key>Hour</key><integer>24</integer></dict><dict><key>Minute</key><integer>1</integer></dict></array>`, "every hour at :01", time.Hour,
			"an entry of its StartCalendarInterval is not understood: Hour is not within 0 to 23"},
		{"no number", calendar + `<dict><key>Hour</key><string>2</string></dict>`, "on demand", 0, "an entry of its StartCalendarInterval is not understood: Hour is no whole number"},
		{"no dictionary", calendar + `<array><integer>2</integer></array>`, "on demand", 0, "an entry of its StartCalendarInterval is no dictionary"},
		{"a date and data elsewhere", `<key>X</key><date>2026-01-01T00:00:00Z</date><key>Y</key><data>AAEC</data>`, "on demand", 0, ""},
	} {
		a, err := ParseAgent(list(tt.body))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := a.Words("X/Y"); got != tt.words || a.Period() != tt.period || strings.Join(a.Notes, "; ") != tt.notes {
			t.Errorf("%s: %q %v %q, want %q %v %q", tt.name, got, a.Period(), a.Notes, tt.words, tt.period, tt.notes)
		}
	}
}

func TestParseAgent_refused(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"empty", " \n", "empty file"},
		{"cut off", string(list("")[:200]), "no property list: "},
		{"no label", `<plist><dict/></plist>`, "no Label"},
		{"a label that is no text", `<plist><dict><key>Label</key><integer>1</integer></dict></plist>`, "no Label"},
		{"a list", `<plist><array/></plist>`, "no property list: "},
		{"another form", `{ Label = "com.example.a"; }`, "a property list of a form that launchd does not read"},
		{"JSON", `{"Label":"com.example.a"}`, "no property list: "},
	} {
		if _, err := ParseAgent([]byte(tt.content)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestParseAgent_log(t *testing.T) {
	for out, want := range map[string]string{"/l/a.log": "/l/a.log", "/dev/null": "", "/l/../dev/null": "", "a.log": "", "~/a.log": ""} {
		if a, err := ParseAgent(list("<key>StandardOutPath</key><string>" + out + "</string>")); err != nil || a.Log != want {
			t.Errorf("%s: %q %v, want %q", out, a.Log, err, want)
		}
	}
}

// printed is an answer of launchctl print.
func printed(lines ...string) string {
	return "gui/501/com.example.a = {\n\t" + strings.Join(lines, "\n\t") + "\n\tenvironment = {\n\t\tstate = nested\n\t\truns = 99\n\t}\n}\n"
}

func TestParsePrint(t *testing.T) {
	never := Job{State: "not running", Runs: -1, Exit: -1}
	with := func(change func(*Job)) Job { j := never; change(&j); return j }
	for _, tt := range []struct {
		lines []string
		want  Job
		drift string
	}{
		{[]string{"state = not running"}, never, ""},
		{[]string{"state = not running", "runs = 12", "last exit code = 0"}, with(func(j *Job) { j.Runs, j.Exit = 12, 0 }), ""},
		{[]string{"state = not running", "last exit code = 78: EX_CONFIG"}, with(func(j *Job) { j.Exit, j.ExitName = 78, "EX_CONFIG" }), ""},
		{[]string{"state = not running", "last exit code = (never exited)"}, never, ""},
		{[]string{"state = not running", "last terminating signal = Killed: 9"}, with(func(j *Job) { j.Signal = "Killed: 9" }), ""},
		{[]string{"state = not running", "run interval = 900 seconds"}, with(func(j *Job) { j.Every = 15 * time.Minute }), ""},
		{[]string{"state = not running", "run interval = 900 bananas"}, never, "run interval 900 bananas"},
		{[]string{"state = asleep"}, with(func(j *Job) { j.State = "asleep" }), "state asleep"},
		{[]string{"state = not running", "runs = many"}, never, "runs many"},
		{[]string{"state = not running", "runs = 99999999999999999999"}, never, "runs 99999999999999999999"},
		{[]string{"state = not running", "state = running"}, never, ""},
		{[]string{"state = {", "state = not running"}, never, ""},
	} {
		var d Drift
		got, err := ParsePrint(0, printed(tt.lines...), "", &d)
		if err != nil || got != tt.want || strings.Join(d.Words(), "; ") != tt.drift {
			t.Errorf("%q: %+v %v %q, want %+v %q", tt.lines, got, err, d, tt.want, tt.drift)
		}
	}
	for _, tt := range []struct {
		status         int
		stdout, stderr string
		want           string
	}{
		{113, "", "Bad request.\nCould not find service \"a\" in domain for user gui: 501\n", "not loaded"},
		{113, "", "Could not find domain for user gui: 501\n", "launchctl print: exit status 113: Could not find domain for user gui: 501"},
		{112, "", "Could not find service \"a\"", `launchctl print: exit status 112: Could not find service "a"`},
		{0, "", "", "launchctl print: it tells no state"},
		{0, "state = running\n", "", "launchctl print: it tells no state"},
		{0, "\t\tstate = running\n", "", "launchctl print: it tells no state"},
	} {
		if _, err := ParsePrint(tt.status, tt.stdout, tt.stderr, new(Drift)); err == nil || err.Error() != tt.want || (err == ErrNotLoaded) != (tt.want == "not loaded") {
			t.Errorf("%d %q %q: %v, want %s", tt.status, tt.stdout, tt.stderr, err, tt.want)
		}
	}
}

func TestAgentRecord(t *testing.T) {
	hourly := Agent{Label: "com.example.a", Every: time.Hour}
	nightly := Agent{Label: "com.example.a", Calendar: []Slot{slotOf(f{"h": 2, "m": 30})}}
	idle := func(runs, exit int) *Job { return &Job{State: "not running", Runs: runs, Exit: exit} }
	ago := func(d time.Duration) time.Time { return looked.At.Add(-d) }
	noZone, spring := Look{At: looked.At}, Look{At: time.Date(2027, 3, 27, 15, 0, 0, 0, time.UTC), Zone: "America/New_York"}
	badZone := Look{At: looked.At, Zone: "Nowhere/At_All"}
	for _, tt := range []struct {
		name  string
		agent Agent
		look  Look
		seen  Seen
		want  string // status, result, stale, ran, next, detail
	}{
		{"on time", hourly, looked, Seen{Job: idle(3, 0), Asked: true, Log: "/l", Ran: ago(2 * time.Hour)}, "loaded|succeeded|false|13:10||"},
		{"at the edge", hourly, looked, Seen{Job: idle(3, 0), Asked: true, Log: "/l", Ran: ago(150 * time.Minute)}, "loaded|succeeded|false|12:40||"},
		{"late once", nightly, looked, Seen{Job: idle(3, 0), Asked: true, Log: "/l", Ran: ago(38 * time.Hour)}, "loaded|succeeded|true|01:10|02:30|late: a run was missed"},
		{"late", hourly, looked, Seen{Job: idle(3, 1), Asked: true, Log: "/l", Ran: ago(151 * time.Minute)}, "loaded|exit 1|true|12:39||late: at least 2 runs were missed"},
		{"late and at work", hourly, looked, Seen{Job: &Job{State: "running", Runs: 1, Exit: -1}, Asked: true, Log: "/l", Ran: ago(5 * time.Hour)}, "running|running|false|10:10||"},
		{"being started", hourly, looked, Seen{Job: &Job{State: "xpcproxy", Runs: 1, Exit: 1}, Asked: true, Log: "/l", Ran: ago(time.Hour)}, "running|running|false|14:10||"},
		{"never", hourly, looked, Seen{Job: idle(0, -1), Asked: true}, "loaded||true|||it has not run since it was loaded; no run of it is known"},
		{"runs not said", hourly, looked, Seen{Job: idle(-1, -1), Asked: true}, "loaded||true|||no run of it is known"},
		{"no log named", hourly, looked, Seen{Job: idle(7, 0), Asked: true}, "loaded|succeeded|false|||when it ran last cannot be told: no log of it is named"},
		{"log not there", hourly, looked, Seen{Job: idle(7, 0), Asked: true, Log: "/l"}, "loaded|succeeded|true|||its log is not there; no run of it is known"},
		{"log of the future", hourly, looked, Seen{Job: idle(7, 0), Asked: true, Log: "/l", Ran: ago(-time.Hour)}, "loaded|succeeded|true|||its log bears a time that has not come yet; no run of it is known"},
		{"log a moment ahead", hourly, looked, Seen{Job: idle(7, 0), Asked: true, Log: "/l", Ran: ago(-time.Minute)}, "loaded|succeeded|false|15:11||"},
		{"not loaded", nightly, looked, Seen{Asked: true, Log: "/l", Ran: ago(100 * time.Hour)}, "not loaded||false|11:10||launchd does not start it: it is not loaded"},
		{"not asked", nightly, looked, Seen{Log: "/l", Ran: ago(time.Hour)}, "unknown||false|14:10||whether it is loaded is not known"},
		{"a signal", hourly, looked, Seen{Job: &Job{State: "not running", Runs: 2, Exit: -1, Signal: "Killed: 9"}, Asked: true, Log: "/l", Ran: ago(0)}, "loaded|failed|false|15:10||the last run was ended by a signal: Killed: 9"},
		{"a named status", hourly, looked, Seen{Job: &Job{State: "not running", Runs: 2, Exit: 78, ExitName: "EX_CONFIG"}, Asked: true, Log: "/l", Ran: ago(0)}, "loaded|exit 78|false|15:10||the last run ended with EX_CONFIG"},
		{"edited", hourly, looked, Seen{Job: &Job{State: "not running", Runs: 2, Exit: 0, Every: day}, Asked: true, Log: "/l", Ran: ago(20 * time.Hour)}, "loaded|succeeded|false|19:10||it was loaded to run every day: its file was changed since"},
		{"disabled", Agent{Label: "com.example.a", Disabled: true}, looked, Seen{Asked: true}, "not loaded||false|||launchd does not start it: it is not loaded; its file says that it is disabled"},
		{"no zone", nightly, noZone, Seen{Job: idle(2, 0), Asked: true, Log: "/l", Ran: ago(time.Hour)}, "loaded|succeeded|false|14:10||the zone of this machine is not known, so neither is its next run"},
		{"no such zone", nightly, badZone, Seen{Job: idle(2, 0), Asked: true, Log: "/l", Ran: ago(time.Hour)}, "loaded|succeeded|false|14:10||the zone of this machine is not known, so neither is its next run"},
		{"clocks put forward", Agent{Label: "com.example.a", Calendar: []Slot{slotOf(f{"h": 2, "m": 30, "d": 14, "mo": 3})}}, Look{At: spring.At.Add(-20 * day), Zone: spring.Zone},
			Seen{Job: idle(2, 0), Asked: true, Log: "/l", Ran: spring.At.Add(-20 * day)}, "loaded|succeeded|false|15:00|07:30|there is no 02:30 on 2027-03-14, when the clocks are put forward; the next run is as much later"},
		{"no such day", Agent{Label: "com.example.a", Calendar: []Slot{slotOf(f{"d": 30, "mo": 2})}}, looked, Seen{Job: idle(2, 0), Asked: true, Log: "/l", Ran: ago(time.Hour)},
			"loaded|succeeded|false|14:10||its calendar has no such day"},
		{"on demand", Agent{Label: "com.example.a", Notes: []string{"n"}}, looked, Seen{Job: idle(0, -1), Asked: true}, "loaded||false|||it has not run since it was loaded; n"},
	} {
		if got := line(tt.agent.Record(tt.look, tt.seen)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// line is what varies in a schedule.
func line(r record.Schedule) string {
	clock := func(t *record.Time) string {
		if t == nil {
			return ""
		}
		return t.Format("15:04")
	}
	stale := map[bool]string{true: "true", false: "false"}[r.Stale]
	return strings.Join([]string{r.Status, r.LastResult, stale, clock(r.LastRun), clock(r.NextRun), r.Detail}, "|")
}

// An agent that is read can be written and read again as the same, and shows
// nothing that guard would withhold.
func FuzzParseAgent(f *testing.F) {
	f.Add(list(`<key>StartInterval</key><integer>60</integer><key>KeepAlive</key><true/>`))
	f.Add(list(`<key>StartCalendarInterval</key><array><dict><key>Weekday</key><integer>7</integer></dict><dict/></array><key>StandardOutPath</key><string>/l</string>`))
	binary, err := plist.Marshal(map[string]any{"Label": "com.example.b", "StartInterval": 60, "StartCalendarInterval": map[string]any{"Hour": 3}}, plist.BinaryFormat)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(binary)
	f.Add([]byte(`{ Label = "com.example.a"; }`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseAgent(b)
		if err != nil {
			if a.Label != "" {
				t.Fatal("an agent and an error")
			}
			return
		}
		r := a.Record(looked, Seen{Asked: true})
		for _, s := range []string{r.Name, r.Cadence, r.Detail} {
			if guard.Text(s, 4000) != s {
				t.Fatalf("%q is not clean", s)
			}
		}
		if a.Period() < 0 || r.Cadence == "" {
			t.Fatalf("%v %q", a.Period(), r.Cadence)
		}
		out, err := a.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseAgent(out)
		if err != nil && guard.Text(a.Label, nameWidth) != "" {
			t.Fatalf("%v\n%s", err, out)
		}
		if a.Notes, a.Label, again.Label = nil, "", ""; guard.Path(a.Log) == a.Log && err == nil && !reflect.DeepEqual(a, again) {
			t.Fatal(pretty.Diff(a, again))
		}
	})
}

// A job that is read has a state, and can be written and read again as the
// same.
func FuzzParsePrint(f *testing.F) {
	f.Add(0, []byte(printed("state = running", "runs = 2", "last exit code = 78: EX_CONFIG", "run interval = 900 seconds")), "")
	f.Add(113, []byte(""), "Could not find service \"a\"")
	f.Fuzz(func(t *testing.T, status int, stdout []byte, stderr string) {
		var d Drift
		j, err := ParsePrint(status, string(stdout), stderr, &d)
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\n\x1b") {
				t.Fatalf("%q", err)
			}
			return
		}
		if status != 0 || j.State == "" || j.Runs < -1 || j.Exit < -1 || j.Every < 0 {
			t.Fatalf("%d %+v", status, j)
		}
		again, err := ParsePrint(0, j.Encode("com.example.a"), "", new(Drift))
		if err != nil || again != j {
			t.Fatalf("%v %v", err, pretty.Diff(j, again))
		}
	})
}
