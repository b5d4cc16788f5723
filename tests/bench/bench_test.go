package main

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// A copy of a session is a record of another one that is in the same situation.
func TestClone(t *testing.T) {
	b, err := os.ReadFile("../testdata/observe.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line, err := range record.All(bytes.NewReader(b)) {
		if err != nil {
			t.Fatal(err)
		}
		r := line.Record
		was, ok := record.Payload[record.Session](r)
		if !ok {
			continue
		}
		n++
		if got := clone(line.Raw, r.Subject, 0); !bytes.Equal(got, line.Raw) {
			t.Errorf("copy 0 of %s: %s", r.Subject, got)
		}
		copied, err := record.Parse(clone(line.Raw, r.Subject, 7))
		if err != nil {
			t.Fatal(err)
		}
		is, _ := record.Payload[record.Session](copied)
		if copied.Subject != idOf(r.Subject, 7) || is.SessionID != copied.Subject || copied.At != r.At || is.Cwd == was.Cwd || is.Name == was.Name {
			t.Errorf("copy 7 of %s: %s", r.Subject, copied.Data)
		}
		if was.StartedAt != nil && was.StartedAt.Sub(is.StartedAt.Time) != 7*7919%60000*time.Millisecond {
			t.Errorf("copy 7 of %s started at %s, the session at %s", r.Subject, is.StartedAt, was.StartedAt)
		}
		if was.Process != nil && is.Process.PID != was.Process.PID+7*4096 {
			t.Errorf("copy 7 of %s: pid %d", r.Subject, is.Process.PID)
		}
	}
	if n == 0 {
		t.Error("no sessions")
	}
}

// A generated ledger is one that fleet-ledger could have written, of as many
// lines as were asked for, and always the same.
func TestLedger(t *testing.T) {
	for _, n := range []int{1, 2, 700} {
		var first, second bytes.Buffer
		if err := writeLedger(&first, lab{}, n); err != nil {
			t.Fatal(err)
		}
		if err := writeLedger(&second, lab{}, n); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%d lines: another ledger the second time, %v", n, err)
		}
		entries, err := fold.Verify(fold.Lines(&first), func(line int, says string) { t.Errorf("%d lines, line %d: %s", n, line, says) })
		if err != nil || entries != n {
			t.Errorf("%d entries of %d, %v", entries, n, err)
		}
	}
}

// What a session did before ends when its transcript begins.
func TestPast(t *testing.T) {
	end := time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)
	lines := bytes.Split(bytes.TrimSpace(newPast(3, end, 100<<10)), []byte("\n"))
	last := time.Time{}
	for _, line := range lines {
		if at := startOf(line); bytes.Contains(line, []byte(`"timestamp"`)) {
			if !at.After(last) {
				t.Fatalf("%s comes after %s", at, last)
			}
			last = at
		}
	}
	if gap := end.Sub(last); gap < time.Second || gap > time.Minute {
		t.Errorf("it ends %s before", gap)
	}
}
