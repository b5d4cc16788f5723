package tests

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// pipe runs programs one into the next and returns the output of the last. A
// status other than 0 and 3 fails the test.
func pipe(t *testing.T, input []byte, stages ...[]string) []byte {
	t.Helper()
	for _, argv := range stages {
		cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
		cmd.Stdin = bytes.NewReader(input)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if ee, ok := errors.AsType[*exec.ExitError](err); ok && ee.ExitCode() != 3 || err != nil && !ok {
			t.Fatalf("%v: %v\n%s", argv, err, stderr.String())
		}
		input = out
	}
	return input
}

// classes judges a laid-out root with the built programs: class by session.
func classes(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := pipe(t, nil, []string{"fleet-observe-claude", "--fixtures", dir}, []string{"fleet-classify"})
	got := map[string]string{}
	for line, err := range record.All(bytes.NewReader(out)) {
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := record.Payload[record.Verdict](line.Record); ok {
			got[line.Record.Subject] = v.Class
		}
	}
	return got
}

// Every captured session whose situation is known gets the class of the table.
// Then every clock is moved by 37 days and every id renamed: the same.
func TestTruth(t *testing.T) {
	for name, change := range map[string]edit{"as captured": unchanged, "37 days later, ids renamed": shifted(37 * 24 * time.Hour)} {
		right, total := 0, 0
		for snapshot, table := range situations(t) {
			dir := t.TempDir()
			layOut(t, snapshot, dir, change)
			got := classes(t, dir)
			for _, s := range table {
				total++
				class := got[change(s.session)]
				if s.right(class) {
					right++
				} else {
					t.Errorf("%s: %s %s (%s, %s): class %s, want %s", name, snapshot, s.session, s.kind, s.what, class, s.class)
				}
			}
		}
		t.Logf("truth, %s: %d of %d", name, right, total)
		if total != 70 {
			t.Errorf("%d situations, want 70", total)
		}
	}
}

// What Claude Code's own listing says of the same sessions, for comparison.
func TestTruth_listingAlone(t *testing.T) {
	right := 0
	for snapshot, table := range situations(t) {
		out, err := os.ReadFile(filepath.Join(root, "fixtures/situations-2.1.280", snapshot, "agents-all.json"))
		if err != nil {
			t.Fatal(err)
		}
		said := listingClasses(t, out)
		for _, s := range table {
			if s.right(said[s.session]) {
				right++
			}
		}
	}
	t.Logf("the listing alone: %d of 70", right)
}
