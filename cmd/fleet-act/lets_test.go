package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/machine"
)

// Of a configuration that was changed since the run began, each switch counts.
func TestLets(t *testing.T) {
	const whole = `{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "mode": "act", "dry_run": 0, "state_dir": "/state", "owner_channel": {"kind": "none"},
		"surfaces": ["claude"], "repos": ["/repo"], "heal": {"allow_restart": 1}}}}`
	w, err := machine.New("", time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "fleet.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(whole)
	scope, err := w.Scope(file, "lamp")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, old, now, verb, want string }{
		{"", "", "", "restart", ""},
		{"", `"allow_restart": 1`, `"allow_restart": 0`, "restart", "heal.allow_restart is 0"},
		{"", `"allow_restart": 1`, `"allow_restart": 0`, "launch", ""},
		{"upgrade", `"heal": {"allow_restart": 1}`, `"heal": null`, "upgrade", ""},
		{"upgrade", `"heal": {"allow_restart": 1}`, `"heal": null`, "restart", "heal.allow_restart is 0"},
		{"stalled", `"heal": {"allow_restart": 1}`, `"heal": null`, "nudge", "the scope's heal is null"},
		{"upgrade", `"mode": "act"`, `"mode": "report"`, "upgrade", "the scope's mode is not act"},
		{"", `"dispatch_enabled": 1`, `"dispatch_enabled": 0`, "alert", "the scope's dispatch_enabled is not 1"},
		{"", `"dry_run": 0`, `"dry_run": 1`, "launch", "the scope's dry_run is 1"},
		{"", "/state", "/other", "launch", "the scope has another state_dir by now, and so another ledger"},
		{"", `"v": 1`, `"v": 9`, "launch", "the configuration cannot be read any more: "},
	} {
		write(strings.Replace(whole, tt.old, tt.now, 1))
		d := &deed{w: w, opts: &options{}, std: new(cli.Std), scope: scope}
		d.opts.Config, d.opts.Scope = file, "lamp"
		if tt.command != "" {
			d.std.Args = []string{tt.command}
		}
		says := ""
		if err := d.lets(tt.verb); err != nil {
			says = err.Error()
		}
		if tt.want == "" && says != "" || !strings.HasPrefix(says, tt.want) {
			t.Errorf("%s %s, %s: %q", tt.command, tt.verb, tt.now, says)
		}
	}
}
