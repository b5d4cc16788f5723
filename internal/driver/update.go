package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
)

// UpdateLimit is how long bringing one agent to a version may take.
const UpdateLimit = 10 * time.Minute

// Updater brings the agent of a workspace to a version: by macf's own update, run
// there. Which version that installs is macf's to say; whether it is the one that was
// asked for is seen afterwards, in what the agent answers.
// Source: macf 0.2.46, macf update --yes.
type Updater struct {
	Env  []string // the environment of the update
	Lock string   // the file that it holds locked as long as it works, also when what began it is killed
}

// Update runs one, and returns when it has ended. A second one beside it is an error.
func (u Updater) Update(ctx context.Context, workspace string) error {
	lock, err := command.TryLock(u.Lock, fmt.Sprintf("macf update in %s, of fleet-act, process %d", workspace, os.Getpid()))
	if err != nil {
		return fmt.Errorf("macf update: %w", err)
	}
	defer lock.Close()
	res, err := command.Act(ctx, command.Spec{Argv: []string{"macf", "update", "--yes"}, Env: u.Env, Dir: workspace,
		Timeout: UpdateLimit, KillAfter: 5 * time.Second, MaxOutput: 64 << 10, Holds: lock})
	if err == nil { // it has ended: what it left behind, such as a daemon, is no update
		err = command.Free(lock)
	}
	switch {
	case err != nil:
		return fmt.Errorf("macf update: %w", err)
	case res.Status != 0:
		return errors.New("macf update: " + command.Exit(res.Status, guard.Text(res.FirstLine(), 200)))
	}
	return nil
}

// Works says that an update works, of whichever run, or why that cannot be told; nil
// when none does.
func (u Updater) Works() error {
	lock, err := command.TryLock(u.Lock, "")
	if held, ok := errors.AsType[*command.HeldError](err); ok {
		return fmt.Errorf("an update of before still works: %s; %s", held.Note, u.holders())
	}
	if err != nil {
		return fmt.Errorf("whether an update of before still works cannot be told: %w", err)
	}
	return lock.Close()
}

// holders says which processes hold the lock, and what to do.
func (u Updater) holders() string {
	pids := command.Holders(u.Lock)
	if len(pids) == 0 {
		return fmt.Sprintf("which process holds it cannot be told here: fuser %s or lsof %[1]s may; wait for it, or end it", u.Lock)
	}
	return fmt.Sprintf("held by process %s: wait for it, or end it", strings.Trim(fmt.Sprint(pids), "[]"))
}
