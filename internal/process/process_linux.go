package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// List returns the process table. What ends meanwhile is not in it.
func List(ctx context.Context) ([]Process, error) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	return among(ctx, dirs, Find)
}

// among finds the processes that have one of the directories.
func among(ctx context.Context, dirs []os.DirEntry, find func(ctx context.Context, pid int) (*Process, error)) ([]Process, error) {
	ps := []Process{}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		p, err := find(ctx, pid)
		if err != nil {
			return nil, err // not a shorter table, in which something seems to have ended
		}
		if p != nil {
			ps = append(ps, *p)
		}
	}
	return ps, nil
}

// Find returns the process of a pid; nil when there is none.
func Find(_ context.Context, pid int) (*Process, error) {
	p := &Process{PID: pid}
	args, err := p.read("cmdline")
	switch {
	case gone(err):
		return nil, nil
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		p.Hidden = true // /proc is mounted with hidepid
		return p, nil
	case err != nil:
		return nil, err
	case len(args) == 0:
		return p, nil
	}
	p.Argv = strings.Split(strings.TrimRight(string(args), "\x00"), "\x00")
	exe, err := os.Readlink(p.file("exe"))
	if err != nil {
		exe = p.Argv[0]
	}
	p.Exe = strings.TrimSuffix(exe, " (deleted)")
	return p, nil
}

// Stat returns what else there is of the process; os.ErrNotExist when it ended.
func (p Process) Stat() (Stat, error) {
	b, err := p.read("stat")
	if gone(err) {
		return Stat{}, fmt.Errorf("process %d: %w", p.PID, os.ErrNotExist)
	}
	if err != nil {
		return Stat{}, err
	}
	s, err := parseStat(b)
	if err != nil {
		return Stat{}, fmt.Errorf("%s: %w", p.file("stat"), err)
	}
	return s, nil
}

// Cwd returns the working directory of the process.
func (p Process) Cwd(context.Context) (string, error) { return os.Readlink(p.file("cwd")) }

// Environ returns the environment that the process began with, each entry with a
// NUL behind it.
func (p Process) Environ() ([]byte, error) { return p.read("environ") }

// BootAt is when this machine started, by /proc/stat; zero when it cannot be told.
func BootAt() time.Time {
	b, err := read("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(b)) {
		if s, ok := strings.CutPrefix(line, "btime "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
				return time.Unix(n, 0).UTC()
			}
		}
	}
	return time.Time{}
}

func (p Process) file(name string) string { return "/proc/" + strconv.Itoa(p.PID) + "/" + name }

func (p Process) read(name string) ([]byte, error) {
	b, err := read(p.file(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.file(name), err)
	}
	return b, nil
}

// gone tells whether a file of /proc was not read because its process ended.
func gone(err error) bool { return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH) }

// read reads a file of /proc. An os.File would cost six system calls more for
// each process of the machine: it is prepared for waiting, which none of these
// needs; and of these files a read that is not full is the last (fs/proc/base.c and
// fs/seq_file.c of Linux), so none more asks for the end.
func read(name string) ([]byte, error) {
	var fd int
	err := uninterrupted(func() (err error) {
		fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	b := make([]byte, 0, 1024)
	for {
		n, free := 0, cap(b)-len(b)
		err := uninterrupted(func() (err error) {
			n, err = syscall.Read(fd, b[len(b):cap(b)])
			return err
		})
		if err != nil {
			return nil, err
		}
		if b = b[:len(b)+n]; n < free {
			return b, nil
		}
		b = slices.Grow(b, 512)
	}
}

// uninterrupted calls f again while a signal interrupts it.
func uninterrupted(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}
