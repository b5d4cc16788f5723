package observe

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// newestSubagents is how many subagent transcripts of one session are read, by
// modification time; which ones are read is all that it decides.
const newestSubagents = 16

// transcripts finds and reads the transcripts of one Claude directory.
type transcripts struct {
	w       *machine.World
	surface *record.Surface
	files   map[string][]string // session id → transcript paths
	large   sync.Mutex          // held by who has a large part of one in memory
	missing int                 // prompted sessions without a transcript
}

// newTranscripts indexes projects/*/<session id>.jsonl. The directory names
// are never computed from a cwd: the rule that makes them loses information.
func newTranscripts(w *machine.World, d *claudeDir, s *record.Surface) *transcripts {
	t := &transcripts{w: w, surface: s, files: map[string][]string{}}
	if !s.OK || s.Absent {
		return t
	}
	dir := filepath.Join(d.path, "projects")
	projects, _, err := w.ReadDir(dir)
	if err != nil {
		fail(s, err)
		return t
	}
	for _, p := range projects {
		if !w.IsDir(dir, p) {
			continue
		}
		entries, _, err := w.ReadDir(filepath.Join(dir, p.Name()))
		if err != nil {
			fail(s, err)
			return t
		}
		for _, e := range entries {
			if id, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok {
				t.files[id] = append(t.files[id], filepath.Join(dir, p.Name(), e.Name()))
			}
		}
	}
	return t
}

// fill reads the transcript of a draft. A session in several project
// directories has the answers of the file with the newest activity; when one of
// them cannot be read, that one may be the newest. Several may be filled at a
// time, each with its own ends.
func (t *transcripts) fill(d *claude.Draft, ends *ends) {
	if !t.surface.OK || t.surface.Absent {
		return
	}
	var best *record.Transcript
	ahead := false
	for _, path := range t.paths(d) {
		r := ends.read(path, claude.NewTail)
		var unread string
		r.Subagents, unread = t.subagents(strings.TrimSuffix(path, ".jsonl"), ends)
		ahead = ahead || r.Ahead || r.Subagents != nil && r.Subagents.Ahead
		r.Unread = cmp.Or(r.Unread, unread)
		if best == nil || best.Unread == "" && (r.Unread != "" || newer(r.ActivityAt, best.ActivityAt)) {
			best = &r
		}
	}
	if best == nil {
		best = &record.Transcript{LastTurn: claude.TurnNone}
	}
	best.Ahead = ahead
	if s := best.Subagents; s != nil && newer(s.ActivityAt, best.ActivityAt) {
		best.ActivityAt = s.ActivityAt
	}
	d.Transcript = best
}

// paths are where a draft has transcripts.
func (t *transcripts) paths(d *claude.Draft) []string {
	var paths []string
	for _, id := range d.TranscriptIDs {
		paths = append(paths, t.files[id]...)
	}
	return paths
}

// note counts the transcript of a draft.
func (t *transcripts) note(d *claude.Draft) {
	if d.Transcript == nil {
		return
	}
	if len(t.paths(d)) > 0 {
		t.surface.Rows++
	}
	t.surface.Unparsed += d.Transcript.BadLines
	t.surface.Drift = merge(t.surface.Drift, d.Transcript.Unknown)
	d.Transcript.Unknown = nil
}

// finish says that no transcript at all was found although sessions were
// prompted: then the directory is not what it should be.
func (t *transcripts) finish(drafts []claude.Draft) {
	if !t.surface.OK || t.surface.Absent || t.surface.Rows > 0 {
		return
	}
	for _, d := range drafts {
		if d.Prompted != nil && *d.Prompted && (d.Job == nil || !d.Job.Exec) {
			t.missing++
		}
	}
	if t.missing > 0 {
		fail(t.surface, fmt.Errorf("no transcript, and %d sessions were prompted", t.missing))
	}
}

func newer(a, b *record.Time) bool {
	return a != nil && (b == nil || a.After(b.Time))
}

// subagents reads the newest subagent transcripts of a session, nil when it
// has none. What cannot be read may hold the newest activity: unread says why.
func (t *transcripts) subagents(dir string, ends *ends) (s *record.Subagents, unread string) {
	type file struct {
		path string
		at   time.Time
	}
	var files []file
	note := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			unread = cmp.Or(unread, "a subagent's transcript: "+unreadWhy(err))
		}
	}
	root := machine.Path(filepath.Join(dir, "subagents"))
	_ = fs.WalkDir(t.w.Files(), root, func(p string, e fs.DirEntry, err error) error {
		note(err)
		if err != nil || !strings.HasPrefix(e.Name(), "agent-") || !strings.HasSuffix(e.Name(), ".jsonl") {
			return nil
		}
		info, err := e.Info()
		note(err)
		if err == nil {
			files = append(files, file{"/" + p, info.ModTime()})
		}
		return nil
	})
	if len(files) == 0 {
		return nil, unread
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.path, b.path)) })
	s = &record.Subagents{Count: len(files)}
	for _, f := range files[:min(len(files), newestSubagents)] {
		r := ends.read(f.path, claude.NewSubagentTail)
		if r.Found && r.Unread != "" && r.ActivityAt == nil {
			note(errors.New(r.Unread))
		}
		if newer(r.ActivityAt, s.ActivityAt) {
			s.ActivityAt = r.ActivityAt
		}
		s.Ahead = s.Ahead || r.Ahead
		if r.LastTurn == claude.TurnOpen {
			s.Open++
		}
	}
	return s, unread
}
