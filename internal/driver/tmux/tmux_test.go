package tmux

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
)

// program stands for tmux: it notes its arguments and its input, and answers
// from files, of which a paste and an Enter put others in the place of the pane.
const program = `#!/bin/sh
printf '%s\037' "$@" >>"$STUB/log"; printf '\n' >>"$STUB/log"
while [ "$1" = -u ] || [ "$1" = -S ]; do [ "$1" = -S ] && shift; shift; done
[ ! -e "$STUB/hang" ] || sleep 60
[ ! -e "$STUB/says" ] || { cat "$STUB/says" >&2; exit 1; }
case $1 in
list-panes) cat "$STUB/panes" ;;
capture-pane) cat "$STUB/pane" ;;
load-buffer) cat >"$STUB/typed" ;;
paste-buffer) [ ! -e "$STUB/pasted" ] || cp "$STUB/pasted" "$STUB/pane" ;;
send-keys) [ ! -e "$STUB/entered" ] || cp "$STUB/entered" "$STUB/pane" ;;
esac
`

// rig is a stub of tmux and a driver that uses it.
type rig struct {
	*driver.Process
	d   *Driver
	dir string
}

const line = "────────────────────────────────────────"

// shows is a written pane: a prompt with a text in it.
func shows(text string) string {
	return "● Hi.\n\n" + line + "\n❯ " + text + "\x1b[7m \x1b[0m\n" + line + "\n  ⏸ manual mode on\n"
}

const menu = line + "\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{dir: t.TempDir()}
	r.put(t, "tmux", program)
	r.put(t, "claude", "#!/bin/sh\nsleep 600 & wait\n")
	for _, name := range []string{"tmux", "claude"} {
		if err := os.Chmod(filepath.Join(r.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", r.dir+":"+os.Getenv("PATH"))
	claude := exec.Command(filepath.Join(r.dir, "claude"))
	claude.Dir, claude.SysProcAttr = r.dir, &syscall.SysProcAttr{Setpgid: true}
	if err := claude.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-claude.Process.Pid, syscall.SIGKILL); claude.Wait() })
	driver.Until(t.Context(), 10*time.Second, func() bool {
		table, _ := driver.Processes(t.Context())
		r.Process = table.Session(claude.Process.Pid)
		return r.Process != nil
	})
	if r.Process == nil {
		t.Fatal("the process is not seen")
	}
	d, err := New([]string{"STUB=" + r.dir, "PATH=" + os.Getenv("PATH"), "TMUX=/x,1,0", "TMUX_PANE=%9"}, []driver.Signature{{ID: "hi", Pattern: "^● hi"}})
	if err != nil {
		t.Fatal(err)
	}
	d.Gaps, d.Rest, d.Settle, d.Begin, d.Stays = []time.Duration{time.Millisecond, 2 * time.Millisecond}, time.Millisecond, 250*time.Millisecond, time.Second, time.Millisecond
	r.d = d
	r.panes(t, "0 0 0 0 0")
	r.put(t, "pane", shows(""))
	return r
}

func (r *rig) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// panes makes the one pane %7: dead, in a mode, attached, by group, by window.
func (r *rig) panes(t *testing.T, flags string) {
	r.put(t, "panes", "%7 "+strconv.Itoa(r.PID)+" "+flags+" shop@lamp_1\n")
}

func (r *rig) target() driver.Target {
	return driver.Target{Agent: "lamp", Session: "shop@lamp.1", Cwd: r.dir, PID: r.PID, Start: r.Start}
}

// log returns the calls of a command, each its arguments.
func (r *rig) log(command string) [][]string {
	b, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	var calls [][]string
	for _, call := range strings.Split(strings.TrimSuffix(string(b), "\x1f\n"), "\x1f\n") {
		if args := strings.Split(call, "\x1f"); slices.Contains(args, command) {
			calls = append(calls, args)
		}
	}
	return calls
}

// A text reaches tmux on its input, as it is, and Enter comes by itself.
func TestSay(t *testing.T) { // case heal-literal-keys
	for _, text := range []string{"Go on.", "Enter", "-t x; kill-server", "C-c", "two\nlines; $(id) #{pane_id} #(id)", "tab\tend;"} {
		t.Run(text, func(t *testing.T) {
			r := newRig(t)
			r.put(t, "pasted", shows(strings.ReplaceAll(text, "\n", "\n  ")))
			r.put(t, "entered", shows(""))
			if err := r.d.Say(t.Context(), r.target(), text); err != nil {
				t.Fatal(err)
			}
			if b, _ := os.ReadFile(filepath.Join(r.dir, "typed")); string(b) != text {
				t.Errorf("typed %q", b)
			}
			all, _ := os.ReadFile(filepath.Join(r.dir, "log"))
			if strings.Contains(string(all), text) && text != "Enter" {
				t.Errorf("the text is an argument: %q", all)
			}
			paste, keys := r.log("paste-buffer"), r.log("send-keys")
			if len(paste) != 1 || strings.Join(paste[0][:5], " ") != "-u paste-buffer -p -r -d" || !slices.Equal(paste[0][7:], []string{"-t", "%7"}) {
				t.Errorf("pasted with %q", paste)
			}
			if len(keys) != 1 || !slices.Equal(keys[0], []string{"-u", "send-keys", "-t", "%7", "C-m"}) {
				t.Errorf("keys: %q", keys)
			}
			for _, call := range r.log("list-panes") {
				if call[4] != "=shop@lamp_1:" {
					t.Fatalf("the target is %q", call)
				}
			}
		})
	}
}

// Say refuses before it touches anything.
func TestSay_refuses(t *testing.T) {
	tests := []struct {
		name string
		lay  func(*testing.T, *rig)
		text string
		want error
	}{
		{"a dialog", func(t *testing.T, r *rig) { r.put(t, "pane", menu) }, "x", driver.ErrDialog},
		{"a draft", func(t *testing.T, r *rig) { r.put(t, "pane", shows("wait")) }, "x", driver.ErrDraft},
		{"a mode", func(t *testing.T, r *rig) { r.panes(t, "0 1 0 0 0") }, "x", driver.ErrMode},
		{"attached", func(t *testing.T, r *rig) { r.panes(t, "0 0 1 0 0") }, "x", driver.ErrAttached},
		{"attached by its group", func(t *testing.T, r *rig) { r.panes(t, "0 0 0 1 0") }, "x", driver.ErrAttached},
		{"attached by its window", func(t *testing.T, r *rig) { r.panes(t, "0 0 0 0 2") }, "x", driver.ErrAttached},
		{"case pane-transcript-viewer", func(t *testing.T, r *rig) {
			r.put(t, "pane", "● Hi.\n\n  Showing detailed transcript · ctrl+o to toggle\n")
		}, "x", driver.ErrNoPrompt},
		{"no prompt", func(t *testing.T, r *rig) { r.put(t, "pane", "$ ") }, "x", driver.ErrNoPrompt},
		{"case heal-busy", func(t *testing.T, r *rig) {
			r.put(t, "pane", strings.Replace(shows(""), "● Hi.", "✽ Generating… (3s)", 1))
		}, "x", driver.ErrBusy},
		{"a dead pane", func(t *testing.T, r *rig) { r.panes(t, "1 0 0 0 0") }, "x", driver.ErrAbsent},
		{"a shell in its place", func(t *testing.T, r *rig) { r.put(t, "panes", "%7 99999999 0 0 0 0 0 shop@lamp_1\n") }, "x", driver.ErrAbsent},
		{"no session", func(t *testing.T, r *rig) { r.put(t, "says", "can't find session: shop@lamp_1\n") }, "x", driver.ErrAbsent},
		{"no server", func(t *testing.T, r *rig) { r.put(t, "says", "no server running on /tmp/x\n") }, "x", driver.ErrAbsent},
		{"another process", func(t *testing.T, r *rig) { r.Start = r.Start.Add(time.Minute) }, "x", driver.ErrChanged},
		{"a control character", nil, "a\x1bb", driver.ErrText},
		{"a return", nil, "a\rb", driver.ErrText},
		{"nothing", nil, " \n", driver.ErrText},
		{"no UTF-8", nil, "a\xff", driver.ErrText},
		{"a shell line", nil, " !id", driver.ErrText},
		{"a command", nil, "/exit", driver.ErrText},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			if tt.lay != nil {
				tt.lay(t, r)
			}
			err := r.d.Say(t.Context(), r.target(), tt.text)
			if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "lamp: saying something to shop@lamp.1: ") {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if n := len(r.log("load-buffer")) + len(r.log("paste-buffer")) + len(r.log("send-keys")); n > 0 {
				t.Errorf("%d calls changed something", n)
			}
		})
	}
}

// What was typed and did not go is said so, and Enter is never pressed where
// something else would take it.
func TestSay_unsubmitted(t *testing.T) {
	tests := []struct {
		name, pasted, entered string
		enters                int
		also                  error
	}{
		{"Enter is swallowed", shows("Go on."), "", enters, nil},
		{"the paste is swallowed", "", "", 0, nil},
		{"a dialog opens before Enter", menu, "", 0, driver.ErrDialog},
		{"a person types on", shows("Go on. wait"), "", 0, nil},
		{"a dialog opens after Enter", shows("Go on."), menu, 1, driver.ErrDialog},
		{"a person types after Enter", shows("Go on."), shows("Go on. wait"), 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			for name, pane := range map[string]string{"pasted": tt.pasted, "entered": tt.entered} {
				if pane != "" {
					r.put(t, name, pane)
				}
			}
			err := r.d.Say(t.Context(), r.target(), "Go on.")
			if !errors.Is(err, driver.ErrUnsubmitted) || tt.also != nil && !errors.Is(err, tt.also) {
				t.Errorf("%v", err)
			}
			if n := len(r.log("send-keys")); n != tt.enters {
				t.Errorf("Enter %d times, want %d", n, tt.enters)
			}
		})
	}
}

// A pane that cannot be asked is an error; one that is not there is none.
func TestLook(t *testing.T) {
	r := newRig(t)
	r.d.Timeout = 5 * time.Second
	s, err := r.d.Look(t.Context(), r.target())
	if err != nil || !s.Alive || s.PID != r.PID || !s.Start.Equal(r.Start) || s.Place != "%7" || !s.Prompt || s.Draft || s.Moving || s.Attached || s.Mode || s.Stall != "hi" {
		t.Errorf("%+v, %v", s, err)
	}
	if n := len(r.log("capture-pane")); n != 3 {
		t.Errorf("%d looks", n)
	}
	r.put(t, "says", "error connecting to /tmp/x (Permission denied)\n")
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || s.Alive || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("a server that refuses: %+v, %v", s, err)
	}
	r.put(t, "says", "error connecting to /tmp/x (No such file or directory)\n")
	if s, err := r.d.Look(t.Context(), r.target()); err != nil || s.Alive {
		t.Errorf("no server: %+v, %v", s, err)
	}
	r.put(t, "hang", "")
	r.d.Timeout = 100 * time.Millisecond
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || s.Alive {
		t.Errorf("a server that does not answer: %+v, %v", s, err)
	}
	if err := os.Remove(filepath.Join(r.dir, "tmux")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", r.dir)
	if s, err := r.d.Look(t.Context(), r.target()); err == nil || s.Alive {
		t.Errorf("no tmux: %+v, %v", s, err)
	}
	for _, bad := range []string{"", "a\nb", "$0"} {
		if _, err := r.d.Look(context.Background(), driver.Target{Session: bad}); err == nil {
			t.Errorf("the name %q is taken", bad)
		}
	}
}

// What changes between two of the looks is movement.
func TestLook_moving(t *testing.T) {
	r := newRig(t)
	r.d.Gaps = []time.Duration{time.Millisecond, 300 * time.Millisecond}
	go func() {
		driver.Until(context.Background(), 10*time.Second, func() bool { return len(r.log("capture-pane")) >= 2 })
		time.Sleep(50 * time.Millisecond)
		os.WriteFile(filepath.Join(r.dir, "pane"), []byte(strings.Replace(shows(""), "Hi.", "Hi!", 1)), 0o600)
	}()
	if s, err := r.d.Look(t.Context(), r.target()); err != nil || !s.Moving {
		t.Errorf("%+v, %v", s, err)
	}
}

// Of the panes of a session the one that holds the process counts, whichever is
// active; a person before any of them is before the session.
func TestChoose(t *testing.T) {
	table := driver.Table{{PID: 10, PPID: 1, Argv: []string{"bash"}}, {PID: 11, PPID: 10, Exe: "/x/claude", Argv: []string{"claude"}}, {PID: 20, PPID: 1, Argv: []string{"vi"}}}
	tests := []struct {
		name, out, place string
		pid              int
		alive, attached  bool
	}{
		{"below a shell", "%1 20 0 0 0 0 0 my lamp\n%2 10 0 0 0 0 0 my lamp\n", "%2", 11, true, false},
		{"attached to another window", "%1 20 0 0 0 0 1 my lamp\n%2 10 0 0 0 0 0 my lamp\n", "%2", 11, true, true},
		{"none", "%1 20 0 0 0 0 0 my lamp\n", "%1", 0, true, false},
		{"dead", "%1 10 1 0 0 0 0 my lamp\n", "%1", 0, false, false},
		{"dead beside one that lives", "%1 10 1 0 0 0 0 my lamp\n%2 20 0 0 0 0 0 my lamp\n", "%2", 0, true, false},
		{"nothing", "", "", 0, false, false},
		{"another session", "%2 10 0 0 0 0 0 my lamps\n", "", 0, false, false},
	}
	for _, tt := range tests {
		v, err := choose(tt.out, driver.Target{Session: "my lamp"}, table)
		if err != nil || v.Place != tt.place || v.PID != tt.pid || v.Alive != tt.alive || v.Attached != tt.attached {
			t.Errorf("%s: %+v, %v", tt.name, v.State, err)
		}
	}
	for _, bad := range []string{"%1 20 0\n", "%1 x 0 0 0 0 0 my lamp\n"} {
		if _, err := choose(bad, driver.Target{Session: "my lamp"}, table); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Of two panes with Claude Code the one that the target names counts, else the one
// that holds its process; a pane that is gone is no other one.
func TestChoose_two(t *testing.T) {
	claude := func(pid, parent int) driver.Process {
		return driver.Process{PID: pid, PPID: parent, Exe: "/x/claude", Argv: []string{"claude"}}
	}
	table := driver.Table{claude(10, 1), {PID: 20, PPID: 1, Argv: []string{"-bash"}}, claude(21, 20), claude(22, 20), {PID: 30, PPID: 1, Argv: []string{"make"}}}
	const out = "%1 10 0 0 0 0 0 lamp\n%2 20 0 0 0 0 0 lamp\n%3 30 0 0 0 0 0 lamp\n"
	for _, tt := range []struct {
		place string
		pid   int
		want  string
		found int
	}{
		{"", 0, "%1", 10}, {"", 10, "%1", 10}, {"", 21, "%2", 21}, {"", 22, "%2", 22}, {"", 99, "%1", 10},
		{"%2", 22, "%2", 22}, {"%2", 0, "%2", 21}, {"%2", 10, "%2", 21}, {"%3", 22, "%3", 0}, {"%9", 22, "", 0},
	} {
		v, err := choose(out, driver.Target{Session: "lamp", Place: tt.place, PID: tt.pid}, table)
		if err != nil || v.Place != tt.want || v.PID != tt.found {
			t.Errorf("pane %q, process %d: %q, %d, %v", tt.place, tt.pid, v.Place, v.PID, err)
		}
	}
}

// What a person runs beside the process in its shell is seen; what a script runs
// beside it, and what started it, is no such thing.
func TestOthers(t *testing.T) {
	claude := driver.Process{PID: 12, PPID: 11, Exe: "/x/claude", Argv: []string{"claude"}}
	tool, job, tee := driver.Process{PID: 13, PPID: 12, Argv: []string{"make"}}, driver.Process{PID: 14, PPID: 10, Argv: []string{"make"}}, driver.Process{PID: 15, PPID: 11, Argv: []string{"tee"}}
	script := driver.Process{PID: 11, PPID: 10, Argv: []string{"/bin/sh", "./claude.sh"}}
	for name, tt := range map[string]struct {
		root []string
		more driver.Table
		want bool
	}{
		"a shell":                   {[]string{"-bash"}, nil, false},
		"with a tool of it":         {[]string{"bash", "-l"}, driver.Table{tool, tee}, false},
		"with a job":                {[]string{"/usr/bin/zsh"}, driver.Table{job}, true},
		"a launcher and its helper": {[]string{"sh", "-c", "x", "fleet-launch"}, driver.Table{job}, false},
	} {
		table := append(driver.Table{{PID: 10, PPID: 1, Argv: tt.root}, script, claude}, tt.more...)
		v, err := choose("%1 10 0 0 0 0 0 lamp\n", driver.Target{Session: "lamp", PID: 12}, table)
		if err != nil || v.PID != 12 || v.others != tt.want || v.beside {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// The words of a session reach tmux as they are.
func TestStart_words(t *testing.T) {
	r := newRig(t)
	r.put(t, "panes", "")
	how := driver.Launch{Argv: []string{"claude", "a;", "#{x}"}, Env: []string{"A=b;", "B=#(id)"}, Then: []string{"note", "it's"}}
	target := r.target()
	target.Cwd = filepath.Join(r.dir, "a#b;")
	if _, err := r.d.Start(t.Context(), target, how); err == nil || !strings.Contains(err.Error(), "is gone") || len(r.log("new-session")) > 0 { // case path-worktree-gone
		t.Errorf("no directory: %v", err)
	}
	if err := os.Mkdir(target.Cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := r.d.Start(t.Context(), target, how); !errors.Is(err, driver.ErrGone) || !strings.HasSuffix(err.Error(), "by hand, in "+target.Cwd) {
		t.Errorf("%v", err)
	}
	for said, want := range map[string]string{"": ", and nothing that it said was seen; run what starts it by hand, in " + target.Cwd, " \n": ", and nothing that it said was seen; run what starts it by hand, in " + target.Cwd,
		"no such program": ": it said: no such program"} {
		if err := gone(target, said); !errors.Is(err, driver.ErrGone) || err.Error() != driver.ErrGone.Error()+want {
			t.Errorf("%q: %v", said, err)
		}
	}
	calls := r.log("new-session")
	if len(calls) != 1 {
		t.Fatalf("%q", calls)
	}
	got := strings.Join(calls[0], " ")
	for _, want := range []string{"-u new-session -d -s shop@lamp_1 -x 200 -y 50 -c " + r.dir + "/a##b\\; -e A=b\\; -e B=#(id) -- sh -c ", ` fleet-launch claude a\; #{x} ; set-option -w -t =shop@lamp_1: remain-on-exit on`, `'note' 'it'\''s' "$fleet_s"`, " TERM PWD A B "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	r.panes(t, "1 0 0 0 0")
	if _, err := r.d.Start(t.Context(), r.target(), how); !errors.Is(err, driver.ErrRuns) {
		t.Errorf("a session of that name: %v", err)
	}
}

// The launcher runs a program with the environment it is given, and tells its
// status to another.
func TestLauncher(t *testing.T) {
	dir := t.TempDir()
	note := filepath.Join(dir, "note")
	how := driver.Launch{
		Argv: []string{"sh", "-c", `echo "$A ${SECRET:-none} $1"; exit 7`, "x", "a  b;"}, Env: []string{"A=it's", "PATH=" + os.Getenv("PATH")},
		Then: []string{"sh", "-c", `echo "ended $2 $1" >"$0"`, note, "a b"},
	}
	cmd := exec.Command("sh", append([]string{"-c", launcher(how), "fleet-launch"}, how.Argv...)...)
	cmd.Env = append(slices.Clone(how.Env), "SECRET=x", "TMUX=y")
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 7 || string(out) != "it's none a  b;\n" {
		t.Errorf("%q, %v", out, err)
	}
	if b, err := os.ReadFile(note); string(b) != "ended 7 a b\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// Stop ends the process that was seen and no other, and the session when it
// stays.
func TestStop(t *testing.T) {
	r := newRig(t)
	changed := r.target()
	changed.Start = changed.Start.Add(-time.Minute)
	unknown := r.target()
	unknown.PID = 0
	elsewhere := r.target()
	elsewhere.Cwd = "/"
	for name, target := range map[string]driver.Target{"a later process": changed, "one that nobody saw": unknown, "one in another directory": elsewhere} {
		if err := r.d.Stop(t.Context(), target, time.Second); !errors.Is(err, driver.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.panes(t, "0 0 1 0 0")
	if err := r.d.Stop(t.Context(), r.target(), time.Second); !errors.Is(err, driver.ErrAttached) {
		t.Errorf("attached: %v", err)
	}
	if p, err := driver.ReadProcess(r.PID); err != nil || p == nil {
		t.Fatalf("the process was ended: %v", err)
	}
	r.panes(t, "0 0 0 0 0")
	if err := r.d.Stop(t.Context(), r.target(), 5*time.Second); err != nil {
		t.Error(err)
	}
	if p, err := driver.ReadProcess(r.PID); err != nil || p != nil {
		t.Errorf("the process lives: %v, %v", p, err)
	}
	if got := r.log("kill-session"); len(got) != 1 || got[0][3] != "=shop@lamp_1:" {
		t.Errorf("%q", got)
	}
	r.put(t, "says", "can't find session: x\n")
	if err := r.d.Stop(t.Context(), r.target(), time.Second); !errors.Is(err, driver.ErrAbsent) {
		t.Errorf("%v", err)
	}
}

// A session to which somebody came while its process ended stays, and the error says
// that the process was ended.
func TestStop_ended(t *testing.T) {
	r := newRig(t)
	go func() {
		driver.Until(t.Context(), time.Minute, func() bool { p, err := driver.ReadProcess(r.PID); return p == nil && err == nil })
		_ = os.WriteFile(filepath.Join(r.dir, "panes"), []byte("%7 "+strconv.Itoa(r.PID)+" 0 0 1 0 0 shop@lamp_1\n"), 0o600)
	}()
	err := r.d.Stop(t.Context(), r.target(), 5*time.Second)
	if !errors.Is(err, driver.ErrEnded) || !errors.Is(err, driver.ErrAttached) || len(r.log("kill-session")) > 0 {
		t.Errorf("%v, %q", err, r.log("kill-session"))
	}
}

// A process that works below its workspace is its workspace's: it counts as
// started, and is ended. In another checkout inside of that it is not.
func TestBelow(t *testing.T) {
	for name, tree := range map[string]bool{"its own": false, "another checkout": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			target := r.target()
			target.Cwd = filepath.Dir(r.dir)
			if err := os.Mkdir(filepath.Join(target.Cwd, ".macf"), 0o700); err != nil {
				t.Fatal(err)
			}
			r.put(t, "../.macf/macf-agent.json", "{}")
			if tree {
				r.put(t, ".git", "gitdir: /x/.git/worktrees/y\n")
			}
			if s, err := r.d.begun(t.Context(), target); s.PID != r.PID || errors.Is(err, driver.ErrUnseen) != tree || !tree && err != nil {
				t.Errorf("begun: %+v, %v", s, err)
			}
			err := r.d.Stop(t.Context(), target, 5*time.Second)
			p, perr := driver.ReadProcess(r.PID)
			if errors.Is(err, driver.ErrChanged) != tree || !tree && err != nil || (p != nil) != tree || perr != nil {
				t.Errorf("ended: %v; %v %v", err, p, perr)
			}
		})
	}
}

// A session in which something runs that is not the target's process stays, and so
// does that process; one in which nothing runs any more is ended for who has none.
func TestStop_taken(t *testing.T) {
	r := newRig(t)
	build := exec.Command("sleep", "600")
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { build.Process.Kill(); build.Wait() })
	nobody := r.target()
	nobody.PID = 0
	alone := "%8 " + strconv.Itoa(build.Process.Pid) + " 0 0 0 0 0 shop@lamp_1\n"
	ours := "%7 " + strconv.Itoa(r.PID) + " 0 0 0 0 0 shop@lamp_1\n"
	for name, tt := range map[string]struct {
		panes string
		t     driver.Target
		want  error
	}{
		"a build, of a target with a process":    {alone, r.target(), driver.ErrAbsent},
		"a build, of a target without a process": {alone, nobody, driver.ErrRuns},
		"a build in a pane beside it":            {ours + alone, r.target(), driver.ErrRuns},
		"a dead one, of a target with a process": {"%8 1 1 0 0 0 0 shop@lamp_1\n", r.target(), driver.ErrAbsent},
	} {
		r.put(t, "panes", tt.panes)
		if err := r.d.Stop(t.Context(), tt.t, time.Second); !errors.Is(err, tt.want) || len(r.log("kill-session")) > 0 {
			t.Errorf("%s: %v, %q", name, err, r.log("kill-session"))
		}
		for _, pid := range []int{r.PID, build.Process.Pid} {
			if p, err := driver.ReadProcess(pid); err != nil || p == nil {
				t.Fatalf("%s: process %d was ended: %v", name, pid, err)
			}
		}
	}
	r.put(t, "panes", "%8 1 1 0 0 0 0 shop@lamp_1\n")
	if err := r.d.Stop(t.Context(), nobody, time.Second); err != nil || len(r.log("kill-session")) != 1 {
		t.Errorf("a dead one: %v", err)
	}
}

// Of a prompt is known whether it holds a text and nothing else.
func TestHolds(t *testing.T) {
	long := strings.Repeat("many words ", 60)
	for _, tt := range []struct {
		prompt, text string
		want         bool
	}{
		{"a b", "a b", true}, {"a\nb", "a b", true}, {"", "a", false}, {"a b c", "a b", false}, {"a", "a b", false},
		{"[Pasted text #1 +10 lines]", "a", true}, {"x [Pasted text #1 +10 lines]", "a", false}, {"[Pasted text #1 +10 lines] x", "a", false},
		{long[:300], long, true}, {long[:300] + "x", long, false},
	} {
		if got := holds(tt.prompt, tt.text); got != tt.want {
			t.Errorf("%q of %q: %t", tt.prompt, tt.text, got)
		}
	}
}
