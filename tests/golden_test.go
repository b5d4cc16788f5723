package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// golden compares what a stage adds with testdata; UPDATE=1 writes it again.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(root, "tests/testdata", name)
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s", name, diff.Diff("want", want, "got", got))
	}
}

// Each stage alone on the captured fleet adds what testdata holds. What else is
// asserted of it does not come from our own output: the truth column names
// every session, and the first column of a report line is its.
func TestGolden(t *testing.T) {
	truth, err := os.ReadFile(filepath.Join(root, "fixtures/cc-2.1.280/truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(truth)), "\n")[1:]
	records := observed(t)
	golden(t, "observe.ndjson", records)
	judged := pipe(t, records, []string{"fleet-classify"})
	golden(t, "classify.ndjson", bytes.TrimPrefix(judged, records))
	asked := pipe(t, judged, []string{"fleet-asks"})
	golden(t, "asks.ndjson", bytes.TrimPrefix(asked, judged))
	report := pipe(t, asked, []string{"fleet-render"})
	golden(t, "report.md", report)
	golden(t, "report.json", pipe(t, asked, []string{"fleet-render", "--format", "json"}))
	needs := 0
	for _, row := range rows {
		f := strings.Split(row, "\t")
		if !bytes.Contains(records, []byte(`"kind":"session","at":"`)) || !bytes.Contains(records, []byte(`"subject":"`+f[0]+`"`)) || !bytes.Contains(report, []byte("`"+f[0][:8]+"`")) {
			t.Errorf("session %s (%s) is not in the records or not in the report", f[0], f[2])
		}
		if f[3] == "3" || f[3] == "7" {
			needs++
		}
	}
	if got := bytes.Count(bytes.TrimPrefix(asked, judged), []byte(`"kind":"ask"`)); got != needs {
		t.Errorf("%d asks, the truth column has %d sessions of class 3 and 7", got, needs)
	}
}
