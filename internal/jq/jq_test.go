package jq

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq/jqtest"
	"github.com/fleet-tools/fleet/internal/record"
)

const in = `{"v":1,"kind":"x","at":"2026-11-29T14:50:02.000Z","host":"h","by":"other","subject":"a","data":{"n":9007199254740993}}` + "\n"

func TestMain(m *testing.M) { os.Exit(jqtest.Main(m)) }

// filter copies its input and adds one record and its closing record.
func filter(_ context.Context, std *cli.Std, _ *Common) error {
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

func TestJQ(t *testing.T) {
	tests := []struct {
		expr, out, stderr string
		status            int
	}{
		{`select(.kind == "y") | .data.s`, "<text>\n", "", 0},
		{`select(.kind == "y") | .data`, `{"n":1,"s":"<text>"}` + "\n", "", 0},
		{`select(.kind == "y") | "a\nb", "\u0000"`, "a\nb\n\x00\n", "", 0},
		{`select(.kind == "y") | now`, "1795963802\n", "", 0}, // the record's own at, not the clock
		{`select(.kind == "y") | env | length`, "0\n", "", 0},
		{`.data.s | tonumber`, "", "fleet-test: --jq: y b: tonumber cannot be applied to \"<text>\": invalid number\n", 1},
		{`if .kind == "y" then .subject else error("no") end`, "b\n", "fleet-test: --jq: surface fleet-test: error: no\n", 1},
		{".a ===== 1", "", "fleet-test: --jq: column 6: unexpected token \"==\"\n", 2},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		status := cli.Run(cli.Program{Name: "fleet-test"}, []string{"--jq", tt.expr}, strings.NewReader(in), &out, &stderr, filter)
		if status != tt.status || out.String() != tt.out || stderr.String() != tt.stderr {
			t.Errorf("%s: status %d, %q, %q; want %d, %q, %q", tt.expr, status, &out, &stderr, tt.status, tt.out, tt.stderr)
		}
	}
}

// Without a fleet-jq, and with one that ends or says something else, nothing is
// done before, and the caller did nothing wrong.
func TestJQ_program(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ script, stderr string }{
		{"", "--jq: fleet-jq, which evaluates it, is neither beside this program nor on PATH"},
		{"echo no more >&2; exit 7", "--jq: fleet-jq: exit status 7: no more"},
		{"exit 0", "--jq: fleet-jq: ended without an answer"},
		{"echo yes; cat", "--jq: what fleet-jq answered: invalid character 'y' looking for beginning of value"},
	}
	for _, tt := range tests {
		t.Setenv("PATH", "/nowhere")
		if tt.script != "" {
			t.Setenv("PATH", dir+":/usr/bin:/bin")
			if err := os.WriteFile(filepath.Join(dir, "fleet-jq"), []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		var out, stderr bytes.Buffer
		status := cli.Run(cli.Program{Name: "fleet-test"}, []string{"--jq", "."}, strings.NewReader(in), &out, &stderr,
			func(context.Context, *cli.Std, *Common) error { return errors.New("it ran") })
		if status != cli.StatusFailed || out.Len() > 0 || stderr.String() != "fleet-test: "+tt.stderr+"\n" {
			t.Errorf("%q: status %d, %q, %q; want %q", tt.script, status, &out, &stderr, tt.stderr)
		}
	}
}

func TestMet(t *testing.T) {
	r, err := record.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	for expr, want := range map[string]bool{".data.n": true, "0": true, `""`: true, "false": false, "null, true": false, "empty": false} {
		q, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		met, err := q.Met(r)
		if met != want || err != nil {
			t.Errorf("%s: %v, %v; want %v", expr, met, err, want)
		}
		if err := q.Close(); err != nil {
			t.Errorf("%s: %v", expr, err)
		}
		if _, err := q.Met(r); err == nil {
			t.Errorf("%s: a query that was closed answers", expr)
		}
	}
}
