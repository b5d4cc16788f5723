package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/schedule"
)

// Schedule says which scheduled work is observed.
type Schedule struct {
	Scope *config.Scope // launchd_prefix, launchd_logs and the run logs; nil without a configuration
}

// planned is the reading of one surface.
type planned struct {
	record.Surface
	name  string
	drift schedule.Drift
	bad   []string // items that were not understood, one line each
	rows  []record.Schedule
}

// skip counts an item that was not understood.
func (p *planned) skip(name string, err error) {
	p.Unparsed++
	p.bad = append(p.bad, guard.Text(name+": "+machine.Reason(err).Error(), errorWidth))
}

// refuse says why the part was not read, whole or at all: the first reason
// stands.
func (p *planned) refuse(err error) {
	if p.OK {
		fail(&p.Surface, err)
	}
}

// surface is the finished record of the part.
func (p *planned) surface() *record.Surface {
	p.Rows, p.Drift = len(p.rows), p.drift.Words()
	p.Notes = append(p.Notes, p.bad[:min(len(p.bad), badShown)]...)
	if more := len(p.bad) - badShown; more > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("and %d more that are not understood", more))
	}
	return &p.Surface
}

// Observe writes a record for every launchd job of the scope, every user timer
// of systemd and every run log that the configuration names, and a surface for
// each of the three. It returns the surfaces that could not be read, one line
// each. A scheduler that the machine does not have is absent.
func (s Schedule) Observe(ctx context.Context, w *machine.World, sink Sink) (unread []string, err error) {
	scope := s.Scope
	if scope == nil {
		scope = &config.Scope{}
	}
	r := &scheduleReading{ctx: ctx, w: w, scope: scope, look: schedule.Look{At: w.At, Zone: w.Zone}}
	parts := append([]*planned{r.launchd(), r.systemd()}, r.logs()...)
	emit := emitter{sink: sink, at: record.NewTime(w.At), host: w.Host}
	seen := map[string]bool{}
	for _, p := range parts {
		for _, row := range p.rows {
			if subject := row.Source + "/" + row.ID; !seen[subject] {
				seen[subject] = true
				emit.add(record.KindSchedule, subject, row)
			}
		}
	}
	for _, p := range parts {
		emit.surface(p.name, "", p.surface())
	}
	emit.close("")
	r.keepTimes()
	w.Rec.Meta(w, nil)
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// scheduleReading is one look at a machine's schedulers.
type scheduleReading struct {
	ctx   context.Context
	w     *machine.World
	scope *config.Scope
	look  schedule.Look
	times map[string]time.Time // of files, for the recording
}

// newPart is a surface of which nothing is read yet.
func newPart(name string) *planned {
	return &planned{name: name, Surface: record.Surface{OK: true}}
}

// schedulerTimeout is how long one answer of a scheduler may take.
const schedulerTimeout = 10 * time.Second

// spec is a command of a scheduler, in English and in UTC.
func (r *scheduleReading) spec(argv ...string) command.Spec {
	s := command.Spec{Argv: argv, Env: []string{"LC_ALL=C", "TZ=UTC", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0", "HOME=" + r.w.Home, "PATH=" + r.w.Getenv("PATH")},
		Timeout: schedulerTimeout, KillAfter: time.Second, MaxOutput: 8 << 20}
	for _, name := range []string{"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} {
		if v := r.w.Getenv(name); v != "" {
			s.Env = append(s.Env, name+"="+v)
		}
	}
	return s
}

// recordedUID is the user whose domain a recording holds: the first that macOS
// makes.
const recordedUID = 501

// uid is the user whose schedulers are asked.
func uid(w *machine.World) int {
	if w.Recorded() {
		return recordedUID
	}
	return os.Getuid()
}

// timesFile of a recording holds the times of files, which no copy keeps: path
// to RFC 3339.
const timesFile = "mtimes.json"

// modTime is when a regular file was written last; there is false when there is
// none.
func (r *scheduleReading) modTime(abs string) (t time.Time, there bool, err error) {
	info, err := fs.Stat(r.w.FS, machine.Path(abs))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return time.Time{}, false, r.w.Dangling(abs)
	case err != nil:
		return time.Time{}, false, err
	case !info.Mode().IsRegular():
		return time.Time{}, false, errors.New("not a regular file")
	}
	t = info.ModTime()
	if r.w.Recorded() {
		if t, err = recordedTime(r.w, abs, t); err != nil {
			return time.Time{}, false, err
		}
	}
	if r.times == nil {
		r.times = map[string]time.Time{}
	}
	r.times[guard.Path(abs)] = t.UTC()
	return t, true, nil
}

// recordedTime is the time of a file of the recording; usual when it holds
// none.
func recordedTime(w *machine.World, abs string, usual time.Time) (time.Time, error) {
	b, err := w.ReadRecorded(timesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return usual, nil
	}
	var times map[string]time.Time
	if err == nil {
		err = json.Unmarshal(b, &times)
	}
	if t, ok := times[abs]; ok {
		usual = t
	}
	return usual, err
}

// keepTimes records the times of the files that were looked at.
func (r *scheduleReading) keepTimes() {
	if len(r.times) > 0 {
		b, err := json.MarshalIndent(r.times, "", "  ")
		r.w.Rec.Write(timesFile, append(b, '\n'), err)
	}
}

// keep writes what a command said into the recording: out, which is what is
// read of its answer, cleaned, and the first lines of stderr on one. One that
// did not start leaves nothing.
func (r *scheduleReading) keep(s command.Spec, res command.Result, err error, out []byte) {
	if r.w.Rec == nil || err != nil && !errors.Is(err, command.ErrTimeout) {
		return
	}
	status := strconv.Itoa(res.Status)
	if err != nil {
		status = "timeout"
	}
	r.w.Rec.Command(s, out, status, nil)
	r.w.Rec.Write(filepath.Join("commands", machine.CommandDir(s.Argv, s.Variant), "stderr"), []byte(guard.Text(string(res.Stderr), errorWidth)), nil)
}
