package faults

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// What a program has too little of. Not every program needs as much.
var limits = []string{"NOFILE=16", "NOFILE=8", "NOFILE=5", "NOFILE=3", "FSIZE=0", "FSIZE=700", "FSIZE=5000", "FSIZE=60000",
	"AS=400000000", "AS=150000000", "AS=100000000", "NPROC=0", "NPROC=3", "NPROC=6", "NPROC=12"}

// A program that has too little ends with a record or an error that names what
// it could not do; what it says otherwise is what it says with enough.
func TestLimits(t *testing.T) {
	was := withEverything(t)
	was.ticked()
	snapshot := was.sweepStream()
	whole := func(stdout string) map[string]surface {
		m := map[string]surface{}
		for name, s := range surfaces(t, stdout) {
			m[name] = s
		}
		return m
	}
	for _, name := range []string{"observe-claude", "observe-paseo", "observe-board", "observe-gh", "observe-schedule", "classify", "append", "observe", "fire", "render html", "step",
		"observe-workspaces", "observe-health", "reconcile", "act", "pause", "exited", "swept"} {
		for _, limit := range limits {
			if runtime.GOOS == "darwin" && (strings.HasPrefix(limit, "AS") || strings.HasPrefix(limit, "NPROC")) {
				continue // macOS has no limit of that name, or of another number
			}
			t.Run(strings.ReplaceAll(name+" "+limit, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withEverything(t)
				b.copy(was, "state")
				argv := calls(b)[name]
				if argv == nil {
					argv = notes[name]
				}
				argv = append([]string{filepath.Join(bin, argv[0])}, argv[1:]...)
				ledger := b.read("state/ledger.jsonl")
				b.plain()
				good := b.run(strings.NewReader(snapshot), argv...)
				b.write("state/ledger.jsonl", ledger)
				b.plain()
				r := b.run(strings.NewReader(snapshot), append([]string{"limit", limit, "--"}, argv...)...)
				if r.status != 0 && r.stderr == "" {
					t.Errorf("status %d, and not a word", r.status)
				}
				if strings.Contains(r.stderr, "panic: ") || strings.Contains(r.stderr, "SIGXFSZ") || r.status > 128 {
					t.Errorf("status %d: %.300s", r.status, r.stderr)
				}
				switch {
				case r.status == 0 && name != "fire" && name != "render html" && name != "step":
					g := whole(good.stdout)
					for surface, s := range whole(r.stdout) {
						if g[surface].OK && !s.OK {
							t.Errorf("status 0, and %s was not read", surface)
						}
						if s.OK && s.Rows != g[surface].Rows && !slices.Contains([]string{"ledger", "fleet-ledger", "claude/processes", "macf/processes", "fleet-observe-workspaces"}, surface) { // others run beside this
							t.Errorf("%s has %d rows with %s, and %d with enough: %s", surface, s.Rows, limit, g[surface].Rows, r.stderr)
						}
					}
				case r.status == 3:
					for surface, s := range whole(r.stdout) {
						if !s.OK && !strings.Contains(r.stderr, surface) && surface != "ledger" {
							t.Errorf("%s is not named: %s", surface, r.stderr)
						}
					}
				}
				if rest, longer := strings.CutPrefix(b.read("state/ledger.jsonl"), ledger); !longer || rest != "" && !strings.HasSuffix(rest, "}\n") {
					t.Errorf("the ledger is not whole: %q", rest)
				}
			})
		}
	}
}

// A whole tick that has too little fails and says so, or does without and says
// that; the next one, with enough, asks all that is to be asked.
func TestLimits_tick(t *testing.T) {
	for _, limit := range []string{"NOFILE=16", "NOFILE=10", "FSIZE=3000", "FSIZE=16384", "NPROC=8", "NPROC=30"} {
		if runtime.GOOS == "darwin" && strings.HasPrefix(limit, "NPROC") {
			continue
		}
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			b := withScope(t)
			os.Mkdir(b.path("state"), 0o700)
			b.plain()
			r := b.run(nil, "limit", limit, "--", "/bin/sh", filepath.Join(bin, "tick.sh"))
			if r.status != 0 && !strings.Contains(r.stderr, "tick.sh: ") && !strings.Contains(r.stderr, "fleet-") && !strings.Contains(r.stderr, "/bin/sh: ") {
				t.Errorf("status %d: %q", r.status, r.stderr)
			}
			if r.status == 0 && !strings.Contains(r.stdout, "2 need you") && !strings.Contains(r.stdout, "BLIND") && !strings.Contains(r.stdout, "INCOMPLETE") {
				t.Errorf("it is content: %s", r.stdout)
			}
			unharmed(t, nil, files(t, b.path("state")))
			b.ticked()
			if once, more := b.prompts(); once != 2 || more != 0 {
				t.Errorf("%d prompts asked once, %d more often", once, more)
			}
		})
	}
}
