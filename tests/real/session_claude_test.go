//go:build real

package real

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// project is the directory, under HOME, that the sessions work in.
const project = "work"

// trial is a session to be brought into a situation.
type trial struct {
	situation  string
	background bool
	scenario   string // what the model says; "": the session gets no prompt
	shell      string // the command of a shell job
	args       []string
	ready      condition
	last       func(context.Context, *claudebox.Box, *session) error // what is done to it then; nil: nothing
	want       want
}

// session is what a trial has become.
type session struct {
	trial
	key   string // its name in tmux
	pid   int
	jobID string
	id    string // session id
	err   error  // why it is not in its situation
}

// start starts the session.
func (s *session) start(ctx context.Context, box *claudebox.Box) (err error) {
	var args []string
	if s.scenario != "" {
		args = append(args, fmt.Sprintf("Do it [case:%s]", s.scenario))
	}
	args = append(args, s.args...)
	if s.shell != "" {
		args = append(args, "--exec", s.shell)
	}
	if s.background {
		s.jobID, err = box.Background(ctx, box.Path(project), args...)
	} else {
		s.pid, err = box.Interactive(ctx, s.key, box.Path(project), args...)
	}
	return err
}

// identify fills in the ids of a session that has begun, and reports whether it has them.
func (s *session) identify(box *claudebox.Box) bool {
	if s.shell != "" {
		j, err := box.Job(s.jobID)
		s.id = j.SessionID
		return err == nil
	}
	for _, file := range box.Sessions() {
		if s.background && file.JobID == s.jobID || !s.background && file.PID == s.pid {
			s.pid, s.id = file.PID, file.SessionID
			return true
		}
	}
	return false
}

// await waits until all sessions are in their situations at the same time. Those that never are
// tell what they show instead.
func await(ctx context.Context, box *claudebox.Box, fleet []*session) {
	var late []*session
	err := claudebox.Await(ctx, "their situations", func() bool {
		late = nil
		for _, s := range fleet {
			if s.err == nil && !(s.identify(box) && s.ready(box, s)) {
				late = append(late, s)
			}
		}
		return late == nil
	})
	if err == nil {
		return
	}
	for _, s := range late {
		s.err = fmt.Errorf("not in its situation after %s", patience)
		if s.background {
			j, _ := box.Job(s.jobID)
			s.err = fmt.Errorf("%w: job %+v", s.err, j)
		} else if screen, err := box.Screen(context.Background(), s.key); err == nil {
			s.err = fmt.Errorf("%w:\n%s", s.err, strings.TrimSpace(screen))
		}
	}
}

// condition reports whether a session is in its situation.
type condition func(*claudebox.Box, *session) bool

// status holds while the process of the session says so and, if it was prompted, was answered.
func status(want string) condition {
	return func(b *claudebox.Box, s *session) bool {
		file, err := b.Session(s.pid)
		return err == nil && file.Status == want && (s.scenario == "" || b.Says(s.id, `"type":"assistant"`))
	}
}

// busy holds while the session works on its prompt.
func busy(b *claudebox.Box, s *session) bool {
	file, err := b.Session(s.pid)
	return err == nil && file.Status == "busy" && b.Says(s.id, `"type":"user"`)
}

// delegated holds while a subagent of the session works.
func delegated(b *claudebox.Box, s *session) bool {
	return busy(b, s) && b.SubagentSays(s.id, `"type":"user"`)
}

// prompts holds while a prompt that a tool call opened is shown.
func prompts(b *claudebox.Box, s *session) bool {
	return status("waiting")(b, s) && b.Says(s.id, `"type":"tool_use"`)
}

// failed holds when the turn ended in an error line of Claude Code's own.
func failed(b *claudebox.Box, s *session) bool { return status("idle")(b, s) && b.Says(s.id, apiError) }

// limited is failed with the menu of a usage limit open, or not.
func limited(b *claudebox.Box, s *session) bool {
	return failed(b, s) || status("waiting")(b, s) && b.Says(s.id, apiError)
}

const apiError = `"isApiErrorMessage":true`

// says holds when text stands in the transcript.
func says(text string) condition {
	return func(b *claudebox.Box, s *session) bool { return b.Says(s.id, text) }
}

// job holds when the file of the job says state and tempo and its process, if it has one, works on nothing.
func job(state, tempo string) condition {
	return func(b *claudebox.Box, s *session) bool {
		j, err := b.Job(s.jobID)
		if err != nil || j.State != state || j.Tempo != tempo {
			return false
		}
		file, err := b.Session(s.pid)
		return s.shell != "" || err == nil && file.Status != "busy"
	}
}

// all holds when every condition does.
func all(conditions ...condition) condition {
	return func(b *claudebox.Box, s *session) bool {
		for _, holds := range conditions {
			if !holds(b, s) {
				return false
			}
		}
		return true
	}
}

// kill ends the process of the session without a chance to tidy up.
func kill(ctx context.Context, _ *claudebox.Box, s *session) error { return kill9(ctx, s.pid) }

func kill9(ctx context.Context, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("killing %d: %w", pid, err)
	}
	return claudebox.Await(ctx, fmt.Sprintf("process %d to end", pid), func() bool { return ended(pid) })
}

// ended reports whether a process has ended. That its parent may not have noticed is of no interest.
func ended(pid int) bool {
	_, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err != nil
}

// stop stops the job as its user would.
func stop(ctx context.Context, box *claudebox.Box, s *session) error {
	if _, err := box.Output(ctx, box.Home, "claude", "stop", s.jobID); err != nil {
		return err
	}
	return claudebox.Await(ctx, "the job to stop", func() bool {
		j, err := box.Job(s.jobID)
		return err == nil && j.State == "stopped" && ended(s.pid)
	})
}

// killDaemon ends the daemon, which would start the job's process again, and then that.
func killDaemon(ctx context.Context, box *claudebox.Box, s *session) error {
	data, err := os.ReadFile(filepath.Join(box.ClaudeDir(), "daemon.lock"))
	if err != nil {
		return err
	}
	var lock struct{ PID int }
	if err := json.Unmarshal(data, &lock); err != nil {
		return fmt.Errorf("reading daemon.lock: %w", err)
	}
	for _, pid := range []int{lock.PID, s.pid} {
		if err := kill9(ctx, pid); err != nil {
			return err
		}
	}
	return claudebox.Await(ctx, "the listing to give the job up", func() bool {
		rows, err := box.Listing(ctx)
		return err == nil && slices.ContainsFunc(rows, func(r claudebox.Row) bool { return r.ID == s.jobID && r.State == "failed" })
	})
}
