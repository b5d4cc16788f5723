package fold

import (
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/versions"
)

// alert is one that was filed, the last of its severity about an agent.
type alert struct {
	agent, severity string
	at              record.Time // when it was filed
	asked           string      // id of the ask intent that made a question of it, or that had asked the same and was not resolved; "": no tick has yet
	retry           string      // id of the last intent that tried once more to hand it on; "": none did
}

// told takes that a person was told something, or that what they were told is over.
func (s *State) told(h *record.Heal, intent record.Entry) {
	t := decode[record.ActTarget](intent.Target)
	severity := guard.Withhold(t.Severity)
	if t.Over {
		drop(h, severity)
		return
	}
	h.Untold = without(h.Untold, severity)
	s.file(h, severity, intent.TS, t.Text)
}

// untold takes that a person could not be told something, which is no less so for that: a
// tick asks, and the next sweep tries again.
func (s *State) untold(h *record.Heal, intent record.Entry) {
	t := decode[record.ActTarget](intent.Target)
	severity := guard.Withhold(t.Severity)
	if t.Over || h.Told(severity) {
		return
	}
	if slices.Contains(h.Untold, severity) {
		a := s.alert(h.Agent, severity)
		if a.retry != "" {
			s.spare[a.retry] = true
		}
		a.retry = intent.ID
	} else {
		h.Untold = slices.Sorted(slices.Values(append(slices.Clone(h.Untold), severity)))
	}
	s.file(h, severity, intent.TS, t.Text)
}

// file keeps what is said of an alert. When it is not filed yet, also since when it is so,
// and whether a tick asks it already: not when the owner answered that before.
func (s *State) file(h *record.Heal, severity string, at record.Time, text string) {
	if h.Texts, h.Filed = maps.Clone(h.Texts), maps.Clone(h.Filed); h.Texts == nil {
		h.Texts, h.Filed = map[string]string{}, map[string]record.Time{}
	}
	h.Texts[severity] = guard.Text(text, 300)
	if slices.Contains(h.Alerts, severity) {
		return
	}
	h.Alerts, h.Unasked = append(slices.Clone(h.Alerts), severity), without(h.Unasked, severity)
	h.Filed[severity] = at
	a := &alert{agent: h.Agent, severity: severity, at: at}
	if q := s.asks[a.key()]; q != nil && q.State != record.AskResolved && (q.AnsweredAt == nil || !at.After(q.AnsweredAt.Time)) {
		a.asked = q.Intent
	}
	s.alerts[a.key()] = a
}

// key is that of the question that fleet-asks makes of it.
func (a *alert) key() string { return record.HealKey(a.agent, a.severity) }

func (s *State) alert(agent, severity string) *alert {
	return s.alerts[(&alert{agent: agent, severity: severity}).key()]
}

// question takes that a tick asks about a key: what was kept for it alone ends.
func (s *State) question(key, intent string) {
	a := s.alerts[key]
	if a == nil || a.asked != "" {
		return
	}
	a.asked = intent
	h := s.heal(a.agent)
	h.Unasked = without(h.Unasked, a.severity)
	forget(h, a.severity)
}

// holds tells whether an ask intent is what says that an alert was asked about.
func (s *State) holds(intent string) bool {
	for _, a := range s.alerts {
		if a.asked == intent {
			return true
		}
	}
	return false
}

// over ends an alert with its episode. One that no tick has asked about is kept until
// one has.
func (s *State) over(h *record.Heal, severity string) {
	h.Alerts, h.Untold = without(h.Alerts, severity), without(h.Untold, severity)
	if a := s.alert(h.Agent, severity); a != nil && a.asked == "" {
		h.Unasked = slices.Sorted(slices.Values(append(without(h.Unasked, severity), severity)))
	}
	forget(h, severity)
}

// drop ends an alert of which somebody saw that it is so no more: no tick need ask.
func drop(h *record.Heal, severity string) {
	h.Alerts, h.Untold, h.Unasked = without(h.Alerts, severity), without(h.Untold, severity), without(h.Unasked, severity)
	forget(h, severity)
}

// forget drops the text of an alert that nobody is told of any more.
func forget(h *record.Heal, severity string) {
	if slices.Contains(h.Alerts, severity) || slices.Contains(h.Unasked, severity) {
		return
	}
	h.Texts, h.Filed = maps.Clone(h.Texts), maps.Clone(h.Filed)
	delete(h.Texts, severity)
	delete(h.Filed, severity)
	if len(h.Texts) == 0 {
		h.Texts, h.Filed = nil, nil
	}
}

// without is a list without a word, nil when nothing is left.
func without(list []string, word string) []string {
	left := slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == word })
	if len(left) == 0 {
		return nil
	}
	return left
}

// well ends an episode. What a session shows next to its prompt is told until somebody
// looked and saw it no more: that it answers says nothing of it. That an upgrade stopped
// at the agent is told until another is begun, or it runs the version: it may have come
// back well, and in its old one. made tells that an upgrade was made good.
func (s *State) well(h *record.Heal, runs string) (made bool) {
	h.Deaf, h.Throttled, h.Attempts, h.Injects = 0, 0, 0, 0
	h.Ends = h.Ends[max(len(h.Ends)-1, 0):]
	for _, severity := range slices.Clone(h.Alerts) {
		switch {
		case strings.HasPrefix(severity, record.StallAlert):
			continue
		case severity != record.UpgradeStopped:
			s.over(h, severity)
		case h.Upgrade == nil || h.Upgrade.State != "failed":
			drop(h, severity)
		case versions.MadeGood(h.Upgrade.To, h.Upgrade.Reason, runs):
			drop(h, severity)
			made = true
		}
	}
	return made
}

// anew forgets an episode, and all that a person was told in it.
func anew(h *record.Heal) {
	h.Deaf, h.Throttled, h.Attempts, h.Injects, h.Alerts, h.Untold, h.Unasked, h.Texts, h.Filed = 0, 0, 0, 0, nil, nil, nil, nil, nil
}
