package cli

import (
	"fmt"
	"os"
	"strings"
)

// Owner returns owner:<terminal> for the ledger, owner:no tty without one. It
// is an error inside a session: a session must not answer for the owner.
func Owner() (string, error) {
	for _, name := range []string{"FLEET_CHILD", "CLAUDECODE"} {
		if os.Getenv(name) != "" {
			return "", fmt.Errorf("%s is set: a session does not answer for the owner", name)
		}
	}
	return "owner:" + terminal(), nil
}

// terminal names the owner's terminal, "no tty" without one.
func terminal() string {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return "no tty"
	}
	name, err := os.Readlink("/dev/fd/0")
	switch {
	case err != nil:
		return "tty"
	case strings.HasPrefix(name, "/dev/tty"), strings.HasPrefix(name, "/dev/pts/"), strings.HasPrefix(name, "/dev/console"):
		return name
	}
	return "no tty" // the null device is one of characters too
}
