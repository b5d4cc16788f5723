package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// claudeProcesses returns the Claude Code processes of this machine and those of
// the given pids. Their cwd is not told.
func claudeProcesses(w *machine.World, pids map[int]bool) ([]claude.Process, error) {
	if w.Recorded() {
		return machine.RecordedProcesses[claude.Process](w)
	}
	table, err := psTable(w)
	if err != nil {
		return nil, err
	}
	return claude.ParsePS(table, pids), nil
}

// psTable is the process table in UTC, a line for each process.
func psTable(w *machine.World) (string, error) {
	res, err := command.Run(context.Background(), command.Spec{Argv: []string{"ps", "-axww", "-o", "pid=,lstart=,args="},
		Env: []string{"LC_ALL=C", "TZ=UTC", "PATH=" + w.Getenv("PATH")}, Timeout: 10 * time.Second, KillAfter: time.Second, MaxOutput: 16 << 20})
	if err == nil && res.Status != 0 {
		err = fmt.Errorf("ps: %s", command.Exit(res.Status, res.FirstLine()))
	}
	return string(res.Stdout), err
}

// agentProcesses returns the processes of this machine that may be an agent's.
// macOS tells neither their directories nor their environment: a session's
// directory comes from Claude Code's own file. notes says so.
func agentProcesses(w *machine.World) (ps []macf.Process, notes []string, err error) {
	if w.Recorded() {
		ps, err = machine.RecordedProcesses[macf.Process](w)
		return ps, nil, err
	}
	table, err := psTable(w)
	if err != nil {
		return nil, nil, err
	}
	return macf.ParsePS(table), []string{"macOS does not tell the directory of a channel server, nor its environment"}, nil
}
