package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
)

// nowhere makes the working directory one that is gone: then no relative path
// has an absolute one.
func nowhere(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
}

// Without a home there is no machine to look at.
func TestNew_homeless(t *testing.T) {
	t.Setenv("HOME", "")
	if w, err := New("", time.Now(), true); w != nil || err == nil {
		t.Errorf("got %+v, %v", w, err)
	}
}

// A directory that is no recording is no machine: each part of one is named
// that is missing or not understood.
func TestNew_noRecording(t *testing.T) {
	for name, tt := range map[string]struct {
		meta string
		want string // what the error names
	}{
		"empty":         {"", "meta.json: no such file or directory"},
		"not JSON":      {"FAKE", "meta.json: invalid character"},
		"without files": {"{}", "root: no such file or directory"},
	} {
		dir := t.TempDir()
		if tt.meta != "" {
			if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(tt.meta), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w, err := New(dir, time.Time{}, false)
		if w != nil || err == nil || !strings.HasPrefix(err.Error(), "--fixtures: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v %v", name, w, err)
		}
	}
}

// The process table of a recording that lost its meta.json, or never had one of
// processes, is not read: nobody knows what lives.
func TestRecordedProcesses(t *testing.T) {
	for name, meta := range map[string]string{"not recorded": `{"home":"/h"}`, "not JSON": "{", "gone": ""} {
		dir := t.TempDir()
		if meta != "" {
			if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(meta), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w := &World{fixtures: dir}
		if ps, err := RecordedProcesses[struct{ PID int }](w); ps != nil || err == nil {
			t.Errorf("%s: %v %v", name, ps, err)
		}
		if alive := w.Alive(7); alive != nil {
			t.Errorf("%s: process 7 lives: %t", name, *alive)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(`{"processes":[{"pid":8}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]bool{7: false, 8: true} {
		if alive := (&World{fixtures: dir}).Alive(pid); alive == nil || *alive != want {
			t.Errorf("process %d: want %t", pid, want)
		}
	}
	if b, err := (&World{fixtures: dir}).ReadRecorded("mtimes.json"); b != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was recorded: %q %v", b, err)
	}
	if b, err := new(World).ReadRecorded("meta.json"); b != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("this machine is no recording: %q %v", b, err)
	}
}

// A recorded answer of which a part is missing is none.
func TestReplay(t *testing.T) {
	argv := []string{"/usr/bin/claude", "--version"}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // the error, "" when there is an answer
	}{
		"whole":             {map[string]string{"stdout": "out", "stderr": "err", "status": "3\n"}, ""},
		"without stderr":    {map[string]string{"stdout": "out", "status": "3"}, ""},
		"without stdout":    {map[string]string{"stderr": "err", "status": "3"}, "stdout: no such file or directory"},
		"without a status":  {map[string]string{"stdout": "out"}, "status: no such file or directory"},
		"no status":         {map[string]string{"stdout": "out", "status": "three"}, `strconv.Atoi: parsing "three": invalid syntax`},
		"stderr unreadable": {map[string]string{"stdout": "out", "stderr/x": "", "status": "3"}, "stderr: is a directory"},
		"no answer":         {map[string]string{"stdout": "out", "status": "timeout\n"}, command.ErrTimeout.Error()},
		"nothing":           {nil, "claude: not recorded: executable file not found in $PATH"},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			file = filepath.Join(dir, "commands", CommandDir(argv, ""), file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		res, err := (&World{fixtures: dir}).replay(argv, "")
		if tt.want == "" && (err != nil || res.Status != 3 || string(res.Stdout) != "out" || (len(res.Stderr) > 0) != (name == "whole")) {
			t.Errorf("%s: %+v %v", name, res, err)
		}
		if tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// A program that is nowhere is told with the places where it was looked for.
func TestFindProgram(t *testing.T) {
	dir := t.TempDir()
	w := &World{Home: dir, Getenv: func(string) string { return "/p:/q" }}
	t.Setenv("PATH", "")
	if p, err := w.FindProgram("fleet-none", "~/bin", "/opt/x"); p != "" || !errors.Is(err, exec.ErrNotFound) || err.Error() != "fleet-none: not found in /p:/q:~/bin:/opt/x" {
		t.Errorf("%q %v", p, err)
	}
	bin := filepath.Join(dir, "bin/fleet-none")
	if err := os.MkdirAll(filepath.Dir(bin), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if p, err := w.FindProgram("fleet-none", "~/bin"); p != bin || err != nil {
		t.Errorf("%q %v", p, err)
	}
	if err := os.Chmod(bin, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := w.FindProgram("fleet-none", "~/bin"); p != "" || errors.Is(err, exec.ErrNotFound) || err.Error() != bin+" cannot be run: permission denied" {
		t.Errorf("not executable: %q %v", p, err)
	}
	nowhere(t)
	if p, err := w.FindProgram("./x"); p != "" || err == nil {
		t.Errorf("from a directory that is gone: %q %v", p, err)
	}
}

// A clock that cannot be read tells nothing, and neither do half of the clocks.
func TestClock(t *testing.T) {
	if s := awake(-1 << 20); s != nil {
		t.Errorf("a clock that is none: %f", *s)
	}
	at := time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC)
	s, boot := 60.0, at.Add(-time.Hour)
	for _, w := range []*World{{At: at, BootAt: boot}, {At: at, AwakeS: &s}} {
		if c := w.Clock(); c != nil {
			t.Errorf("%+v: %+v", w, c)
		}
	}
	if c := (&World{At: at, BootAt: boot, AwakeS: &s}).Clock(); c == nil || c.AwakeS != 60 || !c.BootAt.Equal(boot) || !c.At.Equal(at) {
		t.Errorf("got %+v", c)
	}
}

// What cannot be recorded to is the caller's mistake, as is a recording that is
// not there.
func TestOpen(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("", full, time.Time{}, false); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a full directory: %v", err)
	}
	if _, err := Open(filepath.Join(full, "none"), "", time.Time{}, false); err == nil || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("no recording: %v", err)
	}
	if w, err := Open("", filepath.Join(full, "rec"), time.Time{}, false); err != nil || w.Rec == nil {
		t.Errorf("%v", err)
	}
}

// An error is told without a path that its reader knows, and stays one.
func TestReason(t *testing.T) {
	odd := errors.New("odd")
	for _, err := range []error{odd, &fs.PathError{Op: "open", Path: "x", Err: odd}, fmt.Errorf("x: %w", &exec.Error{Name: "x", Err: odd})} {
		if got := Reason(err); got != odd {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// A command that does not start is an error.
func TestRun(t *testing.T) {
	spec := command.Spec{Argv: []string{"claude", "--version"}, Path: filepath.Join(t.TempDir(), "none"), Timeout: time.Minute, MaxOutput: 1}
	if res, err := new(World).Run(t.Context(), spec); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%+v %v", res, err)
	}
}
