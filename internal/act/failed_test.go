package act

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/record"
)

// A command that had to be ended may have done what it was to do: that is not
// known, while one that says no did nothing.
func TestFailedBy(t *testing.T) {
	for _, tt := range []struct {
		err            error
		result, reason string
	}{
		{command.ErrTimeout, record.Unknown, "unseen"},
		{command.ErrEnded, record.Unknown, "unseen"},
		{command.ErrOutput, record.Unknown, "unseen"},
		{driver.ErrDialog, record.Refused, "dialog"},
		{fmt.Errorf("%w: %w", driver.ErrUnsubmitted, driver.ErrMode), record.Failed, "unsubmitted"},
		{fmt.Errorf("%w: %w", driver.ErrUnsubmitted, driver.ErrDialog), record.Failed, "unsubmitted"},
		{driver.ErrBeside, record.Failed, "runs"},
		{driver.ErrRuns, record.Failed, "name-taken"},
		{errors.New("exit status 1"), record.Failed, "driver"},
	} {
		if result, reason := failedBy(fmt.Errorf("tmux new-session: %w", tt.err)); result != tt.result || reason != tt.reason {
			t.Errorf("%v: %s, %s", tt.err, result, reason)
		}
	}
}
