package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
)

// Processes returns the process table.
func Processes(ctx context.Context) (Table, error) {
	res, err := ask(ctx, "ps", "-axww", "-o", "pid=,ppid=,lstart=,args=")
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	return parsePS(string(res.Stdout)), nil
}

// ReadProcess returns the process of a pid; nil when there is none.
func ReadProcess(pid int) (*Process, error) {
	t, err := Processes(context.Background())
	return t.Find(pid), err
}

// Cwd returns the working directory of a process.
func Cwd(ctx context.Context, pid int) (string, error) {
	res, err := ask(ctx, "lsof", "-a", "-d", "cwd", "-p", strconv.Itoa(pid), "-Fn")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(res.Stdout)) {
		if dir, ok := strings.CutPrefix(line, "n"); ok {
			return strings.TrimSuffix(dir, "\n"), nil
		}
	}
	return "", fmt.Errorf("lsof: the directory of process %d is not told", pid)
}

func ask(ctx context.Context, argv ...string) (command.Result, error) {
	res, err := command.Act(ctx, command.Spec{Argv: argv, Env: []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH") + ":/usr/sbin"},
		Timeout: 10 * time.Second, KillAfter: time.Second, MaxOutput: 16 << 20})
	if err == nil && res.Status != 0 {
		err = errors.New(command.Exit(res.Status, res.FirstLine()))
	}
	if err != nil {
		return res, fmt.Errorf("%s: %w", argv[0], err)
	}
	return res, nil
}
