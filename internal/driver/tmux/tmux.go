// Package tmux acts on sessions of Claude Code that run in tmux.
//
// A session is always named exactly, its pane by the id that tmux gave it: a name alone is a pattern to tmux. What is typed
// reaches tmux on a pipe and a session as one paste, then Enter for itself; nothing that stands in a prompt is ever cleared.
// A person's own doing (a mode of the pane, a draft, a terminal that shows the session) ends an act before it begins.
package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/screen"
)

// Driver is the driver of sessions in tmux.
type Driver struct {
	Env     []string        // the environment of tmux itself, but for TMUX and TMUX_PANE: PATH, HOME, TMUX_TMPDIR
	Gaps    []time.Duration // between the looks of Look
	Rest    time.Duration   // between a paste and its Enter: a program that still reads a paste takes Enter for a part of it
	Settle  time.Duration   // how long a paste or an Enter may take to show
	Begin   time.Duration   // how long a session may take until its Claude Code process is there
	Stays   time.Duration   // how long that must live before it counts as started
	Timeout time.Duration   // of one command of tmux
	stalls  screen.Signatures
}

var _ driver.Driver = (*Driver)(nil)

// New returns the driver. The error is a signature that is no regular
// expression.
func New(env []string, signatures []driver.Signature) (*Driver, error) {
	d := &Driver{
		Env: env, Gaps: []time.Duration{700 * time.Millisecond, 1300 * time.Millisecond}, Rest: time.Second, Settle: 3 * time.Second,
		Begin: time.Minute, Stays: 3 * time.Second, Timeout: 10 * time.Second,
	}
	for _, s := range signatures {
		if err := d.stalls.Add(s.ID, s.Pattern); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Name returns tmux.
func (d *Driver) Name() string { return "tmux" }

// maxPane is how much of tmux's output is read: a pane with colours is some 50 KB.
const maxPane = 1 << 20

// run runs commands of tmux. stdin is for load-buffer. What tmux says when it
// does not do as it was told is the error.
func (d *Driver) run(ctx context.Context, t driver.Target, stdin string, words ...string) (string, error) {
	argv := []string{"tmux", "-u"}
	if t.Socket != "" {
		argv = append(argv, "-S", t.Socket)
	}
	spec := command.Spec{Argv: append(argv, words...), Timeout: d.Timeout, KillAfter: time.Second, MaxOutput: maxPane}
	for _, v := range d.Env {
		if !strings.HasPrefix(v, "TMUX=") && !strings.HasPrefix(v, "TMUX_PANE=") {
			spec.Env = append(spec.Env, v)
		}
	}
	if stdin != "" {
		spec.Stdin = strings.NewReader(stdin)
	}
	res, err := command.Act(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w", words[0], err)
	}
	if res.Status != 0 {
		return "", &refusal{words[0], res.Status, guard.Text(res.FirstLine(), 200)}
	}
	return string(res.Stdout), nil
}

// refusal is what tmux said.
type refusal struct {
	command string
	status  int
	says    string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("tmux %s: %s", r.command, command.Exit(r.status, r.says))
}

// missing tells whether tmux says that there is no such server, session or
// pane. A server that refuses or that ends meanwhile is none of these.
func missing(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && (strings.HasPrefix(r.says, "no server running on ") || strings.HasPrefix(r.says, "can't find ") ||
		strings.HasPrefix(r.says, "error connecting to ") && (strings.HasSuffix(r.says, "(No such file or directory)") || strings.HasSuffix(r.says, "(Connection refused)")))
}

// runs tells whether tmux says that a session of the name is there.
func runs(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && strings.HasPrefix(r.says, "duplicate session")
}

// sessionName is the name that tmux gives a session.
func sessionName(name string) string { return strings.NewReplacer(".", "_", ":", "_").Replace(name) }

// exactly is the target of a session and of nothing else: with "=" the name is
// no pattern, with ":" every command takes it.
func exactly(t driver.Target) string { return "=" + sessionName(t.Session) + ":" }

// word is an argument that tmux takes as it is: one that ends in ";" would end
// the command.
func word(s string) string {
	if head, ok := strings.CutSuffix(s, ";"); ok {
		return head + `\;`
	}
	return s
}

// verbatim is an argument in which tmux would fill in formats, such as #(id).
func verbatim(s string) string { return word(strings.ReplaceAll(s, "#", "##")) }

// check returns why a target names no session.
func check(t driver.Target) error {
	if t.Session == "" || t.Session[0] == '$' || strings.ContainsFunc(t.Session, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%s: no name of a session: %s", t.Agent, guard.Quote(t.Session))
	}
	return nil
}
