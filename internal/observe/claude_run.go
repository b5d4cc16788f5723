package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// An ending waits for a command that was begun.
type ending func() (command.Result, error)

// quiet keeps claude from talking to anybody while it lists: without it 2.1.280
// opens a connection to its API, and asks for updates, at every start.
var quiet = []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:9", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1",
	"DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1"}

func (c Claude) spec(w *machine.World, bin string, args ...string) command.Spec {
	s := command.Spec{Argv: append([]string{"claude"}, args...), Path: bin, Timeout: c.Timeout, KillAfter: c.Timeout / 5, MaxOutput: 64 << 20, Dir: "/", Env: slices.Clone(quiet)}
	for _, name := range []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LC_ALL", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		if v := w.Getenv(name); v != "" {
			s.Env = append(s.Env, name+"="+v)
		}
	}
	return s
}

// start begins a command, and calls nothing of w but Run meanwhile.
func (c Claude) start(ctx context.Context, w *machine.World, s command.Spec) ending {
	var res command.Result
	var err error
	ended := make(chan struct{})
	go func() {
		res, err = w.Run(ctx, s)
		close(ended)
	}()
	return func() (command.Result, error) {
		<-ended
		return res, err
	}
}

// wrote is what a command wrote, when it ended well.
func (c Claude) wrote(w *machine.World, s command.Spec, e ending) ([]byte, error) {
	what := strings.Join(s.Argv[:2], " ")
	res, err := e()
	if err != nil || res.Status != 0 {
		w.Rec.Failure(s, res, err)
	}
	switch {
	case errors.Is(err, command.ErrTimeout):
		return nil, fmt.Errorf("%s: no answer within %s", what, c.Timeout)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	case res.Status != 0:
		return nil, fmt.Errorf("%s: %s", what, command.Exit(res.Status, res.FirstLine()))
	}
	return res.Stdout, nil
}

func (c Claude) version(w *machine.World, bin string) command.Spec {
	return c.spec(w, bin, "--version")
}

func (c Claude) readVersion(w *machine.World, bin string, asked ending, s *record.Surface) error {
	spec := c.version(w, bin)
	out, err := c.wrote(w, spec, asked)
	if err != nil {
		return err
	}
	version, drift, err := claude.Version(out)
	s.Drift, s.Rows = cleanWords(drift), 1
	w.Rec.Command(spec, claude.EncodeVersion(version), "0", nil)
	return err
}

// listing is the command that lists the sessions of a directory.
func (c Claude) listing(w *machine.World, d *claudeDir, bin string) command.Spec {
	spec := c.spec(w, bin, "agents", "--json", "--all")
	if d.label != "" || d.path != w.Expand("~/.claude") {
		spec.Variant = "CLAUDE_CONFIG_DIR=" + d.path
		spec.Env = append(spec.Env, spec.Variant)
	}
	return spec
}

func (c Claude) readListing(ctx context.Context, w *machine.World, d *claudeDir, bin string) {
	s := d.surface("claude/listing")
	spec := c.listing(w, d, bin)
	if d.listing == nil {
		d.listing = c.start(ctx, w, spec)
	}
	out, err := c.wrote(w, spec, d.listing)
	if err == nil {
		d.Rows, s.Unparsed, s.Drift, err = claude.Listing(out)
	}
	if err != nil {
		fail(s, err)
		return
	}
	s.Rows = len(d.Rows)
	if w.Rec == nil {
		return
	}
	b, err := claude.EncodeListing(reached(d.Rows))
	w.Rec.Command(spec, b, "0", err)
}
