// Package claude acts on background sessions of Claude Code, through its own commands. Source: Claude Code 2.1.280.
//
// What its commands say is not what they did: a session that cannot be resumed is "backgrounded" all the same, and one that
// runs is resumed as a copy. So each act looks at the listing and at the process table afterwards.
package claude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
)

// Driver is the driver of background sessions. Their name in a Target is the id
// of the job.
type Driver struct {
	Bin     string        // the program
	Dir     string        // its directory: ~/.claude, or CLAUDE_CONFIG_DIR
	Env     []string      // its environment when it is asked or stops a session: PATH, HOME, CLAUDE_CONFIG_DIR
	Timeout time.Duration // of one command
	Begin   time.Duration // how long a session may take until its process is there
	Stays   time.Duration // how long that must live before it counts as started
}

var _ driver.Driver = (*Driver)(nil)

// New returns the driver of the sessions in a directory of Claude Code.
func New(bin, dir string, env []string) *Driver {
	return &Driver{Bin: bin, Dir: dir, Env: env, Timeout: time.Minute, Begin: time.Minute, Stays: 3 * time.Second}
}

// Name returns claude.
func (d *Driver) Name() string { return "claude" }

// maxOutput is how much of a command's output is read: the listing has some 400
// bytes a session, and no cap.
const maxOutput = 16 << 20

// run runs the program. What it says when it fails is the error.
func (d *Driver) run(ctx context.Context, dir string, env []string, argv ...string) (string, error) {
	spec := command.Spec{Argv: argv, Path: d.Bin, Env: env, Dir: dir, Timeout: d.Timeout, KillAfter: time.Second, MaxOutput: maxOutput}
	res, err := command.Act(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("claude %s: %w", argv[1], err)
	}
	if res.Status != 0 {
		return "", &refusal{argv[1], res.Status, guard.Text(string(res.Stderr)+" "+string(res.Stdout), 300)}
	}
	return string(res.Stdout), nil
}

// refusal is what the program said.
type refusal struct {
	command string
	status  int
	says    string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("claude %s: %s", r.command, command.Exit(r.status, r.says))
}

// held is what the program says of a session that it takes for a running one.
var held = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)running as a background (?:session|agent)|session id \S+ is already in use`)
})

// Look tells how the session is, by the listing and the process table. Alive is
// a process: a job that waits for one, and a shell job at all times, has none.
// That the work of one without is over either the listing or the job file says.
func (d *Driver) Look(ctx context.Context, t driver.Target) (driver.State, error) {
	s, err := d.look(ctx, t)
	if err == nil && s.Place != "" && !s.Alive && s.Over == "" {
		s.Over, err = d.noted(t.Session)
	}
	if err != nil {
		return driver.State{}, fmt.Errorf("%s: looking at job %s: %w", t.Agent, t.Session, err)
	}
	return s, nil
}

func (d *Driver) look(ctx context.Context, t driver.Target) (driver.State, error) {
	if !jobID().MatchString(t.Session) {
		return driver.State{}, fmt.Errorf("no id of a job: %s", guard.Quote(t.Session))
	}
	out, err := d.run(ctx, "", d.Env, "claude", "agents", "--json", "--all")
	if err != nil {
		return driver.State{}, err
	}
	rows, unparsed, _, err := claude.Listing([]byte(out))
	if err != nil {
		return driver.State{}, fmt.Errorf("claude agents: %w", err)
	}
	i := slices.IndexFunc(rows, func(r claude.Row) bool { return r.ID == t.Session })
	if i < 0 {
		// The listing leaves out what it cannot read, and says nothing.
		if _, err := os.Lstat(filepath.Join(d.Dir, "jobs", t.Session)); !errors.Is(err, os.ErrNotExist) || unparsed > 0 {
			return driver.State{}, fmt.Errorf("claude agents: the job is not listed, and is there (%d rows were not understood)", unparsed)
		}
		return driver.State{}, nil
	}
	return state(rows[i])
}

// over is the word of a job whose work is over, "" of another.
func over(state string) string {
	if state == "done" || state == "stopped" {
		return state
	}
	return ""
}

// noted is over of what the job file says, which is newer than a listing may be; "" when
// there is none.
func (d *Driver) noted(id string) (string, error) {
	f, err := machine.OpenFile(filepath.Join(d.Dir, "jobs", id, "state.json"))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxOutput))
	if err != nil {
		return "", err
	}
	j, _, err := claude.ReadJobFile(b, id)
	if err != nil {
		return "", fmt.Errorf("its state.json: %w", err)
	}
	return over(j.State), nil
}

// state is what a row and the process table say of a session.
func state(r claude.Row) (driver.State, error) {
	s := driver.State{Place: r.ID, Over: over(r.State)}
	if r.PID == 0 {
		return s, nil
	}
	p, err := driver.ReadProcess(r.PID)
	if err != nil || p == nil {
		return s, err
	}
	s.Over, s.Alive, s.PID, s.Start = "", true, p.PID, p.Start
	switch r.Status {
	case "idle":
		s.Prompt = true
	case "waiting":
		s.Dialog = "waiting"
		if r.WaitingFor != "" {
			s.Dialog = guard.Text(r.WaitingFor, 200)
		}
	default:
		s.Moving = true
	}
	return s, nil
}

var (
	jobID        = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{8}$`) })
	backgrounded = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`backgrounded · ([0-9a-f]{8})\b`) })
)

// Say refuses: a background session has a prompt only where a person opened it.
// It is told something when it is woken: see Wake.
func (d *Driver) Say(ctx context.Context, t driver.Target, _ string) error {
	s, err := d.Look(ctx, t)
	switch {
	case err != nil:
		return err
	case !s.Alive:
		err = driver.ErrAbsent
	default:
		err = fmt.Errorf("%w: a background session has none", driver.ErrNoPrompt)
	}
	return fmt.Errorf("%s: saying something to job %s: %w", t.Agent, t.Session, err)
}

// Stop stops the session with the program's own command, and ends its process
// when that outlives the grace. Its conversation is kept.
func (d *Driver) Stop(ctx context.Context, t driver.Target, grace time.Duration) error {
	if err := d.stop(ctx, t, grace); err != nil {
		return fmt.Errorf("%s: stopping job %s: %w", t.Agent, t.Session, err)
	}
	return nil
}

func (d *Driver) stop(ctx context.Context, t driver.Target, grace time.Duration) error {
	s, err := d.look(ctx, t)
	switch {
	case err != nil:
		return err
	case s.Place == "":
		return driver.ErrAbsent
	}
	p := &driver.Process{PID: s.PID, Start: s.Start}
	if s.Alive {
		if t.PID == 0 || !t.Same(p) {
			return fmt.Errorf("%w: process %d", driver.ErrChanged, s.PID)
		}
		cwd, err := driver.Cwd(ctx, s.PID)
		if err != nil {
			return fmt.Errorf("%w: where process %d works: %w", driver.ErrChanged, s.PID, err)
		}
		if t.Cwd != "" && cwd != t.Cwd {
			return fmt.Errorf("%w: process %d works in %s, and not in %s", driver.ErrChanged, s.PID, guard.Quote(cwd), guard.Quote(t.Cwd))
		}
	}
	if _, err := d.run(ctx, "", d.Env, "claude", "stop", t.Session); err != nil {
		return err
	}
	if !s.Alive || driver.Until(ctx, grace, func() bool { now, err := driver.ReadProcess(s.PID); return err == nil && !t.Same(now) }) {
		return nil
	}
	return driver.End(ctx, *p, grace)
}
