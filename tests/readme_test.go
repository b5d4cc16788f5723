package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// console finds the README's examples: blocks of "$ command" and its output.
var console = regexp.MustCompile("(?s)```console\n(.*?)```")

// Every example of the README prints what stands below it. With UPDATE=1 the
// README is written again.
func TestReadme(t *testing.T) {
	path := filepath.Join(root, "README.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	fresh := console.ReplaceAllStringFunc(string(b), func(block string) string {
		n++
		first, rest, _ := strings.Cut(strings.TrimPrefix(block, "```console\n"), "\n")
		got := shell(t, strings.TrimPrefix(first, "$ "))
		if want := strings.TrimSuffix(rest, "```"); got != want && os.Getenv("UPDATE") != "1" {
			t.Errorf("%s\n got %s\nwant %s", first, got, want)
		}
		return "```console\n" + first + "\n" + got + "```"
	})
	if n < 3 {
		t.Errorf("%d examples", n)
	}
	if os.Getenv("UPDATE") == "1" && fresh != string(b) {
		if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shell runs a command line at the root with the built programs on PATH.
func shell(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-o", "pipefail", "-c", line)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TZ=UTC")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", line, err, stderr.String())
	}
	return string(out)
}

// make demo prints the report of the captured fleet: every class but 1, each
// session, and the number of all.
func TestDemo(t *testing.T) {
	t.Parallel()
	out := shell(t, "make -s demo")
	truth, err := os.ReadFile(filepath.Join(root, "fixtures/cc-2.1.280/truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(truth)), "\n")
	for i, line := range lines {
		if id, _, _ := strings.Cut(line, "\t"); i > 0 && !strings.Contains(out, id[:8]) {
			t.Errorf("the report does not name session %s", id)
		}
	}
	if !strings.HasPrefix(out, fmt.Sprintf("# %d sessions: ", len(lines)-1)) {
		t.Errorf("the report begins %q", out[:min(len(out), 80)])
	}
}

// The project's own captured fleet is judged as its truth column says, and has
// every class but 1.
func TestTruth_ownFixture(t *testing.T) {
	dir := filepath.Join(root, "fixtures/cc-2.1.280")
	truth, err := os.ReadFile(filepath.Join(dir, "truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	got := classes(t, dir)
	seen, right := map[string]bool{}, 0
	lines := strings.Split(strings.TrimSpace(string(truth)), "\n")[1:]
	for _, line := range lines {
		f := strings.Split(line, "\t")
		if got[f[0]] != f[3] {
			t.Errorf("%s (%s, %s): class %s, want %s", f[0], f[1], f[2], got[f[0]], f[3])
		} else {
			right++
		}
		seen[f[3]] = true
	}
	for _, class := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "9a", "10", "unknown"} {
		if !seen[class] {
			t.Errorf("class %s does not occur", class)
		}
	}
	if len(got) != len(lines) {
		t.Errorf("%d verdicts for %d sessions", len(got), len(lines))
	}
	t.Logf("truth of the captured fleet: %d of %d", right, len(lines))
}
