package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lacking is what bash 3.2 or dash does not have, or has otherwise.
var lacking = map[string]*regexp.Regexp{
	"[[":                                   regexp.MustCompile(`(^|[\s;(!])\[\[\s`),
	"==":                                   regexp.MustCompile(`\[ [^]]*==`),
	"local, declare":                       regexp.MustCompile(`(^|[\s;{])(local|declare|typeset|mapfile|readarray|coproc|shopt|source)\s`),
	"change of case":                       regexp.MustCompile(`\$\{[A-Za-z_]\w*(,|\^)`),
	"substring, replace":                   regexp.MustCompile(`\$\{[A-Za-z_]\w*(:[0-9 (]|/)`),
	"indirection":                          regexp.MustCompile(`\$\{!`),
	"array":                                regexp.MustCompile(`(^|[\s;])\w+\+?=\(|\$\{\w+\[`),
	"|&, &>":                               regexp.MustCompile(`\|&|&>`),
	"here-string":                          regexp.MustCompile(`<<<`),
	"process substitution":                 regexp.MustCompile(`[<>]\(`),
	"pipefail":                             regexp.MustCompile(`set\s.*pipefail`),
	"(( ))":                                regexp.MustCompile(`(^|[\s;])\(\(`),
	"function":                             regexp.MustCompile(`^\s*function\s`),
	"$'…'":                                 regexp.MustCompile(`(^|[\s=(])\$'`),
	"wait -n":                              regexp.MustCompile(`wait -`),
	"echo -n, -e":                          regexp.MustCompile(`echo -[neE]`),
	"sed, tail, date, mktemp of GNU alone": regexp.MustCompile(`sed -(i|r|z)|tail -f|date (-d|--)|mktemp|readlink -f|head -c -|stat -c|grep -P|xargs -r`),
}

// The words of a shell script that other shells lack are in none of ours. A rule that
// finds nothing in what it is for is no rule.
func TestPlainShell(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "bin/*.sh"))
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	stubs, _ := filepath.Glob(filepath.Join(root, "tests/*/*.sh"))
	files = append(files, stubs...)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "#!/usr/bin/env bash") {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			for name, re := range lacking {
				if re.MatchString(line) {
					t.Errorf("%s:%d: %s: %s", filepath.Base(file), i+1, name, line)
				}
			}
		}
	}
	for _, line := range []string{"if [[ -f x ]]; then", `[ "$a" == b ]`, "	local x=1", "declare -A m", "y=${x,,}", "y=${x:1:2}", "y=${x/a/b}", "y=${!x}",
		"a=(1 2)", "a+=(3)", "echo ${a[0]}", "x |& y", "x &> y", "cat <<<x", "diff <(x) y", "set -euo pipefail", "	(( i++ ))", "function f {", "IFS=$'\\n'",
		"wait -n", "echo -e x", "sed -i s/a/b/ x", "date -d now", "readlink -f x"} {
		found := false
		for _, re := range lacking {
			found = found || re.MatchString(line)
		}
		if !found {
			t.Errorf("no rule finds %q", line)
		}
	}
}

// A tick works under dash and under bash in its POSIX mode, where they are.
// Macs have bash 3.2, which was not run: what is known of it is in the rules
// above.
func TestTickShells(t *testing.T) {
	for _, shell := range []string{"dash", "bash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			b := newTickBox(t)
			// tick.sh runs itself as sh; bash that is called sh is in POSIX mode.
			if err := os.Symlink(path, filepath.Join(b.dir, "bin/sh")); err != nil {
				t.Fatal(err)
			}
			if out := b.sh("bin/sh bin/tick.sh"); !strings.HasPrefix(out, "tick 1: 4") || strings.Contains(out, "\n") {
				t.Errorf("%s", out)
			}
			b.whole()
			if log := b.sh("cat state/tick.log"); strings.Count(log, "\n") != 0 {
				t.Errorf("the log of a tick without trouble:\n%s", log)
			}
		})
	}
}

// A sweep works under the same shells.
func TestHealShells(t *testing.T) {
	for _, shell := range []string{"dash", "bash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			b := tickBox{t, dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "ROOT=" + root, "TZ=UTC",
				"FLEET_SCOPE=lamp", "FLEET_CONFIG=" + filepath.Join(dir, "fleet.json")}}
			b.sh(`sh "$ROOT/tests/heal/setup.sh"`)
			if err := os.Symlink(path, filepath.Join(dir, "bin/sh")); err != nil {
				t.Fatal(err)
			}
			if out := b.sh("bin/sh bin/heal.sh"); !strings.HasPrefix(out, "sweep: 1 to be done; nothing was done: ") || strings.Contains(out, "\n") {
				t.Errorf("%s", out)
			}
			if log := b.sh("sed -e '/^heal.sh: 20/d' -e '/^fleet-observe-claude: Claude Code is not installed here: /d' state/heal.log"); log != "" {
				t.Errorf("the log of a sweep without trouble:\n%s", log)
			}
		})
	}
}
