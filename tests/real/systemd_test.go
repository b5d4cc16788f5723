//go:build real

package real

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// everything is where all programs are built, once.
func everything(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(bin, "all")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	cmd := exec.Command("go", "build", "-o", dir+"/", "./cmd/...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// systemd itself takes the units as they are, and finds a program at the path
// that one was written for, whatever signs are in it. A dollar sign is left out
// there: systemd doesn't unfold it in the name of a program.
func TestSystemd_units(t *testing.T) {
	config := filepath.Join(everything(t), "fleet-config")
	dir := t.TempDir()
	job := func(kind, release string) string {
		cmd := exec.Command(config, "job", kind, "--scope", "lamp", "--release", release, "--path", `/opt/a b:/opt/%i$$\`,
			"--env", `PASEO_HOME=/c: "$1" ${x} %n 'z' \x41 # ; 日本`, "--env", "EMPTY=")
		cmd.Env = []string{"HOME=" + dir}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	verify := func(service, timer string) string {
		files := []string{filepath.Join(dir, "fleet-reconcile-lamp.service"), filepath.Join(dir, "fleet-reconcile-lamp.timer")}
		for i, text := range []string{service, timer} {
			if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("systemd-analyze", append([]string{"verify", "--user", "--man=no"}, files...)...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "LC_ALL=C.UTF-8")
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	timer := job("systemd-timer", "/r")
	hostile := filepath.Join(dir, `Ána Ñ it's "x" %h %% \n;#&<>`)
	if out := verify(job("systemd-service", hostile+` $HOME ${y}`), timer); out != "" {
		t.Errorf("%s", out)
	}
	if out := verify(job("systemd-service", hostile), strings.Replace(timer, "=hourly", "=hourlyish", 1)); !strings.Contains(out, "hourlyish") {
		t.Errorf("a wrong timer passes: %s", out)
	}
	// As the program itself, systemd names the path as it read it.
	direct := func(release string) string {
		return strings.Replace(job("systemd-service", release), "ExecStart=/bin/sh ", "ExecStart=", 1)
	}
	if out := verify(direct(hostile), timer); !strings.Contains(out, "special characters: "+hostile+"/bin/tick.sh\n") {
		t.Errorf("%s", out)
	}
	// Without quotes and backslashes, which it refuses there, it looks for it.
	release := filepath.Join(dir, `Ána Ñ %h 100%% ;#&<>`)
	if out := verify(direct(release), timer); !strings.Contains(out, release+"/bin/tick.sh") {
		t.Errorf("%s", out)
	}
	if err := os.MkdirAll(filepath.Join(release, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(release, "bin/tick.sh"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := verify(direct(release), timer); out != "" {
		t.Errorf("%s", out)
	}
}
