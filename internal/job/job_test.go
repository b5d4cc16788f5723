package job

import (
	"reflect"
	"strings"
	"testing"

	"howett.net/plist"
)

var plain = Job{
	Scope: "lamp", Release: "/home/ana/.local/share/fleet-reconcile/releases/0123456789ab", Home: "/home/ana",
	Path: []string{"/opt/node/bin", "/usr/bin", "/opt/node/bin", "/bin"}, Env: []Var{{"FLEET_CONFIG", "/etc/fleet.json"}},
}

// hostile has every sign that one of the formats gives a meaning to.
var hostile = Job{
	Scope: "a_b-1", Release: `/home/Ána Ñ/it's "x" $HOME ${y} %h %% \n;#&<>]]>/r`, Home: `/home/Ána Ñ/it's: 100%`,
	Path: []string{`/opt/a b`, `/opt/%i$$\`}, Env: []Var{{"FLEET_CONFIG", `/c: "$1" %n 'z' \x41 # ; 日本`}, {"EMPTY", ""}},
}

func TestLaunchd(t *testing.T) {
	for _, j := range []Job{plain, hostile} {
		b, err := j.Launchd()
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if format, err := plist.Unmarshal(b, &got); err != nil || format != plist.XMLFormat {
			t.Fatalf("%v, %d\n%s", err, format, b)
		}
		env := map[string]any{"FLEET_SCOPE": j.Scope}
		for _, v := range j.Env {
			env[v.Name] = v.Value
		}
		switch j.Scope {
		case "lamp":
			env["PATH"] = j.Release + "/bin:/opt/node/bin:/usr/bin:/bin"
		default:
			env["PATH"] = j.Release + "/bin:" + strings.Join(j.Path, ":")
		}
		log := j.Home + "/Library/Logs/dev.fleet.reconcile." + j.Scope + ".log"
		want := map[string]any{
			"Label": "dev.fleet.reconcile." + j.Scope, "ProgramArguments": []any{"/bin/sh", j.Release + "/bin/tick.sh"},
			"EnvironmentVariables": env, "StartInterval": uint64(3600), "RunAtLoad": false,
			"ProcessType": "Standard", "ExitTimeOut": uint64(60), "StandardOutPath": log, "StandardErrorPath": log,
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if again, _ := j.Launchd(); string(again) != string(b) {
			t.Error("the same job gives other bytes")
		}
	}
}

func TestService(t *testing.T) {
	for _, tt := range []struct {
		job  Job
		want []string // lines that depend on the job
	}{
		{plain, []string{
			`Environment="PATH=/home/ana/.local/share/fleet-reconcile/releases/0123456789ab/bin:/opt/node/bin:/usr/bin:/bin"`,
			`Environment="FLEET_SCOPE=lamp"`,
			`Environment="FLEET_CONFIG=/etc/fleet.json"`,
			`ExecStart=/bin/sh "/home/ana/.local/share/fleet-reconcile/releases/0123456789ab/bin/tick.sh"`,
		}},
		{hostile, []string{
			`Environment="PATH=/home/Ána Ñ/it's \"x\" $HOME ${y} %%h %%%% \\n;#&<>]]>/r/bin:/opt/a b:/opt/%%i$$\\"`,
			`Environment="FLEET_SCOPE=a_b-1"`,
			`Environment="FLEET_CONFIG=/c: \"$1\" %%n 'z' \\x41 # ; 日本"`,
			`Environment="EMPTY="`,
			`ExecStart=/bin/sh "/home/Ána Ñ/it's \"x\" $$HOME $${y} %%h %%%% \\n;#&<>]]>/r/bin/tick.sh"`,
		}},
	} {
		b, err := tt.job.Service()
		if err != nil {
			t.Fatal(err)
		}
		want := "[Unit]\nDescription=Hourly look at the sessions of the scope " + tt.job.Scope + "\n\n[Service]\nType=oneshot\nSuccessExitStatus=75\n" +
			strings.Join(tt.want, "\n") + "\n"
		if string(b) != want {
			t.Errorf("got\n%s\nwant\n%s", b, want)
		}
	}
	b, err := plain.Timer()
	if want := "[Unit]\nDescription=Every hour: fleet-reconcile-lamp.service\n\n[Timer]\nOnCalendar=hourly\nRandomizedDelaySec=15min\n" +
		"FixedRandomDelay=true\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"; err != nil || string(b) != want {
		t.Errorf("%v\n%s", err, b)
	}
}

func TestCheck(t *testing.T) {
	if err := hostile.Check(); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		change func(*Job)
		says   string
	}{
		{func(j *Job) { j.Release = "r" }, `the release: "r": want a path that begins with /`},
		{func(j *Job) { j.Release = "" }, `the release: "": want a path that begins with /`},
		{func(j *Job) { j.Release = "/a:b" }, `the release: "/a:b": PATH cannot hold a colon`},
		{func(j *Job) { j.Release = "/a\nb" }, `the release: "/a\nb": want UTF-8 without line ends and control signs`},
		{func(j *Job) { j.Release = "/a\xff" }, `the release: "/a\xff": want UTF-8 without line ends and control signs`},
		{func(j *Job) { j.Home = "~" }, `the home directory: "~": want a path that begins with /`},
		{func(j *Job) { j.Home = "/\r" }, `the home directory: "/\r": want UTF-8 without line ends and control signs`},
		{func(j *Job) { j.Path = []string{"/usr/bin", "."} }, `a directory of PATH: ".": want a path that begins with /`},
		{func(j *Job) { j.Path = []string{"/\n"} }, `a directory of PATH: "/\n": want UTF-8 without line ends and control signs`},
		{func(j *Job) { j.Env = []Var{{"X", "a\nb"}} }, `X: "a\nb": want UTF-8 without line ends and control signs`},
		{func(j *Job) { j.Env = []Var{{"a b", ""}} }, `"a b": want the name of a variable, once`},
		{func(j *Job) { j.Env = []Var{{"", ""}} }, `"": want the name of a variable, once`},
		{func(j *Job) { j.Env = []Var{{"1X", ""}} }, `"1X": want the name of a variable, once`},
		{func(j *Job) { j.Env = []Var{{"PATH", "/x"}} }, `"PATH": want the name of a variable, once`},
	} {
		j := plain
		tt.change(&j)
		for _, write := range []func() ([]byte, error){j.Launchd, j.Service, j.Timer} {
			if b, err := write(); err == nil || err.Error() != tt.says || b != nil {
				t.Errorf("%v\nwant %s\n%s", err, tt.says, b)
			}
		}
	}
}

// A sweep is a job of its own, with other names, that leaves running what it
// started.
func TestSweep(t *testing.T) {
	j := plain
	j.Every = 10
	b, err := j.Launchd()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if _, err := plist.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got["Label"] != "dev.fleet.heal.lamp" || got["StartInterval"] != uint64(600) || got["AbandonProcessGroup"] != true ||
		!reflect.DeepEqual(got["ProgramArguments"], []any{"/bin/sh", j.Release + "/bin/heal.sh"}) {
		t.Errorf("%v", got)
	}
	service, err := j.Service()
	if err != nil {
		t.Fatal(err)
	}
	timer, err := j.Timer()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Type=oneshot\nSuccessExitStatus=75\nKillMode=process\n", `ExecStart=/bin/sh "` + j.Release + `/bin/heal.sh"`} {
		if !strings.Contains(string(service), want) {
			t.Errorf("no %q in\n%s", want, service)
		}
	}
	if want := "OnActiveSec=1min\nOnUnitInactiveSec=10min\n"; !strings.Contains(string(timer), want) || !strings.Contains(string(timer), "fleet-heal-lamp.service") {
		t.Errorf("%s", timer)
	}
}
