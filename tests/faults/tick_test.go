package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// withScope is a box in which a tick of the scope lamp looks at a machine of two
// sessions that wait for their owner, as claude lists them.
func withScope(t testing.TB, settings ...string) *box {
	b := newBox(t)
	b.env = append(b.env, "FLEET_SCOPE=lamp")
	b.write("src/.git/HEAD", "ref: refs/heads/main\n")
	b.write("src/.git/refs/heads/main", "")
	b.configure(settings...)
	b.waiting("a", "b")
	return b
}

// configure writes the configuration, with further keys of the scope.
func (b *box) configure(settings ...string) {
	b.t.Helper()
	b.write(".config/ctx/fleet.json", fmt.Sprintf(`{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "state_dir": "~/state", "owner_channel": {"kind": "none"},
	"surfaces": ["claude"], "repos": ["~/src"]%s}}}`, strings.Join(append([]string{""}, settings...), ", ")))
}

// waiting lets claude list sessions that wait at a prompt.
func (b *box) waiting(names ...string) {
	b.t.Helper()
	rows := []map[string]any{}
	for name, pid := range b.pids {
		if !slices.Contains(names, name) {
			os.Remove(b.path(fmt.Sprintf(".claude/sessions/%d.json", pid)))
		}
	}
	for _, name := range names {
		pid := b.pids[name]
		if pid == 0 {
			pid = b.process()
			b.pids[name] = pid
		}
		rows = append(rows, map[string]any{"pid": pid, "kind": "interactive", "status": "waiting", "waitingFor": "permission prompt",
			"sessionId": session(name), "cwd": b.path("src"), "name": name, "startedAt": time.Now().UnixMilli()})
		b.write(fmt.Sprintf(".claude/sessions/%d.json", pid), fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":%q,"kind":"interactive","startedAt":%d}`, pid, session(name), b.path("src"), time.Now().UnixMilli()))
	}
	text, err := json.Marshal(rows)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("listing.json", string(text)+"\n")
	os.Chmod(b.path("listing.json"), 0o644)
	b.stub("claude", "version", "cat "+b.path("listing.json"))
}

// process is a process of a session, which lives as long as the test.
func (b *box) process() int {
	b.t.Helper()
	cmd := exec.Command("sleep", "3600")
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid
}

func session(name string) string {
	return strings.Repeat(name, 8) + "-0000-4000-8000-000000000000"
}

// tick makes a tick, with further variables.
func (b *box) tick(env ...string) result {
	b.t.Helper()
	env, b.env = b.env, append(slices.Clone(b.env), env...)
	defer func() { b.env = env }()
	return b.run(nil, "/bin/sh", filepath.Join(bin, "tick.sh"))
}

// ticked makes a tick that must end well.
func (b *box) ticked(env ...string) result {
	b.t.Helper()
	r := b.tick(env...)
	if r.status != 0 || !strings.HasPrefix(r.stdout, "tick ") {
		b.t.Fatalf("status %d: %s%s\n%s", r.status, r.stdout, r.stderr, b.log())
	}
	return r
}

func (b *box) log() string {
	text, _ := os.ReadFile(b.path("state/tick.log"))
	return string(text)
}

// files are all files of a directory, by name, with what they hold; a symbolic
// link holds where it leads to.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		short := strings.TrimPrefix(name, dir+"/")
		if info.Mode()&os.ModeSymlink != 0 {
			target, err := os.Readlink(name)
			m[short] = "-> " + target
			return err
		}
		if !info.Mode().IsRegular() {
			m[short] = info.Mode().String()
			return nil
		}
		text, err := os.ReadFile(name)
		m[short] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mayBeEmpty tells the files that hold nothing or only a note: locks and stamps.
func mayBeEmpty(name string) bool {
	return strings.HasSuffix(name, ".lock") || strings.HasPrefix(filepath.Base(name), ".alert-")
}

// unharmed requires that of the files that were there before each is as it was,
// or longer by whole lines where that is what is done to it, and that what is new
// is whole.
func unharmed(t testing.TB, before, after map[string]string) {
	t.Helper()
	for name, text := range before {
		got, there := after[name]
		added, longer := strings.CutPrefix(got, text)
		switch {
		case mayBeEmpty(name), strings.HasPrefix(name, "latest.") && there:
		case name == "tick-counter":
			if !strings.HasSuffix(got, "\n") {
				t.Errorf("the counter holds %q", got)
			}
		case !there:
			t.Errorf("%s is gone", name)
		case name == "tick.log" && longer:
		case !longer || added != "" && (name != "ledger.jsonl" || !strings.HasSuffix(added, "}\n")):
			t.Errorf("%s: %d bytes are now %d: %.200q", name, len(text), len(got), added)
		}
	}
	for name, text := range after {
		if _, old := before[name]; old || mayBeEmpty(name) || strings.HasPrefix(text, "-> ") {
			continue
		}
		base := filepath.Base(name)
		switch {
		case strings.Contains(base, ".part") || strings.HasPrefix(base, "tick-counter") && base != "tick-counter" || strings.HasPrefix(base, "ledger.jsonl") && base != "ledger.jsonl":
			t.Errorf("%s is left", name)
		case text == "":
			t.Errorf("%s is empty", name)
		case strings.HasSuffix(base, ".json") && !json.Valid([]byte(text)), strings.HasSuffix(base, ".html") && !strings.HasSuffix(text, "</html>\n"),
			strings.HasSuffix(base, "json") && !strings.HasSuffix(text, "}\n"):
			t.Errorf("%s is not whole: %.100q", name, text[max(len(text)-100, 0):])
		}
	}
}

// asked are the questions that the ledger has, by key: how often each was asked,
// and how often it was resolved.
func (b *box) asked() (asked, resolved map[string]int) {
	b.t.Helper()
	asked, resolved = map[string]int{}, map[string]int{}
	for raw := range strings.Lines(b.read("state/ledger.jsonl")) {
		var e struct {
			Kind, Verb string
			Target     struct{ Asks []struct{ Key string } }
			Keys       []string
			Resolved   bool
		}
		if json.Unmarshal([]byte(raw), &e) != nil {
			continue
		}
		for _, a := range e.Target.Asks {
			asked[a.Key]++
		}
		for _, k := range e.Keys {
			resolved[k]++
		}
	}
	return asked, resolved
}

// prompts are how many questions about prompts were asked, and how many of them
// more than once.
func (b *box) prompts() (once, more int) {
	b.t.Helper()
	asked, _ := b.asked()
	for key, n := range asked {
		switch {
		case !strings.HasPrefix(key, "prompt:"):
		case n == 1:
			once++
		default:
			more++
		}
	}
	return once, more
}

// copy copies a directory of another box.
func (b *box) copy(from *box, dir string) {
	b.t.Helper()
	if out, err := exec.Command("cp", "-a", from.path(dir), b.path(dir)).CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
}
