package config

import (
	"fmt"
	"strings"
)

// shares says with what the scope shares the directory of its state, "" when nothing that
// was read before it is in there: two ledgers in one place take each other's files, and
// the home has those of everybody.
func (f *File) shares(s *Scope) string {
	if s.StateDir == f.home {
		return ", not the home itself"
	}
	for _, other := range f.scopes {
		switch {
		case other.StateDir == s.StateDir:
			return "; scope " + other.ID + " has the same"
		case inside(s.StateDir, other.StateDir):
			return "; it is in that of scope " + other.ID
		case inside(other.StateDir, s.StateDir):
			return "; that of scope " + other.ID + " is in it"
		}
	}
	return ""
}

// inside tells a path below a directory; both are clean.
func inside(name, dir string) bool { return strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") }

// node is where a key of the scope stands, else the scope.
func (s *Scope) node(scope *Node, key string) *Node {
	if n := s.raw[key]; n != nil {
		return n
	}
	return scope
}

const wantSource = "want a source that no other log has"

// ownLogs notes the run logs that are called like one that has a key of its own.
func (s *Scope) ownLogs(r *reader, at string) {
	own := map[string]string{"bookkeeping": s.BookkeepingLog, "dream": s.DreamLog}
	for i, l := range s.RunLogs {
		if own[l.Source] != "" {
			r.fail(s.raw["run_logs"].items[i].fields["source"], fmt.Sprintf("%s.run_logs[%d].source", at, i), wantSource+": "+l.Source+"_run_log is called so")
		}
	}
}

// Mistake is what is wrong with the value of a key, where only who uses it can tell.
func (f *File) Mistake(s *Scope, key, says string) Problem {
	line := s.line
	if n := s.raw[key]; n != nil {
		line = n.line
	}
	return Problem{f.Path, line, "scopes." + s.ID + "." + key, says}
}
