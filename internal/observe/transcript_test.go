package observe

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

var look = time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC)

// counter is a file of a given size that is made as it is read: fill repeated,
// and end at its end. It counts the bytes that were read.
type counter struct {
	size int64
	fill byte
	end  []byte
	read int64
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	c.read += int64(len(p))
	for i := range p {
		p[i] = c.fill
	}
	if from := c.size - int64(len(c.end)); off+int64(len(p)) > from {
		copy(p[max(from-off, 0):], c.end[max(off-from, 0):])
	}
	if off+int64(len(p)) == c.size {
		return len(p), io.EOF
	}
	return len(p), nil
}

const endedTurn = `{"type":"user","timestamp":"2026-11-29T14:50:00.000Z","message":{"content":"go"}}
{"type":"assistant","timestamp":"2026-11-29T14:58:00.000Z","message":{"id":"a","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}
`

// Only as much of the end is read as the questions need: the window grows to
// the last whole line that tells, and no further.
func TestReadTail_bytes(t *testing.T) {
	undated := func(n int) string { return `{"type":"mode","mode":"` + strings.Repeat("x", n) + "\"}\n" }
	upTo := func(n int) (sum int64) {
		for _, window := range Windows[:n+1] {
			sum += window
		}
		return sum
	}
	before := strings.ReplaceAll(endedTurn, "T14:5", "T14:4")
	tests := []struct {
		name   string
		file   *counter
		read   int64
		unread string
	}{
		{"300 MB, answered by the last lines", &counter{size: 300 << 20, fill: 'x', end: []byte("\n" + before + endedTurn)}, upTo(0), ""},
		{"what stands before may say otherwise", &counter{size: 300 << 20, fill: 'x', end: []byte("\n" + endedTurn)}, upTo(1), ""},
		{"tx-tail-swallowed", &counter{size: 300 << 20, fill: 'x', end: []byte("\n" + endedTurn + undated(256<<10))}, upTo(2), ""},
		{"an answer 10 MiB back", &counter{size: 300 << 20, fill: 'x', end: []byte("\n" + endedTurn + undated(10<<20))}, upTo(3), ""},
		{"nothing whole in 16 MiB", &counter{size: 300 << 20, fill: 'x', end: []byte("\n")}, upTo(3), "no whole line in the last 16 MiB"},
		{"nothing that tells in 16 MiB", &counter{size: 300 << 20, fill: 'x', end: []byte("\n" + undated(9))}, upTo(3), "the last 16 MiB do not tell"},
		{"a small file is read once", &counter{size: int64(len(endedTurn)), end: []byte(endedTurn)}, int64(len(endedTurn)), ""},
		{"an empty file", &counter{}, 0, ""},
	}
	for _, tt := range tests {
		tr := &ends{at: look, large: new(sync.Mutex)}
		r, _ := tr.readTail(tt.file, tt.file.size, claude.NewTail)
		if tt.file.read != tt.read || r.Unread != tt.unread {
			t.Errorf("%s: read %d bytes, unread %q; want %d, %q", tt.name, tt.file.read, r.Unread, tt.read, tt.unread)
		}
		if tt.unread == "" && tt.file.size > 0 && r.LastTurn != claude.TurnEnded {
			t.Errorf("%s: last turn %s", tt.name, r.LastTurn)
		}
	}
}

// A 300 MB transcript of 22 MB lines needs less than 64 MiB, whatever the
// lines hold.
func TestReadTail_memory(t *testing.T) { // case tx-file-300m
	line := `{"type":"user","timestamp":"2026-11-29T14:59:00.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"` +
		strings.Repeat("y", 15<<20) + "\"}]}}\n"
	for name, end := range map[string]string{"cut lines only": "\n", "one whole line of 15 MiB": "\n" + endedTurn + line} {
		f := &counter{size: 300 << 20, fill: 'x', end: []byte(end)}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, _ := (&ends{at: look, large: new(sync.Mutex)}).readTail(f, f.size, claude.NewTail)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			t.Errorf("%s: %d MiB allocated", name, grown>>20)
		}
		if want := map[bool]string{true: claude.TurnOpen, false: claude.TurnNone}[strings.Contains(end, "tool_result")]; r.LastTurn != want {
			t.Errorf("%s: last turn %s, want %s", name, r.LastTurn, want)
		}
	}
}

func TestAddBackwards(t *testing.T) {
	tests := []struct {
		name, text string
		whole      bool
		lines, bad int
		turn       string
	}{
		{"tx-tail-midrune", "\xed\x95" + "xx\n" + endedTurn, false, 2, 0, "ended"},
		{"tx-partial-last", endedTurn + `{"type":"assistant","mess`, true, 3, 1, "ended"},
		{"tx-malformed-mid", `{"type":"us` + "\n" + endedTurn, true, 3, 1, "ended"},
		{"no newline at the end", strings.TrimSuffix(endedTurn, "\n"), true, 2, 0, "ended"},
		{"blank lines", "\n\n" + endedTurn + "\n\n", true, 6, 0, "ended"},
		{"one cut line", "xx", false, 0, 0, "none"},
	}
	for _, tt := range tests {
		tail := claude.NewTail(look)
		lines := addBackwards(tail, []byte(tt.text), tt.whole)
		r := tail.Result()
		if lines != tt.lines || r.BadLines != tt.bad || r.LastTurn != tt.turn {
			t.Errorf("%s: %d lines, %d bad, %s; want %d, %d, %s", tt.name, lines, r.BadLines, r.LastTurn, tt.lines, tt.bad, tt.turn)
		}
	}
}

// Law: however the file is windowed, the answer is that of the whole.
func FuzzReadTail(f *testing.F) {
	f.Add([]byte(endedTurn), uint8(40))
	f.Add([]byte("\n\n"+endedTurn+"{"), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		old := Windows
		defer func() { Windows = old }()
		Windows = []int64{int64(n) + 1, int64(len(b)) + 1}
		got, _ := (&ends{at: look, large: new(sync.Mutex)}).readTail(bytes.NewReader(b), int64(len(b)), claude.NewTail)
		Windows = []int64{int64(len(b)) + 1}
		want, _ := (&ends{at: look, large: new(sync.Mutex)}).readTail(bytes.NewReader(b), int64(len(b)), claude.NewTail)
		if got.LastTurn != want.LastTurn || fmt.Sprint(got.Question) != fmt.Sprint(want.Question) || (got.Error == nil) != (want.Error == nil) {
			t.Errorf("windowed %+v, whole %+v", got, want)
		}
	})
}

// Subagents' activity counts, and so do their open turns although all of their
// lines are side chains; a session in two project directories has the
// answers of the younger one; directories of one slug are not mixed up.
func TestTranscripts(t *testing.T) {
	file := func(at string, turn string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"type":"assistant","timestamp":"` + at + `","message":{"id":"a","stop_reason":"` + turn + `","content":[{"type":"text","text":"x"}]}}` + "\n")}
	}
	side := func(f *fstest.MapFile) *fstest.MapFile {
		f.Data = bytes.Replace(f.Data, []byte("{"), []byte(`{"isSidechain":true,`), 1)
		return f
	}
	w := &machine.World{At: look, FS: fstest.MapFS{
		"h/.claude/projects/-w-a/s1.jsonl":                       file("2026-11-29T14:10:00.000Z", "end_turn"),
		"h/.claude/projects/-w-b/s1.jsonl":                       file("2026-11-29T14:20:00.000Z", "tool_use"),
		"h/.claude/projects/-w-a/s2.jsonl":                       file("2026-11-29T14:10:00.000Z", "tool_use"),
		"h/.claude/projects/-w-a/s2/subagents/agent-1.jsonl":     side(file("2026-11-29T14:59:55.000Z", "tool_use")),
		"h/.claude/projects/-w-a/s2/subagents/x/agent-2.jsonl":   side(file("2026-11-29T14:30:00.000Z", "end_turn")),
		"h/.claude/projects/-w-a/s2/subagents/agent-1.meta.json": {Data: []byte("{}")},
	}}
	d := &claudeDir{path: "/h/.claude", surfaces: map[string]*record.Surface{}}
	tr := newTranscripts(w, d, d.surface("claude/transcripts"))
	got := map[string]record.Transcript{}
	for _, id := range []string{"s1", "s2", "s3"} {
		draft := claude.Draft{TranscriptIDs: []string{id}}
		tr.fill(&draft, &ends{w: w, at: w.At, large: &tr.large})
		got[id] = *draft.Transcript
	}
	if a := got["s1"]; a.LastTurn != claude.TurnOpen || a.ActivityAt.Minute() != 20 {
		t.Errorf("s1: %+v", a)
	}
	if a := got["s2"]; a.ActivityAt.Second() != 55 || a.Subagents == nil || a.Subagents.Count != 2 || a.Subagents.Open != 1 { // case cc-bg-agents-parked
		t.Errorf("s2: %+v %+v", a, a.Subagents)
	}
	if got["s3"].Found {
		t.Error("s3 found")
	}
}

// A transcript behind a link that leads nowhere is there and was not read.
func TestTranscripts_dangling(t *testing.T) {
	w := &machine.World{At: look, FS: fstest.MapFS{"p/s.jsonl": {Data: []byte("../gone.jsonl"), Mode: fs.ModeSymlink}}}
	got := (&ends{w: w, at: look, large: new(sync.Mutex)}).read("/p/s.jsonl", claude.NewTail)
	if !got.Found || !strings.HasSuffix(got.Unread, "a symbolic link that leads nowhere") {
		t.Errorf("got %+v", got)
	}
}
