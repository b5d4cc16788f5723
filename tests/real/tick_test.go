//go:build real

package real

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/rig/claudebox"
	"github.com/fleet-tools/fleet/tests/rig/ghstub"
	"github.com/fleet-tools/fleet/tests/rig/scripts"
)

// The captured moment of Paseo that is laid out, and what is in it by the count
// of its files.
const (
	paseoStage     = "fixtures/paseo-0.1.65/20-all-live/root/home/dev/.paseo"
	paseoAgents    = 79
	paseoSchedules = 18
)

// tickRig is a home with real sessions, a real gh and captured Paseo files in
// it, and a configuration of one scope.
type tickRig struct {
	t   *testing.T
	box *claudebox.Box
	gh  *ghRig
	env []string // the whole environment
}

// newTickRig lays the home out. Of its two repositories gh shows one; the board
// has no event yet.
func newTickRig(t *testing.T, binary string) *tickRig {
	t.Helper()
	r := &tickRig{t: t, box: newBox(t, binary, true), gh: newGhRig(t, ghstub.Library())}
	if err := r.gh.box.LogIn("good"); err != nil {
		t.Fatal(err)
	}
	r.gh.stub.Token = "good"
	repos := map[string]string{project: "acme/pinned", "src/forbidden": "acme/forbidden"}
	for dir, slug := range repos {
		for name, text := range map[string]string{
			"HEAD": "ref: refs/heads/main\n", "refs/.keep": "", "objects/.keep": "", "config": "[remote \"origin\"]\n\turl = git@github.com:" + slug + ".git\n",
		} {
			r.write(filepath.Join(dir, ".git", name), text)
		}
	}
	r.write(".local/state/ctx/lamp/events.jsonl", "")
	r.write(".config/ctx/fleet.json", fmt.Sprintf(`{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "tick_timeout_min": 5, "adopted": "*",
		"owner_channel": {"kind": "none"}, "surfaces": ["claude", "paseo", "gh", "board"], "repos": [%q, %q]}}}`, r.box.Path(project), r.box.Path("src/forbidden")))
	if err := os.CopyFS(r.box.Path(".paseo"), os.DirFS(filepath.Join(root, paseoStage))); err != nil {
		t.Fatal(err)
	}
	if err := scripts.Copy(root, bin); err != nil {
		t.Fatal(err)
	}
	r.env = []string{"HOME=" + r.box.Home, "PATH=" + r.box.Path(".local/bin") + ":" + bin + ":/usr/local/bin:/usr/bin:/bin", "FLEET_SCOPE=lamp",
		"GH_CONFIG_DIR=" + filepath.Join(r.gh.box.Home, ".config/gh")}
	return r
}

func (r *tickRig) write(name, text string) {
	r.t.Helper()
	name = r.box.Path(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// state is a path below the scope's state directory.
func (r *tickRig) state(elem ...string) string {
	return r.box.Path(append([]string{".local/state/fleet-reconcile/lamp"}, elem...)...)
}

// read is a file of the state directory.
func (r *tickRig) read(elem ...string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.state(elem...))
	if err != nil {
		r.t.Error(err)
	}
	return string(b)
}

// run runs a program in the home, and returns its output and how it ended.
func (r *tickRig) run(argv ...string) (stdout, stderr string, status int) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), filepath.Join(bin, argv[0]), argv[1:]...)
	cmd.Env, cmd.Dir = r.env, r.box.Home
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// listed is what fleet-asks list says, the ages left out: batch and id, class
// and question of each ask.
func (r *tickRig) listed(s *ghCount, name string) []string {
	out, stderr, status := r.run("fleet-asks", "list")
	var asks []string
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) < 3 {
			r.t.Fatalf("fleet-asks list: %q", line)
		}
		asks = append(asks, f[0]+"\t"+f[2])
	}
	s.check(name+" list", status == 0 && stderr == "" && len(asks) > 0, "status %d: %s%s", status, stderr, out)
	return asks
}

// Real Claude Code, real gh, captured Paseo in one tick: tick.sh, run whole and
// twice, sees them all, asks each question once, and says what it did not see.
func TestTick(t *testing.T) {
	r, s := newTickRig(t, installed(t)), &ghCount{t: t}
	fleet := batch{name: "tick", trials: []trial{
		{situation: "idle", scenario: "plain", ready: all(status("idle"), says("three functions")), want: want{class: "9a"}},
		{situation: "permission prompt", scenario: "perm", ready: prompts, want: want{class: "3", question: deploy}},
		{situation: "session limit", scenario: "limit-session", ready: failed, want: want{class: "2"}},
	}}.bringUp(t, r.box)
	var asks [2][]string
	for i := range asks {
		name := fmt.Sprintf("tick %d", i+1)
		out, stderr, status := r.run("tick.sh")
		s.check(name, status == 0 && stderr == "" && strings.HasPrefix(out, name+": "), "status %d: %s%s\n%s", status, stderr, out, r.read("tick.log"))
		r.saw(s, name, fleet, fmt.Sprintf("%05d", i+1))
		asks[i] = r.listed(s, name)
	}
	s.check("asked once", slices.Equal(asks[0], asks[1]), "%q, then %q", asks[0], asks[1])
	_, err := os.Stat(r.state("asks/00002.md"))
	s.check("one batch", strings.Contains(r.read("asks/00001.md"), deploy) && os.IsNotExist(err), "%v: %s", err, r.read("asks/00001.md"))
	entries := r.read("ledger.jsonl")
	s.check("one batch in the ledger", strings.Count(entries, `"verb":"ask"`) == 1 && strings.Count(entries, `"kind":"runner_exit"`) == 2, "%s", entries)
	out, stderr, status := r.run("fleet-ledger", "verify")
	s.check("verify", status == 0 && stderr == "", "status %d: %s%s", status, stderr, out)
	s.check("no writes", len(r.gh.stub.Writes()) == 0 && len(r.gh.stub.Requests()) > 0, "%q", r.gh.stub.Writes())
	fmt.Printf("tick: %d/%d checks\n", s.good, s.all)
}

// saw checks the snapshot and the reports of a tick: each session is judged,
// Paseo and one repository are there, and what was not read is named.
func (r *tickRig) saw(s *ghCount, name string, fleet []*session, number string) {
	set := new(record.Set)
	for line, err := range record.All(strings.NewReader(r.read("ticks", number, "snapshot.ndjson"))) {
		if err != nil {
			r.t.Fatal(err)
		}
		set.Add(line)
	}
	verdicts := set.Of(record.KindVerdict)
	asked := map[string]int{}
	for _, rec := range set.Of(record.KindAsk) {
		a, _ := record.Payload[record.Ask](rec)
		asked[a.Session]++
		s.check(name+" ask", a.Batch == 1 && a.FirstTick == 1, "%+v", a)
	}
	for _, session := range fleet {
		asks := 0
		if session.want.class == "3" {
			asks = 1
		}
		s.check(name+" asks of "+session.situation, asked[session.id] == asks, "%v", asked)
		i := slices.IndexFunc(verdicts, func(v record.Record) bool { return v.Subject == session.id })
		if session.err != nil || i < 0 {
			s.check(name+": "+session.situation, false, "session %q is not judged: %v", session.id, session.err)
			continue
		}
		v, _ := record.Payload[record.Verdict](verdicts[i])
		s.check(name+": "+session.situation, v.Class == session.want.class && strings.HasPrefix(v.Question, session.want.question), "%+v", v)
	}
	s.check(name+" sessions", len(verdicts) == len(fleet), "%d verdicts", len(verdicts))
	agents, schedules := len(set.Of(record.KindAgent)), len(set.Of(record.KindSchedule))
	s.check(name+" Paseo", agents == paseoAgents && schedules == paseoSchedules, "%d agents, %d schedules", agents, schedules)
	pulls := -1
	for _, rec := range set.Of(record.KindRepo) {
		if repo, ok := record.Payload[record.Repo](rec); ok && repo.Slug == "acme/pinned" && repo.OK {
			pulls = len(repo.PRs)
		}
	}
	s.check(name+" gh", pulls == 3, "%d pull requests of acme/pinned", pulls)
	var report struct {
		NotRead []struct{ Name string } `json:"not_read"`
	}
	if err := json.Unmarshal([]byte(r.read("ticks", number, "report.json")), &report); err != nil {
		r.t.Error(err)
	}
	var unread []string
	for _, u := range report.NotRead {
		unread = append(unread, u.Name)
	}
	slices.Sort(unread)
	text := r.read("ticks", number, "report.md")
	s.check(name+" report", slices.Equal(unread, []string{"gh/acme/forbidden"}) && strings.Contains(text, "gh/acme/forbidden"),
		"not read: %q\n%s", unread, text)
}
