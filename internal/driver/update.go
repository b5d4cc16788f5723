package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
)

// updateLimit is how long bringing one agent to a version may take.
const updateLimit = 10 * time.Minute

// Updater returns what brings the agent of a workspace to a version: macf's own
// update, run there. Which version that installs is macf's to say; whether it is
// the one that was asked for is seen afterwards, in what the agent answers.
// Source: macf 0.2.46, macf update --yes.
func Updater(env []string) func(ctx context.Context, workspace, version string) error {
	return func(ctx context.Context, workspace, _ string) error {
		res, err := command.Act(ctx, command.Spec{Argv: []string{"macf", "update", "--yes"}, Env: env, Dir: workspace,
			Timeout: updateLimit, KillAfter: 5 * time.Second, MaxOutput: 64 << 10})
		switch {
		case err != nil:
			return fmt.Errorf("macf update: %w", err)
		case res.Status != 0:
			return errors.New("macf update: " + command.Exit(res.Status, guard.Text(res.FirstLine(), 200)))
		}
		return nil
	}
}
