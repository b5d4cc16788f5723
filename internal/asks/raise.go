package asks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// condition is something that is true now and that the owner is asked about.
type condition struct {
	key, class, question, session string
}

// raise returns the conditions of the stream, by key; none when the judge was
// not read whole. Without a configuration only sessions and the listing raise
// any.
func (s *stream) raise(when When) ([]condition, error) {
	if !s.judged {
		return nil, nil
	}
	cs := append(s.sessions(), s.listing()...)
	if s.tick != nil {
		cs = append(cs, s.unread()...)
		cs = append(cs, s.drift()...)
		cs = append(cs, s.findings()...)
		cs = append(cs, s.repos()...)
		own, err := s.configured(when)
		if err != nil {
			return nil, err
		}
		cs = append(cs, own...)
	}
	slices.SortFunc(cs, func(a, b condition) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.question, b.question))
	})
	return slices.CompactFunc(cs, func(a, b condition) bool { return a.key == b.key }), nil
}

// sessions that wait at a prompt, or are blocked on the owner. The key has a
// hash of what is asked: another question is another ask.
func (s *stream) sessions() []condition {
	var cs []condition
	for _, r := range s.verdicts {
		v, ok := record.Payload[record.Verdict](r)
		prefix := map[string]string{"3": "prompt", "7": "blocked"}[v.Class]
		if !ok || prefix == "" {
			continue
		}
		waiting := ""
		if sr, found := s.set.Get(record.Identity{Host: r.Host, Kind: record.KindSession, Subject: r.Subject}); found {
			if p, _ := record.Payload[record.Session](sr); p != nil && p.Listing != nil {
				waiting = p.Listing.WaitingFor
			}
		}
		asks := cmp.Or(v.Question, waiting)
		cs = append(cs, condition{key: prefix + ":" + s.sessionPart(r) + ":" + tag(waiting+"\x00"+v.Question), class: v.Class,
			question: fmt.Sprintf("%s: %s", cmp.Or(v.Session.Name, r.Subject), cmp.Or(asks, v.ClassName)), session: r.Subject})
	}
	return cs
}

// sessionPart names a session in a key: by its subject alone on the tick's own
// host.
func (s *stream) sessionPart(r record.Record) string {
	if s.tick == nil || r.Host == s.host {
		return r.Subject
	}
	return r.Host + "/" + r.Subject
}

// sessionOf is the session of a prompt or blocked key, "" of another.
func sessionOf(key string) string {
	_, rest, ok := strings.Cut(key, ":")
	if i := strings.LastIndexByte(rest, ':'); ok && i > 0 && (strings.HasPrefix(key, "prompt:") || strings.HasPrefix(key, "blocked:")) {
		return rest[strings.LastIndexByte(rest[:i], '/')+1 : i]
	}
	return ""
}

// tag is the first 8 hex of the SHA-256 of what is asked.
func tag(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// listing that was not read, on any host.
func (s *stream) listing() []condition {
	if s.everywhere("claude/listing") {
		return nil
	}
	return []condition{{key: "listing", question: "Claude Code's listing was not read: nothing that rests on it is known"}}
}

// unread surfaces, the listing and the repositories left out: they have keys
// of their own.
func (s *stream) unread() []condition {
	var cs []condition
	add := func(name string) {
		cs = append(cs, condition{key: "surface:" + surfaceKey(name), question: name + " was not read"})
	}
	for _, r := range s.surfaces {
		p, _ := record.Payload[record.Surface](r)
		base, _, _ := strings.Cut(r.Subject, "@")
		product, _, _ := strings.Cut(base, "/")
		if base != "claude/listing" && product != "gh" && (!p.OK || p.Absent && s.expects(product) && base != "paseo/daemon") {
			add(base)
		}
		if base == "claude/jobs" && p.OK && p.Unparsed > 0 {
			cs = append(cs, condition{key: "surface:jobs-unparsed", question: "job files of background sessions could not be understood"})
		}
		if base == "ledger" && p.OK && p.Unparsed > 0 {
			cs = append(cs, condition{key: "surface:ledger-corrupt", question: "the ledger has damaged lines: fleet-ledger verify names them"})
		}
	}
	for _, host := range s.hosts() {
		for _, name := range s.expected() {
			if s.set.Closed(host, programOf(name)) != nil {
				add(name)
			}
		}
	}
	return cs
}

// expected are the surfaces that stand for the products which must be read.
func (s *stream) expected() []string {
	var names []string
	for product, surfaces := range map[string][]string{"claude": {"claude/jobs", "claude/sessions", "claude/transcripts"},
		"paseo": {"paseo/agents", "paseo/schedules"}, "gh": {"gh"}, "board": {"board/" + s.tick.Scope}, "schedule": {"schedule"}} {
		if s.expects(product) {
			names = append(names, surfaces...)
		}
	}
	return names
}

// surfaceKey is a surface in a key: a board's is board:<scope>.
func surfaceKey(name string) string { return strings.Replace(name, "board/", "board:", 1) }

// drift: a version, field or word that this release does not know.
func (s *stream) drift() []condition {
	var cs []condition
	for _, r := range s.surfaces {
		p, _ := record.Payload[record.Surface](r)
		for _, word := range p.Drift {
			cs = append(cs, condition{key: "drift:" + word, question: fmt.Sprintf("%s: %s is not known to this release", r.Subject, word)})
		}
	}
	return cs
}

// findings that ask: records without a process, names that the ledger lacks.
func (s *stream) findings() []condition {
	var cs []condition
	for _, r := range s.set.Of(record.KindFinding) {
		f, ok := record.Payload[record.Finding](r)
		if !ok {
			continue
		}
		switch f.Name {
		case "records-without-process", "fleet-shaped-unledgered":
			cs = append(cs, condition{key: f.Name, question: f.Says})
		case "spawn-duplicate":
			cs = append(cs, condition{key: r.Subject, question: f.Says})
		}
	}
	return cs
}

// repos that were not observed, or whose rules lack something.
func (s *stream) repos() []condition {
	var cs []condition
	for _, r := range s.set.Of(record.KindRepo) {
		p, ok := record.Payload[record.Repo](r)
		if !ok || p.NotGitHub {
			continue
		}
		name := cmp.Or(p.Slug, p.CommonDir)
		switch {
		case !p.OK:
			cs = append(cs, condition{key: "repo:" + name, question: name + " was not observed on GitHub"})
		case p.Rules != nil && len(p.Rules.Flags) > 0:
			flags := strings.Join(p.Rules.Flags, ";")
			cs = append(cs, condition{key: "rules:" + name + ":" + flags, question: fmt.Sprintf("%s: %s", name, strings.Join(p.Rules.Flags, "; "))})
		}
	}
	return cs
}

// configured conditions: ask_when of the configuration.
func (s *stream) configured(when When) ([]condition, error) {
	var cs []condition
	for _, a := range s.tick.AskWhen {
		meets, err := when(a.When)
		if err != nil {
			return nil, fmt.Errorf("ask_when %s: %w", a.Key, err)
		}
		for _, r := range s.set.All() {
			yes, err := meets(r)
			if err != nil {
				return nil, fmt.Errorf("ask_when %s: %s %s: %w", a.Key, r.Kind, r.Subject, err)
			}
			if yes {
				cs = append(cs, condition{key: "when:" + a.Key, question: a.Question})
				break
			}
		}
	}
	return cs, nil
}
