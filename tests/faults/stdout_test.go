package faults

import (
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// calls are calls of every program that write something to standard output.
func calls(b *box) map[string][]string {
	return map[string][]string{
		"observe-claude":   {"fleet-observe-claude"},
		"observe-paseo":    {"fleet-observe-paseo"},
		"observe-board":    {"fleet-observe-board"},
		"observe-gh":       {"fleet-observe-gh", "--repo", "src"},
		"observe-schedule": {"fleet-observe-schedule"},
		"classify":         {"fleet-classify"},
		"explain":          {"fleet-classify", "--explain", session("a")},
		"jq":               {"fleet-classify", "--jq", "."},
		"fleet-jq":         {"fleet-jq", "."},
		"asks":             {"fleet-asks"},
		"list":             {"fleet-asks", "list"},
		"append":           {"fleet-ledger", "append"},
		"observe":          {"fleet-ledger", "observe"},
		"cat":              {"fleet-ledger", "cat"},
		"verify":           {"fleet-ledger", "verify"},
		"fire":             {"fleet-ledger", "fire"},
		"config tick":      {"fleet-config", "tick", "--tick", "1"},
		"config get":       {"fleet-config", "get", "lamp", "repos"},
		"config keys":      {"fleet-config", "keys"},
		"config check":     {"fleet-config", "check", "--verbose"},
		"render md":        {"fleet-render"},
		"render json":      {"fleet-render", "--format", "json"},
		"render html":      {"fleet-render", "--format", "html"},
		"render asks":      {"fleet-render", "--format", "asks"},
		"render into":      {"fleet-render", "--into", "."},
		"label-csv":        {"fleet-render", "--format", "label-csv"},
		"label-sheet":      {"fleet-render", "--format", "label-sheet"},
		"step":             {"fleet-step", "--", "fleet-config", "keys"},
		"help":             {"fleet-step", "--help"},
		"version":          {"fleet-observe-gh", "--version"},
		"docs":             {"fleet-config", "--docs", "man"},

		"observe-workspaces": {"fleet-observe-workspaces"},
		"observe-health":     {"fleet-observe-health"},
		"reconcile":          {"fleet-reconcile"},
		"act":                {"fleet-act"},
		"act stalled":        {"fleet-act", "stalled"},
		"act upgrade":        {"fleet-act", "upgrade", "--to", "0.2.47"},
		"render sweep":       {"fleet-render", "--format", "sweep"},
		"render sweep-json":  {"fleet-render", "--format", "sweep-json"},
		"render ps":          {"fleet-render", "--format", "ps"},
	}
}

// What cannot be written is a failure, but for a reader that has seen enough.
func TestStdout(t *testing.T) {
	b := withEverything(t)
	b.ticked()
	snapshot := b.sweepStream()
	state := files(t, b.path("state"))
	called := map[string]bool{}
	all := calls(b)
	for _, name := range slices.Sorted(maps.Keys(all)) { // append before fire
		argv := all[name]
		called[argv[0]] = true
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			b := &box{t: t, home: b.home, env: b.env}
			if r := b.run(strings.NewReader(snapshot), argv...); r.stdout == "" || r.status != 0 && r.status != 3 {
				t.Fatalf("it should write something: status %d, %s", r.status, r.stderr)
			}
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err == nil {
				defer full.Close()
				r := b.runTo(strings.NewReader(snapshot), full, argv...)
				r.failed(t, "fleet-", "writing output: ", "no space left on device")
			}
			r := b.runTo(strings.NewReader(snapshot), brokenPipe(t), argv...)
			if r.status != 141 && !(argv[0] == "fleet-step" && r.status == 1) || strings.Contains(r.stderr, "pipe") || strings.Contains(r.stderr, "output") {
				t.Errorf("a reader that went away: status %d, %q", r.status, r.stderr)
			}
			// The null device stands in for a closed output, and no file that is opened.
			r = b.run(strings.NewReader(snapshot), append([]string{"/bin/sh", "-c", `exec "$0" "$@" >&-`}, argv...)...)
			if r.status > 3 || r.stdout != "" {
				t.Errorf("closed: status %d, %q %q", r.status, r.stdout, r.stderr)
			}
		})
	}
	for _, p := range programs {
		if !called[p] {
			t.Errorf("%s is not called", p)
		}
	}
	after := files(t, b.path("state"))
	for name, text := range state {
		if name != "tick-counter" && !strings.HasPrefix(after[name], text) || name != "ledger.jsonl" && name != "tick-counter" && after[name] != text {
			t.Errorf("%s is changed", name)
		}
	}
	if r := b.run(nil, "fleet-ledger", "verify"); r.status != 0 {
		t.Error(r.stdout)
	}
}

// brokenPipe is the writing end of a pipe that nobody reads any more.
func brokenPipe(t *testing.T) io.Writer {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}
