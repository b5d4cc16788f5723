package command

import (
	"errors"
	"os/exec"
)

// Status is the exit status of a command as a shell gives it, by what Group
// returned: 128 + n after signal n. ok is false when there is none because the
// command was not started or did not end by itself.
func Status(err error) (n int, ok bool) {
	if err == nil {
		return 0, true
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return status(exit), true
	}
	return 0, false
}
