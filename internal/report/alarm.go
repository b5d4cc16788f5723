package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// alarm is the sentence of the first line: what came in is not the whole, or
// is nothing.
func (r *Report) alarm(empty bool, sessions int) string {
	severe, incomplete, hosts := false, "", 0
	for _, n := range r.NotRead {
		severe = severe || n.hides()
		program, _, _ := strings.Cut(n.Name, "@")
		if incomplete == "" && (program == judge || n.Why == WhyHost || n.Why == WhyCut && program == observers["claude"]) {
			incomplete = n.Name + ": " + n.Says
		} else if n.Why == WhyHost {
			hosts++
		}
	}
	if hosts > 0 {
		incomplete += "; and " + count(hosts, "more machine", "more machines")
	}
	dark := r.dark()
	if incomplete == "" {
		incomplete = dark
	}
	judged := r.Total
	for _, s := range r.Sections {
		if s.ID == unknown {
			judged -= s.Count
		}
	}
	switch {
	case empty:
		return "BLIND: not one record came in; nothing is known about any session"
	case r.Total == 0 && sessions > 0:
		return fmt.Sprintf("BLIND: %s seen and not one was judged", count(sessions, "session was", "sessions were"))
	case r.Total == 0 && (severe || dark != ""):
		return "BLIND: no session could be looked at; that none is listed means nothing"
	case r.Total > 0 && judged == 0:
		return fmt.Sprintf("BLIND: nothing could be told about any of %s", count(r.Total, "session", "sessions"))
	case incomplete != "":
		return "INCOMPLETE: sessions may be missing or wrong below: " + incomplete
	}
	return ""
}

// Failed says of a report that a tick after it failed, or that none ran, when and why: what
// it shows is the last that is known, and not of now.
func (r *Report) Failed(why string, at time.Time) {
	says := "OUTDATED: at " + at.UTC().Format(time.RFC3339) + ": " + why + "; below is the last report that could be made"
	if r.Alarm != "" {
		says += ", of which it was said: " + r.Alarm
	}
	r.Alarm = says
}

// hides tells that sessions may be there of which nothing came in: the judge, a machine,
// which machines there are, or what of Claude Code says which sessions there are. What
// else was not read stands in its own list.
func (n NotRead) hides() bool {
	program, _, _ := strings.Cut(n.Name, "@")
	switch n.Why {
	case WhyHost, WhyJudge:
		return true
	case WhyCut:
		return slices.Contains([]string{judge, observers["claude"], "fleet-config"}, program)
	case WhyFailed:
		return program == "claude/processes" || slices.Contains(sessionSources, program)
	case WhyAbsent:
		return strings.HasPrefix(program, "claude/")
	}
	return false
}

// sessionSources are the surfaces that name the sessions.
var sessionSources = []string{"claude/listing", "claude/sessions", "claude/jobs"}

// dark names a source of the sessions of which every item is there and not one
// was understood; "" when there is none.
func (r *Report) dark() string {
	for _, s := range r.Surfaces {
		name, _, _ := strings.Cut(s.Name, "@")
		if s.State == SurfacePart && s.Rows == 0 && slices.Contains(sessionSources, name) {
			return s.Name + ": " + s.Says
		}
	}
	return ""
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
