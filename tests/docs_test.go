package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// programs returns the names of the built programs.
func programs(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) < 10 {
		t.Fatalf("programs: %q", names)
	}
	return names
}

// docs is what a program says with --docs: twice the same, whatever the
// environment.
func docsOf(t *testing.T, program, kind string) string {
	t.Helper()
	text := func(env ...string) string {
		cmd := exec.Command(filepath.Join(bin, program), "--docs", kind)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s --docs %s: %v\n%s", program, kind, err, out)
		}
		return string(out)
	}
	first := text("HOME=/a")
	if again := text("HOME=/b", "TZ=Asia/Tokyo", "SOURCE_DATE_EPOCH=1", "COLUMNS=40", "LC_ALL=C"); again != first {
		t.Errorf("%s --docs %s is otherwise in another environment", program, kind)
	}
	return first
}

var helpFlag = regexp.MustCompile(`(?m)^  (?:-h, |    )--([a-z-]+)`)

// flagsOf is what --help names.
func flagsOf(t *testing.T, program string) []string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, program), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, m := range helpFlag.FindAllStringSubmatch(string(out), -1) {
		names = append(names, m[1])
	}
	return names
}

// Every flag that --help names is in the page and in each completion, and
// nothing else; a page has its sections, no date, and no line that roff would
// take for a request of its own.
func TestDocs(t *testing.T) {
	t.Parallel()
	finds := map[string]*regexp.Regexp{
		"man":  regexp.MustCompile(`(?m)^\\fB\\-\\-([a-z\\-]+)\\fR`),
		"bash": regexp.MustCompile(`(?m)^(?:	-\*\) .*compgen -W ")?--([a-z-]+)(?:$|" -- )`),
		"zsh":  regexp.MustCompile(`(?m)^	'\*?--([a-z-]+)=?\[`),
		"fish": regexp.MustCompile(`(?m)^complete -c \S+ -l ([a-z-]+) `),
	}
	request := regexp.MustCompile(`^\.(TH|SH|TP|B) ?`)
	for _, program := range programs(t) {
		want := flagsOf(t, program)
		slices.Sort(want)
		for kind, re := range finds {
			text, got := docsOf(t, program, kind), []string{}
			for _, m := range re.FindAllStringSubmatch(text, -1) {
				got = append(got, strings.ReplaceAll(m[1], `\`, ""))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s --docs %s\n got %q\nwant %q", program, kind, got, want)
			}
		}
		page := docsOf(t, program, "man")
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "SEE ALSO"} {
			if !strings.Contains(page, "\n.SH "+section+"\n") {
				t.Errorf("the page of %s has no %s", program, section)
			}
		}
		if !strings.HasPrefix(page, ".TH "+strings.ReplaceAll(strings.ToUpper(program), "-", `\-`)+` 1 "" "fleet `) {
			t.Errorf("the page of %s begins %.60q", program, page)
		}
		for line := range strings.SplitSeq(page, "\n") {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !request.MatchString(line) {
				t.Errorf("the page of %s has the line %q", program, line)
			}
		}
	}
}

// The commands in the docs are those that the program takes, with the arguments
// that the page gives them.
func TestDocs_commands(t *testing.T) {
	t.Parallel()
	words := regexp.MustCompile(`for word in (.*); do`)
	usage := regexp.MustCompile(`(?m)^\\fB([a-z].*)\\fR$`)
	const no = "which command?"
	for _, program := range programs(t) {
		run := func(args ...string) string {
			cmd := exec.Command(filepath.Join(bin, program), args...)
			cmd.Env = []string{"HOME=" + t.TempDir(), "FLEET_SCOPE=lamp"}
			out, _ := cmd.CombinedOutput()
			return string(out)
		}
		m := words.FindStringSubmatch(docsOf(t, program, "bash"))
		if takes := regexp.MustCompile(`\[OPTIONS\] \[?(COMMAND|[a-z])`).MatchString(run("--help")); takes != (m != nil) {
			t.Errorf("%s takes a command: %t; its docs: %q", program, takes, m)
		}
		if m == nil {
			continue
		}
		if out := run("mend"); !strings.Contains(out, no) && !strings.Contains(out, "mend") {
			t.Errorf("%s mend: %s", program, out)
		}
		names := []string{}
		for _, u := range usage.FindAllStringSubmatch(docsOf(t, program, "man"), -1) {
			first, _, _ := strings.Cut(strings.ReplaceAll(u[1], `\-`, "-"), ",")
			args := strings.Fields(strings.ReplaceAll(first, " N", " 1"))
			names = append(names, args[0])
			if out := run(args...); strings.Contains(out, no) {
				t.Errorf("%s %q: %s", program, args, out)
			}
		}
		if strings.Join(names, " ") != m[1] {
			t.Errorf("%s: the page has %q, the completion %q", program, names, m[1])
		}
	}
}

// In bash a flag, the value of a flag, a command and a file are completed.
func TestDocs_bash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"fleet one.json", "fleet two.json", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "fleet dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		words []string // the last is being completed
		want  string
	}{
		{[]string{"fleet-render", "--fo"}, "--format"},
		{[]string{"fleet-render", "--docs", ""}, "man bash zsh fish"},
		{[]string{"fleet-render", "--format", "j"}, "json"},
		{[]string{"fleet-render", "--format", "=", "a"}, "asks"},
		{[]string{"fleet-render", "--docs", "="}, "man bash zsh fish"},
		{[]string{"fleet-render", "--format", "json", "--ver"}, "--version"},
		{[]string{"fleet-render", "--now", ""}, ""},
		{[]string{"fleet-classify", ""}, ""},
		{[]string{"fleet-config", "--docs", "z"}, "zsh"},
		{[]string{"fleet-config", "c"}, "check"},
		{[]string{"fleet-config", "--scope", "c"}, ""},
		{[]string{"fleet-config", "check", "t"}, ""},
		{[]string{"fleet-config", "check", "--conf"}, "--config"},
		{[]string{"fleet-config", "check", "--config", "fleet"}, "fleet dir|fleet one.json|fleet two.json"},
		{[]string{"fleet-config", "--release", "f"}, "fleet dir"},
		{[]string{"fleet-ledger", "v"}, "verify"},
		{[]string{"fleet-step", "--lock", "o"}, "other"},
		{[]string{"fleet-step", "--", "mkfif"}, "mkfifo"},
		{[]string{"fleet-step", "--", "ls", "--time"}, ""},
		{[]string{"fleet-step", "--", "ls", "o"}, "other"},
	} {
		script := docsOf(t, tt.words[0], "bash") + `
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_` + strings.ReplaceAll(tt.words[0], "-", "_") + `
[ "$(complete -p "$1")" = "complete -F _${1//-/_} $1" ] || exit 9
printf '%s\n' "${COMPREPLY[@]}"`
		cmd := exec.Command("bash", append([]string{"--norc", "-c", script, "bash"}, tt.words...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		want := strings.Fields(tt.want)
		if strings.Contains(tt.want, "fleet ") {
			want = strings.Split(tt.want, "|")
		}
		if len(want) == 0 {
			want = []string{""}
		}
		slices.Sort(got)
		slices.Sort(want)
		got = slices.Compact(got) // a program may be in two directories of PATH
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v\n got %q\nwant %q", tt.words, err, got, want)
		}
	}
}

// The help of every program is readable on a terminal of 80 columns: no line is
// longer, and what an option does begins in the left half.
func TestHelp(t *testing.T) {
	option := regexp.MustCompile(`(?m)^ +(?:-., +)?--\S+ {2,}`)
	for _, name := range programs(t) {
		out, err := exec.Command(filepath.Join(bin, name), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 || len(option.FindString(line)) > 45 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
		if len(option.FindAllString(string(out), -1)) < 3 {
			t.Errorf("%s: no options in\n%s", name, out)
		}
	}
}
