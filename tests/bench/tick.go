package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// tick measures how much longer a tick takes than the listing that it waits
// for: that of the real Claude Code when it is installed as tests/real does,
// else of a script.
func tick(l lab, n int) (figure, error) {
	home, err := l.made("fleet", 200)
	if err != nil {
		return figure{}, err
	}
	if err := configure(home); err != nil {
		return figure{}, err
	}
	which := "a script"
	if out, err := exec.Command("sh", "tests/rig/install-claude.sh", ".cache/claude-code").Output(); err == nil {
		which = "Claude Code 2.1.280"
		bin := filepath.Join(home, "bin/claude")
		if err := os.Remove(bin); err != nil {
			return figure{}, err
		}
		if err := os.Symlink(string(out[:len(out)-1]), bin); err != nil {
			return figure{}, err
		}
	}
	env := []string{"HOME=" + home, "USER=dev", "FLEET_SCOPE=" + ledgerScope, "PATH=" + l.bin + ":" + filepath.Join(home, "bin") + ":/usr/bin:/bin",
		"ANTHROPIC_BASE_URL=http://127.0.0.1:9", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1"}
	both, err := inTurn(n, command{argv: []string{l.program("tick.sh")}, env: env},
		command{argv: []string{filepath.Join(home, "bin/claude"), "agents", "--json", "--all"}, env: env})
	if err != nil {
		return figure{}, err
	}
	whole, listing := both[0].median(wall), both[1].median(wall)
	return figure{(whole - listing).Seconds(), short(whole), fmt.Sprintf("%s (%s)", short(listing), which)}, nil
}
