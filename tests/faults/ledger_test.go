package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inTheWay lays tick.sh in a directory of the box's own, where a script stands in
// the way of a program: it does something before a call that begins with args.
func (b *box) inTheWay(program, args, script string) {
	b.t.Helper()
	for _, script := range []string{"tick.sh", "parts.sh"} {
		b.write("tick/"+script, readFile(b.t, filepath.Join(bin, script)))
	}
	b.write("tick/"+program, fmt.Sprintf("#!/bin/sh\ncase \"$*\" in '%s'*)\ncd '%s'\n%s\ncd / ;; esac\nexec '%s/%s' \"$@\"\n", args, b.path("state"), script, bin, program))
	os.Chmod(b.path("tick/"+program), 0o755)
}

// wayTick is a tick with what inTheWay laid.
func (b *box) wayTick(env ...string) result {
	b.t.Helper()
	was := b.env
	b.env = append(append([]string{}, was...), env...)
	defer func() { b.env = was }()
	return b.run(nil, "/bin/sh", b.path("tick/tick.sh"))
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What may become of a ledger behind a tick's back. Repair is what its owner does
// before the next tick, when that is needed. Recovers is false when the next tick
// refuses, for a reason that says is in.
var replaced = []struct {
	name, script, repair string
	says                 string // what the next tick says when it refuses; "": it works
}{
	{"an older copy", "cp before ledger.jsonl", "", ""},
	{"an older copy in its place", "cp before other && mv other ledger.jsonl", "", ""},
	{"another scope's", `sed 's/"scope":"lamp"/"scope":"desk"/' ledger.jsonl >other && mv other ledger.jsonl`, "", `ledger of the scope "desk"`},
	{"another file", "echo not a ledger >ledger.jsonl", "", ""},
	{"cut to nothing", ": >ledger.jsonl", "", ""},
	{"cut inside a line", `head -c "$(($(wc -c <ledger.jsonl) - 40))" ledger.jsonl >other && cat other >ledger.jsonl`, "", ""},
	{"removed", "rm ledger.jsonl", "", ""},
	{"a later tick's", "unset FLEET_CHILD && fleet-ledger fire --scope lamp >/dev/null", "", ""},
	{"a directory", "rm ledger.jsonl && mkdir ledger.jsonl", "rmdir ledger.jsonl && cp before ledger.jsonl", ""},
	{"a pipe", "rm ledger.jsonl && mkfifo ledger.jsonl", "rm ledger.jsonl && cp before ledger.jsonl", ""},
	{"unreadable", "chmod 0 ledger.jsonl", "chmod 600 ledger.jsonl", ""},
	{"not to be written", "chmod 400 ledger.jsonl", "chmod 600 ledger.jsonl", ""},
	{"its lock unreadable", "chmod 0 ledger.lock", "chmod 600 ledger.lock", ""},
}

func TestLedgerUnderTick(t *testing.T) {
	was := withScope(t)
	was.ticked()
	for _, at := range []string{"append", "exit"} {
		for i, r := range replaced {
			if !long && at == "exit" && i%3 != 2 { // another scope's, cut inside a line, a directory or unreadable
				continue
			}
			t.Run(strings.ReplaceAll("before "+at+" "+r.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withScope(t)
				b.copy(was, "state")
				b.waiting("a", "b", "c")
				b.write("state/before", b.read("state/ledger.jsonl"))
				b.inTheWay("fleet-ledger", at, r.script)
				b.plain()
				got := b.wayTick()
				got.failed(t, "tick.sh: tick 2 failed: ")
				if log := b.log(); !strings.Contains(log, "fleet-ledger: ") || !hasAny(log, []string{"ledger.jsonl", "ledger.lock", "tick 2 is not the last", "is not the last"}) {
					t.Errorf("tick.log does not say what became of the ledger: %s", log)
				}
				if _, err := os.Stat(b.path("state/ticks/00002/report.md")); (err == nil) != (at == "exit") {
					t.Errorf("report: %v", err)
				}
				if r.repair != "" {
					if got := b.run(nil, "/bin/sh", "-c", "cd state && "+r.repair); got.status != 0 {
						t.Fatal(got.stderr)
					}
				}
				os.Remove(b.path("tick/fleet-ledger"))
				got = b.wayTick()
				if r.says != "" {
					got.failed(t, "tick.sh: ")
					if !strings.Contains(b.log(), r.says) {
						t.Errorf("no %q in %s", r.says, b.log())
					}
					return
				}
				if got.status != 0 || strings.HasPrefix(got.stdout, "tick 2") {
					t.Fatalf("the next tick: status %d: %s%s\n%s", got.status, got.stdout, got.stderr, b.log())
				}
				if once, more := b.prompts(); once != 3 || more != 0 {
					t.Errorf("%d prompts are asked once, %d more often; want 3 and 0", once, more)
				}
				if _, resolved := b.asked(); len(resolved) != 0 {
					t.Errorf("resolved: %v", resolved)
				}
			})
		}
	}
}
