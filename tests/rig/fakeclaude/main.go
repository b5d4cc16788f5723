// Fakeclaude is a stand-in for an idle session of Claude Code: it notes itself in
// ~/.claude/sessions, shows the pane in the file idle.txt beside it, and stays.
// Asked for its version or its agents it answers as Claude Code 2.1.280 does. It
// starts at once and takes no memory, for tests of what starts and ends sessions.
package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// session is a process file and, without some fields, a row of the listing.
type session struct {
	PID       int    `json:"pid"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	StartedAt int64  `json:"startedAt"`
	ProcStart string `json:"procStart,omitempty"`
	Version   string `json:"version,omitempty"`
	Kind      string `json:"kind"`
	Name      string `json:"name,omitempty"`
	Status    string `json:"status"`
	StatusAt  int64  `json:"statusUpdatedAt,omitempty"`
}

const version = "2.1.280"

func main() {
	log.SetFlags(0)
	err := run(os.Args[1:])
	if by, ok := errors.AsType[ended](err); ok {
		os.Exit(128 + int(by.signal))
	}
	if err != nil {
		log.Fatalf("fakeclaude: %v", err)
	}
}

func run(args []string) error {
	dir := filepath.Join(os.Getenv("HOME"), ".claude/sessions")
	switch {
	case len(args) == 1 && args[0] == "--version":
		_, err := fmt.Println(version + " (Claude Code)")
		return err
	case len(args) > 0 && args[0] == "agents":
		return list(dir)
	}
	return stay(dir)
}

// list prints the sessions whose processes live.
func list(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	rows := []session{}
	for _, name := range names {
		var s session
		b, err := os.ReadFile(name)
		if err == nil && json.Unmarshal(b, &s) == nil && syscall.Kill(s.PID, 0) == nil {
			s.ProcStart, s.Version, s.StatusAt = "", "", 0
			rows = append(rows, s)
		}
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(rows)
	}
	return err
}

// stay is a session until it is told to end.
func stay(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	start, err := procStart()
	if err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	b, err := json.Marshal(session{os.Getpid(), uuid(), cwd, now, start, version, "interactive", filepath.Base(cwd), "idle", now})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, strconv.Itoa(os.Getpid())+".json")
	if err := os.WriteFile(file+".part", b, 0o600); err != nil {
		return err
	}
	if err := os.Rename(file+".part", file); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pane, err := os.ReadFile(filepath.Join(filepath.Dir(self), "idle.txt"))
	if err != nil {
		return err
	}
	fmt.Print("\x1b[2J\x1b[H" + strings.ReplaceAll(strings.TrimRight(string(pane), "\n"), "\n", "\r\n"))
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	by := (<-told).(syscall.Signal)
	return errors.Join(os.Remove(file), ended{by})
}

// ended is the end of a session by a signal, of which it tells in its status.
type ended struct{ signal syscall.Signal }

func (e ended) Error() string { return "ended by " + e.signal.String() }

// procStart is the start of this process in ticks since boot, as Claude Code
// writes it on Linux.
func procStart() (string, error) {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	return fields[19], nil
}

func uuid() string {
	var b [16]byte
	rand.Read(b[:])
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
