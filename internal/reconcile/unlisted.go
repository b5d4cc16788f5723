package reconcile

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/record"
)

// unlisted are decisions about agents of which a person was told something, and that
// should run no longer: the list names them no more, or, where there is none, no
// workspace is theirs. Each is made once, since what was told ends with it. Where all
// was not read nobody knows that; nor where there is no list, and a workspace whose
// configuration was not understood may be one's.
func (w *world) unlisted(list []desired.Agent) []record.Decision {
	known := w.blindAll == "" && (list != nil || !w.unnamed() && (len(w.order) > 0 || len(w.vanished(list)) == 0))
	wanted := map[string]bool{}
	for _, d := range list {
		wanted[d.Agent] = true
	}
	for _, p := range w.order {
		wanted[p.Agent] = wanted[p.Agent] || list == nil && !w.foreign(p)
	}
	detail := "the list does not name it any more: what was told of it is over"
	if list == nil {
		detail = "no workspace is its any more: what was told of it is over"
	}
	var ds []record.Decision
	for _, name := range slices.Sorted(maps.Keys(w.heals)) {
		h := w.heals[name]
		if !known || wanted[name] || strings.HasPrefix(name, "session:") || len(h.Alerts)+len(h.Unasked) == 0 {
			continue
		}
		d := skip("%s", detail).Decision
		d.Agent, d.Reason, d.Seen = name, record.Unlisted, &record.Seen{Host: w.host}
		ds = append(ds, d)
	}
	return ds
}

// missedFor is how long an agent is missed without whose workspace is gone.
const missedFor = 24 * time.Hour

// vanished are the agents that were kept alive of late, and of which no workspace is there any
// more, by name. Of a list each is one that it names.
func (w *world) vanished(list []desired.Agent) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(w.heals)) {
		if h := w.heals[name]; list == nil && !strings.HasPrefix(name, "session:") && w.named[name] == 0 && h.SweptAt != nil && within(w.at.Time, h.SweptAt.Time, missedFor) {
			names = append(names, name)
		}
	}
	return names
}

// unnamed tells that nobody knows whose a workspace is.
func (w *world) unnamed() bool {
	for _, p := range w.spaces {
		if misread(p) {
			return true
		}
	}
	return false
}

// misread tells that a workspace has a configuration that was not understood. One that
// lies below no root is no workspace that anybody asked for.
func misread(p *record.Workspace) bool {
	return p.Agent == "" && p.Unread != "" && p.Unread != macf.Outside
}
