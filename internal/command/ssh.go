package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/shell"
)

// sshOptions are ssh and how it is always run: it asks nothing, forwards
// nothing, leaves no master behind, and says its own errors only, so that a
// banner is not taken for one.
var sshOptions = []string{"ssh", "-a", "-x", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=*", "-o", "ControlMaster=no",
	"-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no", "-o", "RemoteCommand=none", "-o", "LogLevel=ERROR"}

// remote is the word of the table for what RemoteCommand returns.
const remote = "exec …"

// remoteScript runs its arguments on another machine, whose PATH may lack the
// places where bin/install.sh puts programs. The login shell there, which may
// be none of POSIX, sees one exec of words in single quotes.
const remoteScript = `case $0 in "~/"*) c=$HOME/${0#??};; *) c=$0;; esac; ` +
	`PATH=$PATH:$HOME/.local/share/fleet-reconcile/current/bin:$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin; export PATH; exec "$c" "$@"`

// remotePrefix begins what RemoteCommand returns.
const remotePrefix = "exec sh -c '" + remoteScript + "'"

// quotedWords are words in single quotes, a single quote in one left out of them.
var quotedWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?: '(?:[^']|'\\'')*')+$`) })

// RemoteCommand is the command line that runs words on another machine, each
// word as it stands. One that begins with ~/ is a program of the home there.
func RemoteCommand(words []string) string {
	line := remotePrefix
	for _, w := range words {
		line += " " + shell.Quote(w)
	}
	return line
}

func isRemote(line string) bool {
	words, ok := strings.CutPrefix(line, remotePrefix)
	return ok && quotedWords().MatchString(words)
}

// SSH is the argv that runs words at a destination of ssh. config is ssh's
// configuration file, its own when empty; connect the seconds until a
// connection must be there.
func SSH(destination, config string, connect int, words []string) []string {
	argv := slices.Clone(sshOptions)
	argv[slices.Index(argv, "ConnectTimeout=*")] = "ConnectTimeout=" + strconv.Itoa(connect)
	if config != "" {
		argv = slices.Insert(argv, 1, "-F", config)
	}
	return append(argv, "--", destination, RemoteCommand(words))
}
