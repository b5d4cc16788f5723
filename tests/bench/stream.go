package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// fixtures is the captured fleet, below the checkout.
const fixtures = "fixtures/cc-2.1.280"

// writeStream writes what the observer would of a machine with n sessions: the
// records of the captured fleet, each over and over with other ids, pids,
// directories, names and times. So what the sessions are in stays in the
// captured proportions, whatever n is.
func writeStream(w io.Writer, l lab, n int) error {
	lines, err := l.captured()
	if err != nil {
		return err
	}
	var sessions, others []record.Line
	for _, line := range lines {
		if line.Record.Kind == record.KindSession {
			sessions = append(sessions, line)
		} else {
			others = append(others, line)
		}
	}
	if len(sessions) == 0 || len(others) == 0 {
		return errors.New("the captured fleet has no sessions")
	}
	out := bufio.NewWriterSize(w, 1<<20)
	closing := len(others) - 1
	for _, line := range others[:closing] {
		out.Write(line.Raw)
	}
	for i := range n {
		line := sessions[i%len(sessions)]
		out.Write(clone(line.Raw, line.Record.Subject, i/len(sessions)))
	}
	records := n + closing
	count := regexp.MustCompile(`"(rows|records)":\d+`)
	out.Write(count.ReplaceAll(others[closing].Raw, fmt.Appendf(nil, `"$1":%d`, records)))
	return out.Flush()
}

// captured returns the lines that the observer writes of the captured fleet,
// its closing record last.
func (l lab) captured() ([]record.Line, error) {
	out, err := exec.Command(l.program("fleet-observe-claude"), "--fixtures", filepath.Join(l.root, fixtures)).Output()
	if err != nil {
		return nil, fmt.Errorf("observing the captured fleet: %w", err)
	}
	var lines []record.Line
	for line, err := range record.All(bytes.NewReader(out)) {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

var (
	pidField  = regexp.MustCompile(`"pid":\d+`)
	nameField = regexp.MustCompile(`"name":"[^"]*[^"\\]"`)
	timeValue = regexp.MustCompile(`"(at|[a-z]+_at|status_since)":"([^"]+Z)"`)
)

// clone returns a session record as that of its copy number k. Number 0 is the
// record itself. The times of a copy, but not that of the look and of resets,
// are up to a minute earlier, all by the same.
func clone(raw []byte, id string, k int) []byte {
	if k == 0 {
		return raw
	}
	head, data, _ := bytes.Cut(raw, []byte(`"subject":`))
	other := idOf(id, k)
	data = bytes.ReplaceAll(data, []byte(id), []byte(other))
	if len(id) == len(other) {
		data = bytes.ReplaceAll(data, []byte(`"`+id[:8]+`"`), []byte(`"`+other[:8]+`"`))
	}
	data = bytes.ReplaceAll(data, []byte("/home/dev/src/"), fmt.Appendf(nil, "/home/dev/src/%d/", k))
	data = pidField.ReplaceAllFunc(data, func(m []byte) []byte {
		pid, _ := strconv.Atoi(string(m[len(`"pid":`):]))
		return fmt.Appendf(nil, `"pid":%d`, pid+k*4096)
	})
	data = nameField.ReplaceAllFunc(data, func(m []byte) []byte {
		return fmt.Appendf(nil, `%s %d"`, m[:len(m)-1], k)
	})
	earlier := time.Duration(k*7919%60000) * time.Millisecond
	data = timeValue.ReplaceAllFunc(data, func(m []byte) []byte {
		f := timeValue.FindSubmatch(m)
		t, err := time.Parse(record.Layout, string(f[2]))
		if err != nil || string(f[1]) == "reset_at" {
			return m
		}
		return fmt.Appendf(nil, `"%s":"%s"`, f[1], t.Add(-earlier).Format(record.Layout))
	})
	return append(append(bytes.Clone(head), `"subject":`...), data...)
}

// idOf is the session id of copy k of a session.
func idOf(id string, k int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", id, k))
	h := fmt.Sprintf("%x", sum)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
}
