package machine

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What may be executed, but not by who looks, or not where it lies, is not told to be of
// the wrong mode.
func TestDenied(t *testing.T) {
	for mode, want := range map[os.FileMode]string{0o644: "is not executable: chmod +x", 0o700: "may not be executed by who looked, or where it lies: permission denied"} {
		if err := denied(mode, syscall.EACCES); err == nil || err.Error() != want {
			t.Errorf("%o: %v", mode, err)
		}
		if err := denied(mode, nil); err != nil {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

// What starts an agent is looked at as the system does that starts it: what it would
// refuse is told, and nothing else.
func TestStartable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("well", "#!/bin/sh\nexit\n", 0o755)
	write("words", "#! /bin/sh -e\n", 0o700)
	write("bare", "exit\n", 0o755) // sh runs it itself
	write("empty", "", 0o755)
	write("nobody", "#!\nexit\n", 0o755)
	write("cut", "#!/bin/sh", 0o755)
	write("binary", "\x7fELF\x00", 0o755)
	write("closed", "#!/bin/sh\n", 0o644)
	write("orphan", "#!/no/such/sh\nexit\n", 0o755)
	write("windows", "#!/bin/sh\r\nexit\n", 0o755)
	write("tabbed", "#!\t/no/sh\t-x\n", 0o755)
	write("beside", "#!./well\n", 0o755)
	write("astray", "#!./lost\n", 0o755)
	write("plain", "#!closed\n", 0o755)
	write("secret", "#!/ghp_FAKEFAKEFAKE\u200bFAKEFAKEFAKEFAKEFAKEFAKE\n", 0o755)
	for name, to := range map[string]string{"link": "well", "loose": "nowhere", "round": "round"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"well": "", "words": "", "bare": "", "empty": "", "nobody": "", "cut": "", "binary": "", "link": "", "beside": "",
		"none":       "is not there",
		"none/below": "is not there",
		"well/below": "is not there",
		"loose":      "is a link that leads nowhere",
		"round":      "cannot be looked at: too many levels of symbolic links",
		"sub":        "is no file",
		"closed":     "is not executable: chmod +x",
		"orphan":     `is to be run by "/no/such/sh", as its first line says, which is not there`,
		"windows":    `is to be run by "/bin/sh\r", as its first line says, which is not there`,
		"tabbed":     `is to be run by "/no/sh", as its first line says, which is not there`,
		"astray":     `is to be run by "./lost", as its first line says, which is not there`,
		"secret":     `is to be run by "/[withheld: github-token]", as its first line says, which is not there`,
		"plain":      `is to be run by "closed", as its first line says, which is not executable: chmod +x`,
	} {
		got := ""
		if err := Startable(filepath.Join(dir, name), dir); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
}
