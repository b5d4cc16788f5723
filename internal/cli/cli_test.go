package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

type options struct {
	Common `group:"Common options"`
	Depth  int `long:"depth" description:"how deep"`
}

var program = Program{Name: "fleet-test", About: "Fleet-test tests."}

// start runs the program and returns its status and its two outputs.
func start(t *testing.T, in string, out io.Writer, run func(context.Context, *Std, *options) error, args ...string) (int, string, string) {
	t.Helper()
	var buf, errw bytes.Buffer
	if out == nil {
		out = &buf
	}
	status := Run(program, args, strings.NewReader(in), out, &errw, run)
	return status, buf.String(), errw.String()
}

func TestRun_status(t *testing.T) {
	say := func(err error) func(context.Context, *Std, *options) error {
		return func(_ context.Context, std *Std, _ *options) error {
			std.Out.WriteString("output\n")
			return err
		}
	}
	cause := errors.New("the cause")
	tests := []struct {
		name        string
		run         func(context.Context, *Std, *options) error
		args        []string
		status      int
		out, stderr string
	}{
		{"done", say(nil), nil, 0, "output\n", ""},
		{"failed", say(cause), nil, 1, "output\n", "fleet-test: the cause\n"},
		{"usage", say(Usage(cause)), nil, 2, "", "fleet-test: the cause\n"},
		{"held", func(_ context.Context, _ *Std, _ *options) error { return Held(cause) }, nil, 75, "", "fleet-test: the cause\n"},
		{"in part", say(Partial(errors.Join(cause, cause))), nil, 3, "output\n", "fleet-test: the cause\nfleet-test: the cause\n"},
		{"leftover argument", say(nil), []string{"x"}, 2, "", "fleet-test: unexpected argument \"x\"\nfleet-test: try fleet-test --help\n"},
		{"version", say(cause), []string{"--version"}, 0, "fleet-test " + version() + "\n", ""},
	}
	for _, tt := range tests {
		status, out, stderr := start(t, "", nil, tt.run, tt.args...)
		if status != tt.status || out != tt.out || stderr != tt.stderr {
			t.Errorf("%s: status %d, %q, %q; want %d, %q, %q", tt.name, status, out, stderr, tt.status, tt.out, tt.stderr)
		}
	}
	for _, args := range [][]string{{"--nope"}, {"--depth", "x"}, {"--now", "yesterday"}, {"--depth"}} {
		if status, out, stderr := start(t, "", nil, say(nil), args...); status != 2 || out != "" || !strings.HasPrefix(stderr, "fleet-test: ") {
			t.Errorf("%v: status %d, %q, %q", args, status, out, stderr)
		}
	}
	if status, out, _ := start(t, "", nil, say(cause), "--help"); status != 0 || !strings.Contains(out, "Fleet-test tests.") || !strings.Contains(out, "--now=TIME") {
		t.Errorf("--help: status %d, %s", status, out)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestRun_fullDisk(t *testing.T) {
	status, _, stderr := start(t, "", full{}, func(_ context.Context, std *Std, _ *options) error {
		std.Out.WriteString("output\n")
		return nil
	})
	if status != 1 || stderr != "fleet-test: writing output: no space left on device\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestRun_clock(t *testing.T) {
	now := func(want time.Time, given bool) func(context.Context, *Std, *options) error {
		return func(_ context.Context, std *Std, _ *options) error {
			if !want.IsZero() && !std.Clock.Equal(want) || std.Now.IsZero() == given || std.Clock.IsZero() {
				t.Errorf("clock %s, now %s", std.Clock, std.Now)
			}
			return nil
		}
	}
	start(t, "", nil, now(time.Time{}, false))
	start(t, "", nil, now(time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC), true), "--now", "2026-11-29T15:00:00Z")
	t.Setenv("FLEET_NOW", "")
	start(t, "", nil, now(time.Time{}, false))
	t.Setenv("FLEET_NOW", "2026-11-29T16:00:00Z")
	start(t, "", nil, now(time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC), true))
}

const (
	in   = `{"v":1,"kind":"x","at":"2026-11-29T14:50:02.000Z","host":"h","by":"other","subject":"a","data":{"n":9007199254740993}}` + "\n"
	mine = `{"v":1,"kind":"x","at":"2026-11-29T14:50:02.000Z","host":"h","by":"fleet-test","subject":"old","data":1}` + "\n"
)

// filter copies its input and adds one record and its closing record.
func filter(_ context.Context, std *Std, _ *options) error {
	set, err := std.ReadAll()
	if err != nil {
		return err
	}
	now := set.Now(std.Now)
	if err := std.AddData("y", now, "h", "b", map[string]any{"n": len(set.All()), "s": "<text>"}); err != nil {
		return err
	}
	return std.Close(now, "h", "")
}

// A program that goes on keeps what it added before, but for its closing record, in whose
// place a new one counts all of it that is of the machine.
func TestReadOn(t *testing.T) {
	goesOn := func(_ context.Context, std *Std, _ *options) error {
		set, err := std.ReadOn("h")
		if err != nil {
			return err
		}
		now := set.Now(std.Now)
		if err := std.AddData("x", now, "h", "new", len(set.All())); err != nil {
			return err
		}
		return std.Close(now, "h", "")
	}
	closing := func(n string) string {
		return `{"v":1,"kind":"surface","at":"2026-11-29T14:50:02.000Z","host":"h","by":"fleet-test","subject":"fleet-test","data":{"ok":true,"rows":` + n + `,"unparsed":0,"records":` + n + `}}` + "\n"
	}
	elsewhere := strings.Replace(mine, `"h"`, `"attic"`, 1)
	added := `{"v":1,"kind":"x","at":"2026-11-29T14:50:02.000Z","host":"h","by":"fleet-test","subject":"new","data":3}` + "\n"
	status, out, stderr := start(t, "\n"+in+mine+closing("1")+elsewhere, nil, goesOn)
	if want := "\n" + in + mine + elsewhere + added + closing("2"); status != 0 || out != want || stderr != "" {
		t.Errorf("status %d, stderr %q\n got %s\nwant %s", status, stderr, out, want)
	}
	set := new(record.Set)
	for l, err := range record.All(strings.NewReader(out)) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(l)
	}
	if err := set.Closed("h", "fleet-test"); err != nil {
		t.Error(err)
	}
}

// A filter copies every line byte for byte, leaves out its own, and counts
// what it added.
func TestFilter(t *testing.T) {
	status, out, stderr := start(t, "\n"+in+mine, nil, filter)
	want := "\n" + in +
		`{"v":1,"kind":"y","at":"2026-11-29T14:50:02.000Z","host":"h","by":"fleet-test","subject":"b","data":{"n":1,"s":"<text>"}}` + "\n" +
		`{"v":1,"kind":"surface","at":"2026-11-29T14:50:02.000Z","host":"h","by":"fleet-test","subject":"fleet-test","data":{"ok":true,"rows":1,"unparsed":0,"records":1}}` + "\n"
	if status != 0 || out != want || stderr != "" {
		t.Errorf("status %d, stderr %q\n got %s\nwant %s", status, stderr, out, want)
	}
	if _, again, _ := start(t, out, nil, filter); again != out {
		t.Errorf("filtered again:\n%s\nwant\n%s", again, out)
	}
	if status, _, stderr := start(t, in+"rubbish\n", nil, filter); status != 1 || stderr != "fleet-test: line 2: not a JSON object\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// A present that no record could bear is the caller's mistake.
func TestTime_years(t *testing.T) {
	for _, s := range []string{"9999-12-31T23:59:59-14:00", "0000-06-01T00:00:00Z"} {
		if err := new(Time).UnmarshalFlag(s); err == nil {
			t.Errorf("%s is taken", s)
		}
	}
}

// What is told on stderr goes through what the program withholds, whoever says it.
func TestRun_withheld(t *testing.T) {
	p, errw := program, bytes.Buffer{}
	p.Withhold = func(s string) string { return strings.ReplaceAll(s, "FAKE", "[withheld]") }
	status := Run(p, nil, strings.NewReader(""), io.Discard, &errw, func(_ context.Context, std *Std, _ *options) error {
		std.Warn("the path %s", "/FAKE")
		return errors.Join(errors.New("open /FAKE"), errors.New("b"))
	})
	if want := "fleet-test: the path /[withheld]\nfleet-test: open /[withheld]\nfleet-test: b\n"; status != 1 || errw.String() != want {
		t.Errorf("status %d, %q", status, errw.String())
	}
	errw.Reset()
	if status := Run(p, []string{"--FAKE"}, strings.NewReader(""), io.Discard, &errw, func(context.Context, *Std, *options) error { return nil }); status != 2 || strings.Contains(errw.String(), "FAKE") {
		t.Errorf("status %d, %q", status, errw.String())
	}
}
