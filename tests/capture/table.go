package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// row is a file of the fixture in the table.
type row struct {
	path    string // below the fixture
	source  string // the command or the file that it was captured from
	date    string
	changed string
	sum     string
}

// The table stands between these lines of fixtures/README.md; what is around them is kept.
const (
	tableBegin = "<!-- cc-" + version + ": written by tests/capture; don't edit -->"
	tableEnd   = "<!-- end of cc-" + version + " -->"
)

// writeTable puts the table into the file.
func writeTable(path string, rows []row, notes []string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.path, b.path) })
	before, rest, ok := strings.Cut(string(old), tableBegin)
	after := "\n"
	if ok {
		if _, after, ok = strings.Cut(rest, tableEnd); !ok {
			return fmt.Errorf("writing the table: %s has no line %q", path, tableEnd)
		}
	} else if before == "" {
		before = "# Fixtures\n\n"
	} else {
		before = strings.TrimRight(before, "\n") + "\n\n"
	}
	return os.WriteFile(path, []byte(before+table(rows, notes)+after), 0o644)
}

// table renders the notes and the rows.
func table(rows []row, notes []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n## %s\n\n%s\n", tableBegin, fixtureName, about)
	for _, n := range notes {
		fmt.Fprintf(&b, "* %s\n", n)
	}
	b.WriteString("\n")
	b.WriteString("| path | command or source file | version | date | changed | sha256 |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s | `%s` |\n", r.path, r.source, version, r.date, r.changed, r.sum)
	}
	b.WriteString(tableEnd)
	return b.String()
}

const about = `One moment of a fleet of sessions of the real Claude Code, which talked to a stub of the Messages API on loopback in an
isolated box: the machine is ` + "`devbox`" + `, its user ` + "`dev`" + `, and every prompt and answer is our own. Claude Code's own limit and error
lines are verbatim. ` + "`truth.tsv`" + ` says of each session how it came about and which class it has under the scope ` + "`local`" + `.
Make it again with ` + "`go run ./tests/capture`" + ` (root, Linux). The layout is that of ` + "`--fixtures`" + `.

Done to single sessions before the moment, or afterwards to their clocks (all of a session's times move together: transcripts,
process file, start of the process, history, row of the listing):
`

// source names what a file of the fixture was captured from.
func source(name string) string {
	if command, ok := strings.CutPrefix(name, "commands/"); ok {
		for _, argv := range [][]string{argvListing, argvVersion} {
			if strings.HasPrefix(command, commandDir(argv)+"/") {
				return strings.Join(argv, " ")
			}
		}
	}
	if file, ok := strings.CutPrefix(name, "root/"); ok {
		return "/" + strings.ReplaceAll(file, "dot-git", ".git")
	}
	return "/proc, hostname, date"
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
