package observe

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/fleet-tools/fleet/internal/board"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Board says how the ctx-core board is observed.
type Board struct {
	Dir   string // directory of the scopes; "": ~/.local/state/ctx
	Scope string // the scope to read; "" or local: every scope that is there
}

// boardLimit is the largest log that is read.
const boardLimit = 64 << 20

// everyScope is the scope of a machine without a configuration.
const everyScope = "local"

// Observe writes a board record for every session that a log names, and a
// surface for every scope; board/local for a machine without any, and one that failed
// where not every scope that is there is known. It returns the surfaces that could not be
// read, one line each.
func (b Board) Observe(w *machine.World, sink Sink) (unread []string, err error) {
	dir := w.Expand(cmp.Or(b.Dir, "~/.local/state/ctx"))
	if abs, err := filepath.Abs(dir); err == nil && !w.Recorded() {
		dir = abs
	}
	var all board.Board
	scopes, err := b.scopes(w, dir)
	surfaces := make([]*record.Surface, len(scopes))
	for i, scope := range scopes {
		surfaces[i] = b.read(w, &all, scope, filepath.Join(dir, scope))
	}
	if i := slices.Index(scopes, everyScope); i >= 0 && err != nil {
		fail(surfaces[i], at(dir, err))
	} else if err != nil || len(scopes) == 0 {
		s := &record.Surface{OK: true, Absent: true}
		if err != nil {
			fail(s, at(dir, err))
		}
		scopes, surfaces = append(scopes, everyScope), append(surfaces, s)
	}
	emit := emitter{sink: sink, at: record.NewTime(w.At), host: w.Host}
	for _, row := range all.Rows() {
		emit.add(record.KindBoard, row.SessionID, row)
	}
	for i, scope := range scopes {
		emit.surface("board/"+scope, "", surfaces[i])
	}
	emit.close("")
	w.Rec.Meta(w, nil)
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// scopes are the scopes to read, in order; with an error those that were found.
func (b Board) scopes(w *machine.World, dir string) ([]string, error) {
	if b.Scope != "" && b.Scope != everyScope {
		return []string{b.Scope}, nil
	}
	entries, _, err := w.ReadDir(dir)
	var scopes []string
	for _, e := range entries {
		if board.ValidScope(e.Name()) && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			scopes = append(scopes, e.Name())
		}
	}
	return scopes, err
}

// read folds the log of one scope. A scope without a directory has no board;
// one without a log has no event yet.
func (b Board) read(w *machine.World, all *board.Board, scope, dir string) *record.Surface {
	log, err := w.ReadFile(filepath.Join(dir, "events.jsonl"), boardLimit)
	switch {
	case err == nil:
		if w.Rec != nil {
			b, err := board.Encode(log)
			w.Rec.File(filepath.Join(dir, "events.jsonl"), b, err)
		}
		return all.Add(scope, log, w.At)
	case errors.Is(err, fs.ErrNotExist):
		there, err := w.Exists(dir)
		if there {
			w.Rec.Mkdir(dir)
		}
		s := &record.Surface{OK: true, Absent: !there}
		if err != nil {
			fail(s, at(dir, err))
		}
		return s
	}
	s := &record.Surface{}
	fail(s, at(filepath.Join(dir, "events.jsonl"), err))
	return s
}
