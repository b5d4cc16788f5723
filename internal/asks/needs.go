package asks

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// check is one thing that must be so before a key that is not raised is
// resolved. rest is the key without the prefix of its need.
type check func(s *stream, rest string) bool

// need is what must have been read before the keys of a prefix are resolved.
type need struct {
	prefix string
	checks []check
}

// needs are the keys of this release. The first prefix that fits counts; a key
// that none fits is never resolved: another release made it.
var needs = []need{
	{"prompt:", []check{sessionListed, sessionKnown}},
	{"blocked:", []check{sessionListed, sessionKnown, sessionBoard, sessionJobs}},
	{"listing", []check{listingRead}},
	{"surface:ledger-corrupt", nil}, // without the ledger nothing is resolved
	{"surface:", []check{surfaceRead}},
	{"drift:", []check{driftRead}},
	{"records-without-process", []check{listingEverywhere, agentsRead, agentsPlaced, processesRead}},
	{"fleet-shaped-unledgered", []check{listingEverywhere, placesKnown}},
	{"spawn-duplicate:", []check{listingEverywhere, placesKnown}},
	{"repo:", []check{repoRead}},
	{"rules:", []check{rulesRead}},
	{"heal:", nil}, // likewise
	{"when:", []check{whenRead}},
}

// over tells whether a key that is not raised is resolved.
func (s *stream) over(key string) bool {
	if !s.settled {
		return false
	}
	for _, n := range needs {
		if rest, ok := strings.CutPrefix(key, n.prefix); ok {
			return !slices.ContainsFunc(n.checks, func(c check) bool { return !c(s, rest) })
		}
	}
	return false
}

// bearer is the place of a session in the rest of a key.
func (s *stream) bearer(rest string) place {
	return s.place(rest[:max(strings.LastIndexByte(rest, ':'), 0)])
}

func sessionListed(s *stream, rest string) bool {
	at := s.bearer(rest)
	return s.read(at.host, "claude/listing", at.label)
}

// nameless tells whether a session of which nobody knows which one it is may be the one
// at a place: its own file was not understood, so the listing leaves it out.
func (s *stream) nameless(at place) bool {
	if s.unnamed == nil {
		s.unnamed = map[place]bool{}
		for _, r := range s.set.Of(record.KindSession) {
			p, ok := record.Payload[record.Session](r)
			if ok && p.SessionID == "" && (p.Process != nil && p.Process.Unread != "" || p.Job != nil && p.Job.Unread != "") {
				s.unnamed[place{host: r.Host, label: s.place(r.Subject).label}] = true
			}
		}
	}
	return s.unnamed[place{host: at.host, label: at.label}]
}

// sessionKnown: it is gone, or its class is known; and when it still asks
// something, the words of that are known too.
func sessionKnown(s *stream, rest string) bool {
	at := s.bearer(rest)
	subject := at.name + at.label
	r, _ := s.set.Get(record.Identity{Host: at.host, Kind: record.KindVerdict, Subject: subject})
	v, ok := record.Payload[record.Verdict](r)
	switch {
	case !ok:
		return s.session(at.host, subject) == nil && s.unfailed(at.host, at.label, "claude/sessions", "claude/jobs") && !s.nameless(at)
	case v.Class == "unknown":
		return false
	}
	return v.Class != "3" && v.Class != "7" || s.worded(at.host, subject, s.session(at.host, subject))
}

func sessionBoard(s *stream, rest string) bool {
	host := s.bearer(rest).host
	return !s.expects("board") || !s.runs(host, "board") || s.read(host, "board/"+s.tick.Scope, "")
}

// sessionJobs: a session that is gone may have been a background one.
func sessionJobs(s *stream, rest string) bool {
	at := s.bearer(rest)
	p := s.session(at.host, at.name+at.label)
	return p != nil && p.Kind == "interactive" || s.read(at.host, "claude/jobs", at.label)
}

// listingRead: that of the key's own host and directory. A product or a machine that is
// not expected any more has nothing to read.
func listingRead(s *stream, rest string) bool {
	if !s.expects("claude") {
		return true
	}
	rest, named := strings.CutPrefix(rest, ":")
	host, label, found := strings.Cut(rest, "@")
	if found {
		label = "@" + label
	}
	switch {
	case host == "":
		host = s.host
	case !named:
		return false // of another release
	case !slices.Contains(s.hosts, host):
		return true
	}
	return s.read(host, "claude/listing", label)
}

// surfaceRead: the surface was read where it was not. A product or a machine that is not
// expected any more has nothing to read, nor has a run log.
func surfaceRead(s *stream, rest string) bool {
	at := s.place(rest)
	name := strings.Replace(at.name, "board:", "board/", 1)
	if _, behind, ok := strings.Cut(name, "/"); ok && s.product(name) == "" && (s.product(behind) != "" || behind == "jobs-unparsed") {
		return true // of a machine
	}
	if name == "jobs-unparsed" {
		name = "claude/jobs"
	}
	if strings.HasPrefix(name, "schedule/log:") && s.surface(at.host, name) == nil && s.closed(at.host, "schedule", "") {
		return true
	}
	for _, p := range s.products() {
		switch {
		case p.name != productOf(name):
		case !s.expects(p.name):
			return true
		case name == p.name:
			return s.closed(at.host, name, "")
		default:
			return s.read(at.host, name, at.label)
		}
	}
	return name == "ledger" // without it nothing is resolved
}

// product is the product of a surface that ticks know, "" of any other name.
func (s *stream) product(name string) string {
	for _, p := range s.products() {
		if p.name == productOf(name) {
			return p.name
		}
	}
	return ""
}

// driftRead: all that the same product may say in such words. Claude Code's
// drift takes its version, its listing and its job files, in the same
// directory.
func driftRead(s *stream, rest string) bool {
	at := place{name: rest}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		at.label = rest[i:]
	}
	word, _, _ := strings.Cut(rest, " ")
	for _, p := range s.products() {
		if p.name == word && word != "claude" {
			return !slices.ContainsFunc(s.hosts, func(host string) bool {
				return s.runs(host, p.name) && !s.productRead(host, p.name, p.first)
			})
		}
	}
	if word == "ledger" {
		return true // without it nothing is resolved
	}
	read := false
	for _, host := range s.hosts {
		if !slices.Contains(s.labelsOf(host), at.label) {
			continue
		}
		if !s.read(host, "claude/version", "") || !s.read(host, "claude/jobs", at.label) || !s.read(host, "claude/listing", at.label) ||
			!s.unfailed(host, at.label, "claude/sessions", "claude/transcripts") {
			return false
		}
		read = true
	}
	return read
}

// productRead tells whether the observer of a product is whole on a host and
// no surface of it failed; first, when it is one, must be there.
func (s *stream) productRead(host, product, first string) bool {
	if !s.closed(host, product, "") || strings.Contains(first, "/") && !s.read(host, first, "") {
		return false
	}
	return !slices.ContainsFunc(s.surfaces, func(r record.Record) bool {
		p, _ := record.Payload[record.Surface](r)
		return r.Host == host && productOf(r.Subject) == product && !p.OK
	})
}

func listingEverywhere(s *stream, _ string) bool { return s.everywhere("claude/listing") }

func agentsRead(s *stream, _ string) bool {
	return !slices.ContainsFunc(s.hosts, func(host string) bool { return s.runs(host, "paseo") && !s.read(host, "paseo/agents", "") })
}

// agentsPlaced: no open one is of a repository that two scopes name, or may be of one
// that was not found.
func agentsPlaced(s *stream, _ string) bool {
	return !slices.ContainsFunc(s.set.Of(record.KindAgent), func(r record.Record) bool {
		p, ok := record.Payload[record.Agent](r)
		if !ok || p.Archived {
			return false
		}
		known := len(s.tick.Unfound) == 0 || slices.Contains(s.tick.Repos, p.Repo) || slices.Contains(s.tick.Others, p.Repo)
		return !known || s.tick.Clash(p.Repo) != ""
	})
}

// processesRead: whether a process lives was not left open.
func processesRead(s *stream, _ string) bool {
	for _, host := range s.hosts {
		if !s.unfailed(host, "", "claude/processes") {
			return false
		}
		for _, label := range s.labelsOf(host) {
			if !s.unfailed(host, label, "claude/sessions") {
				return false
			}
		}
	}
	return true
}

// placesKnown: a session that is unknown may be one of the scope with a name of
// the fleet's.
func placesKnown(s *stream, _ string) bool {
	return !slices.ContainsFunc(s.set.Of(record.KindVerdict), func(r record.Record) bool {
		v, ok := record.Payload[record.Verdict](r)
		return ok && v.Class == "unknown" && strings.HasPrefix(v.Session.Name, s.tick.Scope+"-")
	})
}
