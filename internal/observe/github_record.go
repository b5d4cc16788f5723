package observe

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
)

// record writes one run of gh into the recording: of its answer what is read,
// of stderr the first line. One that did not start leaves nothing.
func (h *hub) record(s command.Spec, res command.Result, err error) {
	if h.w.Rec == nil || err != nil && !errors.Is(err, command.ErrTimeout) {
		return
	}
	h.recording.Lock()
	defer h.recording.Unlock()
	status := strconv.Itoa(res.Status)
	if err != nil {
		status = "timeout"
	}
	var out []byte
	if s.Argv[1] == "pr" {
		out = github.EncodePulls(res.Stdout)
	} else if a, err := github.ParseAnswer(res.Stdout); err == nil {
		out = a.Encode(s.Argv[len(s.Argv)-1])
	}
	h.w.Rec.Command(s, out, status, nil)
	dir := filepath.Join("commands", machine.CommandDir(s.Argv, s.Variant))
	h.w.Rec.Write(filepath.Join(dir, "stderr"), []byte(guard.Text(res.FirstLine(), errorWidth)), nil)
}

// recordCheckout writes a repository that leads where c leads: its remote without a user,
// a password or a rewrite. One that could not be read leaves nothing.
func recordCheckout(r *machine.Recording, c checkout) {
	url := ""
	switch {
	case r == nil || !c.readable:
		return
	case c.slug != "":
		url = "https://github.com/" + c.slug
	case c.notGitHub && c.remote:
		url = "https://elsewhere.invalid/"
	case c.remote:
		url = "git@alias:withheld"
	}
	config := ""
	if url != "" {
		config = fmt.Sprintf("[remote \"origin\"]\n\turl = %s\n", url)
	}
	r.Mkdir(filepath.Join(c.dir, "refs"))
	recordHead(r, c.dir)
	r.File(filepath.Join(c.dir, "config"), []byte(config), nil)
}
