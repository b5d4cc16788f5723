// Rig stands in the place of a program that another one runs, and does what such
// a program should not: it hangs, floods, dies. What it does is in a file beside
// it, of its own name and .do. As limit it takes a resource from a program.
//
// Usage:
//
//	limit RESOURCE=N… -- COMMAND [ARGUMENT]…
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if filepath.Base(os.Args[0]) == "limit" {
		fail(limit(os.Args[1:]))
	}
	self, err := os.Executable() // who runs it may call it by another name
	if err != nil {
		fail(err)
	}
	do, err := os.ReadFile(self + ".do")
	if err != nil {
		fail(err)
	}
	for line := range strings.Lines(string(do)) {
		if words := strings.Fields(line); len(words) > 0 {
			act(words[0], words[1:])
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "rig:", err)
	os.Exit(99)
}

// The resources that a process can be short of, and their numbers on Linux and
// macOS, where they differ, as package syscall has them.
var resources = map[string]int{"NOFILE": syscall.RLIMIT_NOFILE, "FSIZE": syscall.RLIMIT_FSIZE, "AS": syscall.RLIMIT_AS, "NPROC": 6}

// limit becomes a command that has no more than N of each RESOURCE.
func limit(args []string) error {
	for len(args) > 0 && args[0] != "--" {
		name, value, _ := strings.Cut(args[0], "=")
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil {
			return err
		}
		if err := syscall.Setrlimit(resources[name], &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		args = args[1:]
	}
	return syscall.Exec(args[1], args[1:], os.Environ())
}

// act does one thing.
func act(what string, words []string) {
	switch what {
	case "version": // what claude says of itself, when it is asked
		if len(os.Args) == 2 && os.Args[1] == "--version" {
			fmt.Println("2.1.280 (Claude Code)")
			os.Exit(0)
		}
	case "note": // the pid of this process, a line
		note(words[0], os.Getpid())
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case "child": // that holds our output, deaf as well, for ever
		child := exec.Command("sh", "-c", `trap "" TERM INT HUP; while :; do sleep 1; done`)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fail(err)
		}
		note(words[0], child.Process.Pid)
	case "hang":
		time.Sleep(time.Hour)
	case "cat":
		f, err := os.Open(words[0])
		if err != nil {
			fail(err)
		}
		io.Copy(os.Stdout, f)
	case "print":
		fmt.Println(strings.Join(words, " "))
	case "complain":
		fmt.Fprintln(os.Stderr, strings.Join(words, " "))
	case "repeat": // WORD TIMES on standard output, complaints on the other
		repeat(os.Stdout, words)
	case "flood":
		repeat(os.Stderr, words)
	case "die":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case "exit":
		n, _ := strconv.Atoi(words[0])
		os.Exit(n)
	default:
		fail(fmt.Errorf("what is %s?", what))
	}
}

// repeat writes a word, in Go's quoting, so many times. Who reads may go away.
func repeat(w io.Writer, words []string) {
	word, err := strconv.Unquote(words[0])
	if err != nil {
		fail(err)
	}
	n, err := strconv.Atoi(words[1])
	if err != nil {
		fail(err)
	}
	many := max(1, min(n, 1<<20/len(word)))
	block := bytes.Repeat([]byte(word), many)
	for ; n > 0; n -= many {
		if _, err := w.Write(block[:min(many, n)*len(word)]); err != nil {
			return
		}
	}
}

func note(file string, pid int) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err == nil {
		_, err = fmt.Fprintln(f, pid)
	}
	if err != nil {
		fail(err)
	}
	f.Close()
}
