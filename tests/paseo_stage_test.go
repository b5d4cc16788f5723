package tests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// paseoStages are the captured moments of Paseo, and what is in them by the
// count of their files and by their process tables.
var paseoStages = map[string]struct{ agents, schedules, daemon int }{
	"20-all-live":                   {79, 18, 1},
	"62-daemon-killed9-15s":         {91, 19, 0},
	"C32-one-session-two-processes": {23, 5, 1},
	"C40-stopped-orphans-alive":     {23, 5, 0},
}

func paseoDir(stage string) string { return filepath.Join(root, "fixtures/paseo-0.1.65", stage) }

// observePaseo runs the built observer over a recorded machine.
func observePaseo(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, "fleet-observe-paseo"), append([]string{"--fixtures", dir}, args...)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v: %s", dir, err, &errs)
	}
	return out
}

// paseoRecords reads the observer's output as a judge does.
func paseoRecords(t *testing.T, out []byte) *record.Set {
	t.Helper()
	set := new(record.Set)
	for line, err := range record.All(bytes.NewReader(out)) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(line)
	}
	if err := set.Closed("devbox", "fleet-observe-paseo"); err != nil {
		t.Error(err)
	}
	return set
}

// link is an agent and a session that belong together.
type link struct{ agent, session string }

// links reads links.tsv: every session that a record names, those pairs of
// them that are in the listing with their pids, and the sessions of the listing
// that no record names.
func links(t *testing.T, stage string) (named map[link]bool, live map[link]string, alone map[string]bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(paseoDir(stage), "links.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	pid := regexp.MustCompile(`\((\d+),`)
	named, live, alone = map[link]bool{}, map[link]string{}, map[string]bool{}
	for i, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || len(f) < 9 {
			continue
		}
		if f[0] == "ROW WITHOUT RECORD" {
			alone[f[7]] = true
			continue
		}
		for _, id := range f[6:8] {
			if id != "" && id != "null" {
				named[link{f[0], id}] = true
			}
		}
		var pids []string
		for _, m := range pid.FindAllStringSubmatch(f[8], -1) {
			pids = append(pids, m[1])
		}
		if len(pids) > 0 {
			live[link{f[0], f[7]}] = strings.Join(pids, " ")
		}
	}
	return named, live, alone
}

// Joined by session id alone, records and sessions find each other as the
// capture knows them to belong together: every pair, and none besides.
func TestPaseoLinks(t *testing.T) {
	pairs := 0
	for stage := range paseoStages {
		set := paseoRecords(t, observePaseo(t, paseoDir(stage)))
		rows := map[string][]string{}
		var listing []struct {
			PID       json.Number
			SessionID string
		}
		b, err := fs.Glob(os.DirFS(paseoDir(stage)), "commands/claude-*/stdout")
		if err != nil || len(b) != 2 {
			t.Fatalf("%s: recorded commands %q, %v", stage, b, err)
		}
		for _, name := range b {
			out, err := os.ReadFile(filepath.Join(paseoDir(stage), name))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.HasPrefix(out, []byte("[")) {
				if err := json.Unmarshal(out, &listing); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range listing {
			rows[r.SessionID] = append(rows[r.SessionID], r.PID.String())
		}
		named, live, alone := map[link]bool{}, map[link]string{}, map[string]bool{}
		for id := range rows {
			alone[id] = true
		}
		for _, r := range set.Of(record.KindAgent) {
			a, _ := record.Payload[record.Agent](r)
			for _, s := range a.Sessions {
				named[link{a.ID, s}] = true
				if pids := rows[s]; len(pids) > 0 {
					live[link{a.ID, s}] = strings.Join(pids, " ")
					delete(alone, s)
				}
			}
		}
		wantNamed, wantLive, wantAlone := links(t, stage)
		if !maps.Equal(named, wantNamed) || !maps.Equal(live, wantLive) || !maps.Equal(alone, wantAlone) {
			t.Errorf("%s: pairs %d, want %d; live %d, want %d; rows without a record %v, want %v",
				stage, len(named), len(wantNamed), len(live), len(wantLive), alone, wantAlone)
		}
		pairs += len(live)
	}
	if pairs < 70 {
		t.Errorf("only %d pairs were compared", pairs)
	}
}

// Counts, the absence of every planted secret, and the same bytes each time.
func TestPaseoStages(t *testing.T) {
	for stage, want := range paseoStages {
		out := observePaseo(t, paseoDir(stage))
		if bytes.Contains(out, []byte("FAKE")) {
			t.Errorf("%s: a planted secret comes out", stage)
		}
		if again := observePaseo(t, paseoDir(stage)); !bytes.Equal(out, again) {
			t.Errorf("%s: a second run writes other bytes", stage)
		}
		now := []string{"--now", "2027-01-01T00:00:00Z"}
		if later := observePaseo(t, paseoDir(stage), now...); bytes.Equal(out, later) || !bytes.Equal(later, observePaseo(t, paseoDir(stage), now...)) {
			t.Errorf("%s: the output does not follow --now alone", stage)
		}
		set := paseoRecords(t, out)
		if a, s := len(set.Of(record.KindAgent)), len(set.Of(record.KindSchedule)); a != want.agents || s != want.schedules {
			t.Errorf("%s: %d agents and %d schedules, want %d and %d", stage, a, s, want.agents, want.schedules)
		}
		for _, r := range set.Of(record.KindSurface) {
			p, _ := record.Payload[record.Surface](r)
			if !p.OK || p.Absent || p.Unparsed > 0 || len(p.Drift) > 0 {
				t.Errorf("%s: %s: %+v", stage, r.Subject, p)
			}
			if r.Subject == "paseo/daemon" && p.Rows != want.daemon {
				t.Errorf("%s: daemon rows %d, want %d", stage, p.Rows, want.daemon)
			}
		}
	}
	var planted int
	for stage := range paseoStages {
		_ = filepath.WalkDir(paseoDir(stage), func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				b, _ := os.ReadFile(name)
				planted += bytes.Count(b, []byte("FAKE-"))
			}
			return nil
		})
	}
	if planted < 10 {
		t.Errorf("only %d secrets are planted", planted)
	}
}

// The fixture is what was captured.
func TestPaseoSums(t *testing.T) {
	dir := filepath.Join(root, "fixtures/paseo-0.1.65")
	b, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	var got []string
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		if err != nil || e.IsDir() || rel == "README.md" || rel == "SHA256SUMS" {
			return err
		}
		data, err := os.ReadFile(name)
		sum := sha256.Sum256(data)
		got = append(got, hex.EncodeToString(sum[:])+"  ./"+rel)
		return err
	})
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d files, %d sums, %v; the first that differ: %s", len(got), len(want), err, firstDiff(got, want))
	}
}

func firstDiff(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + " and " + b[i]
		}
	}
	return "none"
}
