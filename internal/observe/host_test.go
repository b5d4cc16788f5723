package observe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

const (
	farHost   = `{"v":1,"kind":"host","at":"2026-11-29T12:00:00.000Z","host":"far","by":"fleet-observe-claude","subject":"far","data":{"os":"linux","zone":"UTC","boot_at":null}}`
	farJobs   = `{"v":1,"kind":"surface","at":"2026-11-29T12:00:00.000Z","host":"far","by":"fleet-observe-claude","subject":"claude/jobs","data":{"ok":false,"error":"no such disk","rows":0,"unparsed":0}}`
	farClosed = `{"v":1,"kind":"surface","at":"2026-11-29T12:00:00.000Z","host":"far","by":"fleet-observe-claude","subject":"fleet-observe-claude","data":{"ok":true,"rows":1,"unparsed":0,"records":1}}`
)

// farWorld is a machine whose ssh is a script; what it gets is in the file got
// beside it.
func farWorld(t *testing.T, script string) *machine.World {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\nfor a; do printf '%s\\n' \"$a\"; done >" + dir + "/got\nenv >" + dir + "/env\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("SSH_AUTH_SOCK", "/agent")
	t.Setenv("GH_TOKEN", "FAKE")
	return &machine.World{Home: dir, Host: "here", At: time.Date(2026, 11, 29, 12, 0, 30, 0, time.UTC), Getenv: os.Getenv, FS: os.DirFS("/")}
}

// farSink keeps what was written.
type farSink struct {
	set    record.Set
	counts map[string]int
	err    error
}

func (s *farSink) AddData(kind record.Kind, at record.Time, host, subject string, data any) error {
	if s.err != nil {
		return s.err
	}
	r, err := record.New(kind, at, host, "fleet-observe-claude", subject, data)
	if err == nil {
		s.counts[host]++
		s.set.Add(record.Line{Record: r})
	}
	return err
}

func (s *farSink) Close(at record.Time, host, label string) error {
	n := s.counts[host]
	s.counts[host] = 0
	return s.AddData(record.KindSurface, at, host, "fleet-observe-claude"+label, record.Surface{OK: true, Records: &n})
}

func (s *farSink) Warn(string, ...any) {}

func observeFar(t *testing.T, w *machine.World, change ...func(*Remote)) (*farSink, []string) {
	t.Helper()
	r := Remote{Host: config.Host{Name: "box", SSH: "ana@box", Command: []string{"fleet-observe-claude"}, TimeoutS: 300}, Binary: "claude", ListingCap: 200}
	for _, c := range change {
		c(&r)
	}
	sink := &farSink{counts: map[string]int{}}
	unread, err := r.Observe(context.Background(), w, sink)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.set.Closed("box", "fleet-observe-claude"); err != nil {
		t.Error(err)
	}
	return sink, unread
}

// looked is what is known of the look at a machine.
func (s *farSink) looked() *record.Surface {
	r, _ := s.set.Get(record.Identity{Host: "box", Kind: record.KindSurface, Subject: RemoteSurface})
	p, _ := record.Payload[record.Surface](r)
	return p
}

// A machine that could not be read has the reason, in ssh's own words, and
// nothing else.
func TestRemote_unread(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"refused", "echo 'ssh: connect to host box port 22: Connection refused' >&2; exit 255", "ssh: exit status 255: ssh: connect to host box port 22: Connection refused"},
		{"another key", "printf '@@@@@\\n@ WARNING @\\nHost key verification failed.\\r\\n' >&2; exit 255", "ssh: exit status 255: Host key verification failed."},
		{"without a word", "exit 255", "ssh: exit status 255: it says nothing"},
		{"with a secret", "echo no ghp_" + "FAKE0FAKE1FAKE2FAKE3FAKE4FAKE5FAKE67 >&2; exit 255", "ssh: exit status 255: no [withheld: github-token]"},
		{"no program", "echo 'sh: 1: exec: fleet-observe-claude: not found' >&2; exit 127", "fleet-observe-claude: exit status 127: sh: 1: exec: fleet-observe-claude: not found"},
		{"called wrongly", "echo 'fleet-observe-claude: unknown flag' >&2; exit 2", "fleet-observe-claude: exit status 2: fleet-observe-claude: unknown flag"},
		{"it failed, and wrote", "echo '" + farHost + "'; echo '" + farClosed + "'; exit 1", "fleet-observe-claude: exit status 1: it says nothing"},
		{"nothing", "exit 0", "its answer is not taken: it is not whole: no closing record"},
		{"cut", "echo '" + farHost + "'", "its answer is not taken: it is not whole: no closing record"},
		{"no record", "echo 'Please log in first'", `its answer is not taken: no record in it; it begins "Please log in first"`},
		{"a flood", "exec yes", "it wrote more than the 32 MiB that are read"},
		{"a flood of words", "exec yes >&2", "it wrote more than the 32 MiB that are read"},
	} {
		sink, unread := observeFar(t, farWorld(t, tt.script))
		s := sink.looked()
		if s == nil || s.OK || s.Error != tt.want || len(sink.set.All()) != 2 || !slices.Equal(unread, []string{"box: not read: " + tt.want}) {
			t.Errorf("%s:\n got %+v, %q, %d records\nwant %s", tt.name, s, unread, len(sink.set.All()), tt.want)
		}
	}
}

// One that hangs is ended.
func TestRemote_hangs(t *testing.T) {
	for _, script := range []string{"exec sleep 600", "trap '' TERM; while :; do sleep 1; done", "sleep 600 & sleep 600", "echo '" + farHost + "'; exec sleep 600"} {
		sink, _ := observeFar(t, farWorld(t, script), func(r *Remote) { r.TimeoutS = 1 })
		if s := sink.looked(); s.OK || s.Error != "no answer within 1s" {
			t.Errorf("%s: %+v", script, s)
		}
	}
}

// Without ssh no machine is read.
func TestRemote_noSSH(t *testing.T) {
	w := farWorld(t, "")
	w.Getenv = func(string) string { return "" }
	t.Setenv("PATH", "")
	if sink, _ := observeFar(t, w); sink.looked().OK || !strings.HasPrefix(sink.looked().Error, "ssh: not found in") {
		t.Errorf("%+v", sink.looked())
	}
}

// An ssh that the system cannot start is told, and is no answer.
func TestRemote_notStarted(t *testing.T) {
	w := farWorld(t, "")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte("\x7fELF, cut"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if sink, unread := observeFar(t, w); sink.looked().OK || !strings.HasSuffix(sink.looked().Error, "exec format error") || len(unread) != 1 {
		t.Errorf("%+v", sink.looked())
	}
}

// What it says is taken; what was not read there is told, and so are clocks that
// differ, lines before the first record and fields of a newer release.
func TestRemote(t *testing.T) {
	said := "echo '" + farHost + "'; echo '" + farJobs + "'; echo '" + strings.Replace(farClosed, `"records":1`, `"records":2`, 1) + "'"
	at := func(s string) string { return strings.ReplaceAll(said, "12:00:00", s) }
	ahead := "the clock of box is 3 h 0 min ahead of that of here"
	for _, tt := range []struct{ name, script, want string }{
		{"status 3", said + "; exit 3", "[] []"},
		{"a clock 2 min ahead", at("12:02:30"), "[] []"},
		{"a clock 3 h ahead", at("15:00:30"), "[] [" + ahead + "]"},
		{"a clock a day behind", strings.ReplaceAll(said, "11-29", "11-28"), "[] [the clock of box is 24 h 1 min behind that of here]"},
		{"a banner", "echo hello; echo; echo you; " + said, "[] [box prints something before its records: does a start-up file of the shell there?]"},
		{"a field", strings.Replace(said, `"os"`, `"mood":1,"os"`, 1), "[field host.mood] []"},
	} {
		sink, unread := observeFar(t, farWorld(t, tt.script))
		s := sink.looked()
		if !s.OK || s.Rows != 2 || fmt.Sprint(s.Drift, s.Notes) != tt.want || !slices.Equal(unread, []string{"box: claude/jobs: not read: no such disk"}) {
			t.Errorf("%s: %+v, %q", tt.name, s, unread)
		}
		if hosts := sink.set.Hosts(); !slices.Equal(hosts, []string{"box"}) {
			t.Errorf("%s: hosts %q", tt.name, hosts)
		}
	}
}

// What ssh is run with: no word of the configuration is an option of it, and of
// the environment it gets its agent and no token.
func TestRemote_command(t *testing.T) {
	w := farWorld(t, "echo '"+farHost+"'; echo '"+farClosed+"'")
	observeFar(t, w, func(r *Remote) {
		r.SSHConfig, r.Binary, r.Dirs, r.TimeoutS, r.Command = "/c", "/opt/claude", []string{"~/.claude", "/it's"}, 30, []string{"~/bin/f", "-x y"}
	})
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(w.Home, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := "-F\n/c\n-a\n-x\n-T\n-o\nBatchMode=yes\n-o\nConnectTimeout=15\n-o\nControlMaster=no\n-o\nClearAllForwardings=yes\n-o\nPermitLocalCommand=no\n-o\nRemoteCommand=none\n-o\nLogLevel=ERROR\n--\nana@box\nexec sh -c '"
	words := ` '~/bin/f' '-x y' '--timeout' '10s' '--listing-cap' '200' '--claude' '/opt/claude' '--claude-dir' '~/.claude' '--claude-dir' '/it'\''s'` + "\n"
	if got := read("got"); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, words) || strings.Count(got, "\n") != strings.Count(want, "\n")+1 {
		t.Errorf("got %s", got)
	}
	if env := read("env"); !strings.Contains(env, "SSH_AUTH_SOCK=/agent\n") || strings.Contains(env, "GH_TOKEN") || !strings.Contains(env, "PATH=") {
		t.Errorf("%s", env)
	}
}

// An output that cannot be written is an error.
func TestRemote_output(t *testing.T) {
	full := errors.New("full")
	for _, script := range []string{"exit 255", "echo '" + farHost + "'; echo '" + farClosed + "'"} {
		r := Remote{Host: config.Host{Name: "box", SSH: "box", Command: []string{"f"}, TimeoutS: 60}}
		if _, err := r.Observe(context.Background(), farWorld(t, script), &farSink{counts: map[string]int{}, err: full}); err != full {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// Recorded and observed again, an answer is the same, and so is a failure.
func TestRemote_record(t *testing.T) {
	secret := "ghp_" + "FAKE0FAKE1FAKE2FAKE3FAKE4FAKE5FAKE67"
	for _, tt := range []struct{ script, want string }{
		{"echo '" + strings.Replace(farHost, "linux", secret, 1) + "'; echo '" + farClosed + "'", ""},
		{"echo ssh: " + secret + " >&2; exit 255", "ssh: exit status 255: it says nothing"},
		{"exec sleep 600", "no answer within 1s"},
	} {
		w := farWorld(t, tt.script)
		dir := filepath.Join(t.TempDir(), "rec")
		if err := w.Record(dir); err != nil {
			t.Fatal(err)
		}
		quick := func(r *Remote) { r.TimeoutS = 1 }
		first, _ := observeFar(t, w, quick)
		again, err := machine.Open(dir, "", w.At, true)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := observeFar(t, again, quick)
		if got := second.looked(); got.Error != tt.want || first.looked().OK != got.OK || len(first.set.All()) != len(second.set.All()) {
			t.Errorf("%s: %+v, then %+v", tt.script, first.looked(), got)
		}
		_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
			if b, _ := os.ReadFile(name); strings.Contains(string(b), secret) {
				t.Errorf("%s has the secret", name)
			}
			return err
		})
	}
}
