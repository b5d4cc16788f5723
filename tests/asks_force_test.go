package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// askedStream is a stream of tick 14 behind the ledger of home, of 30 lines,
// judged: an answered rule and a block that are over, and a prompt that is new.
func askedStream(t *testing.T, h home) (machine, judged []byte) {
	t.Helper()
	var in bytes.Buffer
	for _, line := range streamLines(t) {
		if strings.Contains(line, `"by":"fleet-config"`) || strings.Contains(line, `"by":"fleet-observe-claude"`) {
			in.WriteString(line)
		}
	}
	ours := h.must(t, nil, "observe", "--now", "2026-11-29T15:10:00Z")
	var first record.Record
	if err := json.Unmarshal([]byte(ours[:strings.IndexByte(ours, '\n')]), &first); err != nil {
		t.Fatal(err)
	}
	in.WriteString(strings.ReplaceAll(ours, fmt.Sprintf(`"host":%q`, first.Host), `"host":"devbox"`))
	out := piped(t, in.Bytes(), "fleet-classify")
	if n := bytes.Count(out, []byte("\n")); n < 28 {
		t.Fatalf("the stream has %d lines", n)
	}
	return in.Bytes(), out
}

// piped runs a filter over its input.
func piped(t *testing.T, in []byte, program string, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, program), args...)
	cmd.Env, cmd.Stdin, cmd.Stderr = []string{}, bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, stderr.String())
	}
	return out
}

// killedIn runs a filter, gives it some lines of its input and kills it. What it
// wrote by then is returned.
func killedIn(t *testing.T, lines [][]byte, program string) []byte {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, program))
	cmd.Env, cmd.Stdout = []string{}, &out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(bytes.Join(lines, nil)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Millisecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	cmd.Wait()
	return out.Bytes()
}

// asksOf are the states of the asks of a stream, by key.
func asksOf(t *testing.T, stream []byte) map[string]string {
	t.Helper()
	states := map[string]string{}
	for line, err := range record.All(bytes.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := record.Payload[record.Ask](line.Record); ok {
			states[a.Key] = a.State
		}
	}
	return states
}

// Whichever stage is killed, behind whichever line of its input, and wherever
// its output is cut: no ask is resolved or answered, and no entry is written.
// When nobody is killed, both entries are.
func TestAsksKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	machine, judged := askedStream(t, h)
	before := h.text(t)
	unharmed := func(stream []byte, why string) {
		t.Helper()
		asked := piped(t, stream, "fleet-asks")
		for key, state := range asksOf(t, asked) {
			acked := strings.HasPrefix(key, "rules:")
			if state == record.AskResolved || state == record.AskAcked != acked || state == record.AskNew {
				t.Errorf("%s: %s is %s", why, key, state)
			}
		}
		h.append(t, asked, why, before)
	}
	in := bytes.SplitAfter(bytes.TrimSuffix(machine, []byte("\n")), []byte("\n"))
	step := 3 // every third line, so each kind of them
	if isLong() {
		step = 1
	}
	for k := 0; k <= len(in); k += step {
		unharmed(killedIn(t, in[:k], "fleet-classify"), fmt.Sprintf("the judge was killed behind line %d", k))
	}
	lines := bytes.SplitAfter(judged, []byte("\n"))
	lines = lines[:len(lines)-1]
	for k := 0; k < len(lines); k += step {
		unharmed(bytes.Join(lines[:k], nil), fmt.Sprintf("the judge's output was cut behind line %d", k))
	}
	for k := 0; k <= len(lines); k += step {
		h.append(t, killedIn(t, lines[:k], "fleet-asks"), fmt.Sprintf("asks was killed behind line %d", k), before)
	}
	asked := piped(t, judged, "fleet-asks")
	out := bytes.SplitAfter(asked, []byte("\n"))
	out = out[:len(out)-1]
	for k := 0; k < len(out); k += step {
		h.append(t, bytes.Join(out[:k], nil), fmt.Sprintf("the output of asks was cut behind line %d", k), before)
	}
	h.must(t, bytes.NewReader(asked), "append")
	if got := strings.Count(strings.TrimPrefix(h.text(t), before), "\n"); got != 2 {
		t.Errorf("the whole stream: %d entries are written, want 2", got)
	}
	t.Logf("%d lines in, %d judged, %d asked", len(in), len(lines), len(out))
}

// append runs fleet-ledger append, which may refuse, and sees that it wrote
// nothing.
func (h home) append(t *testing.T, stream []byte, why, before string) {
	t.Helper()
	h.command(bytes.NewReader(stream), "append").Run()
	if got := h.text(t); got != before {
		t.Fatalf("%s: written: %s", why, strings.TrimPrefix(got, before))
	}
}
