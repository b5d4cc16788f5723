package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/config"
)

const twoScopes = `{"v":1,"scopes":{"lamp":{"repos":["/r/lamp"]},"desk":{"repos":["/r/desk"]}}}`

// The configuration that is named must be there; the machine's own may be
// missing, and then nothing stands in for it but a named scope.
func TestScope(t *testing.T) {
	home := t.TempDir()
	w := &World{Home: home, FS: machineTree()}
	put := func(name, text string) string {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	says := func(file, id string) string {
		s, err := w.Scope(file, id)
		if err != nil {
			if s != nil {
				return fmt.Sprintf("%+v beside %v", s, err)
			}
			return err.Error()
		}
		return "scope " + s.ID
	}
	gone := filepath.Join(home, "gone.json")
	for _, tt := range []struct{ file, id, want string }{
		{"", "", ErrNoScope.Error()},
		{"", "lamp", "scope lamp"},
		{"", "No Scope", `"No Scope" is no scope`},
		{gone, "lamp", "reading " + gone + ": no such file or directory"},
		{put("torn.json", "{"), "lamp", filepath.Join(home, "torn.json") + ":1"},
	} {
		if got := says(tt.file, tt.id); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q %q: %s, want %s", tt.file, tt.id, got, tt.want)
		}
	}
	named := put("named.json", twoScopes)
	own := put(config.DefaultPath, twoScopes)
	for _, tt := range []struct{ file, id, want string }{
		{"", "desk", "scope desk"},
		{"", "", own + ": which scope? there are: desk, lamp"},
		{named, "mantle", named + `: no scope "mantle"; there are: desk, lamp`},
	} {
		if got := says(tt.file, tt.id); got != tt.want {
			t.Errorf("%q %q: %s, want %s", tt.file, tt.id, got, tt.want)
		}
	}
	put(config.DefaultPath, "{")
	if got := says("", "lamp"); !strings.HasPrefix(got, own+":1") {
		t.Errorf("the machine's own is torn: %s", got)
	}
	nowhere(t)
	if f, err := w.Config("fleet.json"); f != nil || err == nil {
		t.Errorf("from a directory that is gone: %+v %v", f, err)
	}
}

// DRY_RUN forces a dry run unless it is 0; a recording has no environment.
func TestDry(t *testing.T) {
	w := new(World)
	for value, want := range map[string]bool{"0": false, "1": true, "": true, "no": true} {
		t.Setenv("DRY_RUN", value)
		if got := w.Dry(); got != want {
			t.Errorf("%q: %t", value, got)
		}
	}
	if (&World{fixtures: "x"}).Dry() {
		t.Error("a recording is asked for a dry run")
	}
	if err := os.Unsetenv("DRY_RUN"); err != nil {
		t.Fatal(err)
	}
	if w.Dry() {
		t.Error("nothing asks for a dry run")
	}
}

// A host is one of the scope or, without a scope, what ssh is to reach.
func TestHostOf(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "fleet.json")
	text := `{"v": 1, "scopes": {"lamp": {"repos": ["/r"], "hosts": [{"name": "box", "ssh": "ana@there"}]}, "wick": {"repos": ["/w"]}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &World{Home: dir, FS: machineTree(), Getenv: os.Getenv}
	for _, tt := range []struct{ scope, name, want string }{
		{"lamp", "box", "box ana@there <nil>"},
		{"", "ana@there", "there ana@there <nil>"},
		{"lamp", "there", `  --host "there": the scope lamp has no host of this name; there are: box`},
		{"wick", "box", `  --host "box": the scope wick has no host of this name; there are: none`},
		{"moth", "box", `  ` + file + `: no scope "moth"; there are: lamp, wick`},
		{"", "-oProxyCommand=id", `-oProxyCommand=id -oProxyCommand=id --host "-oProxyCommand=id": want a destination of ssh that names the machine, such as box or ana@box`},
	} {
		h, err := w.HostOf(file, tt.scope, tt.name)
		if got := fmt.Sprint(h.Name, " ", h.SSH, " ", err); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.scope, tt.name, got, tt.want)
		}
	}
}
