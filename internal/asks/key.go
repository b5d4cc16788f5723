package asks

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// place is where a key points: a machine and what there. Another machine than
// the tick's own is named in front, <host>/; what comes from a further Claude
// directory ends in its @label.
type place struct {
	host, name, label string
}

// in writes a place for a key.
func (s *stream) in(host, name string) string {
	if s.own(host) {
		return name
	}
	return host + "/" + name
}

// place reads what in wrote. A first part that is no expected host is part of
// the name.
func (s *stream) place(rest string) place {
	p := place{host: s.host, name: rest}
	if host, name, ok := strings.Cut(rest, "/"); ok && host != s.host && slices.Contains(s.hosts, host) {
		p.host, p.name = host, name
	}
	if i := strings.LastIndexByte(p.name, '@'); i >= 0 {
		p.name, p.label = p.name[:i], p.name[i:]
	}
	return p
}

// sessionKey reads a key about a session.
func (s *stream) sessionKey(key string) (place, bool) {
	session := record.SessionOf(key)
	if session == "" {
		return place{}, false
	}
	return s.place(session), true
}

// tag is the first 8 hex of the SHA-256 of what is asked.
func tag(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}
