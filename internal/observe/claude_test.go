package observe

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// The listing is always that of the directory whose files are read, whatever
// directory the environment names.
func TestObserve_listingOfTheDirectory(t *testing.T) {
	base := t.TempDir()
	bin := filepath.Join(base, "claude")
	script := "#!/bin/sh\ncase $1 in --version) echo '2.1.280 (Claude Code)' ;; *) echo '[{\"pid\":1,\"sessionId\":\"'\"${CLAUDE_CONFIG_DIR:-none}\"'\"}]' ;; esac\n"
	if err := os.WriteFile(bin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".claude", "other"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(base, "other")
	t.Setenv("HOME", base)
	for _, tt := range []struct{ env, given, want string }{
		{"", "", "none"},
		{"", other, other},
		{other, "", other},
		{other, filepath.Join(base, ".claude"), "none"},
		{"/elsewhere", other, other},
	} {
		t.Setenv("CLAUDE_CONFIG_DIR", tt.env)
		w, err := New("", time.Now(), true)
		if err != nil {
			t.Fatal(err)
		}
		c := Claude{Binary: bin, Timeout: time.Minute, ListingCap: 200}
		if tt.given != "" {
			c.Dirs = []string{tt.given}
		}
		k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
		if _, err := c.Observe(context.Background(), w, k); err != nil {
			t.Fatal(err)
		}
		if _, ok := k.sessions[tt.want]; !ok || len(k.sessions) != 1 {
			t.Errorf("%+v: got %v, %+v", tt, slices.Collect(maps.Keys(k.sessions)), k.surfaces["claude/listing"])
		}
	}
}
