package observe

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/record"
)

// Windows are how much of a file's end is read, one after the other, until all
// questions are answered.
var Windows = []int64{128 << 10, 2 << 20, 16 << 20}

// newestSubagents is how many subagent transcripts of one session are read, by
// modification time; which ones are read is all that it decides.
const newestSubagents = 16

// transcripts finds and reads the transcripts of one Claude directory.
type transcripts struct {
	w       *World
	at      time.Time
	surface *record.Surface
	files   map[string][]string // session id → transcript paths
	buf     []byte
	missing int // prompted sessions without a transcript
}

// newTranscripts indexes projects/*/<session id>.jsonl. The directory names
// are never computed from a cwd: the rule that makes them loses information.
func newTranscripts(w *World, d *claudeDir, s *record.Surface) *transcripts {
	t := &transcripts{w: w, at: w.At, surface: s, files: map[string][]string{}}
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
		if !w.isDir(dir, p) {
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
// them cannot be read, that one may be the newest.
func (t *transcripts) fill(d *claude.Draft) {
	if !t.surface.OK || t.surface.Absent {
		return
	}
	var best *record.Transcript
	for _, id := range d.TranscriptIDs {
		for _, path := range t.files[id] {
			r := t.read(path, claude.NewTail)
			var unread string
			r.Subagents, unread = t.subagents(strings.TrimSuffix(path, ".jsonl"))
			r.Unread = cmp.Or(r.Unread, unread)
			if best == nil || best.Unread == "" && (r.Unread != "" || newer(r.ActivityAt, best.ActivityAt)) {
				best = &r
			}
		}
	}
	if best == nil {
		best = &record.Transcript{LastTurn: claude.TurnNone}
	} else {
		t.surface.Rows++
	}
	if s := best.Subagents; s != nil && newer(s.ActivityAt, best.ActivityAt) {
		best.ActivityAt = s.ActivityAt
	}
	t.surface.Unparsed += best.BadLines
	t.surface.Drift = merge(t.surface.Drift, best.Unknown)
	best.Unknown = nil
	d.Transcript = best
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

// read reads the end of one transcript into what begin returns.
func (t *transcripts) read(path string, begin func(time.Time) *claude.Tail) record.Transcript {
	f, err := t.w.FS.Open(Path(path))
	if err != nil {
		return record.Transcript{Found: !errors.Is(err, fs.ErrNotExist), Unread: unreadWhy(err), LastTurn: claude.TurnNone}
	}
	defer f.Close()
	info, err := f.Stat()
	ra, ok := f.(io.ReaderAt)
	if err != nil || !ok || !info.Mode().IsRegular() {
		return record.Transcript{Found: true, Unread: unreadWhy(cmp.Or(err, errors.New("not a regular file"))), LastTurn: claude.TurnNone}
	}
	r, tail := t.readTail(ra, info.Size(), begin)
	if t.w.rec != nil && tail != nil {
		b, err := tail.Encode()
		t.w.rec.file(path, b, err)
	}
	return r
}

// readTail reads growing windows of a file's end. Each is read afresh: an
// older line may begin before the window that first cut it. The tail is nil
// when nothing could be read.
func (t *transcripts) readTail(f io.ReaderAt, size int64, begin func(time.Time) *claude.Tail) (record.Transcript, *claude.Tail) {
	var tail *claude.Tail
	whole, lines := false, 0
	for _, window := range Windows {
		n := min(window, size)
		if int64(cap(t.buf)) < n {
			t.buf = make([]byte, n)
		}
		buf := t.buf[:n]
		if got, err := f.ReadAt(buf, size-n); err != nil && !(err == io.EOF && got == len(buf)) {
			return record.Transcript{Found: true, Unread: unreadWhy(err), LastTurn: claude.TurnNone}, nil
		}
		whole = n == size
		tail = begin(t.at)
		lines = addBackwards(tail, buf, whole)
		if tail.Enough() || whole {
			break
		}
	}
	r := tail.Result()
	if !whole && !tail.Enough() {
		r.Skipped = 1
		switch {
		case lines == 0:
			r.Unread = fmt.Sprintf("no whole line in the last %d MiB", Windows[len(Windows)-1]>>20)
		case !tail.Dated() || !tail.Decided():
			r.Unread = fmt.Sprintf("the last %d MiB do not tell", Windows[len(Windows)-1]>>20)
		}
	}
	return r, tail
}

// addBackwards gives the lines of buf to tail, newest first, until it is done.
// The first line is cut unless buf begins where the file does. It returns how
// many whole lines there were.
func addBackwards(tail *claude.Tail, buf []byte, whole bool) (lines int) {
	for len(buf) > 0 && !tail.Done() {
		buf = bytes.TrimSuffix(buf, []byte("\n"))
		i := bytes.LastIndexByte(buf, '\n')
		if i < 0 && !whole {
			return lines
		}
		tail.Add(buf[i+1:])
		lines++
		buf = buf[:max(i+1, 0)]
	}
	return lines
}

// subagents reads the newest subagent transcripts of a session, nil when it
// has none. What cannot be read may hold the newest activity: unread says why.
func (t *transcripts) subagents(dir string) (s *record.Subagents, unread string) {
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
	root := Path(filepath.Join(dir, "subagents"))
	_ = fs.WalkDir(t.w.FS, root, func(p string, e fs.DirEntry, err error) error {
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
		r := t.read(f.path, claude.NewSubagentTail)
		if r.Found && r.Unread != "" && r.ActivityAt == nil {
			note(errors.New(r.Unread))
		}
		if newer(r.ActivityAt, s.ActivityAt) {
			s.ActivityAt = r.ActivityAt
		}
		if r.LastTurn == claude.TurnOpen {
			s.Open++
		}
	}
	return s, unread
}
