package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Explain says, for a person, how a session is judged: each rule in order, with
// what speaks for or against it, and the verdict. name is a session id, the
// beginning of one, a name or a pid. It is an error when no session or more
// than one goes by it.
func Explain(set *record.Set, name string) (string, error) {
	j := judge{Rules(), Standard}
	r, err := find(set.Of(record.KindSession), name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	st := newStream(set)
	f := st.factsOf(r, sessionOf(r), j.bounds)
	fmt.Fprintf(&b, "%s on %s, looked at %s\n", title(r), cmp.Or(f.Host, "no host"), f.At.UTC().Format(record.Layout))
	for _, r := range f.readings() {
		fmt.Fprintf(&b, "  %s\n", r)
	}
	j.explainRules(&b, f)
	explainVerdict(&b, j.verdict(st, f))
	return b.String(), nil
}

// explainRules writes each rule and each of its ways.
func (j judge) explainRules(b *strings.Builder, f *Facts) {
	if f.Whole.Truth != Yes {
		fmt.Fprintf(b, "No rule is asked: %s\n", complaint(f.Whole))
		return
	}
	decided := false
	for _, r := range j.rules {
		mark := ""
		if m := r.Match(f); m.Truth != No && !decided {
			decided, mark = true, "  <- decides"
		}
		fmt.Fprintf(b, "%s %s: %s%s\n", r.ID, r.Name, r.Match(f).Truth, mark)
		for _, w := range r.Ways {
			m := w.Match(f)
			fmt.Fprintf(b, "    %s: %s%s\n", w.Name, m.Truth, because(m))
		}
	}
}

// because is a reading's evidence, in brackets.
func because(r Reading) string {
	var all []string
	for _, e := range r.Says {
		all = append(all, e.Source+": "+e.Says)
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, "; ") + ")"
}

// explainVerdict writes what came of it.
func explainVerdict(b *strings.Builder, v record.Verdict) {
	fmt.Fprintf(b, "Verdict: %s", v.Class)
	if v.ClassName != v.Class {
		fmt.Fprintf(b, " %s", v.ClassName)
	}
	b.WriteString("\n")
	for _, l := range []struct{ name, says string }{{"why", v.Why}, {"cause", v.Cause}, {"question", v.Question}, {"would do", v.WouldDo}} {
		if l.says != "" {
			fmt.Fprintf(b, "  %s: %s\n", l.name, l.says)
		}
	}
	if v.ResetAt != nil {
		fmt.Fprintf(b, "  reset: %s\n", stamp(*v.ResetAt))
	}
	for _, e := range v.Evidence {
		fmt.Fprintf(b, "  evidence: %s: %s\n", e.Source, e.Says)
	}
	for _, e := range v.Notes {
		fmt.Fprintf(b, "  note: %s: %s\n", e.Source, e.Says)
	}
}

// readings are the facts that the rules use, one a line.
func (f *Facts) readings() []string {
	var lines []string
	add := func(name string, r Reading) {
		lines = append(lines, name+": "+r.Truth.String()+because(r))
	}
	for _, w := range []Word{f.Status, f.Raw, f.State} {
		if w.Unread.Truth == Unread {
			add(w.What, w.Unread)
		} else {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", w.What, cmp.Or(w.Is, "none"), w.Source))
		}
	}
	add("in scope", f.Place)
	add("ours", f.Ours)
	add("listed", f.Listed)
	add("live process", f.Live)
	add("background", f.Background)
	add("job file", f.Job)
	add("transcript", f.Transcript)
	add("activity", f.Acted)
	add("board row", f.Board)
	return lines
}

// sessionOf is the payload of a session record, which always has one.
func sessionOf(r record.Record) *record.Session {
	s, _ := record.Payload[record.Session](r)
	return s
}

// title is the name and id of a session.
func title(r record.Record) string {
	if name := sessionOf(r).Name; name != "" {
		return fmt.Sprintf("%s %q", r.Subject, name)
	}
	return r.Subject
}

// find returns the one session that goes by name: by its whole id, else by its
// pid or name, else by the beginning of its id. A host and a slash in front leave
// the sessions of that host.
func find(sessions []record.Record, name string) (record.Record, error) {
	if host, rest, ok := strings.Cut(name, "/"); ok {
		there := slices.DeleteFunc(slices.Clone(sessions), func(r record.Record) bool { return r.Host != host })
		if len(there) > 0 {
			return find(there, rest)
		}
	}
	tests := []func(record.Record, *record.Session) bool{
		func(r record.Record, s *record.Session) bool {
			return r.Subject == name || slices.Contains(ids(s), name)
		},
		func(_ record.Record, s *record.Session) bool {
			return s.Name == name || pid(s) != 0 && strconv.Itoa(pid(s)) == name
		},
		func(r record.Record, _ *record.Session) bool { return strings.HasPrefix(r.Subject, name) },
	}
	for _, test := range tests {
		var found []record.Record
		for _, r := range sessions {
			if test(r, sessionOf(r)) {
				found = append(found, r)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			var titles []string
			for _, r := range found {
				titles = append(titles, fmt.Sprintf("%s on %s", title(r), r.Host))
			}
			if last := found[len(found)-1]; last.Host != found[0].Host {
				titles = append(titles, fmt.Sprintf("its machine in front tells one, such as %s/%s", last.Host, last.Subject))
			}
			return record.Record{}, fmt.Errorf("%q is more than one session:\n%s", name, strings.Join(titles, "\n"))
		}
	}
	return record.Record{}, fmt.Errorf("no session %q among the %d of the input", name, len(sessions))
}

// pid is the process id that a session's sources name, 0 for none.
func pid(s *record.Session) int {
	switch {
	case s.Process != nil && s.Process.PID != 0:
		return s.Process.PID
	case s.Listing != nil:
		return s.Listing.PID
	}
	return 0
}
