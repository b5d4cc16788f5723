package macf

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Outside is why it is not known whose a workspace is that lies below no root.
const Outside = "no root of workspace_roots leads to it"

// Space is a workspace and what lies beside its agent's name.
type Space struct {
	Path   string // canonical
	Unread string // why it is not known whose it is; "" when it is
	Repo   string // git common dir of the repository that it is in; "" when it is in none, or that cannot be told
	Unable string // why its launcher cannot be started; "" when nothing is known against it
	Config Config
	Lock   *record.Maintenance
	Exit   *record.AgentExit
}

// Row is a workspace record and its subject.
type Row struct {
	Subject string
	Data    record.Workspace
}

// Join puts the processes into their workspaces: the workspaces by path, then
// the processes that none holds, those of one directory together. A workspace
// that is not among spaces has its path and no name, and says so.
func Join(spaces []Space, running []Running) []Row {
	rows, at := []Row{}, map[string]int{}
	put := func(key, subject string, w record.Workspace) {
		if _, ok := at[key]; !ok {
			at[key] = len(rows)
			w.Processes = []record.AgentProc{}
			rows = append(rows, Row{subject, w})
		}
	}
	slices.SortFunc(spaces, func(a, b Space) int { return cmp.Compare(a.Path, b.Path) })
	for _, s := range spaces {
		put("space "+s.Path, subjectOf(s.Path), s.record())
	}
	slices.SortFunc(running, func(a, b Running) int {
		return cmp.Or(cmp.Compare(btoi(a.Cwd == ""), btoi(b.Cwd == "")), cmp.Compare(a.Cwd, b.Cwd), cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.PID, b.PID))
	})
	for _, r := range running {
		key := "space " + r.Home
		if _, held := at[key]; r.Home == "" || !held {
			path := cmp.Or(r.Home, r.Cwd)
			subject := subjectOf(path)
			if path == "" {
				subject = "pid:" + strconv.Itoa(r.PID)
			}
			key = "alone " + subject
			alone := record.Workspace{Path: guard.Path(path)}
			if r.Home != "" {
				alone.Unread = Outside
			}
			put(key, subject, alone)
		}
		w := &rows[at[key]].Data
		w.Processes = append(w.Processes, r.record())
	}
	for _, row := range rows {
		slices.SortStableFunc(row.Data.Processes, func(a, b record.AgentProc) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.PID, b.PID))
		})
	}
	return rows
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// subjectOf is a path as a subject. One that the guard changes is told by a
// hash: two such paths stay two.
func subjectOf(path string) string {
	if clean := guard.Path(path); clean == path {
		return clean
	}
	return guard.ID(path)
}

// record is the workspace without its processes.
func (s Space) record() record.Workspace {
	if s.Unread != "" {
		return record.Workspace{Path: guard.Path(s.Path), Unread: s.Unread}
	}
	c := s.Config
	w := record.Workspace{Agent: ID(c.Label), Project: ID(c.Project), Type: c.Type, Path: guard.Path(s.Path), Pin: guard.Text(c.Pin, textWidth), Repo: guard.Path(s.Repo),
		Session: SessionName(c.Project, c.Label), Unstartable: s.Unable, Maintenance: s.Lock, LastExit: s.Exit}
	w.Registry = &record.Registry{Kind: c.Registry.Kind, ID: guard.ID(c.Registry.ID)}
	if c.Registry.Kind == "local" {
		w.Registry.ID = guard.Path(c.Registry.ID)
	}
	return w
}
