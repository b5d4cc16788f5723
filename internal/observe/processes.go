package observe

import (
	"context"
	"errors"
	"maps"
	"slices"
	"syscall"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/process"
)

// claudeProcesses returns the Claude Code processes of this machine and those of the
// given pids.
func claudeProcesses(w *machine.World, pids map[int]bool) ([]claude.Process, error) {
	if w.Recorded() {
		return machine.RecordedProcesses[claude.Process](w)
	}
	table, err := process.List(context.Background())
	if err != nil {
		return nil, err
	}
	ps := []claude.Process{}
	shown := map[int]bool{}
	for _, p := range table {
		shown[p.PID] = !p.Hidden
		if len(p.Argv) == 0 || !claude.IsProgram(p.Exe) && !claude.IsProgram(p.Argv[0]) && !pids[p.PID] {
			continue
		}
		ps = append(ps, claude.Process{PID: p.PID, Start: start(p), Cwd: processCwd(p), Exe: p.Exe, Args: claude.Argv(p.Argv)})
	}
	return append(ps, hidden(pids, shown, func(pid int) error { return syscall.Kill(pid, 0) })...), nil
}

// agentProcesses returns the processes of this machine that may be an agent's,
// with what of their environment is read. notes says what the table does not show.
func agentProcesses(w *machine.World) (ps []macf.Process, notes []string, err error) {
	if w.Recorded() {
		ps, err = machine.RecordedProcesses[macf.Process](w)
		return ps, nil, err
	}
	table, err := process.List(context.Background())
	if err != nil {
		return nil, nil, err
	}
	ps = []macf.Process{}
	for _, p := range table {
		if len(p.Argv) == 0 {
			continue // ended meanwhile, hidden, or a kernel thread
		}
		agent := macf.NewProcess(p.PID, "", "", p.Exe, p.Argv)
		if agent.Kind() == "" {
			continue
		}
		agent.Start, agent.Cwd, agent.Env = start(p), processCwd(p), environ(p)
		ps = append(ps, agent)
	}
	return ps, notShown(table), nil
}

// start is when a process began, as the table says it; "" when it cannot be told.
func start(p process.Process) string {
	s, err := p.Stat()
	if err != nil {
		return ""
	}
	return s.Start
}

// hidden are the processes of the given pids that exist and that the table does not
// show: a /proc that is mounted with hidepid shows other users' to root only. That we may
// not signal them is all that is known of them.
func hidden(pids, shown map[int]bool, signal func(int) error) []claude.Process {
	var ps []claude.Process
	for _, pid := range slices.Sorted(maps.Keys(pids)) {
		if !shown[pid] && errors.Is(signal(pid), syscall.EPERM) {
			ps = append(ps, claude.Process{PID: pid})
		}
	}
	return ps
}
