package driver

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestProcess_Session(t *testing.T) {
	tests := []struct {
		exe  string
		argv []string
		want bool
	}{
		{"/x/claude", []string{"claude", "--model", "m"}, true},
		{"/home/a/.local/share/claude/versions/2.1.280", []string{"claude"}, true},
		{"/usr/bin/node", []string{"claude"}, true}, // it calls itself so
		{"/usr/bin/node", []string{"node", "/usr/bin/claude"}, true},
		{"/usr/bin/dash", []string{"/bin/sh", "/x/claude"}, true},
		{"/usr/bin/grep", []string{"grep", "claude"}, false},
		{"/x/claude", []string{"claude", "daemon", "run"}, false},
		{"/x/claude", []string{"claude", "attach", "1234abcd"}, false},
		{"/usr/bin/vi", []string{"vi", "claude"}, false},
		{"", nil, false},
	}
	for _, tt := range tests {
		if got := (Process{Exe: tt.exe, Argv: tt.argv}).Session(); got != tt.want {
			t.Errorf("%q: %t", tt.argv, got)
		}
	}
}

// The nearest session at or below a process is found, and a loop of parents
// ends.
func TestTable_Session(t *testing.T) {
	claude := func(pid, parent int) Process {
		return Process{PID: pid, PPID: parent, Exe: "/x/claude", Argv: []string{"claude"}}
	}
	table := Table{{PID: 1, PPID: 1}, {PID: 2, PPID: 1, Argv: []string{"sh"}}, claude(4, 3), {PID: 3, PPID: 2, Argv: []string{"sh"}}, claude(5, 2), {PID: 8, PPID: 9}, {PID: 9, PPID: 8}}
	for pid, want := range map[int]int{1: 5, 2: 5, 3: 4, 4: 4, 8: 0, 7: 0} {
		got := 0
		if p := table.Session(pid); p != nil {
			got = p.PID
		}
		if got != want {
			t.Errorf("below %d: %d, want %d", pid, got, want)
		}
	}
}

func TestTarget_Same(t *testing.T) {
	at := time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
	p := &Process{PID: 7, Start: at}
	tests := []struct {
		name   string
		target Target
		p      *Process
		want   bool
	}{
		{"the same", Target{PID: 7, Start: at}, p, true},
		{"read another way", Target{PID: 7, Start: at.Add(-1500 * time.Millisecond)}, p, true},
		{"a later one", Target{PID: 7, Start: at.Add(-time.Minute)}, p, false},
		{"another", Target{PID: 8, Start: at}, p, false},
		{"gone", Target{PID: 7, Start: at}, nil, false},
		{"not known", Target{}, p, true},
		{"no start known", Target{PID: 7}, p, true},
	}
	for _, tt := range tests {
		if got := tt.target.Same(tt.p); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// A process that does not mind TERM is ended all the same, and its pid is read
// as nobody's.
func TestEnd(t *testing.T) {
	for _, script := range []string{"sleep 600 & wait", "trap '' TERM; echo; while :; do sleep 600 & wait; done"} {
		cmd := exec.Command("sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go cmd.Wait()
		defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it started
		p, err := ReadProcess(cmd.Process.Pid)
		if err != nil || p == nil || p.PPID != os.Getpid() || p.Start.IsZero() {
			t.Fatalf("%+v, %v", p, err)
		}
		if cwd, err := Cwd(t.Context(), p.PID); err != nil || cwd == "" {
			t.Errorf("%q, %v", cwd, err)
		}
		if err := End(t.Context(), *p, 300*time.Millisecond); err != nil {
			t.Error(err)
		}
		if p, err := ReadProcess(cmd.Process.Pid); err != nil || p != nil {
			t.Errorf("%+v, %v", p, err)
		}
	}
	table, err := Processes(t.Context())
	if err != nil || table.Find(os.Getpid()) == nil {
		t.Errorf("this process is not in the table: %v", err)
	}
}
