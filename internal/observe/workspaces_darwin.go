package observe

import (
	"context"
	"fmt"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/macf"
)

// agentProcesses returns the processes of this machine that may be an agent's.
// macOS tells neither their directories nor their environment: a session's
// directory comes from Claude Code's own file. notes says so.
func (w *World) agentProcesses() (ps []macf.Process, notes []string, err error) {
	if w.fixtures != "" {
		ps, err = w.recordedAgents()
		return ps, nil, err
	}
	res, err := command.Run(context.Background(), w.spec("ps", "-axww", "-o", "pid=,lstart=,args="))
	if err != nil {
		return nil, nil, err
	}
	if res.Status != 0 {
		return nil, nil, fmt.Errorf("ps: exit status %d: %s", res.Status, res.FirstLine())
	}
	return macf.ParsePS(string(res.Stdout)), []string{"macOS does not tell the directory of a channel server, nor its environment"}, nil
}
