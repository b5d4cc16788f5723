package command

import (
	"fmt"
	"os/exec"
	"syscall"
)

// Become replaces this process with a command, and returns only an error. It is
// for one that starts something that must stay, such as a browser: of what Run
// starts nothing does.
func Become(argv, env []string) error {
	if !Allowed(argv) {
		return fmt.Errorf("command is not in the table: %q", argv)
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, argv, env)
}
