package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A command is a process to measure: its input and output are files.
type command struct {
	argv   []string
	env    []string     // the whole environment
	stdin  string       // path; the null device when empty
	stdout string       // path; the null device when empty
	before func() error // run before each run; nil for nothing
}

// A cost is what a process and those that it waited for took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes of memory of the largest of them
}

// run runs a command once.
func (c command) run() (cost, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = c.env
	if cmd.Env == nil {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if c.stdin != "" {
		in, err := os.Open(c.stdin)
		if err != nil {
			return cost{}, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	if c.stdout != "" {
		out, err := os.Create(c.stdout)
		if err != nil {
			return cost{}, err
		}
		defer out.Close()
		cmd.Stdout = out
	}
	if c.before != nil {
		if err := c.before(); err != nil {
			return cost{}, err
		}
	}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(c.argv, " "), err, stderr.String())
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := used.Maxrss
	if runtime.GOOS == "linux" {
		peak *= 1024
	}
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak}, nil
}

// costs are those of several runs.
type costs []cost

func (cs costs) median(of func(cost) time.Duration) time.Duration {
	return medianOf(len(cs), func(i int) time.Duration { return of(cs[i]) })
}

func (cs costs) peak() (most int64) {
	for _, c := range cs {
		most = max(most, c.peak)
	}
	return most
}

func cpu(c cost) time.Duration  { return c.cpu }
func wall(c cost) time.Duration { return c.wall }

// inTurn runs commands in turn n times, after each once for nothing, so that
// what else the machine does falls on all of them.
func inTurn(n int, commands ...command) ([]costs, error) {
	all := make([]costs, len(commands))
	for round := range n + 1 {
		for i, c := range commands {
			took, err := c.run()
			if err != nil {
				return nil, err
			}
			if round > 0 {
				all[i] = append(all[i], took)
			}
		}
	}
	return all, nil
}

// ratio is the median of the ratios of what ran in the same round.
func ratio(a, b costs, of func(cost) time.Duration) float64 {
	return medianOf(len(a), func(i int) float64 { return float64(of(a[i])) / float64(of(b[i])) })
}

func medianOf[T int64 | float64 | time.Duration](n int, at func(i int) T) T {
	values := make([]T, n)
	for i := range values {
		values[i] = at(i)
	}
	slices.Sort(values)
	return values[n/2]
}
