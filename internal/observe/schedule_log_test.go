package observe

import (
	"io/fs"
	"maps"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/machine"
)

func TestLogs(t *testing.T) {
	const line = `{"ts":"2026-11-29T12:00:00Z","status":"ok"}` + "\n"
	for _, tt := range []struct {
		name, path string
		make       func(r *recording)
		want       string // the error
		row        string // status and result
	}{
		{"a last line", "/l/x", func(r *recording) { r.write("root/l/x", line+line) }, "", "on time succeeded"},
		{"text", "/l/x", func(r *recording) { r.write("root/l/x", "done\n") }, "", "on time "},
		{"empty", "/l/x", func(r *recording) { r.write("root/l/x", "") }, "", "on time "},
		{"not there", "/l/x", func(r *recording) {}, "", "never ran "},
		{"longer than is read", "/l/x", func(r *recording) { r.write("root/l/x", strings.Repeat("x", logEnd)+"\n"+line) }, "", "on time succeeded"},
		{"a last line longer than is read", "/l/x", func(r *recording) { r.write("root/l/x", line+`{"ok":true,"a":"`+strings.Repeat("x", logEnd)+`"}`) }, "", "on time "},
		{"a directory", "/l", func(r *recording) { r.write("root/l/x", line) }, "/l: not a regular file", ""},
		{"behind a file", "/l/x", func(r *recording) { r.write("root/l", line) }, "/l/x: not a directory", ""},
	} {
		r := newRecording(t)
		tt.make(r)
		r.write(timesFile, `{"/l/x":"`+hubTime.Format(time.RFC3339)+`"}`)
		scope := &config.Scope{RunLogs: []config.RunLog{{Source: "digest", Path: tt.path, StaleAfterH: 24 * 365}}}
		s := observeSchedule(t, r.world(), scope)
		p, row := s.surfaces["schedule/log:digest"], ""
		if l := s.rows["log/digest"]; l != nil {
			row = l.Status + " " + l.LastResult
		}
		if p == nil || p.OK != (tt.want == "") || p.Error != tt.want || row != tt.row || (len(s.unread) > 0) == p.OK {
			t.Errorf("%s: %+v %q %q", tt.name, p, row, s.unread)
		}
	}
}

func TestLogs_names(t *testing.T) {
	r := newRecording(t)
	scope := &config.Scope{BookkeepingLog: "/l/b", DreamLog: "/l/d", RunLogs: []config.RunLog{{Source: "x", Path: "/l/x", StaleAfterH: 3}, {Source: "bookkeeping", Path: "/l/own", StaleAfterH: 4}}}
	s := observeSchedule(t, r.world(), scope)
	got := map[string]string{}
	for subject, row := range s.rows {
		got[subject] = row.Cadence
	}
	if want := map[string]string{"log/x": "at least every 3 hours", "log/bookkeeping": "at least every 4 hours", "log/dream": "at least every 7 days"}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if p := s.surfaces["schedule/log:bookkeeping"]; p.OK || p.Error != "two run logs have this name" {
		t.Errorf("%+v", p)
	}
}

// changing is a file system on which a log does not stay as it was.
type changing struct {
	fstest.MapFS
	open func(name string) (fs.File, error)
}

func (b changing) Open(name string) (fs.File, error) {
	if b.open != nil && name == "l/x" {
		return b.open(name)
	}
	return b.MapFS.Open(name)
}

func (b changing) Stat(name string) (fs.FileInfo, error) { return b.MapFS.Stat(name) }

// oddFile is an open file of which a part fails.
type oddFile struct {
	fs.File
	stat, read error
}

func (o oddFile) Stat() (fs.FileInfo, error) {
	if o.stat != nil {
		return nil, o.stat
	}
	return o.File.Stat()
}

// oddReader is one that can be read anywhere.
type oddReader struct{ oddFile }

func (o oddReader) ReadAt(p []byte, off int64) (int, error) { return 0, o.read }

func TestLog_changes(t *testing.T) {
	base := fstest.MapFS{"l/x": {Data: []byte("{}\n"), ModTime: hubTime}}
	file := func() fs.File {
		f, err := base.Open("l/x")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, tt := range []struct {
		name string
		open func(string) (fs.File, error)
		want string
	}{
		{"removed meanwhile", func(string) (fs.File, error) { return nil, fs.ErrNotExist }, ""},
		{"not ours", func(string) (fs.File, error) { return nil, syscall.EACCES }, "/l/x: permission denied"},
		{"no size", func(string) (fs.File, error) { return oddReader{oddFile{file(), syscall.EIO, nil}}, nil }, "/l/x: input/output error"},
		{"no end", func(string) (fs.File, error) { return oddFile{file(), nil, nil}, nil }, "/l/x: its end cannot be read"},
		{"no bytes", func(string) (fs.File, error) { return oddReader{oddFile{file(), nil, syscall.EIO}}, nil }, "/l/x: input/output error"},
	} {
		w := &machine.World{Home: "/home/ana", Host: "devbox", OS: "plan9", At: hubTime, FS: changing{base, tt.open}, Getenv: func(string) string { return "" }}
		s := observeSchedule(t, w, &config.Scope{RunLogs: []config.RunLog{{Source: "digest", Path: "/l/x", StaleAfterH: 24}}})
		p, row := s.surfaces["schedule/log:digest"], s.rows["log/digest"]
		if p.Error != tt.want || p.OK != (tt.want == "") || (row != nil) != p.OK || row != nil && row.Status != "never ran" {
			t.Errorf("%s: %+v %+v", tt.name, p, row)
		}
	}
}
