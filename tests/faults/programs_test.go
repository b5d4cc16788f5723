package faults

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// most is the most memory that an observer may take, whatever a program writes.
const most = 256 << 20

// observed is a program that an observer runs: what the observer is called with,
// the surface that rests on the program, and what the program says when it is
// well.
type observed struct {
	program, surface string
	argv             []string
	before           []string // what the rig does first
	good             string
}

var observedPrograms = []observed{
	{"claude", "claude/listing", []string{"fleet-observe-claude", "--timeout", "2s"}, []string{"version"}, "[]"},
	{"gh", "gh/acme/tools", []string{"fleet-observe-gh", "--timeout", "2s", "--repo", "src"}, nil, "[]"},
	{"systemctl", "schedule/systemd", []string{"fleet-observe-schedule"}, nil, "[]"},
	{"ssh", "ssh", []string{"fleet-observe-claude", "--scope", "lamp", "--host", "far"}, nil, "[]"},
	{"gh", "macf/roster:far", healthArgv, nil, "[]"}, // a call has half a minute there
}

// piped tells of an observer that another one feeds: it is not run itself.
func (o observed) piped() bool { return o.argv[0] == "/bin/sh" }

// run runs the observer. What it says of another machine has that one's name.
func (o observed) run(b *box, argv []string) result {
	r := b.run(nil, argv...)
	r.stderr = strings.ReplaceAll(r.stderr, ": far: not read: ", ": ssh: not read: ")
	return r
}

// withProducts is a box with a Claude directory and a repository of GitHub's.
func withProducts(t *testing.T) *box {
	b := newBox(t)
	b.write(".claude/history.jsonl", "")
	b.write("src/.git/HEAD", "ref: refs/heads/main\n")
	b.write("src/.git/config", "[remote \"origin\"]\n\turl = https://github.com/acme/tools\n")
	b.write("src/.git/refs/heads/main", "")
	b.write("scratch", "")
	b.configure(`"hosts": [{"name": "far", "ssh": "far", "timeout_s": 5}]`)
	return b
}

// What a program may do instead of its work, in the words of the rig. PIDS is a
// file for the pids of what should not be left.
var misdeeds = map[string][]string{
	"hangs":                         {"note PIDS", "hang"},
	"hangs deaf with a deaf child":  {"deaf", "note PIDS", "child PIDS", "hang"},
	"ends and leaves a deaf child":  {"child PIDS"},
	"writes a gigabyte":             {`note PIDS`, `repeat "0123456789abcdef" 67108864`},
	"complains for a gigabyte":      {`note PIDS`, `flood "0123456789abcde\n" 67108864`, "print GOOD"},
	"writes one line of 300 MB":     {`repeat "[[[[[[[[\"\\u0000" 20971520`},
	"writes bytes that are no text": {`repeat "\xff\xfe\x00\x01\n" 5000`},
	"writes text that is not UTF-8": {`print [{"id":"a`, `repeat "\xc3\x28" 500`, `print "}]`},
	"nests 100000 deep":             {`repeat "[" 100000`, `repeat "]" 100000`},
	"nests 100000 objects deep":     {`repeat "{\"a\":" 100000`},
	"writes NULs":                   {`repeat "\x00" 400`},
	"writes nothing":                {},
	"says good things and fails":    {"print GOOD", "complain the disk is on fire", "exit 1"},
	"dies by a signal":              {"print GOOD", "die"},
}

func TestPrograms(t *testing.T) {
	for _, o := range observedPrograms {
		if o.program == "systemctl" && runtime.GOOS != "linux" {
			continue
		}
		t.Run(o.program, func(t *testing.T) {
			t.Parallel()
			for name, do := range misdeeds {
				t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
					t.Parallel()
					b := withProducts(t)
					if o.surface == "macf/roster:far" {
						b.withAgents()
					}
					pids := b.path("pids")
					var lines []string
					for _, l := range append(append([]string{}, o.before...), do...) {
						lines = append(lines, strings.NewReplacer("PIDS", pids, "GOOD", o.good).Replace(l))
					}
					b.stub(o.program, lines...)
					r := o.run(b, o.argv)
					r.unread(t, o.surface, "")
					if r.peak > most {
						t.Errorf("%d MiB at its peak, want %d at most", r.peak>>20, most>>20)
					}
					if strings.Contains(r.stderr, "rig:") {
						t.Fatalf("the rig failed: %s", r.stderr)
					}
					gone(t, pids, strings.Count(strings.Join(do, " "), "PIDS"))
				})
			}
		})
	}
}

// A program that is there and cannot be run is not one that is not installed.
func TestPrograms_cannotRun(t *testing.T) {
	lay := map[string]func(b *box, file string){
		"not executable":      func(b *box, file string) { b.write(file, "#!/bin/sh\n") },
		"without interpreter": func(b *box, file string) { b.write(file, "#!/no/such/interpreter\n"); os.Chmod(b.path(file), 0o755) },
		"empty":               func(b *box, file string) { b.write(file, ""); os.Chmod(b.path(file), 0o755) },
		"a directory":         func(b *box, file string) { os.MkdirAll(b.path(file), 0o755) },
		"a link to nothing":   func(b *box, file string) { b.write("bin/x", ""); os.Symlink("nothing", b.path(file)) },
		"not to be looked at": func(b *box, file string) { b.write(file, ""); os.Chmod(b.path("bin"), 0) },
	}
	for _, o := range observedPrograms {
		for name, lay := range lay {
			_, err := os.Stat("/usr/bin/systemctl")
			if o.piped() {
				continue
			}
			real := o.program == "systemctl" && err == nil
			if real && !slices.Contains([]string{"not executable", "without interpreter", "empty"}, name) || real && os.Getuid() != 0 {
				continue // that of this machine is found, and is covered with a file by root alone
			}
			t.Run(o.program+"/"+strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withProducts(t)
				b.env[1] = "PATH=" + b.path("bin")
				file := "bin/" + o.program
				lay(b, file)
				argv := o.argv
				if real {
					os.Chown(b.path(file), nobody, nobody)
					argv = append(under(`mount --bind `+b.path(file)+` /usr/bin/systemctl`), o.argv...)
				} else {
					b.plain()
				}
				r := o.run(b, argv)
				os.Chmod(b.path("bin"), 0o755)
				r.unread(t, o.surface, o.program)
			})
		}
	}
}

// host-path: what is not there is named with the places where it was looked for.
func TestPrograms_missing(t *testing.T) {
	b := withProducts(t)
	b.env[1] = "PATH=/nowhere/bin:/nowhere/else"
	r := b.run(nil, "fleet-observe-claude")
	r.unread(t, "claude/listing", "/nowhere/bin:/nowhere/else:")
	r = b.run(nil, "fleet-observe-gh", "--repo", "src")
	s := surfaces(t, r.stdout)["gh/acme/tools"]
	if !s.Absent || len(s.Notes) == 0 || !strings.Contains(s.Notes[0], "/nowhere/bin:/nowhere/else:") || !strings.Contains(s.Notes[0], "/opt/homebrew/bin") {
		t.Errorf("%+v", s)
	}
}

// An observer that is told to end while a program hangs takes it along.
func TestPrograms_told(t *testing.T) {
	for _, o := range observedPrograms {
		if o.piped() {
			continue
		}
		t.Run(o.program, func(t *testing.T) {
			t.Parallel()
			b := withProducts(t)
			pids := b.path("pids")
			b.stub(o.program, append(append([]string{}, o.before...), "note "+pids, "child "+pids, "hang")...)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			argv := append([]string{}, o.argv...)
			if argv[len(argv)-1] == "2s" || o.program == "gh" {
				argv[2] = "40s"
			}
			cmd := b.command(ctx, argv...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the program to begin", func() bool { b, _ := os.ReadFile(pids); return strings.Count(string(b), "\n") == 2 })
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Wait()
			if ctx.Err() != nil {
				t.Fatal("it does not end")
			}
			gone(t, pids, 2)
		})
	}
}

// gone requires that a file has at least n pids, and that no such process is
// left.
func gone(t testing.TB, file string, n int) {
	t.Helper()
	b, _ := os.ReadFile(file)
	if got := strings.Count(string(b), "\n"); got < n {
		t.Errorf("%d processes noted their pid, want %d", got, n)
	}
	for _, word := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "process "+word+" to be gone", func() bool { return !lives(pid) })
	}
}

// lives tells whether a process runs: one that nobody waits for any more and
// that has ended does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, found := strings.Cut(string(b), ") ")
	return err != nil || !found || !strings.HasPrefix(state, "Z")
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}
