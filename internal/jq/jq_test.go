package jq

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/record"
)

const in = `{"v":1,"kind":"x","at":"2026-11-29T14:50:02.000Z","host":"h","by":"other","subject":"a","data":{"n":9007199254740993}}` + "\n"

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
		expr, out string
		status    int
	}{
		{`select(.kind == "y") | .data.s`, "<text>\n", 0},
		{`select(.kind == "y") | .data`, `{"n":1,"s":"<text>"}` + "\n", 0},
		{`select(.kind == "y") | [.subject, .data.n] | @tsv`, "b\t1\n", 0},
		{`select(.kind == "nothing")`, "", 0},
		{`select(.kind == "y") | now`, "1795963802\n", 0}, // the record's own at, not the clock
		{`select(.kind == "y") | env | length`, "0\n", 0},
		{`.data.s | tonumber`, "", 1},
		{`halt`, "", 0},
		{".a ===== 1", "fleet-test: --jq: column 6: unexpected token \"==\"\n", 2},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		status := cli.Run(cli.Program{Name: "fleet-test"}, []string{"--jq", tt.expr}, strings.NewReader(in), &out, &stderr, filter)
		says := out.String()
		if tt.status == cli.StatusUsage {
			says += stderr.String()
		}
		if status != tt.status || says != tt.out {
			t.Errorf("%s: status %d, %q, %q; want %d, %q", tt.expr, status, &out, &stderr, tt.status, tt.out)
		}
	}
}

func TestQuery_numbers(t *testing.T) {
	q, err := Compile(".data.n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := q.Write(&b, r); err != nil || b.String() != "9007199254740993\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
