package command

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// table is every command that a fleet program other than fleet-step and
// fleet-act may start, but for what the configuration names itself: see Owner. A star at the end of a word stands for one character or
// more, of an argument that does not begin with a dash; the word … at the end
// for one or more such arguments.
var table = sync.OnceValue(func() [][]string {
	return [][]string{
		{"claude", "--version"},
		{"claude", "agents", "--json", "--all"},
		{"ps", "-axww", "-o", "pid=,ppid=,lstart=,args="},
		{"lsof", "-a", "-d", "cwd", "-p", "*", "-Fn"},
		{"sysctl", "-n", "kern.boottime"},
		{"gh", "api", "--include", "--hostname", "github.com", "rate_limit"},
		{"gh", "api", "--include", "--hostname", "github.com", "repos/*"},
		{"gh", "api", "--include", "--hostname", "github.com", "orgs/*"},
		{"gh", "pr", "list", "-R", "github.com/*", "--state", "open", "--limit", "*", "--json", pullFields},
		{"gh", "pr", "list", "-R", "github.com/*", "--state", "open", "--limit", "*", "--json", pullFields + ",statusCheckRollup"},
		{"launchctl", "print", "gui/*"},
		{"systemctl", "--user", "list-timers", "--all", "--output=json"},
		{"systemctl", "--user", "list-unit-files", "--type=timer", "--output=json"},
		{"systemctl", "--user", "show", "--property=" + unitProperties, "--", more},
		{"osascript", "-e", DialogScript, "*", "*"},
		{"zenity", "--question", "--no-markup", "--default-cancel", "--ok-label=Seen", "--cancel-label=Later", "--timeout=600", "--width=480", "--title", "*", "--text", "*"},
		{"kdialog", "--yes-label", "Seen", "--no-label", "Later", "--title", "*", "--warningyesno", "*"},
		append(slices.Clone(sshOptions), "--", "*", remote),
		append(append([]string{"ssh", "-F", "/*"}, sshOptions[1:]...), "--", "*", remote),
		{"fleet-jq", "--serve"},
		{"open", "/*"},
		{"xdg-open", "/*"},
	}
})

// DialogScript is an AppleScript that shows its second argument under the title
// that is its first, and prints the button, or "gave up". Arguments are data to
// it: nothing is spliced into the script.
const DialogScript = `on run argv
	set answer to display dialog (item 2 of argv) with title (item 1 of argv) buttons {"Later", "Seen"} default button "Later" giving up after 600
	if gave up of answer then return "gave up"
	return button returned of answer
end run`

const pullFields = "author,baseRefName,headRefName,isCrossRepository,isDraft,labels,mergeStateStatus,mergeable,number,title,updatedAt,url"

// more is the word … of the table.
const more = "…"

// unitProperties are those that are asked of a unit: nothing of what it runs.
const unitProperties = "Id,Description,LoadState,LoadError,ActiveState,SubState,UnitFileState,FragmentPath,Result,Persistent," +
	"Unit,TimersCalendar,TimersMonotonic,LastTriggerUSec,ActiveEnterTimestamp,ExecMainExitTimestamp,ExecMainStatus"

// Allowed tells whether argv is in the table. The program is compared by its
// base name.
func Allowed(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	for _, shape := range table() {
		if matches(shape, argv) {
			return true
		}
	}
	return false
}

func matches(shape, argv []string) bool {
	if n := len(shape) - 1; shape[n] == more && len(argv) > n {
		shape = append(shape[:n:n], slices.Repeat([]string{"*"}, len(argv)-n)...)
	}
	if len(shape) != len(argv) || path.Base(argv[0]) != shape[0] {
		return false
	}
	for i, want := range shape[1:] {
		if want == remote && !isRemote(argv[i+1]) || want != remote && !fits(want, argv[i+1]) {
			return false
		}
	}
	return true
}

func fits(want, got string) bool {
	prefix, open := strings.CutSuffix(want, "*")
	if !open {
		return got == want
	}
	return len(got) > len(prefix) && strings.HasPrefix(got, prefix) && !strings.HasPrefix(got, "-")
}
