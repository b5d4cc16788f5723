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
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
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
	listing   ending // of its listing; nil when that was not begun
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
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	dirs := c.dirs(w)
	version := &record.Surface{OK: true}
	installed := false
	for _, d := range dirs {
		if d.installed, err = w.Exists(d.path); err != nil || !d.installed && d.given {
			installed = installed || err != nil // what cannot be looked at is there
			d.refuse(cmp.Or(err, fmt.Errorf("%s: no such directory", d.path)))
			continue
		}
		installed = installed || d.installed
	}
	bin, binErr := w.FindProgram(c.Binary, claudeBins...)
	if binErr == nil {
		asked := c.start(ctx, w, c.version(w, bin))
		if first := dirs[0]; first.surface("claude/listing").OK { // it takes ten times as long
			first.listing = c.start(ctx, w, c.listing(w, first, bin))
		}
		if binErr = c.readVersion(w, bin, asked, version); binErr != nil {
			stop()
			if dirs[0].listing != nil {
				_, _ = dirs[0].listing()
			}
		}
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

// labelOf names a further directory after its last part, by a hash of that where the
// guard would change it: a label is joined, and its signs divide no subject.
func labelOf(path string) string {
	name := strings.TrimLeft(filepath.Base(path), ".")
	if name != "" && guard.Line(name) != name {
		return guard.ID(name)
	}
	label := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
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
