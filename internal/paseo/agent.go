package paseo

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// The statuses of an agent (Paseo 0.1.65).
const (
	statusClosed = "closed"
	labelPrefix  = "paseo."
	labelParent  = "paseo.parent-agent-id"
	labelPlan    = "paseo.schedule-id"
)

// agentFile is agents/<dir>/<id>.json as it is written, without the fields
// where secrets lie. Older records lack all but the first five.
type agentFile struct {
	ID                string          `json:"id"`
	Provider          string          `json:"provider"`
	Cwd               string          `json:"cwd"`
	CreatedAt         string          `json:"createdAt"`
	UpdatedAt         string          `json:"updatedAt"`
	Title             *string         `json:"title"`
	Labels            map[string]text `json:"labels"`
	LastStatus        *string         `json:"lastStatus"`
	Internal          *bool           `json:"internal"`
	ArchivedAt        *string         `json:"archivedAt"`
	RequiresAttention *bool           `json:"requiresAttention"`
	AttentionReason   *string         `json:"attentionReason"`
	RuntimeInfo       *struct {
		SessionID *string `json:"sessionId"`
	} `json:"runtimeInfo"`
	Persistence *struct {
		SessionID    *string `json:"sessionId"`
		NativeHandle text    `json:"nativeHandle"`
	} `json:"persistence"`
}

// Agent is an agent record and what is needed to place it.
type Agent struct {
	Record record.Agent // cleaned; Repo and Placement are not set
	Cwd    string       // as written, for looking it up
	Path   string       // the file; set by who read it
	Flat   bool         // the file is directly in agents/, as older versions keep it; set by who read it
}

// ParseAgent reads an agent record. The error is that of a record which Paseo
// itself would not load: no JSON, a field of another type, or one of the five
// that every version writes missing.
func ParseAgent(b []byte, d *Drift) (Agent, error) {
	var f agentFile
	if err := decode(b, &f); err != nil {
		return Agent{}, err
	}
	for _, must := range []struct{ name, value string }{
		{"id", f.ID}, {"provider", f.Provider}, {"cwd", f.Cwd}, {"createdAt", f.CreatedAt}, {"updatedAt", f.UpdatedAt},
	} {
		if must.value == "" {
			return Agent{}, errors.New("no " + must.name)
		}
	}
	if !isID(f.ID) {
		return Agent{}, errors.New("id is not an id")
	}
	a := record.Agent{
		ID:         guard.ID(f.ID),
		Provider:   guard.Text(f.Provider, wordWidth),
		Cwd:        guard.Path(f.Cwd),
		Title:      guard.Text(value(f.Title), nameWidth),
		Sessions:   f.sessions(),
		Status:     d.known("lastStatus", f.status(), "initializing", "idle", "running", "error", statusClosed),
		Parent:     f.idLabel(labelParent),
		ScheduleID: f.idLabel(labelPlan),
		Labels:     f.labels(),
		Internal:   value(f.Internal),
		ArchivedAt: record.TimeOf(d.time("archivedAt", f.ArchivedAt)),
		CreatedAt:  record.TimeOf(d.time("createdAt", &f.CreatedAt)),
		UpdatedAt:  record.TimeOf(d.time("updatedAt", &f.UpdatedAt)),
	}
	a.Archived = value(f.ArchivedAt) != ""
	if reason := value(f.AttentionReason); reason != "" && (f.RequiresAttention == nil || *f.RequiresAttention) {
		a.Attention = d.known("attentionReason", reason, "finished", "error", "permission")
	}
	return Agent{Record: a, Cwd: f.Cwd}, nil
}

// status is lastStatus, which reads as closed where an old record has none.
func (f agentFile) status() string {
	if s := value(f.LastStatus); s != "" {
		return s
	}
	return statusClosed
}

// sessions is every session id that the record names, each once. Which
// provider it is tells nothing: one that extends claude bears its own name,
// and its sessions are Claude's. runtimeInfo.sessionId is null during the
// whole first turn (Paseo 0.1.65), persistence then has the id already.
func (f agentFile) sessions() []string {
	var candidates []string
	if f.RuntimeInfo != nil {
		candidates = append(candidates, value(f.RuntimeInfo.SessionID))
	}
	if f.Persistence != nil {
		candidates = append(candidates, value(f.Persistence.SessionID), string(f.Persistence.NativeHandle))
	}
	ids := []string{}
	for _, c := range candidates {
		if id := guard.ID(c); isID(c) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// idLabel is a label whose value is an id, "" when there is none.
func (f agentFile) idLabel(key string) string {
	if v := string(f.Labels[key]); isID(v) {
		return guard.ID(v)
	}
	return ""
}

// labels is what the agent's creator wrote on it, Paseo's own labels left out.
func (f agentFile) labels() map[string]string {
	keys := make([]string, 0, len(f.Labels))
	for k := range f.Labels {
		if !strings.HasPrefix(k, labelPrefix) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var ls map[string]string
	for _, k := range keys[:min(len(keys), labelsShown)] {
		if ls == nil {
			ls = map[string]string{}
		}
		ls[guard.Text(k, wordWidth)] = guard.Text(string(f.Labels[k]), nameWidth)
	}
	return ls
}

// unarchiving sets updatedAt back by some seconds (Paseo 0.1.65), so of two
// records of one agent that are this close the later is not for certain the
// newer.
const closeTogether = 10 * time.Second

// Newest returns one record an agent, by id: while an agent moves to another
// directory its record is in both, and for good when the old one could not be
// removed. The later updatedAt wins; a flat file only by more than ten
// seconds, because the daemon moves a record away from there and never back.
// doubled is how many agents had several.
func Newest(files []Agent) (agents []Agent, doubled int) {
	byID := map[string][]Agent{}
	for _, f := range files {
		byID[f.Record.ID] = append(byID[f.Record.ID], f)
	}
	for _, fs := range byID {
		agents = append(agents, slices.MaxFunc(fs, older))
		if len(fs) > 1 {
			doubled++
		}
	}
	slices.SortFunc(agents, func(a, b Agent) int { return cmp.Compare(a.Record.ID, b.Record.ID) })
	return agents, doubled
}

// older orders records of one agent, the one to be taken last.
func older(a, b Agent) int {
	return cmp.Or(a.rank().Compare(b.rank()), cmp.Compare(depth(a), depth(b)), cmp.Compare(a.Path, b.Path))
}

// rank is updatedAt, later for a record in its proper place.
func (a Agent) rank() time.Time {
	t := value(a.Record.UpdatedAt).Time
	if !a.Flat {
		t = t.Add(closeTogether)
	}
	return t
}

func depth(a Agent) int {
	if a.Flat {
		return 0
	}
	return 1
}
