package tests

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger"
)

// home is a home directory in which tick 14 of the scope lamp has begun behind
// an older ledger.
type home struct {
	dir    string
	ledger ledger.Ledger
}

func newHome(t testing.TB) home {
	t.Helper()
	dir := t.TempDir()
	h := home{dir, ledger.New(filepath.Join(dir, ".local/state/fleet-reconcile/lamp"), "lamp")}
	seed, err := os.ReadFile(filepath.Join(root, "internal/ledger/testdata/seed-0.1.0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(h.ledger.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.ledger.Path(), seed, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := h.must(t, nil, "fire"); out != "14\n" {
		t.Fatalf("fire printed %q", out)
	}
	return h
}

func (h home) command(in io.Reader, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(bin, "fleet-ledger"), args...)
	cmd.Env = []string{"HOME=" + h.dir, "FLEET_SCOPE=lamp", "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = in
	return cmd
}

// must runs fleet-ledger and returns what it prints.
func (h home) must(t testing.TB, in io.Reader, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := h.command(in, args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("fleet-ledger %q: %v: %s", args, err, stderr.String())
	}
	return out.String()
}

func (h home) text(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(h.ledger.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func streamLines(t testing.TB) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "internal/ledger/testdata/stream.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
}

// Whoever is killed after any line of a stream, append or what writes to it, no
// entry is written; when nobody is, both are.
func TestLedgerKilled(t *testing.T) {
	lines := streamLines(t)
	if len(lines) != 30 {
		t.Fatalf("%d lines", len(lines))
	}
	h := newHome(t)
	before := h.text(t)
	for k := range len(lines) + 1 {
		for _, killed := range []string{"append", "its writer"} {
			cmd := h.command(nil, "append")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, strings.Join(lines[:k], "")); err != nil {
				t.Fatal(err)
			}
			if killed == "append" {
				time.Sleep(5 * time.Millisecond)
				cmd.Process.Kill()
			} else if k == len(lines) {
				continue // the whole stream came: that is the test below
			}
			in.Close()
			cmd.Wait()
			if got := h.text(t); got != before {
				t.Fatalf("%s was killed after line %d: written: %s", killed, k, strings.TrimPrefix(got, before))
			}
		}
	}
	h.must(t, strings.NewReader(strings.Join(lines, "")), "append")
	if got := strings.Count(strings.TrimPrefix(h.text(t), before), "\n"); got != 2 {
		t.Errorf("the whole stream: %d lines are written, want 2", got)
	}
}

func TestLedgerCases(t *testing.T) {
	t.Parallel()
	t.Run("ledger-9k-lines", func(t *testing.T) {
		long(t)
		h := newHome(t)
		var wg sync.WaitGroup
		for w := range 2 {
			wg.Go(func() {
				for i := 0; i < 500; i += 125 {
					numbers := []int{}
					for j := range 125 {
						numbers = append(numbers, 1000*(w+1)+i+j)
					}
					if out, err := h.command(bytes.NewReader(offer(t, 14, strings.Repeat("é", 4500), numbers...)), "append").CombinedOutput(); err != nil {
						t.Errorf("%v: %.200s", err, out)
					}
				}
			})
		}
		wg.Wait()
		h.once(t, 1000)
	})
	t.Run("ledger-torn-tail", func(t *testing.T) {
		h := newHome(t)
		torn := h.text(t) + `{"by":"act","detail":"` + "\xe2\x82"
		if err := os.WriteFile(h.ledger.Path(), []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
		h.must(t, bytes.NewReader(offer(t, 14, "x", 2)), "append")
		if got := h.text(t); !strings.HasPrefix(got, torn+"\n{") || !strings.HasSuffix(got, "}\n") {
			t.Errorf("the torn line is not ended and kept: %q", strings.TrimPrefix(got, torn))
		}
		if out := h.must(t, nil, "observe", "--jq", `select(.subject == "ledger").data.unparsed`); out != "1\n" {
			t.Errorf("observe counts %q torn lines", out)
		}
	})
	t.Run("sec-part-of-key", func(t *testing.T) {
		h := newHome(t)
		secret := "ghp_" + strings.Repeat("FAKE", 9)
		before := h.text(t)
		for _, line := range []string{secret, `"` + secret + `"`, `{"v":1,"kind":"` + secret + `"}`, `{"v":1,"kind":"ack","id":"` + secret, `{"v":"` + secret + `"}`,
			`{"v":1,"kind":"ack","ts":"` + secret + `"}`, `{"v":1,"kind":"ack","tick":"` + secret + `"}`} {
			if err := os.WriteFile(h.ledger.Path(), []byte(before+line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"verify"}, {"observe"}, {"cat"}, {"exit", "--tick", "13"}} {
				noSlice(t, secret, h.command(nil, args...))
			}
		}
		if err := os.WriteFile(h.ledger.Path(), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		whole := string(offer(t, 14, "x", 2))
		for _, in := range []string{secret, strings.ReplaceAll(whole, "14-2", secret), strings.Replace(whole, `"b_step"`, `"`+secret+`"`, 1),
			strings.Replace(whole, `"x"`, `"`+secret, 1), strings.Replace(whole, `"ts":"`, `"ts":"`+secret, 1)} {
			cmd := h.command(strings.NewReader(in), "append")
			cmd.Stdout = io.Discard // what comes is passed on
			noSlice(t, secret, cmd)
		}
	})
	t.Run("disk-full", fullDisk)
}

// noSlice runs a command that should not show any part of a secret.
func noSlice(t *testing.T, secret string, cmd *exec.Cmd) {
	t.Helper()
	var out bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &out
	cmd.Run()
	for i := 0; i+8 <= len(secret); i++ {
		if strings.Contains(out.String(), secret[i:i+8]) {
			t.Errorf("%q shows %q: %s", cmd.Args[1:], secret[i:i+8], out.String())
			return
		}
	}
}

// fullDisk runs fire and append on a small file system with nothing left: both
// fail and say so, and every file is as it was.
func fullDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("mounting a small file system takes root on Linux")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "stream")
	if err := os.WriteFile(in, offer(t, 14, strings.Repeat("x", 9000), 2), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `set -u
mkdir "$DIR/disk"
mount -t tmpfs -o size=64k fleet "$DIR/disk" || exit 99
export HOME="$DIR/disk" FLEET_SCOPE=lamp
state="$HOME/.local/state/fleet-reconcile/lamp"
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do fleet-ledger fire >/dev/null || exit 98; done
dd if=/dev/zero of="$HOME/fill" bs=1k 2>/dev/null
list() { (cd "$state" && ls -A && cat ledger.jsonl tick-counter) | cksum; }
before=$(list)
fleet-ledger append <"$DIR/stream" >/dev/null; echo "append $?"
fleet-ledger fire; echo "fire $?"
fleet-ledger exit --tick 14 --detail "$(head -c 9000 /dev/zero | tr '\0' x)" </dev/null; echo "exit $?"
[ "$before" = "$(list)" ] && echo unharmed
find "$state" -size 0 ! -name ledger.lock
rm "$HOME/fill"
fleet-ledger append <"$DIR/stream" >/dev/null; echo "append $?"
fleet-ledger verify
`
	cmd := exec.Command("unshare", "-m", "sh", "-c", script)
	cmd.Env = append(os.Environ(), "DIR="+dir, "PATH="+bin+":"+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, stderr.String())
	}
	want := "append 1\nfire 1\nexit 1\nunharmed\nappend 0\nledger.jsonl: 15 entries, 0 findings\n"
	if string(out) != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	if n := strings.Count(stderr.String(), "no space left on device"); n != 3 {
		t.Errorf("%s", stderr.String())
	}
}
