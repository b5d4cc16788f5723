package observe

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// boardLine is an event of a session that ends a turn.
func boardLine(session string) string {
	return `{"branch":"main","cwd":"/r/lamp","payload":{},"repo":"/r/lamp/.git","session_id":"` + session + `","ts":"2026-11-29T15:00:00.000Z","type":"session.stop","v":1}` + "\n"
}

// observeBoard returns the sessions and surfaces that are written, and what
// could not be read.
func observeBoard(t *testing.T, w *machine.World, b Board) (sessions []string, surfaces map[string]*record.Surface, unread []string) {
	t.Helper()
	var buf bytes.Buffer
	std := &cli.Std{Program: "fleet-observe-board", Out: bufio.NewWriter(&buf)}
	unread, err := b.Observe(w, std)
	if err != nil {
		t.Fatal(err)
	}
	std.Out.Flush()
	set := new(record.Set)
	for line, err := range record.All(&buf) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(line)
	}
	if err := set.Closed(w.Host, "fleet-observe-board"); err != nil {
		t.Error(err)
	}
	for _, r := range set.Of(record.KindBoard) {
		sessions = append(sessions, r.Subject)
	}
	surfaces = map[string]*record.Surface{}
	for _, r := range set.Of(record.KindSurface) {
		if s, ok := record.Payload[record.Surface](r); ok && s.Records == nil {
			surfaces[r.Subject] = s
		}
	}
	return sessions, surfaces, unread
}

const boardDir = "root/home/ana/.local/state/ctx/"

func TestBoardScopes(t *testing.T) {
	r := newRecording(t)
	r.write(boardDir+"lamp/events.jsonl", boardLine("s1")+boardLine("s2"))
	r.write(boardDir+"desk/events.jsonl", boardLine("s2")+boardLine("s3"))
	r.write(boardDir+"quiet/board.json", "{}")
	r.write(boardDir+"Not-A-Scope/events.jsonl", boardLine("s4"))
	r.write(boardDir+"events.jsonl", boardLine("s5"))
	w := r.world()
	for _, tt := range []struct {
		board    Board
		sessions string
		surfaces map[string]record.Surface
	}{
		{Board{}, "s1 s2 s3", map[string]record.Surface{"board/lamp": {OK: true, Rows: 2}, "board/desk": {OK: true, Rows: 2}, "board/quiet": {OK: true}}},
		{Board{Scope: "local"}, "s1 s2 s3", map[string]record.Surface{"board/lamp": {OK: true, Rows: 2}, "board/desk": {OK: true, Rows: 2}, "board/quiet": {OK: true}}},
		{Board{Scope: "lamp"}, "s1 s2", map[string]record.Surface{"board/lamp": {OK: true, Rows: 2}}},
		{Board{Scope: "quiet"}, "", map[string]record.Surface{"board/quiet": {OK: true}}},
		{Board{Scope: "nowhere"}, "", map[string]record.Surface{"board/nowhere": {OK: true, Absent: true}}},
		{Board{Dir: "/nowhere"}, "", map[string]record.Surface{"board/local": {OK: true, Absent: true}}},
		{Board{Dir: "/home/ana/.local/state/ctx/quiet"}, "", map[string]record.Surface{"board/local": {OK: true, Absent: true}}},
	} {
		sessions, surfaces, unread := observeBoard(t, w, tt.board)
		if strings.Join(sessions, " ") != tt.sessions || len(unread) > 0 || len(surfaces) != len(tt.surfaces) {
			t.Errorf("%+v: %q, %q, %v", tt.board, sessions, unread, surfaces)
		}
		for name, want := range tt.surfaces {
			if got := surfaces[name]; got == nil || got.OK != want.OK || got.Absent != want.Absent || got.Rows != want.Rows {
				t.Errorf("%+v: %s is %+v, want %+v", tt.board, name, got, want)
			}
		}
	}
}

// A log that is there and cannot be read is no quiet board.
func TestBoardUnread(t *testing.T) {
	r := newRecording(t)
	r.write(boardDir+"lamp/events.jsonl/x", "")
	r.write(boardDir+"desk/events.jsonl", boardLine("s1"))
	sessions, surfaces, unread := observeBoard(t, r.world(), Board{})
	if s := surfaces["board/lamp"]; s.OK || s.Absent || !strings.Contains(s.Error, "not a regular file") || !slices.Equal(unread, []string{"board/lamp: not read: " + s.Error}) {
		t.Errorf("%+v %q", s, unread)
	}
	if !slices.Equal(sessions, []string{"s1"}) {
		t.Errorf("%q", sessions)
	}
	file := newRecording(t)
	file.write("root/home/ana/.local/state/ctx", "")
	if _, surfaces, unread := observeBoard(t, file.world(), Board{}); surfaces["board/local"].OK || len(unread) != 1 {
		t.Errorf("%+v %q", surfaces["board/local"], unread)
	}
}

// torn reads a directory of the board in part.
type torn struct{ fs.FS }

func (f torn) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	if strings.HasSuffix(name, ".local/state/ctx") {
		err = errors.New("input/output error")
	}
	return entries, err
}

// A directory of which not every scope is known is not read, whatever was found in it.
func TestBoardTorn(t *testing.T) {
	for scope, want := range map[string]int{"lamp": 2, "local": 1} {
		r := newRecording(t)
		r.write(boardDir+scope+"/events.jsonl", boardLine("s1"))
		w := r.world()
		w.FS = torn{w.FS}
		sessions, surfaces, unread := observeBoard(t, w, Board{})
		if s := surfaces["board/local"]; s == nil || s.OK || !strings.HasSuffix(s.Error, "ctx: input/output error") || len(unread) != 1 || len(surfaces) != want {
			t.Errorf("%s: %+v %q", scope, surfaces, unread)
		}
		if !slices.Equal(sessions, []string{"s1"}) || scope == "lamp" && !surfaces["board/lamp"].OK {
			t.Errorf("%s: %q %+v", scope, sessions, surfaces)
		}
	}
}

// The board is read and nothing beside it is written.
func TestBoardWritesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "lamp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lamp/events.jsonl"), []byte(boardLine("s1")), 0o400); err != nil {
		t.Fatal(err)
	}
	w := &machine.World{Home: dir, Host: "devbox", At: hubTime, FS: os.DirFS("/"), Getenv: func(string) string { return "" }}
	if sessions, _, _ := observeBoard(t, w, Board{Dir: dir}); len(sessions) != 1 {
		t.Errorf("%q", sessions)
	}
	var names []string
	filepath.WalkDir(dir, func(p string, _ os.DirEntry, _ error) error {
		names = append(names, strings.TrimPrefix(p, dir))
		return nil
	})
	if !slices.Equal(names, []string{"", "/lamp", "/lamp/events.jsonl"}) {
		t.Errorf("%q", names)
	}
}
