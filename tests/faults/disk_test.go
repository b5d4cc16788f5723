package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// smallDisk needs root on Linux, which continuous integration has. Elsewhere the
// same writes fail in package ledger's tests, on a disk that is written in Go.
func smallDisk(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("mounting a small file system takes root on Linux")
	}
}

// onDisk runs a program in a box in which a directory, with what it holds, is on a
// file system that has so many pages of 4 KiB left. What the directory holds then
// is copied back.
func (b *box) onDisk(dir string, pages int, argv ...string) result {
	b.t.Helper()
	if err := os.MkdirAll(b.path(dir), 0o755); err != nil {
		b.t.Fatal(err)
	}
	script := fmt.Sprintf(`dir=%s
cp -a "$dir" "$dir.was" && mount -t tmpfs -o size=64m,mode=755 fleet "$dir" && cp -a "$dir.was/." "$dir/" && head -c 4096 /dev/zero >"$dir/.page" &&
set -- "$0" "$@" && used=$(($(stat -f -c '%%b - %%f' "$dir"))) && mount -o "remount,size=$(((used + %d) * 4))k" "$dir" || exit 97
case $1 in */*) ;; *) p=$1 && shift && set -- "%s/$p" "$@" ;; esac
"$@"
status=$?
rm "$dir/.page"
mkdir "$dir.now" && cp -a "$dir/." "$dir.now/" && umount "$dir" && rm -rf "$dir" "$dir.was" && mv "$dir.now" "$dir" || exit 97
exit $status`, b.path(dir), pages, bin)
	r := b.run(nil, append([]string{"/usr/bin/unshare", "-m", "/bin/sh", "-c", script}, argv...)...)
	if r.status == 97 {
		b.t.Fatal(r.stderr)
	}
	return r
}

// disk-full: a tick on a disk that is full at every place in turn.
func TestDiskFull_tick(t *testing.T) {
	smallDisk(t)
	t.Run("disk-full", func(t *testing.T) {
		var mu sync.Mutex
		failed, done := 0, 0
		t.Run("pages", func(t *testing.T) {
			was := withScope(t)
			was.ticked()
			for _, pages := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 17, 20, 24, 60} {
				t.Run(fmt.Sprint(pages), func(t *testing.T) {
					t.Parallel()
					b := withScope(t)
					b.copy(was, "state")
					before := files(t, b.path("state"))
					b.waiting("a", "b", "c") // something new to ask
					r := b.onDisk("state", pages, "/bin/sh", filepath.Join(bin, "tick.sh"))
					after := files(t, b.path("state"))
					unharmed(t, before, after)
					mu.Lock()
					defer mu.Unlock()
					if r.status == 0 {
						done++
						if after["ticks/00002/report.html"] == "" || !strings.Contains(after["asks/00002.md"], "permission prompt") {
							t.Errorf("done, and not all is there: %q", r.stdout)
						}
					} else {
						failed++
						r.failed(t, "tick.sh: ", b.path("state"))
					}
					if pages%3 != 0 {
						return
					}
					// With room again, the next tick asks what this one did not.
					b.ticked()
					if once, more := b.prompts(); once != 3 || more != 0 {
						t.Errorf("%d prompts asked once, %d more often; want 3 and 0", once, more)
					}
				})
			}
		})
		if failed < 10 || done == 0 {
			t.Errorf("%d disks were too small and %d were not: that is no test", failed, done)
		}
	})
}

// A ledger of many ticks, some of its lines damaged, that can be compacted.
func longLedger() string {
	var s strings.Builder
	for n := 1; n <= 200; n++ {
		fmt.Fprintf(&s, `{"by":"tick","detail":"%s","dry_run":true,"id":"%d-1","kind":"tick_fire","scope":"lamp","tick":%d,"ts":"2026-10-01T10:00:00.120Z","v":1}`+"\n", strings.Repeat("x", 100), n, n)
		fmt.Fprintf(&s, `{"by":"tick","detail":"","dry_run":true,"exit":0,"id":"%d-5","kind":"runner_exit","scope":"lamp","tick":%d,"ts":"2026-10-01T10:01:00.120Z","v":1}`+"\n", n, n)
		if n < 60 {
			fmt.Fprintf(&s, "damaged %d %s\n", n, strings.Repeat("y", 300))
		}
	}
	return s.String()
}

func TestDiskFull_ledger(t *testing.T) {
	smallDisk(t)
	acts := map[string][]string{
		"compact": {"fleet-ledger", "compact"},
		"fire":    {"fleet-ledger", "fire", "--detail", strings.Repeat("z", 6000)},
		"exit":    {"fleet-ledger", "exit", "--tick", "200", "--detail", strings.Repeat("z", 6000)},
	}
	for name, argv := range notes {
		acts[name] = argv
	}
	for name, argv := range acts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := 0
			for pages := range 24 {
				b := withScope(t)
				text := longLedger()
				if name == "exit" {
					text = strings.ReplaceAll(text, `"runner_exit","scope":"lamp","tick":200`, `"b_step","scope":"lamp","tick":200`)
				}
				if notes[name] != nil { // which are short: the last page of the ledger has no room
					text += "damaged " + strings.Repeat("z", 2*4096-len(text)%4096-20) + "\n"
				}
				b.write("state/ledger.jsonl", text)
				if name == "compact" { // an earlier one set lines aside
					b.write("state/ledger.damaged", "an older line\n")
				}
				before := files(t, b.path("state"))
				r := b.onDisk("state", pages, argv...)
				after := files(t, b.path("state"))
				if r.status == 0 {
					break
				}
				failed++
				r.failed(t, b.path("state"), "no space left")
				for _, name := range []string{"ledger.jsonl", "ledger.damaged"} {
					if rest, longer := strings.CutPrefix(after[name], before[name]); !longer || rest != "" && (name == "ledger.jsonl" || !strings.HasSuffix(rest, "\n")) {
						t.Errorf("%d pages: %s was %d bytes and is %d: %.100q", pages, name, len(before[name]), len(after[name]), rest)
					}
				}
				for file, text := range after {
					if _, old := before[file]; !old && !mayBeEmpty(file) && (file != "tick-counter" || text == "") {
						t.Errorf("%d pages: %s is left, of %d bytes", pages, file, len(text))
					}
				}
			}
			if failed == 0 {
				t.Error("no disk was too small")
			}
		})
	}
}

// A recording that could not be kept whole is none: nothing takes it for one.
func TestDiskFull_record(t *testing.T) {
	smallDisk(t)
	observers := map[string][]string{
		"claude":   {"fleet-observe-claude"},
		"paseo":    {"fleet-observe-paseo"},
		"board":    {"fleet-observe-board"},
		"gh":       {"fleet-observe-gh", "--repo", "src"},
		"schedule": {"fleet-observe-schedule", "--scope", "lamp"},

		"workspaces": {"fleet-observe-workspaces"},
		"health":     {"/bin/sh", "-c", `fleet-observe-workspaces | { shift 0; exec fleet-observe-health "$@"; }`, "sh"},
	}
	for name, argv := range observers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := 0
			for pages := range 40 {
				b := withEverything(t)
				r := b.onDisk("disk", pages, append(slices.Clone(argv), "--record", b.path("disk/recording"))...)
				if r.status != 1 {
					break
				}
				failed++
				r.failed(t, "--record: ", "no space left")
				for file, text := range files(t, b.path("disk")) {
					if file == "recording/meta.json" || text == "" && !strings.Contains(file, "/commands/") && !strings.HasSuffix(file, ".log") && !strings.HasSuffix(file, "events.jsonl") && !strings.HasSuffix(file, "history.jsonl") {
						t.Errorf("%d pages: %s is left, of %d bytes", pages, file, len(text))
					}
				}
			}
			if failed == 0 {
				t.Error("no disk was too small")
			}
		})
	}
}

// A release that does not fit is not there, and what is there stays.
func TestDiskFull_install(t *testing.T) {
	smallDisk(t)
	for _, pages := range []int{0, 3, 2000, 4200} {
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.write("checkout/go.mod", "module x\n")
			for _, name := range []string{"install.sh", "install-release.sh", "install-none.sh", "tick.sh"} {
				text, err := os.ReadFile(filepath.Join(root, "bin", name))
				if err != nil {
					t.Fatal(err)
				}
				b.write("checkout/bin/"+name, string(text))
			}
			// go build is a copy of what was built: of less than all of it.
			b.write("bin/go", "#!/bin/sh\nfor to; do case $to in */bin/) cp "+bin+"/fleet-config "+bin+"/fleet-step "+bin+"/fleet-ledger \"$to\" || exit 1 ;; esac; done\n")
			os.Chmod(b.path("bin/go"), 0o755)
			if r := b.run(nil, "/bin/sh", "-c", "cd checkout && git init -q && git add . && git -c user.name=x -c user.email=x@x commit -qm x"); r.status != 0 {
				t.Fatal(r.stderr)
			}
			b.write(".local/share/fleet-reconcile/releases/0123456789ab/bin/tick.sh", "old\n")
			before := files(t, b.path(".local"))
			r := b.onDisk(".local", pages, "/bin/sh", b.path("checkout/bin/install.sh"), "--scope", "lamp", "--no-job")
			r.failed(t, "o space left") // also of cp
			after := files(t, b.path(".local"))
			for file := range after {
				if _, old := before[file]; !old && !mayBeEmpty(file) {
					t.Errorf("%s is left", file)
				}
			}
			if len(after) < len(before) {
				t.Errorf("%d files were there, %d are", len(before), len(after))
			}
		})
	}
}
