package observe

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/schedule"
)

// booted is there when systemd runs the machine.
const booted = "/run/systemd/system"

// notBooted is what systemctl says where systemd does not run the machine. One
// that says something else, or nothing, was not read.
var notBooted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^systemctl: (System has not been booted with systemd|Failed to connect to .*\bbus\b)`)
})

// systemd asks the owner's service manager about its timers: those in memory
// and those that only have a file. Timers that packages brought are counted and
// not listed. A machine that systemd does not run has none; a manager that does
// not answer was not read.
func (r *scheduleReading) systemd() *planned {
	p := newPart("schedule/systemd")
	bin, err := r.w.FindProgram("systemctl", "/usr/bin", "/bin")
	if r.w.OS != "linux" || errors.Is(err, exec.ErrNotFound) {
		p.Absent = true
		return p
	}
	if err != nil {
		p.refuse(fmt.Errorf("systemctl: %w", err))
		return p
	}
	m := manager{r, bin}
	there, unsure := r.w.Exists(booted)
	if there {
		r.w.Rec.Mkdir(booted)
	}
	elapses, err := m.timers()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		p.Absent = true
		return p
	case err != nil && unsure != nil:
		p.refuse(at(booted, unsure))
		return p
	case err != nil && !there && notBooted().MatchString(err.Error()):
		p.Absent, p.Notes = true, []string{"systemd does not run this machine"}
		return p
	case err != nil:
		p.refuse(err)
		return p
	}
	files, err := m.files()
	if err != nil {
		p.refuse(err)
	}
	inMemory := map[string]*schedule.Elapse{}
	for i, e := range elapses {
		inMemory[e.Unit] = &elapses[i]
		files = append(files, e.Unit)
	}
	slices.Sort(files)
	units, err := m.show(slices.Compact(files), p)
	if err != nil {
		p.refuse(err)
		return p
	}
	r.addTimers(p, m, units, inMemory)
	return p
}

// addTimers adds the owner's timers.
func (r *scheduleReading) addTimers(p *planned, m manager, units []schedule.Unit, inMemory map[string]*schedule.Elapse) {
	var own []schedule.Unit
	var starts []string
	listed := map[string]bool{}
	vendor := 0
	for _, u := range units {
		switch {
		case listed[u.Name]: // an alias
		case u.Vendor():
			vendor++
		default:
			own = append(own, u)
			if schedule.IsUnit(u.Starts) {
				starts = append(starts, u.Starts)
			}
		}
		listed[u.Name] = true
	}
	if vendor > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("timers that packages brought, not listed: %d", vendor))
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	services, err := m.show(starts, p)
	if err != nil {
		p.refuse(err)
	}
	started := map[string]*schedule.Unit{}
	for i := range services {
		started[starts[i]] = &services[i]
	}
	for _, u := range own {
		t := schedule.Timer{Unit: u, Service: started[u.Starts], Elapse: inMemory[u.Name]}
		p.rows = append(p.rows, t.Record(r.look, &p.drift))
	}
}

// manager is the owner's service manager.
type manager struct {
	r   *scheduleReading
	bin string
}

// ask runs systemctl and returns its answer as parse understands it. parse also
// returns what a recording keeps of it.
func (m manager) ask(args []string, parse func(out []byte) (kept []byte, err error)) error {
	s := m.r.spec(append([]string{"systemctl", "--user"}, args...)...)
	s.Path = m.bin
	if dir := "/run/user/" + strconv.Itoa(uid(m.r.w)); m.r.w.Getenv("XDG_RUNTIME_DIR") == "" {
		s.Env = append(s.Env, "XDG_RUNTIME_DIR="+dir) // cron and the like do not set it
	}
	res, err := m.r.w.Run(m.r.ctx, s)
	started := err
	var kept []byte
	switch {
	case err != nil:
		err = fmt.Errorf("systemctl: %w", machine.Reason(err))
	case res.Status != 0:
		err = fmt.Errorf("systemctl: %s", cmp.Or(res.FirstLine(), "exit status "+strconv.Itoa(res.Status)))
	default:
		kept, err = parse(res.Stdout)
	}
	m.r.keep(cleanShow(s), res, started, kept)
	return err
}

// cleanShow is a command with its unit names cleaned, as a recording keeps it.
func cleanShow(s command.Spec) command.Spec {
	s.Argv = slices.Clone(s.Argv)
	if i := slices.Index(s.Argv, "--"); i >= 0 {
		for j := i + 1; j < len(s.Argv); j++ {
			s.Argv[j] = schedule.CleanUnit(s.Argv[j])
		}
	}
	return s
}

func (m manager) timers() (es []schedule.Elapse, err error) {
	err = m.ask([]string{"list-timers", "--all", "--output=json"}, func(out []byte) (kept []byte, err error) {
		if es, err = schedule.ParseTimers(out); err == nil {
			kept, err = schedule.EncodeTimers(es)
		}
		return kept, err
	})
	return es, err
}

func (m manager) files() (names []string, err error) {
	err = m.ask([]string{"list-unit-files", "--type=timer", "--output=json"}, func(out []byte) (kept []byte, err error) {
		if names, err = schedule.ParseTimerFiles(out); err == nil {
			kept, err = schedule.EncodeTimerFiles(names)
		}
		return kept, err
	})
	return names, err
}

// shownAtOnce is how many units one systemctl show is asked for.
const shownAtOnce = 200

// show describes units, in their order.
func (m manager) show(names []string, p *planned) (all []schedule.Unit, err error) {
	for part := range slices.Chunk(names, shownAtOnce) {
		err = m.ask(append([]string{"show", "--property=" + schedule.Properties, "--"}, part...), func(out []byte) ([]byte, error) {
			us, err := schedule.ParseUnits(out, len(part), &p.drift)
			all = append(all, us...)
			return schedule.EncodeUnits(us), err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
