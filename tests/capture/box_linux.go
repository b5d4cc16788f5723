package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// The stages of the program inside the box: its first process, and what that runs as the user.
const (
	stageInit   = "box-init"
	stageInside = "box-inside"
)

// The box as it looks from inside.
const (
	boxHost = "devbox"
	boxHome = "/home/dev"
	boxUser = 1000
	boxOut  = "/opt/out"
	boxSelf = "/opt/capture"
	// boxBinary is where the native installer puts a release.
	boxBinary = boxHome + "/.local/share/claude/versions/" + version
)

// boxUptime is how much longer than the real machine the box has been up. It leaves room before a
// process's start to move a session's clock back.
const boxUptime = 9 * 24 * time.Hour

// runBox builds the box, runs the fleet in it and leaves what that writes in out.
func runBox(binary, out string) error {
	dir, err := os.MkdirTemp("", "capture-box-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := layBox(dir, binary); err != nil {
		return err
	}
	if err := os.Chown(out, boxUser, boxUser); err != nil {
		return err
	}
	if err := os.Symlink(out, filepath.Join(dir, "out")); err != nil {
		return err
	}

	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--uts",
		"--time", "--boottime", strconv.Itoa(int(boxUptime.Seconds())), "--", self, stageInit, dir)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd.Run()
}

// layBox makes the directories and files that the box mounts.
func layBox(dir, binary string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, d := range []string{"home/dev", "opt/out", "tmp", filepath.Dir(boxBinary)[1:]} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(dir, "tmp"), 0o1777|os.ModeSticky); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for path, from := range map[string]string{boxBinary[1:]: binary, boxSelf[1:]: self} {
		if err := copyFile(from, filepath.Join(dir, path), 0o755); err != nil {
			return err
		}
	}
	passwd := "root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000:dev:/home/dev:/bin/bash\n"
	machine := "00000000000000000000000000000000\n"
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "passwd"), []byte(passwd), 0o644),
		os.WriteFile(filepath.Join(dir, "machine-id"), []byte(machine), 0o644),
		filepath.Walk(filepath.Join(dir, "home"), func(path string, _ os.FileInfo, err error) error {
			return errors.Join(err, os.Chown(path, boxUser, boxUser))
		}),
	)
}

// initBox is the box's first process: it finishes the box and runs the fleet as the box's user.
// When it ends, everything in the box ends.
func initBox(dir string) error {
	out, err := filepath.EvalSymlinks(filepath.Join(dir, "out"))
	if err != nil {
		return err
	}
	if err := mountBox(dir, out); err != nil {
		return err
	}
	if err := syscall.Sethostname([]byte(boxHost)); err != nil {
		return fmt.Errorf("naming the host: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("raising the loopback interface: %w", err)
	}
	if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte("21000"), 0); err != nil {
		return fmt.Errorf("choosing the first pid: %w", err)
	}
	cmd := exec.Command(boxSelf, stageInside)
	cmd.Stdout, cmd.Stderr, cmd.Dir = os.Stdout, os.Stderr, boxHome
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + boxHome, "USER=dev", "TZ=UTC", "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: boxUser, Gid: boxUser}}
	if err := cmd.Start(); err != nil {
		return err
	}
	return reap(cmd.Process.Pid)
}

// reap waits for the process pid, and meanwhile for the orphans that the first process inherits.
func reap(pid int) error {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case got == pid && status.ExitStatus() != 0:
			return fmt.Errorf("the fleet: exit status %d", status.ExitStatus())
		case got == pid:
			return nil
		}
	}
}

func mountBox(dir, out string) error {
	binds := [][2]string{{out, filepath.Join(dir, "opt/out")}, {filepath.Join(dir, "passwd"), "/etc/passwd"}}
	if _, err := os.Stat("/etc/machine-id"); err == nil {
		binds = append(binds, [2]string{filepath.Join(dir, "machine-id"), "/etc/machine-id"})
	}
	binds = append(binds, [][2]string{
		{filepath.Join(dir, "opt"), "/opt"},
		{filepath.Join(dir, "home"), "/home"},
		{filepath.Join(dir, "tmp"), "/tmp"}, // last: it hides dir
	}...)
	for _, b := range binds {
		if err := syscall.Mount(b[0], b[1], "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", b[1], err)
		}
	}
	if err := syscall.Mount("tmpfs", "/root", "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("mounting /root: %w", err)
	}
	return nil
}

// loopbackUp raises the only network interface of the box.
func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	req := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(req.name[:], "lo")
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req))); errno != 0 {
		return errno
	}
	return nil
}
