package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A command that is ended since its caller is told to end did not take too long.
func TestAct_ended(t *testing.T) {
	for _, tt := range []struct {
		script        string
		limit, caller time.Duration
		want          error
	}{
		{"sleep 60", time.Hour, 50 * time.Millisecond, ErrEnded},
		{"sleep 60", 50 * time.Millisecond, time.Hour, ErrTimeout},
		{"yes", time.Hour, time.Hour, ErrOutput},
		{"exit 7", time.Hour, time.Hour, nil},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), tt.caller)
		_, err := Act(ctx, Spec{Argv: []string{"sh", "-c", tt.script}, Env: []string{"PATH=/usr/bin:/bin"}, Timeout: tt.limit, KillAfter: time.Second, MaxOutput: 1000})
		cancel()
		if err != tt.want {
			t.Errorf("%s: %v, want %v", tt.script, err, tt.want)
		}
	}
}

// A lock that a command can't hold keeps it from being run.
func TestAct_holds(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	_, err := Act(t.Context(), Spec{Argv: []string{"/usr/bin/touch", made}, Timeout: time.Minute, MaxOutput: 1, Holds: io.NopCloser(nil)})
	if _, there := os.Stat(made); err == nil || there == nil {
		t.Errorf("%v, made: %t", err, there == nil)
	}
}
