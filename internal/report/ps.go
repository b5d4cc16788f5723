package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// PS writes a table of the agents that workspace records name: a line a
// process, and a line for a workspace in which nothing runs. Where something was
// not read, lines above the table say so; what then is not seen to run is
// neither alive nor dead but unknown.
//
// The lines are in the order of their workspaces, what lies in none behind
// them; within one the living first, by kind and pid. A version is that of a
// channel server; a pin that is another is marked.
func PS(w io.Writer, set *record.Set) error {
	in := set
	p := &page{}
	hosts := agentHosts(in)
	blind := map[string]bool{} // machines whose processes are not known
	for _, host := range hosts {
		blind[host] = p.psUnread(in, host)
	}
	if len(hosts) == 0 {
		p.printf("Liveness unconfirmed: there is no record of %s.\n", agentObserver)
	}
	rows := psRows(in, blind)
	if len(rows) > 0 {
		p.psTable(rows, len(hosts) > 1)
	} else if len(hosts) > 0 {
		p.printf("No agents.\n")
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

// agentObserver is the program that writes workspace records.
const agentObserver = "fleet-observe-workspaces"

// psWidth is how much of a word of a line of ps is shown, psPath of a path.
const (
	psWidth = 40
	psPath  = 100
)

// agentHosts are the machines whose agents were looked at, sorted.
func agentHosts(in *record.Set) (hosts []string) {
	for _, r := range in.All() {
		if r.By == agentObserver || r.Kind == record.KindWorkspace {
			hosts = append(hosts, r.Host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// psUnread writes what was not read of a machine's agents, and tells whether
// its processes are not known.
func (p *page) psUnread(in *record.Set, host string) (blind bool) {
	name := label(host)
	part := func(surface string) (*record.Surface, string) {
		r, ok := in.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: surface})
		if !ok {
			return &record.Surface{}, "no record of it"
		}
		s, _ := record.Payload[record.Surface](r)
		return s, cmp.Or(s.Error, "it says nothing")
	}
	processes, why := part("macf/processes")
	if !processes.OK {
		p.printf("Liveness unconfirmed on %s: macf/processes was not read: %s.\n", name, text(why, saysWidth))
	}
	spaces, why := part("macf/workspaces")
	switch {
	case !spaces.OK:
		p.printf("Workspaces may be missing on %s: macf/workspaces was not read: %s.\n", name, text(why, saysWidth))
	case spaces.Absent:
		p.printf("macf is not installed on %s.\n", name)
	}
	if spaces.Unparsed > 0 {
		p.printf("%s\n", notUnderstood(host, strings.Join(spaces.Notes, "; ")))
	}
	if says := unstartable(in, host); says != "" {
		p.printf("%s\n", says)
	}
	cut := in.Closed(host, agentObserver)
	if cut != nil {
		p.printf("Liveness unconfirmed on %s: records are missing: %s.\n", name, text(cut.Error(), saysWidth))
	}
	return !processes.OK || cut != nil
}

// notUnderstood says which files of macf were not understood on a machine.
func notUnderstood(host, which string) string {
	return fmt.Sprintf("Not understood on %s: %s.", label(host), text(which, 2*saysWidth))
}

// unstartable says which launchers of workspaces cannot be started on a machine, "" when
// nothing is known against any. What a command of the list starts needs none.
func unstartable(in *record.Set, host string) string {
	var says []string
	for _, r := range in.Of(record.KindWorkspace) {
		if s, ok := record.Payload[record.Workspace](r); ok && r.Host == host && s.Unstartable != "" {
			says = append(says, strings.TrimSuffix(s.Path, "/")+"/"+s.Unstartable)
		}
	}
	if len(says) == 0 {
		return ""
	}
	slices.Sort(says)
	return fmt.Sprintf("No launcher on %s: %s.", label(host), text(strings.Join(says, "; "), 2*saysWidth))
}

// psRow is a line of ps.
type psRow struct {
	host, agent, status, workspace, version, pin, port, endpoint, cwd, kind, path string
	pid                                                                           int
}

// psRows are the lines, in order.
func psRows(in *record.Set, blind map[string]bool) (rows []psRow) {
	for _, r := range in.Of(record.KindWorkspace) {
		s, ok := record.Payload[record.Workspace](r)
		if !ok {
			continue
		}
		if s.Unread != "" && len(s.Processes) == 0 {
			continue // that it is not understood is told above
		}
		row := psRow{host: r.Host, agent: s.Agent, status: "dead", workspace: base(s.Path), pin: s.Pin, cwd: s.Path, path: s.Path}
		if blind[r.Host] {
			row.status = "unknown"
		}
		if len(s.Processes) == 0 {
			rows = append(rows, row)
		}
		if s.Registry == nil {
			row.path = "" // no workspace
		}
		for _, proc := range s.Processes {
			alive := row
			alive.status, alive.pid, alive.kind, alive.version, alive.cwd = "alive", proc.PID, proc.Kind, proc.Version, proc.Cwd
			alive.agent = cmp.Or(proc.Agent, s.Agent)
			_, collector, _ := strings.Cut(proc.Endpoint, "://")
			if alive.endpoint = cmp.Or(collector, "(none)"); proc.Port > 0 {
				alive.port = strconv.Itoa(proc.Port)
			}
			if alive.version != "" && s.Pin != "" && alive.version != strings.TrimPrefix(s.Pin, "v") {
				alive.pin += " ≠ running"
			}
			rows = append(rows, alive)
		}
	}
	slices.SortStableFunc(rows, func(a, b psRow) int {
		return cmp.Or(compareLast(a.path, b.path), cmp.Compare(a.host, b.host), compareLast(a.kind, b.kind), cmp.Compare(a.pid, b.pid))
	})
	return rows
}

// base is the last part of a path, "" of none.
func base(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(p)
}

// compareLast orders texts, an empty one last.
func compareLast(a, b string) int {
	if (a == "") != (b == "") {
		return cmp.Compare(len(b), len(a))
	}
	return cmp.Compare(a, b)
}

// inCell is foreign text in a cell, where no line begins: a version is no list.
func inCell(s string, columns int) string {
	return strings.TrimPrefix(inert("x"+clip(s, columns)), "x")
}

// psTable writes the lines, under a line that counts them.
func (p *page) psTable(rows []psRow, hosts bool) {
	counts := map[string]int{}
	cells := [][]string{{"AGENT", "STATUS", "PID", "KIND", "WORKSPACE", "VERSION", "PIN", "PORT", "OTEL", "CWD"}}
	for _, r := range rows {
		counts[r.status]++
		pid := ""
		if r.pid > 0 {
			pid = strconv.Itoa(r.pid)
		}
		cell := []string{r.agent, r.status, pid, r.kind, r.workspace, r.version, r.pin, r.port, r.endpoint, r.cwd}
		for i := range cell {
			width := psWidth
			if i == len(cell)-1 {
				width = psPath
			}
			cell[i] = cmp.Or(inCell(cell[i], width), "—")
		}
		cells = append(cells, cell)
	}
	if hosts {
		cells[0] = append([]string{"HOST"}, cells[0]...)
		for i, r := range rows {
			cells[i+1] = append([]string{label(r.host)}, cells[i+1]...)
		}
	}
	var says []string
	for _, c := range []struct{ status, one, many string }{{"alive", "process alive", "processes alive"}, {"dead", "workspace dead", "workspaces dead"},
		{"unknown", "workspace unknown", "workspaces unknown"}} {
		if n := counts[c.status]; n > 0 {
			says = append(says, count(n, c.one, c.many))
		}
	}
	p.printf("%s\n\n", strings.Join(says, ", "))
	p.grid(cells)
}
