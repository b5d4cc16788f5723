package observe

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// agentProcesses returns the processes of this machine that may be an agent's,
// with what of their environment is read: of other users' it cannot be. notes
// says what the table does not show.
func agentProcesses(w *machine.World) (ps []macf.Process, notes []string, err error) {
	if w.Recorded() {
		ps, err = machine.RecordedProcesses[macf.Process](w)
		return ps, nil, err
	}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(dirs, func(d os.DirEntry) bool { return d.Name() == "1" }) {
		notes = append(notes, "the process table hides the processes of other users")
	}
	ps = []macf.Process{}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		dir := "/proc/" + d.Name()
		args, err := readProc(dir + "/cmdline")
		if err != nil || len(args) == 0 {
			continue // ended meanwhile, hidden, or a kernel thread
		}
		argv := strings.Split(strings.TrimRight(string(args), "\x00"), "\x00")
		exe, err := os.Readlink(dir + "/exe")
		if err != nil {
			exe = argv[0]
		}
		p := macf.NewProcess(pid, "", "", strings.TrimSuffix(exe, " (deleted)"), argv)
		if p.Kind() == "" {
			continue
		}
		p.Cwd, _ = os.Readlink(dir + "/cwd")
		p.Start, _ = startTime(dir)
		if env, err := readProc(dir + "/environ"); err == nil {
			p.Env = macf.Environ(env)
		}
		ps = append(ps, p)
	}
	return ps, notes, nil
}
