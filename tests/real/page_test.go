//go:build real

package real

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile is text that a browser would obey, made the name of everything that
// has one.
const hostile = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script>` + "\u202eexe.gnp\u2066"

// TestPage shows pages to the real Chromium, in a window and on a phone, light
// and dark.
func TestPage(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not installed: tests/real/run.sh installs it")
	}
	modules := filepath.Join(root, ".cache/page")
	if _, err := os.Stat(filepath.Join(modules, "node_modules/axe-core")); err != nil {
		t.Fatal("playwright-core and axe-core are not installed: tests/real/run.sh installs them")
	}
	dir := t.TempDir()
	render := filepath.Join(dir, "fleet-render")
	build := exec.Command("go", "build", "-o", render, "./cmd/fleet-render")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building fleet-render: %v\n%s", err, out)
	}
	full := stored(t, "internal/report/testdata/full.ndjson")
	pages := map[string][]byte{
		"full":     full,
		"captured": bytes.Join([][]byte{stored(t, "tests/testdata/observe.ndjson"), stored(t, "tests/testdata/classify.ndjson"), stored(t, "tests/testdata/asks.ndjson")}, nil),
		"hostile":  obeyed(t, full),
		"alarm":    stored(t, "internal/report/testdata/cut.ndjson"),
		"empty":    nil,
	}
	for name, stream := range pages {
		cmd := exec.Command(render, "--format", "html")
		cmd.Stdin = bytes.NewReader(stream)
		page, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", filepath.Join(root, "tests/real/page.mjs"), dir, modules, chromium)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	var stderr strings.Builder
	cmd.Stderr, cmd.WaitDelay = &stderr, 10*time.Second
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("page.mjs: %v\n%s%s", err, out, stderr.String())
	}
	var last struct{ Pages, Checks int }
	for line := range bytes.Lines(out) {
		var wrong struct{ Where, What string }
		if err := json.Unmarshal(line, &wrong); err != nil {
			t.Fatalf("page.mjs: %s", line)
		}
		if wrong.Where != "" {
			t.Errorf("%s: %s", wrong.Where, wrong.What)
		}
		if err := json.Unmarshal(line, &last); err != nil {
			t.Fatal(err)
		}
	}
	if last.Pages != len(pages) || last.Checks < 7*4*len(pages)-8 {
		t.Errorf("%d pages, %d checks", last.Pages, last.Checks)
	}
	t.Logf("%d checks of %d pages", last.Checks, last.Pages)
	keep(t, filepath.Join(dir, "shots"), modules)
}

func stored(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// obeyed puts hostile in place of every text of a stream's payloads that is
// shown as it is.
func obeyed(t *testing.T, stream []byte) []byte {
	t.Helper()
	shown := map[string]bool{"name": true, "cwd": true, "repo": true, "branch": true, "says": true, "source": true, "question": true, "why": true, "would_do": true,
		"cause": true, "progress": true, "tmux": true, "job_id": true, "error": true, "slug": true, "default_branch": true, "login": true, "title": true, "head": true,
		"author": true, "url": true, "cadence": true, "status": true, "detail": true, "last_result": true, "class_name": true, "cannot_tell": true, "key": true, "id": true}
	var fill func(v any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if _, text := x.(string); text && shown[k] {
					v[k] = hostile
				} else {
					v[k] = fill(x)
				}
			}
		case []any:
			for i := range v {
				v[i] = fill(v[i])
			}
		}
		return v
	}
	var out bytes.Buffer
	for line := range bytes.Lines(stream) {
		var rec map[string]any
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		if rec["kind"] != "tick" && rec["kind"] != "host" {
			rec["data"] = fill(rec["data"])
		}
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	return out.Bytes()
}

// keep leaves the pictures for a person to look at.
func keep(t *testing.T, from, to string) {
	t.Helper()
	shots, err := filepath.Glob(filepath.Join(from, "*.png"))
	if err != nil || len(shots) == 0 {
		t.Error("no pictures")
	}
	for _, shot := range shots {
		b, err := os.ReadFile(shot)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(shot)), b, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
