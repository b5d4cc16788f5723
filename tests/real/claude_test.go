//go:build real

package real

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

// version is the release of Claude Code that is run.
const version = "2.1.280"

// patience is how long a session may take to start, a batch to come into its situations, and a
// session to be changed there. It is for a machine with something else to do.
const patience = 2 * time.Minute

// result is how a session of a situation was judged.
type result struct {
	situation string
	class     string // class and its name; "" when it was not judged
	problems  []string
	verdict   string // the line, when it was judged
}

// Every situation that a session can be in is brought about with the real Claude Code, and the
// built observer and judge say what it is.
func TestClaude(t *testing.T) {
	binary := installed(t)
	var results []result
	for _, b := range batches() {
		t.Run(b.name, func(t *testing.T) { results = append(results, b.judge(t, binary)...) })
	}
	if failed := summarise(results); len(failed) > 0 {
		t.Errorf("situations that failed: %s", strings.Join(failed, ", "))
	}
}

// installed returns the path of the Claude Code binary.
func installed(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("sh", filepath.Join(root, "tests/rig/install-claude.sh"), filepath.Join(root, ".cache/claude-code"), version)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("installing Claude Code: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// summarise prints each situation, what its sessions were judged to be, and the score. It returns
// the situations that were not judged right.
func summarise(results []result) (failed []string) {
	for _, name := range situations {
		var classes, problems []string
		for _, r := range results {
			if r.situation != name {
				continue
			}
			classes = append(classes, r.class)
			problems = append(problems, r.problems...)
			if len(r.problems) > 0 {
				problems = append(problems, r.verdict)
			}
		}
		if classes == nil {
			problems = []string{"not tried"}
		}
		word := "ok"
		if problems != nil {
			word, failed = "FAIL", append(failed, name)
		}
		fmt.Printf("real: %-4s %-18s %s\n", word, name, strings.Join(classes, "; "))
		if problems != nil {
			fmt.Println(strings.TrimSpace(strings.Join(problems, "\n")))
		}
	}
	fmt.Printf("real: %d/%d situations\n", len(situations)-len(failed), len(situations))
	return failed
}

// batch is the sessions that exist in one HOME at the same time.
type batch struct {
	name       string
	subscriber bool
	trials     []trial
}

// judge brings the sessions of the batch into their situations, observes them once, and compares
// the verdicts with what is wanted.
func (b batch) judge(t *testing.T, binary string) []result {
	box := newBox(t, binary, b.subscriber)
	began := time.Now()
	fleet := b.bringUp(t, box)
	t.Logf("%d sessions in their situations after %s", len(fleet), time.Since(began).Round(time.Second))
	verdicts := observe(t, box)
	t.Logf("judged after %s", time.Since(began).Round(time.Second))
	var results []result
	for _, s := range fleet {
		r := s.compare(box, verdicts[s.id])
		if len(r.problems) > 0 {
			t.Errorf("%s: %s", s.situation, strings.Join(r.problems, "; "))
		}
		results = append(results, r)
	}
	return results
}

// bringUp starts the sessions of the batch in the box and brings them into
// their situations.
func (b batch) bringUp(t *testing.T, box *claudebox.Box) []*session {
	t.Helper()
	fleet := make([]*session, len(b.trials))
	for i, tr := range b.trials {
		fleet[i] = &session{trial: tr, key: fmt.Sprintf("%s-%d", b.name, i)}
	}
	for _, s := range fleet {
		patiently(t, func(ctx context.Context) { s.err = s.start(ctx, box) })
	}
	patiently(t, func(ctx context.Context) { await(ctx, box, fleet) })
	for _, s := range fleet {
		if s.err == nil && s.last != nil {
			patiently(t, func(ctx context.Context) { s.err = s.last(ctx, box, s) })
		}
	}
	return fleet
}

// patiently runs do, which may take as long as patience.
func patiently(t *testing.T, do func(context.Context)) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	do(ctx)
}

// newBox returns an empty HOME with a stub API, that trusts project and the further ones. Its processes end with the test, even when the test
// is killed.
func newBox(t *testing.T, binary string, subscriber bool, projects ...string) *claudebox.Box {
	t.Helper()
	home, err := os.MkdirTemp("", "fleet-real-")
	if err != nil {
		t.Fatal(err)
	}
	sweep := exec.Command("sh", filepath.Join(root, "tests/real/sweep.sh"), home)
	sweep.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt at the terminal is for the test alone
	hold, err := sweep.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hold.Close()
		if err := sweep.Wait(); err != nil {
			t.Errorf("sweeping %s: %v", home, err)
		}
	})
	server, err := stubapi.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	box, err := claudebox.New(claudebox.Config{
		Home: home, Binary: binary, Version: version, BaseURL: server.URL(), Subscriber: subscriber, Projects: append([]string{project}, projects...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	// What the observer starts has no other way to learn that the API is the stub.
	settings := fmt.Sprintf(`{"env":{"ANTHROPIC_BASE_URL":%q}}`, server.URL())
	if err := os.WriteFile(filepath.Join(box.ClaudeDir(), "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return box
}
