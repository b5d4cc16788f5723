package ledger

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/record"
)

func TestObserve(t *testing.T) {
	l, _ := begun(t)
	s, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := record.NewTime(noon)
	out, _, status := run(t, nil, func(std *cli.Std) error { return Observe(std, s, at, "devbox") })
	if status != 0 {
		t.Fatal(out)
	}
	set := new(record.Set)
	var subjects []string
	for line, err := range record.All(strings.NewReader(out)) {
		if err != nil {
			t.Fatal(err)
		}
		set.Add(line)
		subjects = append(subjects, string(line.Record.Kind)+" "+line.Record.Subject)
	}
	want := []string{"surface ledger", "owned session:7b0c1d2e-1111-4222-8333-444455556666", "owned session:8c0c1d2e-1111-4222-8333-444455556666",
		"asked prompt:5f0c1d2e-1111-4222-8333-444455556666:1a2b3c4d", "asked rules:acme/lamp:no required status checks",
		"asked blocked:6a0c1d2e-1111-4222-8333-444455556666:99aa00bb", "past tick:12", "past tick:13", "past tick:14", "surface fleet-ledger"}
	if strings.Join(subjects, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q\nwant %q", subjects, want)
	}
	if err := set.Closed("devbox", "fleet-ledger"); err != nil {
		t.Error(err)
	}
	out, _, status = run(t, nil, func(std *cli.Std) error {
		return ObserveNone(std, at, "devbox", record.Surface{Error: "denied"})
	}, "--jq", `.data.error // .data.records`)
	if out != "denied\n1\n" || status != 0 {
		t.Errorf("status %d %q", status, out)
	}
}

// What cannot be written is a failure, whatever record it is.
func TestObserve_output(t *testing.T) {
	l, _ := begun(t)
	s, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := record.NewTime(noon)
	for _, which := range []string{`.subject == "ledger"`, `.kind == "owned"`, `.kind == "asked"`, `.kind == "past"`, `.subject == "fleet-ledger"`} {
		jq := "if " + which + ` then error("no") else empty end`
		if out, stderr, status := run(t, nil, func(std *cli.Std) error { return Observe(std, s, at, "devbox") }, "--jq", jq); status != 1 || out != "" || stderr == "" {
			t.Errorf("%s: status %d %s%s", which, status, out, stderr)
		}
	}
	for _, which := range []string{`.subject == "ledger"`, `.subject == "fleet-ledger"`} {
		jq := "if " + which + ` then error("no") else empty end`
		f := func(std *cli.Std) error { return ObserveNone(std, at, "devbox", record.Surface{}) }
		if out, stderr, status := run(t, nil, f, "--jq", jq); status != 1 || out != "" || stderr == "" {
			t.Errorf("none, %s: status %d %s%s", which, status, out, stderr)
		}
	}
}
