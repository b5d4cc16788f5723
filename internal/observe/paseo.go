package observe

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/paseo"
	"github.com/fleet-tools/fleet/internal/record"
)

// Paseo says how Paseo is observed.
type Paseo struct {
	Dir   string              // Paseo's directory; "": PASEO_HOME, else ~/.paseo
	Pause func(time.Duration) // waits before a file is read again; nil: time.Sleep
}

// The largest files that are read. A record that holds queued prompts with
// images can be large; one beyond this is no record.
const (
	paseoLimit = 8 << 20
	pidLimit   = 64 << 10
)

// retries is how long to wait before a file that did not parse is read again.
// Paseo 0.1.65 writes a schedule in place: it is empty for up to 90 ms.
var retries = []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 150 * time.Millisecond}

// paseoReading is what was read of Paseo's directory.
type paseoReading struct {
	w     *machine.World
	dir   string
	pause func(time.Duration)

	places places

	daemon                     paseo.Daemon
	alive                      *bool // whether the daemon's process is there; nil when that was not asked or cannot be told
	agents                     []record.Agent
	schedules                  []record.Schedule
	ofAgents, ofSchedules, ofD part
}

// part is the reading of one surface.
type part struct {
	record.Surface
	drift paseo.Drift
	bad   []string // items that were not understood, one line each

	unlisted bool // a directory could not be listed: a recording has no file of the part
}

// kind is the files of one surface: how large one may be, what is recorded of
// it, and what becomes of one that parses or does not.
type kind struct {
	*part
	limit int64
	shape shape
	parse func(name string, b []byte) error
	skip  func(name string, err error)
}

// badShown is how many items that were not understood are named.
const badShown = 3

// skip counts an item that was not understood.
func (p *part) skip(name string, err error) {
	p.Unparsed++
	p.bad = append(p.bad, guard.Text(name+": "+machine.Reason(err).Error(), errorWidth))
}

// surface is the finished record of the part.
func (p *part) surface(rows int) *record.Surface {
	p.Rows, p.Drift = rows, p.drift.Words()
	p.Notes = append(p.Notes, p.bad[:min(len(p.bad), badShown)]...)
	if more := len(p.bad) - badShown; more > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("and %d more that are not understood", more))
	}
	return &p.Surface
}

// Observe writes the records of Paseo's agents and schedules and whether its
// daemon lives, and returns the surfaces that could not be read, one line
// each.
func (p Paseo) Observe(w *machine.World, sink Sink) (unread []string, err error) {
	r := &paseoReading{w: w, dir: p.dir(w), pause: p.Pause, places: places{w: w}}
	if r.pause == nil {
		r.pause = time.Sleep
	}
	r.ofAgents.OK, r.ofSchedules.OK, r.ofD.OK = true, true, true
	parts := []*part{&r.ofAgents, &r.ofSchedules, &r.ofD}
	switch _, missing, err := w.ReadDir(r.dir); {
	case missing:
		for _, s := range parts {
			s.Absent = true
		}
	case err != nil:
		for _, s := range parts {
			r.unlist(s, r.dir, r.dir, err)
		}
	default:
		recordLinks(w, r.dir)
		w.Rec.Mkdir(r.dir)
		r.readDaemon()
		r.readAgents()
		r.readSchedules()
	}
	emit := emitter{sink: sink, at: record.NewTime(w.At), host: w.Host}
	for _, a := range r.agents {
		emit.add(record.KindAgent, a.ID, a)
	}
	for _, s := range r.schedules {
		emit.add(record.KindSchedule, "paseo/"+s.ID, s)
	}
	emit.surface("paseo/agents", "", r.ofAgents.surface(len(r.agents)))
	emit.surface("paseo/schedules", "", r.ofSchedules.surface(len(r.schedules)))
	lives := 0
	if r.daemon.Lives != nil && *r.daemon.Lives {
		lives = 1
	}
	emit.surface("paseo/daemon", "", r.ofD.surface(lives))
	emit.close("")
	r.machine()
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// dir is the directory to read.
func (p Paseo) dir(w *machine.World) string {
	dir := w.Expand(cmp.Or(p.Dir, w.Getenv("PASEO_HOME"), "~/.paseo"))
	if abs, err := filepath.Abs(dir); err == nil && !w.Recorded() {
		dir = abs
	}
	return dir
}

// readDaemon reads paseo.pid and looks for the process. A file without a
// living process is what kill -9 of the daemon leaves.
func (r *paseoReading) readDaemon() {
	name := filepath.Join(r.dir, "paseo.pid")
	s := &r.ofD
	gone := r.again([]string{name}, kind{s, pidLimit, pidShape, func(_ string, b []byte) error {
		d, err := paseo.ParsePID(b, &s.drift)
		r.daemon = d
		return err
	}, func(name string, err error) {
		s.Unparsed++
		fail(&s.Surface, at(name, err))
	}})
	if !s.OK {
		return
	}
	lives := false
	if gone > 0 {
		r.daemon.Lives = &lives
		s.Notes = append(s.Notes, "no daemon lives: there is no paseo.pid")
		return
	}
	started := r.daemon.StartedAt
	r.alive = r.w.Alive(r.daemon.PID)
	switch alive := r.alive; {
	case alive == nil:
		fail(&s.Surface, fmt.Errorf("whether process %d lives cannot be told", r.daemon.PID))
	case *alive && r.fromBeforeBoot(started):
		r.daemon.Lives = &lives
		s.Notes = append(s.Notes, fmt.Sprintf("no daemon lives: its process %d was of an earlier boot", r.daemon.PID))
	case *alive:
		r.daemon.Lives = alive
		note := fmt.Sprintf("process %d lives", r.daemon.PID)
		if !started.IsZero() {
			note += ", started " + record.NewTime(started).Format(record.Layout)
		}
		s.Notes = append(s.Notes, note)
	default:
		r.daemon.Lives = alive
		s.Notes = append(s.Notes, fmt.Sprintf("no daemon lives: its process %d is gone", r.daemon.PID))
	}
}

// fromBeforeBoot tells a time before the kernel's start: the pid is then
// another process's. Clocks are set after booting, hence the grace.
func (r *paseoReading) fromBeforeBoot(t time.Time) bool {
	return !r.w.BootAt.IsZero() && !t.IsZero() && r.w.BootAt.Sub(t) > 2*time.Minute
}

// again reads and parses files. What does not parse is read again within 300
// ms and then given to skip; gone counts the files that were not there any
// more. A recording does not change and is read once.
func (r *paseoReading) again(names []string, k kind) (gone int) {
	for try := 0; ; try++ {
		var left []string
		for _, name := range names {
			b, err := r.w.ReadFile(name, k.limit)
			if errors.Is(err, fs.ErrNotExist) {
				gone++
				continue
			}
			if err != nil {
				b = nil // it may be a part that is a whole record
			} else {
				err = k.parse(name, b)
			}
			if err != nil && try < len(retries) && !r.w.Recorded() {
				left = append(left, name)
				continue
			}
			if err != nil {
				k.skip(name, err)
			}
			r.keep(name, b, k)
		}
		if names = left; len(names) == 0 {
			return gone
		}
		r.pause(retries[try])
	}
}

// isRecord tells a record from a temporary file, which begins with a dot: one
// of a daemon that died stays for good, empty (Paseo 0.1.65).
func isRecord(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") && !e.IsDir()
}

// at is err with the path that it is about.
func at(path string, err error) error { return fmt.Errorf("%s: %w", path, machine.Reason(err)) }
