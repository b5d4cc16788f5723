//go:build real

package real

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// want is what a verdict must say.
type want struct {
	class     string
	cause     string
	question  string // its beginning
	note      string // part of one of its notes
	evidence  string // part of one of its pieces of evidence
	raw       string // status of the process file, or several with | between; "" when there is no process
	reset     bool   // the reset is that of the transcript's quotaLimits
	subagents int    // at work
}

// seen is a session as it was observed and judged.
type seen struct {
	session *record.Session
	verdict *record.Verdict
	line    string
}

// observe runs the built observer into the built judge over the HOME of the box, with nothing in
// the environment but where that and Claude Code are.
func observe(t *testing.T, box *claudebox.Box) map[string]seen {
	t.Helper()
	observer := exec.CommandContext(t.Context(), filepath.Join(bin, "fleet-observe-claude"))
	observer.Env = []string{"HOME=" + box.Home, "PATH=" + box.Path(".local/bin") + ":/usr/local/bin:/usr/bin:/bin"}
	judge := exec.CommandContext(t.Context(), filepath.Join(bin, "fleet-classify"))
	judge.Env = []string{}
	observer.Stderr, judge.Stderr = os.Stderr, os.Stderr
	var out bytes.Buffer
	judge.Stdout = &out
	var err error
	if judge.Stdin, err = observer.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []*exec.Cmd{observer, judge} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []*exec.Cmd{judge, observer} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", filepath.Base(cmd.Path), err)
		}
	}
	all := map[string]seen{}
	for line, err := range record.All(&out) {
		if err != nil {
			t.Fatal(err)
		}
		s := all[line.Record.Subject]
		if v, ok := record.Payload[record.Session](line.Record); ok {
			s.session = v
		}
		if v, ok := record.Payload[record.Verdict](line.Record); ok {
			s.verdict, s.line = v, string(line.Raw)
		}
		all[line.Record.Subject] = s
	}
	return all
}

// compare returns what is wrong with the verdict on the session.
func (s *session) compare(box *claudebox.Box, got seen) result {
	r := result{situation: s.situation, verdict: got.line}
	if s.err != nil {
		r.problems = append(r.problems, s.err.Error())
	}
	if got.verdict == nil || got.session == nil {
		r.problems = append(r.problems, fmt.Sprintf("session %q was not observed", s.id))
		return r
	}
	v, w := got.verdict, s.want
	r.class = strings.TrimSpace(strings.Join([]string{v.Class, v.ClassName, v.Cause}, " "))
	check := func(what string, got, want any) {
		if got != want {
			r.problems = append(r.problems, fmt.Sprintf("%s: %v, want %v", what, got, want))
		}
	}
	check("class", v.Class, w.class)
	check("cause", v.Cause, w.cause)
	check("session id", v.Session.SessionID, s.id)
	check("job id", v.Session.JobID, s.jobID)
	if raw := rawStatus(got.session); !slices.Contains(strings.Split(w.raw, "|"), raw) {
		check("raw status", raw, w.raw)
	}
	check("subagents at work", subagents(got.session), w.subagents)
	if w.question == "" || !strings.HasPrefix(v.Question, w.question) {
		check("question", v.Question, w.question)
	}
	if !mentions(v.Notes, w.note) {
		check("notes", v.Notes, w.note)
	}
	if !mentions(v.Evidence, w.evidence) {
		check("evidence", v.Evidence, w.evidence)
	}
	reset, quota := "none", "none"
	if v.ResetAt != nil {
		reset = v.ResetAt.UTC().Format(time.RFC3339)
	}
	if w.reset {
		quota = resetInTranscript(box, s.id)
	}
	check("reset", reset, quota)
	return r
}

// rawStatus is what the process file of a live or a killed process says.
func rawStatus(s *record.Session) string {
	if s.Process == nil {
		return ""
	}
	return s.Process.RawStatus
}

func subagents(s *record.Session) int {
	if s.Transcript == nil || s.Transcript.Subagents == nil {
		return 0
	}
	return s.Transcript.Subagents.Open
}

// mentions reports whether a piece of evidence holds text, which may be empty.
func mentions(evidence []record.Evidence, text string) bool {
	return text == "" || slices.ContainsFunc(evidence, func(e record.Evidence) bool { return strings.Contains(e.Says, text) })
}

var resetsAt = regexp.MustCompile(`"quotaLimits":\{[^{}]*"resetsAt":(\d+)`)

// resetInTranscript is the machine's own word for when a limit ends, read without the observer.
func resetInTranscript(box *claudebox.Box, id string) string {
	data, err := os.ReadFile(box.Transcript(id))
	if err != nil {
		return err.Error()
	}
	all := resetsAt.FindAllSubmatch(data, -1)
	if all == nil {
		return "none"
	}
	n, err := strconv.ParseInt(string(all[len(all)-1][1]), 10, 64)
	if err != nil {
		return err.Error()
	}
	return time.Unix(n, 0).UTC().Format(time.RFC3339)
}
