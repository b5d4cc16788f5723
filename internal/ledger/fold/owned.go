package fold

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// spawned is what the outcome of a spawn names. The job id stands in while the
// listing does not show the session yet.
type spawned struct {
	SessionID    string   `json:"session_id"`
	SessionIDs   []string `json:"session_ids"`
	PaseoAgentID string   `json:"paseo_agent_id"`
	JobID        string   `json:"job_id"`
	ID           string   `json:"id"` // of the job, as claude --bg prints it
}

// addOutcome closes an intent. The first outcome counts; later ones change
// nothing. A spawn that was done, and not only as an exercise, makes what it
// names ours, also when the line of its intent is lost.
func (s *State) addOutcome(e record.Entry) {
	if s.closed[e.Of] {
		return
	}
	intent, known := s.open[e.Of]
	s.closed[e.Of] = true
	delete(s.open, e.Of)
	if !known {
		intent = e
	}
	s.acted(intent, e)
	if e.Kind != record.EntryDone || intent.Verb != "spawn" || intent.DryRun || e.DryRun {
		return
	}
	r := decode[spawned](e.Result)
	if id := decode[string](e.Result); id != "" {
		r.SessionID = id
	}
	why := "spawned" + inTick(e.Tick)
	for _, id := range append([]string{r.SessionID}, r.SessionIDs...) {
		s.own(record.Owned{SessionID: id, PaseoAgentID: r.PaseoAgentID, JobID: cmp.Or(r.JobID, r.ID), Key: intent.Key, Why: why})
	}
}

// addAdopt takes an adoption that is no exercise.
func (s *State) addAdopt(e record.Entry) {
	a := decode[record.Adopted](e.Target)
	if !e.DryRun {
		s.own(record.Owned{SessionID: a.SessionID, PaseoAgentID: a.PaseoAgentID, Why: "adopted" + inTick(e.Tick)})
	}
}

func inTick(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" in tick %d", *n)
}

// own notes what is ours, once: the first reason stays. A session id of eight
// digits is a job id.
func (s *State) own(o record.Owned) {
	for _, text := range []*string{&o.SessionID, &o.PaseoAgentID, &o.JobID, &o.Key} {
		*text = guard.Withhold(*text)
	}
	if len(o.SessionID) == 8 {
		o.SessionID, o.JobID = "", o.SessionID
	}
	subject := OwnedSubject(o)
	if subject == "" || s.owned[subject] != nil {
		return
	}
	s.owned[subject] = &o
	s.order = append(s.order, subject)
}

// OwnedSubject is the subject of an owned record: session:<id>, else
// agent:<id>, else job:<id>; "" when nothing is named.
func OwnedSubject(o record.Owned) string {
	switch {
	case o.SessionID != "":
		return "session:" + o.SessionID
	case o.PaseoAgentID != "":
		return "agent:" + o.PaseoAgentID
	case o.JobID != "":
		return "job:" + o.JobID
	}
	return ""
}

// Owned returns what is ours, in the order in which it became so.
func (s *State) Owned() []record.Owned {
	list := []record.Owned{}
	for _, subject := range s.order {
		list = append(list, *s.owned[subject])
	}
	return list
}

// Surface says how the reading of a ledger went: damaged lines are unparsed,
// kinds of a later release drift.
func (s *State) Surface() record.Surface {
	p := record.Surface{OK: true, Rows: s.Entries, Unparsed: s.Damaged}
	for _, kind := range slices.Sorted(maps.Keys(s.Newer)) {
		p.Drift = append(p.Drift, "ledger kind "+kind)
	}
	return p
}
