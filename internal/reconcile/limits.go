package reconcile

import (
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// judged reads what fleet-classify said. Of a stream in which it did not end, it
// said nothing.
func (w *world) judged() {
	if err := w.set.Closed("", judges); err != nil {
		w.unjudged = err.Error()
		return
	}
	w.unjudged = w.limits()
	for _, r := range w.set.Of(record.KindSession) {
		p, ok := record.Payload[record.Session](r)
		if !ok || r.Host != w.host {
			continue
		}
		w.records[r.Subject] = p
		if p.Process != nil && p.Process.Alive != nil && *p.Process.Alive {
			w.byPID[p.Process.PID] = r.Subject
		}
	}
	for _, r := range w.set.Of(record.KindVerdict) {
		if p, ok := record.Payload[record.Verdict](r); ok && r.Host == w.host {
			w.verdicts[r.Subject] = p
		}
	}
	w.pause = Pause(w.set)
}

// Pause is until when nothing new is started, by what fleet-classify found of
// usage limits; nil when no limit holds, or it did not end.
func Pause(set *record.Set) (until *record.Time) {
	if set.Closed("", judges) != nil {
		return nil
	}
	for _, r := range set.Of(record.KindFinding) {
		if p, ok := record.Payload[record.Finding](r); ok && p.Name == "pause" && p.Until != nil && (until == nil || p.Until.After(until.Time)) {
			until = p.Until
		}
	}
	return until
}

// limits says which of the sources of usage limits was not read, "" when all were: a
// limit in it would hold, and nobody knows of it. The listing is none of them: without
// it a limit is found all the same.
func (w *world) limits() string {
	programs := []string{sessions}
	for _, by := range w.set.By(w.host) {
		if strings.HasPrefix(by, sessions+"@") {
			programs = append(programs, by)
		}
	}
	for _, by := range programs {
		if err := w.set.Closed(w.host, by); err != nil {
			return err.Error()
		}
		for _, name := range []string{"claude/jobs", "claude/sessions", "claude/transcripts"} {
			if says := w.surface(name+strings.TrimPrefix(by, sessions), true); says != "" {
				return says
			}
		}
	}
	return ""
}
