package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
)

// tokenLimit is the largest token file that is read.
const tokenLimit = 4096

// The words of Repo.Login.
const (
	loginFile = "token file"
	loginEnv  = "environment"
	loginOwn  = "gh's own"
	loginNone = "none"
)

// logIn chooses the login: the token of a file that nobody else can read, the
// environment's, or gh's own. A file that is not used is noted.
func (h *hub) logIn(file string) {
	if file != "" {
		token, err := readToken(h.w, h.w.Expand(file))
		if err == nil {
			h.env, h.login = append(h.env, "GH_TOKEN="+token), loginFile
			return
		}
		h.notes = append(h.notes, guard.Text("token file not used: "+machine.Reason(err).Error(), errorWidth))
	}
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN"} {
		if v := h.w.Getenv(name); v != "" {
			h.env, h.login = append(h.env, name+"="+v), loginEnv
		}
	}
}

// readToken reads a token file of mode 0600 or 0400 that holds one word. Its
// content is in no error.
func readToken(w *machine.World, file string) (string, error) {
	if abs, err := filepath.Abs(file); err == nil && !w.Recorded() {
		file = abs
	}
	info, err := fs.Stat(w.FS, machine.Path(file))
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode != 0o600 && mode != 0o400 {
		return "", fmt.Errorf("its mode is %04o, not 0600 or 0400", mode)
	}
	b, err := w.ReadFile(file, tokenLimit)
	if err != nil {
		return "", err
	}
	b = bytes.TrimSpace(b)
	if len(b) == 0 || bytes.ContainsFunc(b, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("it holds no token")
	}
	return string(b), nil
}
