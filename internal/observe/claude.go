// Package observe is the edge at which observers look at a machine. What is read
// goes to the pure packages that parse it.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Sink takes the records of an observer; cli.Std is one.
type Sink interface {
	AddData(kind record.Kind, at record.Time, host, subject string, data any) error
	Close(at record.Time, host, label string) error
	Warn(format string, args ...any) // a line for a person
}

// Claude says how Claude Code is observed.
type Claude struct {
	Binary     string        // name or path of claude
	Dirs       []string      // Claude directories; none: CLAUDE_CONFIG_DIR, else ~/.claude
	Timeout    time.Duration // for one run of claude; KILL comes a fifth of it after TERM
	ListingCap int           // rows from which a listing must be proved whole
}

// The sizes beyond which Claude Code itself does not read a file (2.1.280).
const (
	jobLimit     = 8 << 20
	processLimit = 256 << 10
)

// claudeBins are the places where people have claude when PATH does not.
var claudeBins = []string{"~/.local/bin", "~/.claude/local", "/opt/homebrew/bin", "/usr/local/bin"}

// claudeDir is one Claude directory and what was read of it.
type claudeDir struct {
	path      string
	label     string // "" for the first
	installed bool   // the directory is there
	given     bool   // the caller named it
	claude.Reading
	jobIDs   []string
	surfaces map[string]*record.Surface
}

// surface returns the surface of a name, which starts as read and empty.
func (d *claudeDir) surface(name string) *record.Surface {
	if d.surfaces[name] == nil {
		d.surfaces[name] = &record.Surface{OK: true}
	}
	return d.surfaces[name]
}

// fail marks a surface as not read.
func fail(s *record.Surface, err error) {
	s.OK, s.Absent, s.Error = false, false, guard.Text(err.Error(), errorWidth)
}

const errorWidth = 300

// Observe writes the records of every Claude directory, and returns the
// surfaces that could not be read, one line each.
func (c Claude) Observe(ctx context.Context, w *machine.World, sink Sink) (unread []string, err error) {
	dirs := c.dirs(w)
	version := &record.Surface{OK: true}
	bin, binErr := w.FindProgram(c.Binary, claudeBins...)
	if binErr == nil {
		binErr = c.readVersion(ctx, w, bin, version)
	}
	installed := false
	for _, d := range dirs {
		if d.installed, err = w.Exists(d.path); err != nil || !d.installed && d.given {
			installed = installed || err != nil // what cannot be looked at is there
			d.refuse(cmp.Or(err, fmt.Errorf("%s: no such directory", d.path)))
			continue
		}
		installed = installed || d.installed
	}
	if errors.Is(binErr, exec.ErrNotFound) && !installed {
		version.Absent = true
		sink.Warn("Claude Code is not installed here: no %s, and no program %s", guard.Path(dirs[0].path), c.Binary)
	} else if binErr != nil {
		fail(version, binErr)
	}
	for _, d := range dirs {
		c.readDir(ctx, w, d, bin, binErr, version.Absent)
	}
	processes := c.readTable(w, dirs)
	at := record.NewTime(w.At)
	emit := emitter{sink: sink, at: at, host: w.Host}
	emit.add(record.KindHost, w.Host, record.Host{OS: w.OS, Zone: w.Zone, BootAt: record.TimeOf(w.BootAt), AwakeS: w.AwakeS})
	emit.surface("claude/version", "", version)
	emit.surface("claude/processes", "", processes)
	for _, d := range dirs {
		recordDirectory(w, d)
		c.emitDir(w, d, &emit)
	}
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// dirs are the directories to read, the first without a label.
func (c Claude) dirs(w *machine.World) []*claudeDir {
	paths, given := c.Dirs, true
	if len(paths) == 0 {
		paths, given = []string{cmp.Or(w.Getenv("CLAUDE_CONFIG_DIR"), "~/.claude")}, false
	}
	used := map[string]bool{"": true}
	var ds []*claudeDir
	for i, p := range paths {
		d := &claudeDir{path: w.Expand(p), given: given, surfaces: map[string]*record.Surface{}}
		if abs, err := filepath.Abs(d.path); err == nil && !w.Recorded() {
			d.path = abs
		}
		for n := 1; i > 0 && used[d.label]; n++ {
			d.label = labelOf(d.path)
			if n > 1 {
				d.label += "-" + strconv.Itoa(n)
			}
		}
		used[d.label] = true
		ds = append(ds, d)
	}
	return ds
}

// labelOf names a further directory after its last part.
func labelOf(path string) string {
	label := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, strings.TrimLeft(filepath.Base(path), "."))
	return cmp.Or(label, "claude")
}

var dirSurfaces = []string{"claude/listing", "claude/jobs", "claude/sessions", "claude/transcripts"}

func (d *claudeDir) refuse(err error) {
	for _, name := range dirSurfaces {
		fail(d.surface(name), err)
	}
}

// readDir reads the listing and the files of one directory.
func (c Claude) readDir(ctx context.Context, w *machine.World, d *claudeDir, bin string, binErr error, absent bool) {
	if absent && !d.given {
		for _, name := range dirSurfaces {
			*d.surface(name) = record.Surface{OK: true, Absent: true}
		}
		return
	}
	if !d.surface("claude/jobs").OK {
		return
	}
	d.BootAt = w.BootAt
	if binErr != nil {
		fail(d.surface("claude/listing"), binErr)
	} else {
		c.readListing(ctx, w, d, bin)
	}
	readJobs(w, d)
	readProcessFiles(w, d)
	d.Prompted = readHistory(w, filepath.Join(d.path, "history.jsonl"))
	if s := d.surface("claude/listing"); s.OK {
		if err := claude.Complete(d.Rows, d.jobIDs, c.ListingCap); err != nil {
			fail(s, err)
		}
	}
	d.ListingRead = d.surface("claude/listing").OK
}

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

func (c Claude) run(ctx context.Context, w *machine.World, s command.Spec) ([]byte, error) {
	what := strings.Join(s.Argv[:2], " ")
	res, err := w.Run(ctx, s)
	if err != nil || res.Status != 0 {
		w.Rec.Failure(s, res, err)
	}
	switch {
	case errors.Is(err, command.ErrTimeout):
		return nil, fmt.Errorf("%s: no answer within %s", what, c.Timeout)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	case res.Status != 0:
		return nil, fmt.Errorf("%s: exit status %d: %s", what, res.Status, res.FirstLine())
	}
	return res.Stdout, nil
}

func (c Claude) readVersion(ctx context.Context, w *machine.World, bin string, s *record.Surface) error {
	out, err := c.run(ctx, w, c.spec(w, bin, "--version"))
	if err != nil {
		return err
	}
	version, drift, err := claude.Version(out)
	s.Drift, s.Rows = cleanWords(drift), 1
	w.Rec.Command(c.spec(w, bin, "--version"), claude.EncodeVersion(version), "0", nil)
	return err
}

func (c Claude) readListing(ctx context.Context, w *machine.World, d *claudeDir, bin string) {
	s := d.surface("claude/listing")
	spec := c.spec(w, bin, "agents", "--json", "--all")
	if d.label != "" || d.path != w.Expand("~/.claude") {
		spec.Variant = "CLAUDE_CONFIG_DIR=" + d.path
		spec.Env = append(spec.Env, spec.Variant)
	}
	out, err := c.run(ctx, w, spec)
	if err == nil {
		d.Rows, s.Unparsed, s.Drift, err = claude.Listing(out)
	}
	if err != nil {
		fail(s, err)
		return
	}
	s.Rows = len(d.Rows)
	b, err := claude.EncodeListing(d.Rows)
	w.Rec.Command(spec, b, "0", err)
}

// readTable reads the process table, which all directories share.
func (c Claude) readTable(w *machine.World, dirs []*claudeDir) *record.Surface {
	s := &record.Surface{OK: true}
	pids := map[int]bool{}
	readings := make([]claude.Reading, len(dirs))
	for i, d := range dirs {
		readings[i] = d.Reading
		for _, f := range d.Files {
			pids[f.PID] = true
		}
	}
	table, err := claudeProcesses(w, pids)
	if err != nil {
		w.Rec.Meta(w, nil)
		fail(s, err)
		return s
	}
	recordTable(w, table)
	s.Rows = len(table)
	for _, d := range dirs {
		d.TableRead, d.Table = true, table
	}
	for _, p := range claude.Untracked(table, readings...) {
		s.Untracked = append(s.Untracked, record.Untracked{PID: p.PID, Cwd: guard.Path(p.Cwd), Exe: guard.Path(p.Exe)})
	}
	return s
}
