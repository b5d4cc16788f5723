package tests

import (
	"bytes"
	"errors"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// filters are the programs that copy their input and add to it.
var filters = []string{"fleet-classify", "fleet-asks"}

// observed is the stream of the captured fleet.
func observed(t *testing.T) []byte {
	t.Helper()
	return pipe(t, nil, []string{"fleet-observe-claude", "--fixtures", filepath.Join(root, "fixtures/cc-2.1.280")})
}

// filterAll runs the filters one after the other.
func filterAll(t *testing.T, in []byte) []byte {
	t.Helper()
	for _, f := range filters {
		in = pipe(t, in, []string{f})
	}
	return in
}

// Law 1: every line is copied byte for byte and in order, blank ones and kinds
// of the future too; a last line without a newline gets one; a filter's own
// lines are made again and are the same.
func TestLaw1_copy(t *testing.T) {
	in := observed(t)
	odd := []byte("\n  \n" + `{"v":1,"kind":"moon", "at":"2026-11-29T14:00:00.000Z","host":"h","by":"x","subject":"s","data":{"n":1.10}}` + "\n")
	in = append(slices.Clone(odd), in...)
	for _, f := range filters {
		out := pipe(t, in, []string{f})
		if !bytes.HasPrefix(out, in) || len(out) == len(in) {
			t.Errorf("%s does not copy its input and add to it", f)
		}
		if cut := pipe(t, bytes.TrimSuffix(in, []byte("\n")), []string{f}); !bytes.Equal(cut, out) {
			t.Errorf("%s: without the last newline the output differs", f)
		}
		if again := pipe(t, out, []string{f}); !bytes.Equal(again, out) {
			t.Errorf("%s: its own output judged again differs", f)
		}
	}
}

// Law 2: the same input gives the same bytes, whatever the clock says.
func TestLaw2_same(t *testing.T) {
	in := observed(t)
	first := filterAll(t, in)
	if second := filterAll(t, in); !bytes.Equal(first, second) {
		t.Error("two runs differ")
	}
	if again := observed(t); !bytes.Equal(again, in) {
		t.Error("two observations of one recording differ")
	}
	for _, format := range []string{"md", "json"} {
		a := pipe(t, first, []string{"fleet-render", "--format", format})
		if b := pipe(t, first, []string{"fleet-render", "--format", format}); !bytes.Equal(a, b) {
			t.Errorf("two %s reports differ", format)
		}
	}
}

// Laws 3 and 4: neither the order of the lines nor an older double matters; a
// closing record is counted whatever the order.
func TestLaw3_order(t *testing.T) {
	in := observed(t)
	want := pipe(t, filterAll(t, in), []string{"fleet-render"})
	lines := bytes.SplitAfter(bytes.TrimSuffix(in, []byte("\n")), []byte("\n"))
	lines[len(lines)-1] = append(lines[len(lines)-1], '\n')
	for _, l := range lines[:5] { // doubles that an older look left
		lines = append(lines, bytes.Replace(l, []byte(`"at":"2026-11`), []byte(`"at":"2026-10`), 1))
	}
	r := rand.New(rand.NewSource(1))
	for range 3 {
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if got := pipe(t, filterAll(t, bytes.Join(lines, nil)), []string{"fleet-render"}); !bytes.Equal(got, want) {
			t.Error("another order, another report")
		}
	}
}

// Law 4: taking lines away makes no verdict more certain: it stays, or turns
// into unknown, or goes with its session.
func TestLaw4_less(t *testing.T) {
	in := observed(t)
	full := verdicts(t, pipe(t, in, []string{"fleet-classify"}))
	lines := bytes.SplitAfter(bytes.TrimSuffix(in, []byte("\n")), []byte("\n"))
	r := rand.New(rand.NewSource(2))
	for range 12 {
		var some [][]byte
		for _, l := range lines {
			if r.Intn(10) > 0 {
				some = append(some, bytes.TrimSuffix(l, []byte("\n")), []byte("\n"))
			}
		}
		for subject, class := range verdicts(t, pipe(t, bytes.Join(some, nil), []string{"fleet-classify"})) {
			if class != full[subject] && class != "unknown" {
				t.Errorf("with fewer lines %s turned from %s into %s", subject, full[subject], class)
			}
		}
	}
}

func verdicts(t *testing.T, out []byte) map[string]string {
	t.Helper()
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

// Law 5: a line that is no record stops a filter with status 1, and is named.
func TestLaw5_badLine(t *testing.T) {
	for _, f := range append([]string{"fleet-render", "fleet-ledger append"}, filters...) {
		argv := strings.Fields(f)
		for name, bad := range map[string]string{"text": "hello\n", "a cut line": `{"v":1,"kind":"ses`, "another version": `{"v":2,"kind":"x","at":"2026-11-29T14:00:00.000Z","by":"x","subject":"s","data":{}}` + "\n"} {
			cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
			cmd.Env = append(os.Environ(), "FLEET_SCOPE=", "FLEET_CONFIG=")
			cmd.Stdin = strings.NewReader("\n" + bad)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			ee, ok := errors.AsType[*exec.ExitError](err)
			if !ok || ee.ExitCode() != 1 || !strings.Contains(stderr.String(), argv[0]+": line 2: ") {
				t.Errorf("%s on %s: %v, %q", f, name, err, stderr.String())
			}
		}
	}
}

// A reader that leaves early is no failure and says nothing; a full disk is one
// and says so.
func TestStreams(t *testing.T) {
	if out := shell(t, "fleet-observe-claude --fixtures fixtures/cc-2.1.280 | fleet-classify | head -1 | wc -l; exit 0"); strings.TrimSpace(out) != "1" {
		t.Errorf("head saw %q", out)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		return // macOS has none
	}
	cmd := exec.Command("bash", "-c", "fleet-observe-claude --fixtures fixtures/cc-2.1.280 > /dev/full")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if ee, ok := errors.AsType[*exec.ExitError](err); !ok || ee.ExitCode() != 1 || !strings.Contains(string(out), "fleet-observe-claude: writing output: ") {
		t.Errorf("full disk: %v, %s", err, out)
	}
}
