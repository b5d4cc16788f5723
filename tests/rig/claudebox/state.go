package claudebox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A Session is the part of a live process's own file that tells what it does.
type Session struct {
	PID        int    `json:"pid"`
	SessionID  string `json:"sessionId"`
	JobID      string `json:"jobId"`
	Cwd        string `json:"cwd"`
	Status     string `json:"status"` // busy, idle, waiting or shell
	WaitingFor string `json:"waitingFor"`
}

// A Job is the part of a background job's file that tells what it does.
type Job struct {
	SessionID string `json:"sessionId"`
	State     string `json:"state"`
	Tempo     string `json:"tempo"`
	Detail    string `json:"detail"`
	Needs     string `json:"needs"`
}

// A Row is a row of the listing.
type Row struct {
	PID        int    `json:"pid"`
	ID         string `json:"id"`
	SessionID  string `json:"sessionId"`
	Kind       string `json:"kind"`
	Cwd        string `json:"cwd"`
	Name       string `json:"name"`
	State      string `json:"state"`
	Status     string `json:"status"`
	WaitingFor string `json:"waitingFor"`
}

// Session reads the file of a live process.
func (b *Box) Session(pid int) (Session, error) {
	var s Session
	return s, readJSON(filepath.Join(b.ClaudeDir(), "sessions", fmt.Sprintf("%d.json", pid)), &s)
}

// Sessions reads the files of all live processes.
func (b *Box) Sessions() []Session {
	files, _ := filepath.Glob(filepath.Join(b.ClaudeDir(), "sessions", "*.json")) // the pattern is well-formed
	var all []Session
	for _, f := range files {
		var s Session
		if readJSON(f, &s) == nil {
			all = append(all, s)
		}
	}
	return all
}

// Job reads the file of a background job.
func (b *Box) Job(id string) (Job, error) {
	var j Job
	return j, readJSON(filepath.Join(b.ClaudeDir(), "jobs", id, "state.json"), &j)
}

// Listing runs "claude agents --json --all".
func (b *Box) Listing(ctx context.Context) ([]Row, error) {
	out, err := b.Output(ctx, b.Home, "claude", "agents", "--json", "--all")
	if err != nil {
		return nil, err
	}
	var rows []Row
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		return nil, fmt.Errorf("reading the listing: %w", err)
	}
	return rows, nil
}

// Transcript returns the path of a session's transcript; empty while there is none.
func (b *Box) Transcript(sessionID string) string {
	return first(filepath.Join(b.ClaudeDir(), "projects", "*", sessionID+".jsonl"))
}

// Says reports whether the session's transcript holds text, as it is written there.
func (b *Box) Says(sessionID, text string) bool {
	data, err := os.ReadFile(b.Transcript(sessionID))
	return err == nil && bytes.Contains(data, []byte(text))
}

// SubagentSays reports whether the transcript of one of the session's subagents holds text.
func (b *Box) SubagentSays(sessionID, text string) bool {
	files, _ := filepath.Glob(filepath.Join(b.ClaudeDir(), "projects", "*", sessionID, "subagents", "*.jsonl"))
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}

// Await polls until holds returns true. It gives up when ctx ends, and names what it waited for.
func Await(ctx context.Context, what string, holds func() bool) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

func first(pattern string) string {
	files, _ := filepath.Glob(pattern)
	if len(files) == 0 {
		return ""
	}
	return files[0]
}
