package tmux

import (
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
