package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/record"
)

// Where no ledger can be made, or it cannot be read, nothing counts as noted.
func TestAct_unread(t *testing.T) {
	note := record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "a"}
	for name, make := range map[string]func(dir string) error{
		"a file in the place of the directory": func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"a file above it": func(dir string) error {
			return errors.Join(os.Remove(filepath.Dir(dir)), os.WriteFile(filepath.Dir(dir), nil, 0o600))
		},
		"a directory in the place of the ledger": func(dir string) error { return os.MkdirAll(filepath.Join(dir, File), 0o700) },
	} {
		dir := filepath.Join(t.TempDir(), "state", "lamp")
		if err := errors.Join(os.Mkdir(filepath.Dir(dir), 0o700), make(dir)); err != nil {
			t.Fatal(err)
		}
		l := New(dir, "lamp")
		if err := l.Note(actTime, note); err == nil {
			t.Errorf("%s: it is noted", name)
		}
		if id, err := l.Begin(actTime, restartOf("a"), anyway); id != "" || err == nil {
			t.Errorf("%s: %q is begun, %v", name, id, err)
		}
		if err := l.End(actTime, "act-1", record.Entry{Kind: record.EntryDone}); err == nil {
			t.Errorf("%s: it is ended", name)
		}
		if s, err := l.ReadOrNone(); s != nil || err == nil {
			t.Errorf("%s: read as %v", name, s)
		}
	}
}

// What is known of agents and of the last sweep is told, and what of it cannot
// be written is a failure.
func TestObserve_agents(t *testing.T) {
	l, well := New(filepath.Join(t.TempDir(), "lamp"), "lamp"), 0
	for _, e := range []record.Entry{{Kind: record.EntryPause, By: "owner:tty", Key: "code"}, {Kind: record.EntrySweepExit, By: "act", Exit: &well}} {
		if err := l.Note(actTime, e); err != nil {
			t.Fatal(err)
		}
	}
	s, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	observe := func(std *cli.Std) error { return Observe(std, s, record.NewTime(actTime), "devbox") }
	out, _, status := run(t, nil, observe, "--jq", `[.kind, .subject, .data.paused, .data.exit] | tostring`)
	if want := `["heal","code",true,null]` + "\n" + `["swept","sweep",null,0]` + "\n"; status != 0 || !strings.Contains(out, want) {
		t.Errorf("status %d\n%s", status, out)
	}
	for _, kind := range []string{"heal", "swept"} {
		jq := `if .kind == "` + kind + `" then error("no") else empty end`
		if out, stderr, status := run(t, nil, observe, "--jq", jq); status != 1 || out != "" || stderr == "" {
			t.Errorf("%s: status %d %s%s", kind, status, out, stderr)
		}
	}
}
