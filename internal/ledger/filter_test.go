package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

type flags struct {
	jq.Common `group:"Common options"`
}

// run runs f as a program would be run and returns its output and status.
func run(t testing.TB, in io.Reader, f func(std *cli.Std) error, args ...string) (out, stderr string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	status = cli.Run(cli.Program{Name: "fleet-ledger"}, append(args, "--now", "2026-11-29T15:10:00Z"), in, &o, &e,
		func(_ context.Context, std *cli.Std, _ *flags) error { return f(std) })
	return o.String(), e.String(), status
}

func stream(t testing.TB) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/stream.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
}

// begun is a ledger in which tick 14 has begun.
func begun(t testing.TB) (l Ledger, before string) {
	t.Helper()
	seed, err := os.ReadFile("testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	l = newLedger(t)
	l.put(t, File, string(seed))
	if n, err := l.Fire(noon, true, "", nil); n != 14 || err != nil {
		t.Fatal(n, err)
	}
	return l, l.text(t)
}

func (l Ledger) filter(std *cli.Std) error {
	return Filter(std, "lamp", func(scope string) (Ledger, error) {
		if scope != "lamp" {
			return l, fmt.Errorf("scope %q", scope)
		}
		return l, nil
	})
}

func TestFilter(t *testing.T) {
	l, before := begun(t)
	text := strings.Join(stream(t), "")
	out, stderr, status := run(t, strings.NewReader(text), l.filter)
	if out != text+"\n" || stderr != "" || status != 0 {
		t.Fatalf("status %d %s\n%s", status, stderr, out)
	}
	want := `{"by":"act","dry_run":true,"id":"14-2","key":"batch:14","kind":"intent","scope":"lamp","target":{"asks":[{"class":"3","id":"a1","key":"prompt:1c0c1d2e-1111-4222-8333-444455556661:0badcafe","question":"Session wick 0 waits: <permission> & more"}],"batch":14},"tick":14,"ts":"2026-11-29T15:10:00.000Z","v":1,"verb":"ask"}
{"by":"tick","dry_run":true,"id":"14-3","keys":["blocked:6a0c1d2e-1111-4222-8333-444455556666:99aa00bb"],"kind":"ack","resolved":true,"scope":"lamp","tick":14,"ts":"2026-11-29T15:10:00.000Z","v":1}
`
	written := l.text(t)
	if got := strings.TrimPrefix(written, before); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	out, stderr, status = run(t, strings.NewReader(text), l.filter)
	if out != text+"\n" || stderr != "fleet-ledger: 2 of 2 entries are in the ledger already\n" || status != 0 || l.text(t) != written {
		t.Errorf("again: status %d %s", status, stderr)
	}
	if out, stderr, status := run(t, strings.NewReader(text), l.filter, "--jq", "."); out != "" || stderr == "" || status != 0 {
		t.Errorf("--jq: status %d %s %s", status, out, stderr)
	}
}

// However much of a stream comes, what comes is passed on, and no entry is
// written unless all of it came.
func TestFilter_cut(t *testing.T) {
	lines := stream(t)
	for k := range lines {
		for _, half := range []bool{false, true} {
			l, before := begun(t)
			text := strings.Join(lines[:k], "")
			in := text
			if half {
				in += lines[k][:len(lines[k])/2]
			}
			out, stderr, status := run(t, strings.NewReader(in), l.filter)
			if out != text || l.text(t) != before {
				t.Errorf("%d lines, half of the next %t: %d bytes of %d passed, %q written", k, half, len(out), len(text), strings.TrimPrefix(l.text(t), before))
			}
			if want := 1; k == 0 && !half {
				if status != 0 || stderr != "fleet-ledger: nothing is written: no tick record\n" {
					t.Errorf("no line: status %d %s", status, stderr)
				}
			} else if k >= 8 && status != want || half && !strings.Contains(stderr, fmt.Sprintf("line %d: ", k+1)) {
				t.Errorf("%d lines, half of the next %t: status %d %s", k, half, status, stderr)
			}
		}
	}
}

func TestFilter_refuses(t *testing.T) {
	text := strings.Join(stream(t), "") + "\n"
	without := func(sub string) string {
		lines := stream(t)
		kept := []string{}
		for _, l := range lines {
			if !strings.Contains(l, sub) {
				kept = append(kept, l)
			}
		}
		return strings.TrimSuffix(strings.Join(kept, ""), "\n") + "\n"
	}
	tests := []struct {
		name, in, scope, stderr string
		prepare                 func(l Ledger)
		status                  int
	}{
		{"a judge that was not read", without(`"subject":"fleet-classify"`), "lamp", "nothing is written: fleet-classify: no closing record", nil, 1},
		{"asks that were not read", without(`"subject":"fleet-asks"`), "lamp", "nothing is written: fleet-asks: no closing record", nil, 1},
		{"a later tick", text, "lamp", "nothing is written: the entries are of tick 14; the last tick that began is 15", func(l Ledger) {
			if _, err := l.Fire(noon, true, "", nil); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"another scope asked for", text, "mantle", `nothing is written: the entries are of scope "lamp", asked for is "mantle"`, nil, 1},
		{"no ledger", text, "lamp", "nothing is written: open LEDGER: no such file or directory", func(l Ledger) { os.Remove(l.Path()) }, 1},
		{"a ledger that cannot be named", text, "", "no such scope", nil, 2},
		{"the owner answered", text, "lamp", "1 resolutions are left out: the owner answered meanwhile", func(l Ledger) {
			if keys, err := l.Ack("owner:tty", noon, fold.Pick{Batch: 12}); len(keys) != 1 || err != nil {
				t.Fatal(keys, err)
			}
		}, 0},
		{"an outcome that is no answer", text, "lamp", "", func(l Ledger) {
			if err := l.Seen("act", noon, "12-2", record.Shown{Button: "Seen"}); err != nil {
				t.Fatal(err)
			}
		}, 0},
	}
	for _, tt := range tests {
		l, _ := begun(t)
		if tt.prepare != nil {
			tt.prepare(l)
		}
		before, _ := os.ReadFile(l.Path())
		out, stderr, status := run(t, strings.NewReader(tt.in), func(std *cli.Std) error {
			return Filter(std, tt.scope, func(string) (Ledger, error) {
				if tt.scope == "" {
					return l, cli.Usage(errors.New("no such scope"))
				}
				return l, nil
			})
		})
		if tt.stderr != "" {
			tt.stderr = "fleet-ledger: " + strings.ReplaceAll(tt.stderr, "LEDGER", l.Path()) + "\n"
		}
		if stderr != tt.stderr || status != tt.status {
			t.Errorf("%s: status %d %q", tt.name, status, stderr)
		}
		if status != 2 && out != tt.in {
			t.Errorf("%s: the stream is not passed on", tt.name)
		}
		if after, _ := os.ReadFile(l.Path()); status != 0 && !bytes.Equal(after, before) {
			t.Errorf("%s: written: %s", tt.name, bytes.TrimPrefix(after, before))
		}
	}
}

// A stream without entries needs no ledger.
func TestFilter_nothing(t *testing.T) {
	var text string
	for _, line := range stream(t) {
		if !strings.Contains(line, `"kind":"entry"`) {
			text += line
		}
	}
	text = strings.TrimSuffix(text, `4,"unparsed":0,"records":4}}`) + `2,"unparsed":0,"records":2}}` + "\n"
	out, stderr, status := run(t, strings.NewReader(text), func(std *cli.Std) error {
		return Filter(std, "", func(string) (Ledger, error) { return Ledger{}, errors.New("opened") })
	})
	if out != text || stderr != "" || status != 0 {
		t.Errorf("status %d %s", status, stderr)
	}
}

func TestAppend_unreadable(t *testing.T) {
	l, _ := begun(t)
	l.Dir += "/nothing"
	if _, err := l.Append(fold.Offer{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// What cannot be passed on is a failure; the entries are written all the same,
// for the stream was whole.
func TestFilter_output(t *testing.T) {
	l, _ := begun(t)
	var e bytes.Buffer
	text := strings.Join(stream(t), "") + strings.Repeat("\n", 200<<10)
	status := cli.Run(cli.Program{Name: "fleet-ledger"}, nil, strings.NewReader(text), failingWriter{}, &e,
		func(_ context.Context, std *cli.Std, _ *flags) error { return l.filter(std) })
	if status != 1 || !strings.Contains(e.String(), "writing output: no space left on device") {
		t.Errorf("status %d %s", status, e.String())
	}
	pre := strings.Repeat("\n", 200<<10) + text
	e.Reset()
	status = cli.Run(cli.Program{Name: "fleet-ledger"}, nil, strings.NewReader(pre), failingWriter{}, &e,
		func(_ context.Context, std *cli.Std, _ *flags) error { return l.filter(std) })
	if status != 1 || !strings.Contains(e.String(), "writing output: no space left on device") {
		t.Errorf("before the first entry: status %d %s", status, e.String())
	}
}

// Lines pass at once up to the first entry, and no further before the end.
func TestFilter_holds(t *testing.T) {
	l, before := begun(t)
	in, feed := io.Pipe()
	var out watched
	done := make(chan int)
	go func() {
		done <- cli.Run(cli.Program{Name: "fleet-ledger"}, nil, in, &out, io.Discard,
			func(_ context.Context, std *cli.Std, _ *flags) error { return l.filter(std) })
	}()
	pad := strings.Repeat("\n", 300<<10)
	text := strings.Join(stream(t), "")
	entry := strings.Index(text, stream(t)[27])
	for _, part := range []string{pad, text[:entry]} {
		io.WriteString(feed, part)
	}
	if out.len() == 0 {
		t.Error("nothing passes before the end")
	}
	for _, part := range []string{text[entry:] + "\n", pad} {
		io.WriteString(feed, part)
	}
	if n := out.len(); n > len(pad)+entry || l.text(t) != before {
		t.Errorf("%d bytes passed before the end, %d stand before the first entry", n, len(pad)+entry)
	}
	feed.Close()
	if status := <-done; status != 0 || out.len() != 2*len(pad)+len(text)+1 || l.text(t) == before {
		t.Errorf("status %d, %d bytes", status, out.len())
	}
}

// watched is a writer whose length can be asked while it is written.
type watched struct {
	mu sync.Mutex
	n  int
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n += len(p)
	return len(p), nil
}

func (w *watched) len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}
