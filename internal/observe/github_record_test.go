package observe

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// A recording of what was observed gives the same again, and holds no raw text.
func TestRecordAgain(t *testing.T) {
	observe := func(dir, to string) string {
		w, err := machine.New(dir, time.Time{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Record(to); err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		if strings.Contains(dir, "board") {
			std := &cli.Std{Program: "fleet-observe-board", Out: bufio.NewWriter(&buf)}
			if _, err := (Board{}).Observe(w, std); err != nil {
				t.Fatal(err)
			}
			std.Out.Flush()
			return buf.String()
		}
		in, err := os.Open("../../fixtures/gh-written/fleet/input.ndjson")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		std := &cli.Std{Program: "fleet-observe-gh", Out: bufio.NewWriter(&buf)}
		g := GitHub{Binary: "gh"}
		set, err := g.Read(in, func([]byte) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Observe(context.Background(), w, set, std); err != nil {
			t.Fatal(err)
		}
		std.Out.Flush()
		return buf.String()
	}
	// What no parser understood is not recorded: the reason differs, and the hash of a branch name with hidden characters.
	differ := map[string]bool{"/home/ana/src/broken/.git": true, "gh//home/ana/src/broken/.git": true, "/home/ana/src/lamp/.git": true, "board/lamp": true}
	for _, name := range []string{"gh-written", "board-written"} {
		first, second := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name)
		raw := observe("../../fixtures/"+name+"/fleet", first)
		once := observe(first, second)
		if twice := observe(second, ""); once != twice {
			t.Errorf("%s: a recording of a recording gives\n%s\nnot\n%s", name, twice, once)
		}
		rawLines, onceLines := strings.Split(raw, "\n"), strings.Split(once, "\n")
		if len(rawLines) != len(onceLines) {
			t.Fatalf("%s: %d lines, %d of the recording", name, len(rawLines), len(onceLines))
		}
		for i, line := range rawLines {
			if r, err := record.Parse([]byte(line)); line != onceLines[i] && (err != nil || !differ[r.Subject]) {
				t.Errorf("%s: the recording gives\n%s\nnot\n%s", name, onceLines[i], line)
			}
		}
		filepath.WalkDir(first, func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			if bytes.Contains(b, []byte("FAKE")) || bytes.Contains(b, []byte("detailsUrl")) || bytes.ContainsAny(b, "\x00\x1b\u202e") {
				t.Errorf("%s holds raw text", p)
			}
			return err
		})
	}
}
