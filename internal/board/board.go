// Package board folds the log of the ctx-core board, events.jsonl of a scope,
// into one row a session. The log is what sessions say: any of them can write
// it.
package board

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// ahead is how far in the future an event may lie: clocks differ a little.
const ahead = 120 * time.Second

// Widths of what is shown.
const (
	wordWidth   = 60
	branchWidth = 120
	lineWidth   = 300
)

var scopeShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`) })

// ValidScope tells whether s can be a scope, and so the name of its directory.
func ValidScope(s string) bool { return scopeShape().MatchString(s) }

// Board is what the logs of one or more scopes say together: a session that
// moved from one scope to another has one row. The zero Board is empty.
type Board struct {
	rows map[string]*record.Board
}

// Add folds the log of a scope that was read at the given time, and says how
// the reading went. Rows counts the events that were understood, Unparsed the
// lines that were not: no event, another version, an unknown type, a run of NUL
// bytes, a last line that is torn. Events of the future are left out.
func (b *Board) Add(scope string, log []byte, at time.Time) *record.Surface {
	f := fold{board: b, scope: scope, latest: at.Add(ahead), drift: map[string]bool{}, surface: &record.Surface{OK: true}}
	rest, marked := bytes.CutPrefix(log, []byte("\ufeff"))
	for len(rest) > 0 {
		line, more, ended := bytes.Cut(rest, []byte("\n"))
		f.line(line, ended)
		rest = more
	}
	s := f.surface
	s.Drift = slices.Sorted(maps.Keys(f.drift))
	note := func(n int, format string) {
		if n > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf(format, n))
		}
	}
	if marked {
		s.Notes = append(s.Notes, "it begins with a byte order mark")
	}
	note(f.holes, "runs of NUL bytes: %d")
	note(f.torn, "torn last lines: %d")
	note(f.future, "events of the future left out: %d")
	return s
}

// Rows returns the rows, by session id.
func (b *Board) Rows() []record.Board {
	rows := make([]record.Board, 0, len(b.rows))
	for _, id := range slices.Sorted(maps.Keys(b.rows)) {
		rows = append(rows, *b.rows[id])
	}
	return rows
}

// fold is the reading of one log.
type fold struct {
	board               *Board
	scope               string
	latest              time.Time
	surface             *record.Surface
	drift               map[string]bool
	holes, torn, future int
}

// line folds one line. A power cut leaves NUL bytes where a line was to be, and
// the next event may follow them without a line break.
func (f *fold) line(line []byte, ended bool) {
	text := bytes.TrimSpace(bytes.Trim(line, "\x00"))
	if bytes.IndexByte(line, 0) >= 0 {
		f.holes++
		f.surface.Unparsed++
	} else if len(text) == 0 {
		return
	}
	if len(text) == 0 {
		return
	}
	e, unknown, err := parse(text)
	switch {
	case err != nil && !ended:
		f.torn++
		f.surface.Unparsed++
	case err != nil:
		f.surface.Unparsed++
	case unknown != "":
		f.drift[unknown] = true
		f.surface.Unparsed++
	case e.TS.After(f.latest):
		f.future++
	default:
		f.surface.Rows++
		f.board.add(f.scope, e)
	}
}

// add folds one event. The newest decides the row, of equally new ones the one
// that was read later.
func (b *Board) add(scope string, e event) {
	id := guard.ID(e.SessionID)
	r := b.rows[id]
	if r == nil {
		r = &record.Board{SessionID: id}
		if b.rows == nil {
			b.rows = map[string]*record.Board{}
		}
		b.rows[id] = r
	}
	r.Events++
	if e.Type == typeDied && (r.Died == nil || !e.TS.Before(r.Died.At.Time)) {
		r.Died = e.death()
	}
	if r.LastAt != nil && e.TS.Before(r.LastAt.Time) {
		return
	}
	r.LastAt, r.LastType, r.Scope = &e.TS, e.Type, scope
	r.Cwd, r.Repo = guard.Path(e.Cwd), guard.Path(e.Repo)
	r.Branch, r.BranchID = "", ""
	if e.Branch != nil {
		r.Branch = guard.Text(*e.Branch, branchWidth)
		if *e.Branch != "" && !strings.HasPrefix(*e.Branch, "detached@") {
			r.BranchID = gitrepo.BranchID(*e.Branch)
		}
	}
	if e.AgentID != "" {
		r.PaseoAgentID = guard.ID(e.AgentID)
	}
	r.Arc = e.arc()
}
