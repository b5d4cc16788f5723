package report

import (
	"fmt"
	"slices"
	"strings"
)

// alarm is the sentence of the first line: what came in is not the whole, or
// is nothing.
func (r *Report) alarm(empty bool, sessions int) string {
	severe, incomplete := false, ""
	for _, n := range r.NotRead {
		severe = severe || slices.Index(whys, n.Why) <= slices.Index(whys, WhyAbsent)
		program, _, _ := strings.Cut(n.Name, "@")
		if incomplete == "" && (program == judge || n.Why == WhyHost || n.Why == WhyCut && program == observers["claude"]) {
			incomplete = n.Name + ": " + n.Says
		}
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
	case r.Total == 0 && severe:
		return "BLIND: no session could be looked at; that none is listed means nothing"
	case r.Total > 0 && judged == 0:
		return fmt.Sprintf("BLIND: nothing could be told about any of %s", count(r.Total, "session", "sessions"))
	case incomplete != "":
		return "INCOMPLETE: sessions may be missing or wrong below: " + incomplete
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
