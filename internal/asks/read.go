package asks

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// needs says for each kind of key whether what must be read before it is no
// longer true was read. The first prefix that fits counts; a key that none
// fits is never resolved: another release made it.
var needs = []struct {
	prefix string
	read   func(s *stream, rest string) bool
}{
	{"prompt:", (*stream).promptRead},
	{"blocked:", (*stream).blockedRead},
	{"listing", func(s *stream, _ string) bool { return s.everywhere("claude/listing") }},
	{"surface:jobs-unparsed", func(s *stream, _ string) bool { return s.everywhere("claude/jobs") }},
	{"surface:ledger-corrupt", func(s *stream, _ string) bool { return s.surfaceRead(s.host, "ledger") }},
	{"surface:", (*stream).namedRead},
	{"drift:", func(s *stream, _ string) bool { return s.everywhere("claude/version", "claude/jobs", "claude/listing") }},
	{"records-without-process", func(s *stream, _ string) bool { return s.everywhere("claude/listing", "paseo/agents") }},
	{"fleet-shaped-unledgered", func(s *stream, _ string) bool { return s.everywhere("claude/listing") }},
	{"spawn-duplicate:", func(s *stream, _ string) bool { return s.everywhere("claude/listing") }},
	{"repo:", (*stream).repoRead},
	{"rules:", (*stream).rulesRead},
	{"when:", func(s *stream, _ string) bool { return s.closed() }},
}

// read tells whether a key that is not raised may be resolved.
func (s *stream) read(key string) bool {
	if !s.judged || !s.remembers {
		return false
	}
	for _, n := range needs {
		if rest, ok := strings.CutPrefix(key, n.prefix); ok {
			return n.read(s, rest)
		}
	}
	return false
}

// where splits the rest of a session key into its host and its session.
func (s *stream) where(rest string) (host, subject string) {
	rest = rest[:max(strings.LastIndexByte(rest, ':'), 0)]
	if h, sub, ok := strings.Cut(rest, "/"); ok {
		return h, sub
	}
	return s.host, rest
}

// promptRead: the listing of its host, and the session is not unknown.
func (s *stream) promptRead(rest string) bool {
	host, subject := s.where(rest)
	return s.surfaceRead(host, "claude/listing") && !s.unknown(host, subject)
}

// blockedRead: also the board of the scope, and the job files, since what is
// gone may have been a background session.
func (s *stream) blockedRead(rest string) bool {
	host, _ := s.where(rest)
	if s.expects("board") && !s.surfaceRead(s.host, "board/"+s.tick.Scope) {
		return false
	}
	return s.promptRead(rest) && s.surfaceRead(host, "claude/jobs")
}

// unknown tells whether a session is here and its class is not known.
func (s *stream) unknown(host, subject string) bool {
	return slices.ContainsFunc(s.verdicts, func(r record.Record) bool {
		v, ok := record.Payload[record.Verdict](r)
		return ok && r.Host == host && r.Subject == subject && v.Class == "unknown"
	})
}

// namedRead: a surface that is read where it was not; a product that is no
// longer expected and not there has nothing to read.
func (s *stream) namedRead(rest string) bool {
	name := strings.Replace(rest, "board:", "board/", 1)
	product, _, _ := strings.Cut(name, "/")
	if !strings.Contains(name, "/") && name != "ledger" {
		return s.programClosed("fleet-observe-" + product)
	}
	if !s.expects(product) && product != "ledger" && s.programClosed("fleet-observe-"+product) {
		return true
	}
	if product == "claude" || product == "paseo" {
		return s.everywhere(name)
	}
	return s.surfaceRead(s.host, name)
}

func (s *stream) programClosed(name string) bool {
	return !slices.ContainsFunc(s.hosts(), func(host string) bool { return s.set.Closed(host, name) != nil })
}

// repoRead: any reading of that repository, or of all when it is no longer
// named.
func (s *stream) repoRead(name string) bool {
	if !s.programClosed("fleet-observe-gh") {
		return false
	}
	for _, r := range s.set.Of(record.KindRepo) {
		if p, _ := record.Payload[record.Repo](r); p != nil && (p.Slug == name || p.CommonDir == name) {
			return p.OK || p.NotGitHub
		}
	}
	return s.slugsRead()
}

// rulesRead: that repository was observed; one that left the scope is resolved
// unless some repository's slug could not be told, which may be its own.
func (s *stream) rulesRead(rest string) bool {
	name, _, _ := strings.Cut(rest, ":")
	return s.repoRead(name)
}

func (s *stream) slugsRead() bool {
	return !slices.ContainsFunc(s.set.Of(record.KindRepo), func(r record.Record) bool {
		p, ok := record.Payload[record.Repo](r)
		return !ok || p.Slug == "" && !p.NotGitHub
	})
}
