package faults

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// withEverything is a box with a little of every product, and a scope that names
// it all.
func withEverything(t testing.TB) *box {
	b := withScope(t)
	b.configure(`"run_logs": [{"source": "nightly", "path": "~/nightly.log", "stale_after_h": 48}]`)
	b.write("src/.git/config", "[remote \"origin\"]\n\turl = https://github.com/acme/tools\n")
	b.write("nightly.log", `{"at": "2026-11-29T10:00:00Z", "status": "ok"}`+"\n")
	b.write(".claude/history.jsonl", `{"display":"go on","sessionId":"`+session("a")+`"}`+"\n")
	for _, name := range []string{"a", "b"} {
		transcript := `{"type":"user","timestamp":"2026-11-29T10:00:00.000Z","message":{"role":"user","content":"go on"}}` + "\n" +
			`{"type":"assistant","timestamp":"2026-11-29T10:00:10.000Z","message":{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Done with it."}]}}` + "\n"
		b.write(".claude/projects/-src/"+session(name)+".jsonl", transcript)
		b.write(".claude/projects/-src/"+session(name)+"/subagents/agent-1.jsonl", transcript)
	}
	b.write(".claude/jobs/aaaaaaaa/state.json", `{"state":"working","sessionId":"`+session("c")+`","cwd":"`+b.path("src")+`","createdAt":"2026-11-29T09:00:00.000Z","intent":"x"}`)
	b.write(".claude/sessions/99999999.json", `{"pid":99999999,"sessionId":"`+session("d")+`","cwd":"`+b.path("src")+`","kind":"interactive","startedAt":1790000000000}`)
	b.write(".paseo/agents/-src/11111111-1111-4111-8111-111111111111.json", `{"id":"11111111-1111-4111-8111-111111111111","provider":"claude","cwd":"`+b.path("src")+`","createdAt":"2026-11-29T09:00:00.000Z","updatedAt":"2026-11-29T09:10:00.000Z","lastStatus":"idle","title":"one"}`)
	b.write(".paseo/schedules/22222222.json", `{"id":"22222222","name":"nightly","prompt":"x","cadence":{"type":"every","everyMs":3600000},"target":{"type":"new-agent"},"status":"active","createdAt":"2026-11-29T09:00:00.000Z","updatedAt":"2026-11-29T09:00:00.000Z","nextRunAt":"2026-11-29T12:00:00.000Z","runs":[]}`)
	b.write(".paseo/paseo.pid", `{"pid":1,"startedAt":"2026-11-29T09:00:00.000Z"}`)
	b.write(".local/state/ctx/lamp/events.jsonl", `{"v":1,"ts":"2026-11-29T09:00:00.000Z","kind":"session.started","session_id":"`+session("a")+`"}`+"\n")
	b.write("state/ledger.jsonl", `{"by":"tick","detail":"","dry_run":true,"id":"1-1","kind":"tick_fire","scope":"lamp","tick":1,"ts":"2026-11-29T10:00:00.120Z","v":1}`+"\n")
	b.write("state/ledger.lock", "")
	b.stub("gh", "exit 1")
	b.withAgents()
	return b
}

func TestUnreadable(t *testing.T) {
	modes := map[string]os.FileMode{"no permission": 0, "no search": 0o444}
	for _, p := range append(slices.Clone(filePlaces), directoryPlaces...) {
		for name, mode := range modes {
			isDir := slices.ContainsFunc(directoryPlaces, func(d place) bool { return d.path == p.path })
			if name == "no search" && !isDir || name == "no search" && strings.HasSuffix(p.name, "boards") {
				continue
			}
			t.Run(strings.ReplaceAll(p.name+" "+name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				p := p // the other mode's test has the same one, beside this
				b := withEverything(t)
				b.plain()
				if err := os.Chmod(b.path(p.path), mode); err != nil {
					t.Fatal(err)
				}
				if name == "no search" {
					p.told = searched(p)
				}
				p.look(t, b)
				os.Chmod(b.path(p.path), 0o755)
			})
		}
	}
}

// searched is what tells that a directory can be listed, and nothing in it be
// looked at.
func searched(p place) func(result, map[string]surface) bool {
	switch p.name {
	case "claude", "paseo", "agents", "work tree", "subagents", "schedules":
		return func(r result, ss map[string]surface) bool {
			return p.told(r, ss) || strings.Contains(r.stdout, "permission denied")
		}
	case "jobs":
		return unparsed("claude/jobs")
	case "sessions":
		return unparsed("claude/sessions")
	case "a project":
		return says(`"unread":"`)
	case "agents of one":
		return unparsed("paseo/agents")
	}
	return p.told
}

// What may be in the place of a file.
var kinds = map[string]func(b *box, path string) error{
	"pipe":              func(_ *box, path string) error { return syscall.Mkfifo(path, 0o600) },
	"device":            func(_ *box, path string) error { return os.Symlink("/dev/zero", path) },
	"terminal":          func(_ *box, path string) error { return os.Symlink("/dev/ptmx", path) },
	"directory":         func(_ *box, path string) error { return os.Mkdir(path, 0o755) },
	"loop of links":     func(_ *box, path string) error { return os.Symlink(filepath.Base(path), path) },
	"link to nothing":   func(_ *box, path string) error { return os.Symlink("nothing/at/all", path) },
	"one line of 300 M": sparse,
	"socket": func(b *box, path string) error {
		// The name of a socket is short: it is made elsewhere and linked here.
		l, err := net.Listen("unix", b.path("s"))
		if err == nil {
			b.t.Cleanup(func() { l.Close() })
			err = os.Link(b.path("s"), path)
		}
		return err
	},
	"empty file": func(_ *box, path string) error { return os.WriteFile(path, nil, 0o600) },
}

// sparse makes a file of 300 MB that is one line and takes no room on the disk.
func sparse(_ *box, path string) error {
	if err := os.WriteFile(path, []byte("{\"x\":\""), 0o600); err != nil {
		return err
	}
	return os.Truncate(path, 300<<20)
}

// fine tells of what may be in the place of a file without anything being wrong:
// a log that has no line yet, and a file that is named and is not there.
func fine(kind, place string) bool {
	switch kind {
	case "empty file":
		return slices.Contains([]string{"transcript", "subagent", "history", "board", "git config", "run log", "ledger"}, place)
	case "one line of 300 M":
		return place == "run log" || place == "ledger" // whose end is read; a line that is too long is damaged
	case "directory":
		return slices.Contains([]string{"agent", "paseo schedule", "registry"}, place) // no file at all; an empty registry
	case "link to nothing", "loop of links":
		return place == "configuration" // status 2, whatever it says
	}
	return false
}

func TestFiles(t *testing.T) {
	for kind, lay := range kinds {
		for _, p := range filePlaces {
			t.Run(strings.ReplaceAll(p.name+" "+kind, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withEverything(t)
				if err := os.Remove(b.path(p.path)); err != nil {
					t.Fatal(err)
				}
				if err := lay(b, b.path(p.path)); err != nil {
					t.Fatal(err)
				}
				if fine(kind, p.name) {
					p.told = func(r result, _ map[string]surface) bool { return r.status <= 3 }
				}
				p.look(t, b)
			})
		}
	}
}

// The small files by which a directory is placed in a repository.
func TestFiles_git(t *testing.T) {
	for kind, lay := range kinds {
		for _, path := range []string{"src/.git", "src/.git/HEAD", "src/.git/commondir"} {
			t.Run(strings.ReplaceAll(filepath.Base(path)+" "+kind, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withEverything(t)
				if err := os.RemoveAll(b.path(path)); err != nil {
					t.Fatal(err)
				}
				if err := lay(b, b.path(path)); err != nil {
					t.Fatal(err)
				}
				r := b.run(nil, claudeArgv...)
				if r.status != 0 && r.status != 3 || r.peak > most {
					t.Errorf("status %d, %d MiB: %s", r.status, r.peak>>20, r.stderr)
				}
				told := says(`"placement":"unreadable"`, `"placement":"none"`)
				if filepath.Base(path) == "HEAD" && kind != "loop of links" && kind != "link to nothing" {
					told = says(`"branch":""`)
				}
				if kind == "empty file" && strings.HasSuffix(path, "commondir") || !told(r, nil) && kind == "link to nothing" {
					return // as if it were not there
				}
				if !told(r, nil) {
					t.Errorf("%.1500s", r.stdout)
				}
			})
		}
	}
}

// A file that grows, or is another one, while it is read: a reader ends, and
// takes no half record for a whole one.
func TestFiles_move(t *testing.T) {
	b := withEverything(t)
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		grows := []string{".local/state/ctx/lamp/events.jsonl", ".claude/history.jsonl", ".claude/projects/-src/" + session("a") + ".jsonl", "nightly.log"}
		replaced := []string{".claude/jobs/aaaaaaaa/state.json", ".paseo/agents/-src/11111111-1111-4111-8111-111111111111.json"}
		texts := map[string]string{}
		for _, name := range append(slices.Clone(grows), replaced...) {
			texts[name] = readFile(t, b.path(name))
		}
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			for _, name := range grows {
				if f, err := os.OpenFile(b.path(name), os.O_WRONLY|os.O_APPEND, 0o600); err == nil {
					f.WriteString(strings.Repeat(texts[name], 20))
					f.Close()
				}
				if n%50 == 49 {
					os.WriteFile(b.path(name), []byte(texts[name]), 0o600) // cut, and begun again
				}
			}
			for _, name := range replaced {
				os.WriteFile(b.path(name+".new"), []byte(texts[name]), 0o600)
				os.Rename(b.path(name+".new"), b.path(name))
			}
		}
	}()
	for range 8 {
		for _, argv := range [][]string{claudeArgv, paseoArgv, boardArgv, scheduleArgv} {
			r := b.run(nil, argv...)
			if r.status != 0 && r.status != 3 || r.peak > most {
				t.Errorf("%q: status %d, %d MiB: %s", argv, r.status, r.peak>>20, r.stderr)
			}
			ss := surfaces(t, r.stdout)
			if ss["claude/jobs"].Unparsed > 0 || ss["paseo/agents"].Unparsed > 0 {
				t.Errorf("%q: a file that is replaced whole is not understood", argv)
			}
		}
	}
	close(stop)
	<-done
}

// tx-file-300m: a transcript of 300 MB and 40,000 lines, of which the end tells.
func TestFiles_large(t *testing.T) {
	t.Run("tx-file-300m", func(t *testing.T) {
		b := withEverything(t)
		name := b.path(".claude/projects/-src/" + session("a") + ".jsonl")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		filler := strings.Repeat("lorem ipsum ", 620)
		for i := range 40000 - 20 {
			fmt.Fprintf(w, `{"type":"user","timestamp":"2026-11-29T%02d:%02d:%02d.000Z","message":{"role":"user","content":"%s"}}`+"\n", i/3600%8, i/60%60, i%60, filler)
		}
		for i := range 20 {
			fmt.Fprintf(w, `{"type":"assistant","timestamp":"2026-11-29T11:30:%02d.000Z","message":{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Step %d.\nARC-STATUS: BLOCKED"}]}}`+"\n", i, i)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() < 300e6 {
			t.Fatalf("%v %v", info.Size(), err)
		}
		f.Close()
		r := b.run(nil, claudeArgv...)
		if r.status != 0 || r.peak > 100<<20 {
			t.Errorf("status %d, %d MiB: %s", r.status, r.peak>>20, r.stderr)
		}
		for _, want := range []string{`"activity_at":"2026-11-29T11:30:19.000Z","last_turn":"ended"`, `"status":"BLOCKED"`} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("no %s in %.3000s", want, r.stdout)
			}
		}
	})
}
