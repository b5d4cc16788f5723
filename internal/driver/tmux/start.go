package tmux

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/shell"
)

// maxLastWords is how wide what a session said when it ended at once gets.
const maxLastWords = 400

// Start begins a session. Its pane stays until the process was seen to live, so
// that one that ends at once can be asked what it said.
func (d *Driver) Start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	s, err := d.start(ctx, t, how)
	if err != nil {
		return s, fmt.Errorf("%s: starting %s: %w", t.Agent, t.Session, err)
	}
	return s, nil
}

func (d *Driver) start(ctx context.Context, t driver.Target, how driver.Launch) (driver.State, error) {
	if err := check(t); err != nil {
		return driver.State{}, err
	}
	if len(how.Argv) == 0 || !filepath.IsAbs(t.Cwd) {
		return driver.State{}, fmt.Errorf("nothing to run, or no absolute directory: %s in %s", guard.Quote(strings.Join(how.Argv, " ")), guard.Quote(t.Cwd))
	}
	if info, err := os.Stat(t.Cwd); err != nil || !info.IsDir() { // tmux would take the home in its place
		return driver.State{}, fmt.Errorf("its directory %s is gone: %v", t.Cwd, err)
	}
	t.Place, t.PID = "", 0 // of another process
	if v, err := d.peek(ctx, t); err != nil || v.Place != "" {
		if err == nil {
			err = driver.ErrRuns
		}
		return driver.State{}, err
	}
	words := []string{"new-session", "-d", "-s", verbatim(sessionName(t.Session)), "-x", "200", "-y", "50", "-c", verbatim(t.Cwd)}
	for _, v := range how.Env {
		words = append(words, "-e", word(v))
	}
	words = append(words, "--", "sh", "-c", word(launcher(how)), "fleet-launch")
	for _, w := range how.Argv {
		words = append(words, word(w))
	}
	words = append(words, ";", "set-option", "-w", "-t", word(exactly(t)), "remain-on-exit", "on")
	if _, err := d.run(ctx, t, "", words...); err != nil {
		if runs(err) {
			err = driver.ErrRuns
		}
		return driver.State{}, err
	}
	s, err := d.begun(ctx, t)
	// From here on the session closes when it ends.
	if _, unset := d.run(context.WithoutCancel(ctx), t, "", "set-option", "-w", "-u", "-t", word(exactly(t)), "remain-on-exit"); err == nil && unset != nil && !missing(unset) {
		err = unset
	}
	return s, err
}

// begun waits until the Claude Code process of a new session has lived for a
// while, in the right directory, with something to show: one that refuses to go
// on needs some seconds to say so.
func (d *Driver) begun(ctx context.Context, t driver.Target) (driver.State, error) {
	v, err := view{}, error(nil)
	driver.Until(ctx, d.Begin, func() bool {
		v, err = d.peek(ctx, t)
		return err != nil || !v.Alive || v.process != nil && (v.Prompt || v.Viewer || v.Dialog != "")
	})
	first := v.process
	if err == nil && first != nil && driver.Pause(ctx, d.Stays) {
		v, err = d.peek(ctx, t)
	}
	switch {
	case err != nil:
		return v.State, fmt.Errorf("%w: %w", driver.ErrUnseen, err)
	case v.Place == "":
		return v.State, gone(t, "")
	case !v.Alive:
		return v.State, d.buried(ctx, t, v)
	case v.process == nil || first == nil || v.PID != first.PID:
		return v.State, driver.ErrUnseen
	}
	cwd, err := driver.Cwd(ctx, v.PID)
	if err != nil {
		return v.State, fmt.Errorf("%w: where process %d works: %w", driver.ErrUnseen, v.PID, err)
	}
	if !t.Holds(cwd) {
		return v.State, fmt.Errorf("%w: process %d works in %s, and not in %s", driver.ErrUnseen, v.PID, guard.Quote(cwd), guard.Quote(t.Cwd))
	}
	return v.State, nil
}

// buried closes a session that ended at once. The error tells what it said.
func (d *Driver) buried(ctx context.Context, t driver.Target, v view) error {
	// tmux may learn that it ended before it has read what it said, and moves what was said up by the row in which it
	// says so itself.
	var said string
	driver.Until(ctx, time.Second, func() bool {
		text, err := d.run(ctx, t, "", "capture-pane", "-p", "-J", "-S", "-50", "-t", v.Place) // -J: a word that the edge of the pane broke is one again
		said = lastWords(text)
		return err != nil || said != ""
	})
	if _, err := d.run(ctx, t, "", "kill-session", "-t", word(exactly(t))); err != nil && !missing(err) {
		return err
	}
	return gone(t, said)
}

// gone is the error of a session that ended at once, with its last words if it had any.
func gone(t driver.Target, said string) error {
	if said = guard.Text(said, maxLastWords); said == "" {
		return fmt.Errorf("%w, and nothing that it said was seen; run what starts it by hand, in %s", driver.ErrGone, t.Cwd)
	}
	return fmt.Errorf("%w: it said: %s", driver.ErrGone, said)
}

// lastWords are the last rows of a pane, without the line that tmux adds.
func lastWords(text string) string {
	var rows []string
	for row := range strings.Lines(text) {
		if row = strings.TrimSpace(row); row != "" && !strings.HasPrefix(row, "Pane is dead") {
			rows = append(rows, row)
		}
	}
	return strings.Join(rows[max(0, len(rows)-5):], "\n")
}

// launcher is the script that runs its arguments, and then a command with their
// exit status. It gives them no variable but those of the launch, and what tmux
// itself says of the pane: a server keeps the environment of whoever started it.
func launcher(how driver.Launch) string {
	keep := []string{"TMUX", "TMUX_PANE", "TERM", "PWD"}
	for _, v := range how.Env {
		name, _, _ := strings.Cut(v, "=")
		keep = append(keep, name)
	}
	script := `for fleet_v in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do case " ` + strings.Join(keep, " ") +
		` " in *" $fleet_v "*) ;; *) unset "$fleet_v" ;; esac; done; "$@"; fleet_s=$?; `
	for _, w := range how.Then {
		script += shell.Quote(w) + " "
	}
	if len(how.Then) > 0 {
		script += `"$fleet_s"; `
	}
	return script + `exit "$fleet_s"`
}
