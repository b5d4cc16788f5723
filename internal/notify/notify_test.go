package notify

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/record"
)

// stubs puts programs of these names on a PATH that holds nothing else but the
// few that their scripts use. Each writes its arguments, one a NUL, to argv.
func stubs(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"sh", "cat", "sleep", "head", "env", "yes"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range scripts {
		text := "#!/bin/sh\ncd '" + dir + "' && printf '%s\\0' \"$@\" >argv\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOME", dir)
	t.Setenv("DISPLAY", ":0")
	t.Setenv("WAYLAND_DISPLAY", "")
	return dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hurry makes every limit short for one test of what hangs. Then the machine may
// be too busy for a stub to begin before it is ended.
func hurry(t *testing.T) {
	old := patience
	t.Cleanup(func() { patience = old })
	patience.dialog, patience.more, patience.command, patience.killAfter = 400*time.Millisecond, 400*time.Millisecond, 800*time.Millisecond, 100*time.Millisecond
}

var three = Batch{V: 1, Scope: "lamp", Batch: 12, Open: 3, Asks: []Ask{{ID: "a1", Class: "3", Question: "Session wick waits"}},
	List: "fleet-asks list --scope lamp", Answer: "fleet-asks ack 12 --scope lamp"}

// A dialog says what it says by its status or output; what is neither of the
// known ends was not shown.
func TestRaise_dialog(t *testing.T) {
	const other = "owner_channel can be a command, or none"
	for _, tt := range []struct {
		name, program, script string
		want                  record.Shown
		err                   string
	}{
		{"Seen", "osascript", "echo Seen", record.Shown{Button: "Seen"}, ""},
		{"Later", "osascript", "echo Later", record.Shown{Button: "Later"}, ""},
		{"gave up", "osascript", "echo gave up", record.Shown{Button: "Later", GaveUp: true}, ""},
		{"not allowed", "osascript", "echo '31:147: execution error: No user interaction allowed. (-1713)' >&2; exit 1", record.Shown{}, "osascript: exit status 1: 31:147: execution error: No user interaction allowed. (-1713)"},
		{"Seen and a failure", "osascript", "echo Seen; exit 1", record.Shown{}, "osascript: exit status 1"},
		{"nothing said", "osascript", "", record.Shown{}, "osascript: exit status 0"},
		{"another button", "osascript", "echo Seen it", record.Shown{}, "osascript: exit status 0"},
		{"killed", "osascript", "echo Seen; kill -9 $$", record.Shown{}, "osascript: exit status 137"},
		{"a secret in what it says", "osascript", "echo no " + "ghp_" + "FAKE1a2b3c4d5e6f7g8h9i0jklmnopqrst12 >&2; exit 1", record.Shown{}, "osascript: exit status 1: no [withheld: github-token]"},

		{"Seen", "zenity", "exit 0", record.Shown{Button: "Seen"}, ""},
		{"Later, or a closed window", "zenity", "echo 'Gtk-Message: GtkDialog mapped without a transient parent. This is discouraged.' >&2; exit 1", record.Shown{Button: "Later"}, ""},
		{"gave up", "zenity", "exit 5", record.Shown{Button: "Later", GaveUp: true}, ""},
		{"no display of GTK 3", "zenity", "echo >&2; echo '(zenity:7): Gtk-WARNING **: 10:00:00.000: cannot open display: :0' >&2; exit 1", record.Shown{}, "zenity: exit status 1: (zenity:7): Gtk-WARNING **: 10:00:00.000: cannot open display: :0"},
		{"no display of GTK 4", "zenity", "echo '(zenity:7): Gtk-WARNING **: 10:00:00.000: Failed to open display' >&2; exit 1", record.Shown{}, "zenity: exit status 1: (zenity:7): Gtk-WARNING **: 10:00:00.000: Failed to open display"},
		{"no server", "zenity", "echo 'Unable to init server: Could not connect: Connection refused' >&2; exit 1", record.Shown{}, "zenity: exit status 1: Unable to init server: Could not connect: Connection refused"},
		{"a flag that it does not know", "zenity", "echo 'This option is not available.' >&2; exit 255", record.Shown{}, "zenity: exit status 255: This option is not available."},
		{"ended by somebody", "zenity", "kill $$", record.Shown{}, "zenity: exit status 143"},

		{"Seen", "kdialog", "exit 0", record.Shown{Button: "Seen"}, ""},
		{"Later", "kdialog", "exit 1", record.Shown{Button: "Later"}, ""},
		{"a closed window", "kdialog", "exit 2", record.Shown{Button: "Later"}, ""},
		{"no display", "kdialog", "echo 'qt.qpa.xcb: could not connect to display :0' >&2; kill -ABRT $$", record.Shown{}, "kdialog: exit status 134: qt.qpa.xcb: could not connect to display :0"},
		{"a flag that it does not know", "kdialog", "echo \"Unknown option 'warningyesno'.\" >&2; exit 1", record.Shown{}, "kdialog: exit status 1: Unknown option 'warningyesno'."},
	} {
		stubs(t, map[string]string{tt.program: tt.script})
		shown, err := Raise(context.Background(), config.Channel{Kind: "dialog"}, three)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want := tt.err; shown != tt.want || want != "" && got != want+"\n"+other || want == "" && got != "" {
			t.Errorf("%s, %s: %+v %q, want %+v %q", tt.program, tt.name, shown, got, tt.want, want)
		}
	}
}

// The first that is there, in this order; a display only for those that need it.
func TestRaise_which(t *testing.T) {
	all := map[string]string{"osascript": "echo Seen", "zenity": "exit 1", "kdialog": "exit 2"}
	for _, tt := range []struct {
		have             []string
		display, wayland string
		want, err        string
	}{
		{[]string{"kdialog", "zenity", "osascript"}, "", "", "Seen", ""},
		{[]string{"kdialog", "zenity"}, ":0", "", "--question", ""},
		{[]string{"kdialog", "zenity"}, "", "wayland-0", "--question", ""},
		{[]string{"kdialog"}, ":0", "", "--yes-label", ""},
		{[]string{"kdialog", "zenity"}, "", "", "", "zenity: no display: neither DISPLAY nor WAYLAND_DISPLAY is set\nowner_channel can be a command, or none"},
		{nil, ":0", "", "", "no dialog: none of osascript, zenity and kdialog is on PATH: install zenity or kdialog\nowner_channel can be a command, or none"},
	} {
		some := map[string]string{}
		for _, name := range tt.have {
			some[name] = all[name]
		}
		dir := stubs(t, some)
		t.Setenv("DISPLAY", tt.display)
		t.Setenv("WAYLAND_DISPLAY", tt.wayland)
		shown, err := Raise(context.Background(), config.Channel{Kind: "dialog"}, three)
		switch {
		case tt.err != "":
			if err == nil || err.Error() != tt.err || shown != (record.Shown{}) {
				t.Errorf("%v: %+v %v, want %q", tt.have, shown, err, tt.err)
			}
			if _, err := os.Stat(filepath.Join(dir, "argv")); err == nil {
				t.Errorf("%v: something was started", tt.have)
			}
		case err != nil:
			t.Errorf("%v: %v", tt.have, err)
		case shown.Button != tt.want && !strings.HasPrefix(read(t, dir, "argv"), tt.want):
			t.Errorf("%v: %+v %q", tt.have, shown, read(t, dir, "argv"))
		}
	}
}

// A text is data to every dialog: it arrives as one argument, and nothing in it
// is a flag, an escape, a tag or code.
func TestRaise_hostile(t *testing.T) {
	question := `--help "; do shell script "touch pwned" \n \ $(touch pwned) ` + "`touch pwned`" + ` <b>bold</b> <img src=x> & 'x' %s -e`
	b := three
	b.Asks = []Ask{{ID: "a1", Question: question}}
	plain := "3 open asks in scope lamp.\n\n12 a1: " + question + "\n\nAll of them: fleet-asks list --scope lamp\nTo answer these: fleet-asks ack 12 --scope lamp"
	for program, want := range map[string][]string{
		"osascript": {"fleet: lamp", plain},
		"zenity":    {"--title", "fleet: lamp", "--text", plain},
		"kdialog": {"--title", "fleet: lamp", "--warningyesno", "<qt>3 open asks in scope lamp.<br/><br/>12 a1: --help &#34;; do shell script &#34;touch pwned&#34; \\\\n \\\\ $(touch pwned) " +
			"`touch pwned` &lt;b&gt;bold&lt;/b&gt; &lt;img src=x&gt; &amp; &#39;x&#39; %s -e<br/><br/>All of them: fleet-asks list --scope lamp<br/>To answer these: fleet-asks ack 12 --scope lamp</qt>"},
	} {
		dir := stubs(t, map[string]string{program: "echo Seen"})
		if _, err := Raise(context.Background(), config.Channel{Kind: "dialog"}, b); err != nil {
			t.Errorf("%s: %v", program, err)
			continue
		}
		argv := strings.Split(strings.TrimSuffix(read(t, dir, "argv"), "\x00"), "\x00")
		if got := argv[max(len(argv)-len(want), 0):]; !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", program, got, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("%s: the text was run", program)
		}
	}
}

// kdialog never gives up by itself, so its deadline is that; of the others it is
// a failure. Nothing stays on the screen.
func TestRaise_deadline(t *testing.T) {
	for program, want := range map[string]string{
		"kdialog":   "",
		"zenity":    "zenity: not done after 800ms: ended",
		"osascript": "osascript: not done after 800ms: ended",
	} {
		dir := stubs(t, map[string]string{program: "echo Seen; trap '' TERM; sleep 300 & echo $! >child; wait; sleep 300"})
		hurry(t)
		shown, err := Raise(context.Background(), config.Channel{Kind: "dialog"}, three)
		if want == "" && (err != nil || shown != gaveUp) || want != "" && (err == nil || err.Error() != want || shown != (record.Shown{})) {
			t.Errorf("%s: %+v %v", program, shown, err)
		}
		gone(t, dir)
	}
}

// A dialog that is ended because we are told to end was not given up.
func TestRaise_told(t *testing.T) {
	for _, program := range []string{"kdialog", "zenity"} {
		stubs(t, map[string]string{program: "sleep 300"})
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(100*time.Millisecond, cancel)
		shown, err := Raise(ctx, config.Channel{Kind: "dialog"}, three)
		if err == nil || err.Error() != program+": ended, as this program was told to end" || shown != (record.Shown{}) {
			t.Errorf("%s: %+v %v", program, shown, err)
		}
	}
}

// gone fails when the process that a stub left, if it came so far, lives for
// much longer than it takes to die.
func gone(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "child"))
	pid := strings.TrimSpace(string(b))
	if err != nil || pid == "" {
		return
	}
	for range 200 {
		if exec.Command("/bin/kill", "-0", pid).Run() != nil {
			return
		}
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s lives", pid)
}

// A channel whose program is not there is known before anything is asked.
func TestAble(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("HOME", dir)
	says := func(ch config.Channel) string {
		if err := Able(ch); err != nil {
			return err.Error()
		}
		return ""
	}
	own := config.Channel{Kind: "command", Argv: []string{"~/push", "x"}}
	if got := says(config.Channel{Kind: "dialog"}); !strings.HasPrefix(got, "no dialog: none of ") {
		t.Errorf("dialog: %q", got)
	}
	if got := says(own); got != "~/push: no such file or directory" {
		t.Errorf("command: %q", got)
	}
	if got := says(config.Channel{Kind: "none"}); got != "" {
		t.Errorf("none: %q", got)
	}
	for _, name := range []string{"kdialog", "push"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := says(config.Channel{Kind: "dialog"}) + says(own); got != "" {
		t.Errorf("now: %q", got)
	}
}
