package observe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// hubTime is when the recordings of these tests were made.
var hubTime = time.Date(2026, 11, 29, 15, 10, 0, 0, time.UTC)

// recording is a recorded machine that a test writes.
type recording struct {
	t   *testing.T
	dir string
}

func newRecording(t *testing.T) *recording {
	t.Helper()
	r := &recording{t, t.TempDir()}
	b, err := json.Marshal(machine.Meta{Home: "/home/ana", Host: "devbox", OS: "linux", At: hubTime})
	if err != nil {
		t.Fatal(err)
	}
	r.write("meta.json", string(b))
	r.write("root/home/ana/.keep", "")
	return r
}

func (r *recording) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// repo puts a repository at /r/<name> whose origin is url.
func (r *recording) repo(name, url string) {
	dir := "root/r/" + name + "/dot-git/"
	r.write(dir+"HEAD", "ref: refs/heads/main\n")
	r.write(dir+"refs/.keep", "")
	r.write(dir+"config", "[remote \"origin\"]\n\turl = "+url+"\n")
}

// command records one run of gh.
func (r *recording) command(exit int, stdout, stderr string, args ...string) {
	argv := append([]string{"gh"}, args...)
	dir := "commands/" + machine.CommandDir(argv, "") + "/"
	r.write(dir+"argv", strings.Join(argv, "\n")+"\n")
	r.write(dir+"stdout", stdout)
	r.write(dir+"stderr", stderr)
	r.write(dir+"status", fmt.Sprintln(exit))
}

// api records an answer of the REST API. A status of 400 or more is a failure
// of gh as well.
func (r *recording) api(path string, status int, body string, headers ...string) {
	out := fmt.Sprintf("HTTP/2.0 %d Status\n", status)
	for _, h := range headers {
		out += h + "\r\n"
	}
	exit, stderr := 0, ""
	if status >= 400 {
		exit, stderr = 1, fmt.Sprintf("gh: HTTP %d", status)
	}
	r.command(exit, out+"\r\n"+body, stderr, "api", "--include", "--hostname", "github.com", path)
}

// meta records the answer to repos/<slug>, with a name and a number that follow
// from the slug unless name is given.
func (r *recording) meta(slug, name, permissions string) {
	if name == "" {
		name = slug
	}
	id := 1
	for _, c := range name {
		id = (id*31 + int(c)) % 1_000_003
	}
	r.api("repos/"+slug, 200, fmt.Sprintf(`{"id":%d,"full_name":%q,"default_branch":"main","permissions":{%s}}`, id, name, permissions))
}

const pushOnly = `"admin":false,"push":true`

func (r *recording) rules(slug string, status int, body string) {
	r.api("repos/"+slug+"/rules/branches/main?per_page=100", status, body)
}

// pulls records a list of 200 pull requests at most, with its checks.
func (r *recording) pulls(slug string, exit int, stdout, stderr string) {
	r.list(slug, "200", github.PullFields, exit, stdout, stderr)
}

func (r *recording) list(slug, limit, fields string, exit int, stdout, stderr string) {
	r.command(exit, stdout, stderr, "pr", "list", "-R", "github.com/"+slug, "--state", "open", "--limit", limit, "--json", fields)
}

// fine records a repository that has neither rules nor pull requests.
func (r *recording) fine(slug string) {
	r.meta(slug, "", pushOnly)
	r.rules(slug, 200, "[]")
	r.pulls(slug, 0, "[]\n", "")
}

// world is the recorded machine.
func (r *recording) world() *machine.World {
	r.t.Helper()
	w, err := machine.New(r.dir, time.Time{}, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// observed is what an observation of GitHub wrote.
type observed struct {
	*record.Set
	t      *testing.T
	out    string
	unread []string
}

// observeHub observes the repositories that a stream names. Its closing record
// must fit.
func observeHub(t *testing.T, w *machine.World, g GitHub, set *record.Set) observed {
	t.Helper()
	var buf bytes.Buffer
	std := &cli.Std{Program: "fleet-observe-gh", Out: bufio.NewWriter(&buf)}
	unread, err := g.Observe(context.Background(), w, set, std)
	if err != nil {
		t.Fatal(err)
	}
	std.Out.Flush()
	got := observed{new(record.Set), t, buf.String(), unread}
	for line, err := range record.All(&buf) {
		if err != nil {
			t.Fatal(err)
		}
		got.Add(line)
	}
	if err := got.Closed(w.Host, "fleet-observe-gh"); err != nil {
		t.Error(err)
	}
	return got
}

// observe observes the repositories at /r/<name> of a recording.
func (r *recording) observe(names ...string) observed {
	r.t.Helper()
	return observeHub(r.t, r.world(), GitHub{Binary: "gh"}, tickOf(r.t, record.Tick{Repos: commonDirs(names...)}))
}

func commonDirs(names ...string) []string {
	dirs := make([]string, len(names))
	for i, n := range names {
		dirs[i] = "/r/" + n + "/.git"
	}
	return dirs
}

// tickOf is a stream that holds a tick record.
func tickOf(t *testing.T, tick record.Tick) *record.Set {
	t.Helper()
	r, err := record.New(record.KindTick, record.NewTime(hubTime), "devbox", "fleet-config", "lamp", tick)
	if err != nil {
		t.Fatal(err)
	}
	set := new(record.Set)
	set.Add(record.Line{Record: r})
	return set
}

// repo is the record of /r/<name>.
func (o observed) repo(name string) *record.Repo {
	o.t.Helper()
	r, _ := o.Get(record.Identity{Host: "devbox", Kind: record.KindRepo, Subject: "/r/" + name + "/.git"})
	p, ok := record.Payload[record.Repo](r)
	if !ok {
		o.t.Fatalf("no record of /r/%s in %s", name, o.out)
	}
	return p
}

// surface is the surface gh/<name>.
func (o observed) surface(name string) *record.Surface {
	o.t.Helper()
	r, _ := o.Get(record.Identity{Host: "devbox", Kind: record.KindSurface, Subject: "gh/" + name})
	p, ok := record.Payload[record.Surface](r)
	if !ok {
		o.t.Fatalf("no surface gh/%s in %s", name, o.out)
	}
	return p
}

// The written recordings are found under the names that their argv has.
func TestWrittenCommands(t *testing.T) {
	files, err := filepath.Glob("../../fixtures/gh-written/*/commands/*/argv")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d commands, %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		argv := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		if want := machine.CommandDir(argv, ""); filepath.Base(filepath.Dir(f)) != want {
			t.Errorf("%s: its argv is that of %s", f, want)
		}
		if !command.Allowed(argv) {
			t.Errorf("%s: %q is not in the table", f, argv)
		}
	}
}
