package observe

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Windows are how much of a file's end is read, one after the other, until all
// questions are answered. The first tells of most files, and only when nothing
// before it could say otherwise.
var Windows = []int64{16 << 10, 128 << 10, 2 << 20, 16 << 20}

// large is a window of which only one is in memory at a time, and not for long.
const large = 4 << 20

// ends reads the ends of transcripts, one after the other.
type ends struct {
	w     *machine.World
	at    time.Time
	large *sync.Mutex // of all that read
	buf   []byte
}

// read reads the end of one transcript into what begin returns.
func (t *ends) read(path string, begin func(time.Time) *claude.Tail) record.Transcript {
	f, err := t.w.Files().Open(machine.Path(path))
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(t.w.Dangling(path), err)
	}
	if err != nil {
		return record.Transcript{Found: !errors.Is(err, fs.ErrNotExist), Unread: unreadWhy(err), LastTurn: claude.TurnNone}
	}
	defer f.Close()
	info, err := f.Stat()
	ra, ok := f.(io.ReaderAt)
	if err != nil || !ok || !info.Mode().IsRegular() {
		return record.Transcript{Found: true, Unread: unreadWhy(cmp.Or(err, errors.New("not a regular file"))), LastTurn: claude.TurnNone}
	}
	defer t.shrink()
	r, tail := t.readTail(ra, info.Size(), begin)
	if t.w.Rec != nil && tail != nil {
		b, err := tail.Encode()
		t.w.Rec.File(path, b, err)
	}
	return r
}

// window returns a buffer of n bytes, which is the reader's until shrink.
func (t *ends) window(n int64) []byte {
	if int64(cap(t.buf)) < n {
		if n > large && cap(t.buf) <= large {
			t.large.Lock()
		}
		t.buf = make([]byte, n)
	}
	return t.buf[:n]
}

func (t *ends) shrink() {
	if cap(t.buf) > large {
		t.buf = nil
		t.large.Unlock()
	}
}

// readTail reads growing windows of a file's end. Each is read afresh: an
// older line may begin before the window that first cut it. The tail is nil
// when nothing could be read.
func (t *ends) readTail(f io.ReaderAt, size int64, begin func(time.Time) *claude.Tail) (record.Transcript, *claude.Tail) {
	var tail *claude.Tail
	whole, lines := false, 0
	for i, window := range Windows {
		n := min(window, size)
		buf := t.window(n)
		if got, err := f.ReadAt(buf, size-n); err != nil && !(err == io.EOF && got == len(buf)) {
			return record.Transcript{Found: true, Unread: unreadWhy(err), LastTurn: claude.TurnNone}, nil
		}
		whole = n == size
		tail = begin(t.at)
		lines = addBackwards(tail, buf, whole)
		if tail.Done() || whole || i > 0 && tail.Enough() {
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
