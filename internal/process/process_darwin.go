package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
)

// List returns the process table.
func List(ctx context.Context) ([]Process, error) {
	out, err := ask(ctx, "ps", "-axww", "-o", "pid=,ppid=,lstart=,args=")
	if err != nil {
		return nil, err
	}
	return parsePS(out), nil
}

// Find returns the process of a pid; nil when there is none.
func Find(ctx context.Context, pid int) (*Process, error) {
	ps, err := List(ctx)
	if i := slices.IndexFunc(ps, func(p Process) bool { return p.PID == pid }); i >= 0 {
		return &ps[i], err
	}
	return nil, err
}

// Stat returns what else the table has of the process.
func (p Process) Stat() (Stat, error) { return p.stat, nil }

// Cwd returns the working directory of the process.
func (p Process) Cwd(ctx context.Context) (string, error) {
	out, err := ask(ctx, "lsof", "-a", "-d", "cwd", "-p", strconv.Itoa(p.PID), "-Fn")
	if err != nil {
		return "", err
	}
	return parseLsof(out)
}

// BootAt is when this machine started; zero when it cannot be told.
func BootAt() time.Time {
	out, err := ask(context.Background(), "sysctl", "-n", "kern.boottime")
	if err != nil {
		return time.Time{}
	}
	return bootTime(out)
}

// ask returns what a program of the system prints, in the C locale and in UTC.
func ask(ctx context.Context, argv ...string) (string, error) {
	res, err := command.Run(ctx, command.Spec{Argv: argv, Env: []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH") + ":/usr/sbin"},
		Timeout: 10 * time.Second, KillAfter: time.Second, MaxOutput: 16 << 20})
	if errors.Is(err, command.ErrTimeout) && ctx.Err() != nil {
		err = command.ErrEnded
	}
	if err == nil && res.Status != 0 {
		err = errors.New(command.Exit(res.Status, res.FirstLine()))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", argv[0], err)
	}
	return string(res.Stdout), nil
}
