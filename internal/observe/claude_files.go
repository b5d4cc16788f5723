package observe

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// fileRead is a file that was read, or the error why it was not.
type fileRead[T any] struct {
	file  T
	drift []string
	err   error
}

// readFiles reads files, several at a time, and yields them in order. parse is
// given the number of the file.
func readFiles[T any](w *machine.World, paths []string, limit int64, parse func(i int, b []byte) (T, []string, error)) iter.Seq2[int, fileRead[T]] {
	read := make([]fileRead[T], len(paths))
	do := func(i int) {
		b, err := w.ReadFile(paths[i], limit)
		if read[i].err = err; err == nil {
			read[i].file, read[i].drift, read[i].err = parse(i, b)
		}
	}
	return func(yield func(int, fileRead[T]) bool) {
		for i := range inOrder(len(paths), workers(w), func() func(int) { return do }) {
			if !yield(i, read[i]) {
				return
			}
		}
	}
}

// readJobs reads jobs/*/state.json. A directory without one is counted in
// unparsed; a file that vanishes meanwhile is not there.
func readJobs(w *machine.World, d *claudeDir) {
	s := d.surface("claude/jobs")
	d.JobErrors = map[string]string{}
	dir := filepath.Join(d.path, "jobs")
	entries, _, err := w.ReadDir(dir)
	if err != nil {
		fail(s, err)
		return
	}
	var ids, paths []string
	for _, e := range entries {
		if w.IsDir(dir, e) { // not pins.json
			ids, paths = append(ids, e.Name()), append(paths, filepath.Join(dir, e.Name(), "state.json"))
		}
	}
	for i, f := range readFiles(w, paths, jobLimit, func(i int, b []byte) (claude.JobFile, []string, error) { return claude.ReadJobFile(b, ids[i]) }) {
		id := ids[i]
		if f.err != nil {
			if s.Unparsed++; !errors.Is(f.err, fs.ErrNotExist) {
				d.JobErrors[id] = unreadWhy(f.err)
			}
			continue
		}
		d.jobIDs = append(d.jobIDs, id)
		s.Rows++
		s.Drift = merge(s.Drift, f.drift)
		d.Jobs = append(d.Jobs, f.file)
	}
	if missing := d.rows(func(r claude.Row) bool { return r.ID != "" }); s.Rows == 0 && s.Unparsed == 0 && missing > 0 {
		fail(s, errors.New("no job file, and the listing names "+strconv.Itoa(missing)+" jobs"))
	}
}

// rows counts those of the listing that are so.
func (d *claudeDir) rows(so func(claude.Row) bool) (n int) {
	for _, r := range d.Rows {
		if so(r) {
			n++
		}
	}
	return n
}

// readProcessFiles reads sessions/<pid>.json; keys beside them are never read.
func readProcessFiles(w *machine.World, d *claudeDir) {
	s := d.surface("claude/sessions")
	d.FileErrors = map[int]string{}
	dir := filepath.Join(d.path, "sessions")
	entries, _, err := w.ReadDir(dir)
	if err != nil {
		fail(s, err)
		return
	}
	var pids []int
	var paths []string
	for _, e := range entries {
		pid, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json"))
		if err == nil && pid > 0 && e.Name() == strconv.Itoa(pid)+".json" {
			pids, paths = append(pids, pid), append(paths, filepath.Join(dir, e.Name()))
		}
	}
	for i, f := range readFiles(w, paths, processLimit, func(i int, b []byte) (claude.ProcessFile, []string, error) { return claude.ReadProcessFile(b, pids[i]) }) {
		if errors.Is(f.err, fs.ErrNotExist) {
			continue
		}
		if f.err != nil {
			s.Unparsed++
			d.FileErrors[pids[i]] = unreadWhy(f.err)
			continue
		}
		s.Rows++
		s.Drift = merge(s.Drift, f.drift)
		d.Files = append(d.Files, f.file)
	}
	if live := d.rows(func(r claude.Row) bool { return r.PID != 0 }); s.Rows == 0 && s.Unparsed == 0 && live > 0 {
		fail(s, errors.New("no process file, and the listing names "+strconv.Itoa(live)+" processes"))
	}
}

// readHistory returns the ids of the sessions that history.jsonl shows to have
// been prompted; nil when it is not there, cannot be read, or holds a line that
// is not understood: then a session that it does not name may have been.
func readHistory(w *machine.World, path string) map[string]bool {
	f, err := w.Files().Open(machine.Path(path))
	if err != nil {
		return nil
	}
	defer f.Close()
	ids := map[string]bool{}
	br := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := readBounded(br)
		id, ok := claude.PromptedBy(line)
		if !ok {
			return nil
		}
		if id != "" {
			ids[id] = true
		}
		if err != nil {
			if err != io.EOF {
				return nil
			}
			return ids
		}
	}
}

// historyLine bounds a line of history.jsonl that is held; a longer one, a
// prompt with a huge paste, is not understood.
const historyLine = 4 << 20

func readBounded(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		if len(line)+len(part) <= historyLine {
			line = append(line, part...)
		} else {
			line = append(line[:0], "too long"...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// unreadWhy is an error as a record tells it.
func unreadWhy(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	return guard.Text(err.Error(), errorWidth)
}

// maxWords is how many words of drift a surface names.
const maxWords = 100

// merge adds words that are not there yet, as many as a surface names.
func merge(have, more []string) []string {
	for _, m := range more {
		switch {
		case slices.Contains(have, m):
		case len(have) < maxWords:
			have = append(have, m)
		case len(have) == maxWords:
			return append(have, claude.MoreDrift)
		default:
			return have
		}
	}
	return have
}

// cleanWords are words of drift as a record holds them.
func cleanWords(words []string) []string {
	for i, word := range words {
		words[i] = guard.Text(word, errorWidth)
	}
	return words
}

// emitDir completes the sessions of one directory and writes its records.
func (c Claude) emitDir(w *machine.World, d *claudeDir, emit *emitter) {
	drafts := claude.Join(d.Reading)
	transcripts, places := newTranscripts(w, d, d.surface("claude/transcripts")), &places{w: w}
	complete := func() func(int) {
		ends := &ends{w: w, at: w.At, large: &transcripts.large}
		return func(i int) {
			draft := &drafts[i]
			transcripts.fill(draft, ends)
			places.session(draft)
			reach(&draft.Session)
			claude.Clean(&draft.Session)
		}
	}
	for i := range inOrder(len(drafts), workers(w), complete) {
		draft := &drafts[i]
		transcripts.note(draft)
		subject := guard.ID(draft.Subject)
		if d.label != "" {
			subject += "@" + d.label
			draft.Account = d.label
		}
		emit.add(record.KindSession, subject, draft.Session)
	}
	transcripts.finish(drafts)
	for _, name := range dirSurfaces {
		s := d.surface(name)
		s.Drift = cleanWords(s.Drift)
		emit.surface(name, d.label, s)
	}
	emit.close(d.label)
}
