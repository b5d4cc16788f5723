package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// withSweep is a box in which a sweep of the scope lamp finds an agent that is
// down, may start it, and is answered by a tmux that starts nothing: it notes what
// the ledger had when it was to begin a session.
func withSweep(t testing.TB) *box {
	b := withScope(t)
	b.withAgents()
	b.configure(`"mode": "act"`, `"dry_run": 0`, `"heal": {}`, `"desired_agents": "~/desired.json"`)
	b.write("bin/tmux", `#!/bin/sh
case " $* " in *" new-session "*) tail -n 1 '`+b.path("state/ledger.jsonl")+`' >>'`+b.path("begun")+`'; echo 'no space for another session' >&2 ;; *) echo 'no server running on /x' >&2 ;; esac
exit 1
`)
	os.Chmod(b.path("bin/tmux"), 0o755)
	b.write("begun", "")
	os.Chmod(b.path("begun"), 0o666)
	return b
}

func (b *box) sweep(env ...string) result {
	b.t.Helper()
	env, b.env = b.env, append(slices.Clone(b.env), env...)
	defer func() { b.env = env }()
	return b.run(nil, "/bin/sh", filepath.Join(bin, "heal.sh"))
}

// swept makes a sweep that must end well.
func (b *box) swept() result {
	b.t.Helper()
	r := b.sweep()
	if r.status != 0 || !strings.HasPrefix(r.stdout, "sweep: ") {
		log, _ := os.ReadFile(b.path("state/heal.log"))
		b.t.Fatalf("status %d: %s%s\n%s", r.status, r.stdout, r.stderr, log)
	}
	return r
}

// acts requires that nothing was begun without an intent in the ledger before, and
// returns how many were begun, and how many intents have no outcome.
func (b *box) acts() (begun, open int) {
	b.t.Helper()
	type entry struct{ Kind, ID, Of string }
	for raw := range strings.Lines(b.read("begun")) {
		var e entry
		if err := json.Unmarshal([]byte(raw), &e); err != nil || e.Kind != "intent" {
			b.t.Errorf("a session was to begin, and the last line of the ledger was %q", raw)
		}
		begun++
	}
	text, _ := os.ReadFile(b.path("state/ledger.jsonl"))
	intents := map[string]bool{}
	for raw := range strings.Lines(string(text)) {
		var e entry
		if json.Unmarshal([]byte(raw), &e) == nil {
			switch {
			case e.Kind == "intent":
				intents[e.ID] = true
			case e.Of != "":
				delete(intents, e.Of)
			}
		}
	}
	return begun, len(intents)
}

// lastSweep requires that the report and the stream of a sweep are whole.
func (b *box) lastSweep() {
	b.t.Helper()
	for name, text := range files(b.t, b.path("state")) {
		switch {
		case strings.HasSuffix(name, "heal/sweep.ndjson") && !strings.HasSuffix(text, "}\n"), strings.HasSuffix(name, "heal/report.md") && text == "":
			b.t.Errorf("%s is not whole: %q", name, text[max(0, len(text)-100):])
		}
	}
}

// soundLedger is longLedger without damage: one with any forbids every act.
func soundLedger() string {
	var s strings.Builder
	for raw := range strings.Lines(longLedger()) {
		if strings.HasPrefix(raw, "{") {
			s.WriteString(raw)
		}
	}
	return s.String()
}

// A sweep on a disk that is full at every place in turn: an intent that finds no
// room means that nothing is done.
func TestDiskFull_sweep(t *testing.T) {
	smallDisk(t)
	var mu sync.Mutex
	failed, done, begun := 0, 0, 0
	t.Run("pages", func(t *testing.T) {
		for _, pages := range []int{0, 1, 4, 7, 10, 14, 18, 22, 26, 30, 34, 38, 44, 60} {
			if !long && !slices.Contains([]int{0, 14, 30, 60}, pages) {
				continue
			}
			t.Run(fmt.Sprint(pages), func(t *testing.T) {
				t.Parallel()
				b := withSweep(t)
				before := soundLedger()
				b.write("state/ledger.jsonl", before)
				r := b.onDisk("state", pages, "/bin/sh", filepath.Join(bin, "heal.sh"))
				if rest, longer := strings.CutPrefix(b.read("state/ledger.jsonl"), before); !longer || rest != "" && !strings.HasSuffix(rest, "}\n") {
					t.Errorf("the ledger is not whole: %q", rest)
				}
				n, open := b.acts()
				b.lastSweep()
				mu.Lock()
				defer mu.Unlock()
				begun += n
				if r.status == 0 {
					if done++; n == 0 || open > 0 {
						t.Errorf("done, with %d acts begun and %d open", n, open)
					}
					return
				}
				failed++
				r.failed(t, "heal.sh: ")
				if long || pages == 14 {
					b.swept() // with room again
				}
			})
		}
	})
	if failed == 0 || done == 0 || begun == 0 {
		t.Errorf("%d disks were too small, %d were not, %d acts were begun: that is no test", failed, done, begun)
	}
}

// What is in the place of a sweep's own files.
func TestSweep_files(t *testing.T) {
	for kind, lay := range kinds {
		for _, path := range []string{"state/heal.log", "state/heal.lock", "state/act.lock", "state/heal", "state/heal/sweep.ndjson", "state/heal/report.md", "state/heal.md"} {
			if !long && kind != "pipe" || slices.Contains([]string{"empty file", "one line of 300 M", "terminal"}, kind) {
				continue
			}
			t.Run(strings.ReplaceAll(strings.TrimPrefix(path, "state/")+" "+kind, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withSweep(t)
				b.write("state/ledger.lock", "")
				os.MkdirAll(filepath.Dir(b.path(path)), 0o700)
				if err := lay(b, b.path(path)); err != nil {
					t.Fatal(err)
				}
				r := b.sweep()
				if r.status != 0 {
					r.failed(t, b.path("state"))
				}
				if n, open := b.acts(); open > 0 || r.status == 0 && n != 1 {
					t.Errorf("status %d, with %d acts begun and %d open", r.status, n, open)
				}
				b.lastSweep()
				if long {
					os.RemoveAll(b.path(path))
					b.swept()
				}
			})
		}
	}
}

// Where nothing can be written nothing is done, and that is said; where the home
// cannot be read the sweep or the tick says so as well.
func TestUnreadable_whole(t *testing.T) {
	for _, script := range []string{"tick.sh", "heal.sh"} {
		for dir, modes := range map[string][]os.FileMode{"state": {0o500, 0o400, 0}, "": {0o500, 0o300, 0}, ".config/ctx": {0}} {
			for _, mode := range modes {
				if !long && (dir == ".config/ctx" || mode != 0o500 && mode != 0 || script == "tick.sh" && dir == "state") {
					continue // TestAlert has a tick like that
				}
				t.Run(fmt.Sprintf("%s-%s-%o", script, strings.ReplaceAll(dir, "/", "-"), mode), func(t *testing.T) {
					t.Parallel()
					b := withSweep(t)
					before := soundLedger()
					b.write("state/ledger.jsonl", before)
					b.write("state/ledger.lock", "")
					b.plain()
					r := b.run(nil, "/bin/sh", "-c", fmt.Sprintf(`cd / && chmod %o "$1" && exec sh "$0"`, mode), filepath.Join(bin, script), b.path(dir))
					os.Chmod(b.path(dir), 0o700)
					if dir == "state" || mode&0o100 == 0 {
						r.failed(t, script+": ")
						if n, _ := b.acts(); n > 0 || b.read("state/ledger.jsonl") != before {
							t.Errorf("%d acts were begun", n)
						}
					}
					if long {
						b.swept()
					}
				})
			}
		}
	}
}

// A whole sweep that has too little does nothing that it did not note.
func TestLimits_sweep(t *testing.T) {
	for _, limit := range []string{"NOFILE=16", "NOFILE=10", "FSIZE=3000", "FSIZE=16384", "NPROC=8", "NPROC=30", "NPROC=60"} {
		if runtime.GOOS == "darwin" && strings.HasPrefix(limit, "NPROC") {
			continue
		}
		if !long && limit != "FSIZE=3000" && limit != "NPROC=30" {
			continue
		}
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			b := withSweep(t)
			os.Mkdir(b.path("state"), 0o700)
			b.plain()
			r := b.run(nil, "limit", limit, "--", "/bin/sh", filepath.Join(bin, "heal.sh"))
			if r.status != 0 && !hasAny(r.stderr, []string{"heal.sh: ", "fleet-", "/bin/sh: "}) {
				t.Errorf("status %d: %q", r.status, r.stderr)
			}
			if n, open := b.acts(); r.status == 0 && (n > 1 || open > 0) {
				t.Errorf("%d acts were begun, %d are open", n, open)
			}
			b.lastSweep()
			b.swept()
		})
	}
}
