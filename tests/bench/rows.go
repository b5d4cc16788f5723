package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A row is one thing that is measured and what it may be.
type row struct {
	name    string
	what    string
	against string
	bound   float64 // of unit
	stretch float64 // what it should be; 0 for none
	unit    unit
	measure func(l lab, n int) (figure, error)
}

// A figure is what a row came to: the value that is bounded, and the two that
// it was made of.
type figure struct {
	value       float64
	took, other string
}

// unit says how a value is written.
type unit string

const (
	times   unit = "×"
	seconds unit = "s"
	mib     unit = "MiB"
)

const (
	many = 100_000
	few  = 10_000
)

// rows are all that is measured.
func rows() []row {
	rs := []row{
		{"observe-claude", "observe-claude, 10,000 sessions, 4 GB of transcripts, warm, two workers: wall", "`tail -c 128K`, two at a time, of the same transcripts, and `cat` of the same job and process files", 2, 1.2, times, observeClaude},
		{"observe-claude-memory", "its peak memory", "64 MiB and 4 KiB a session", 64 + 4*few/1024.0, 0, mib, observePeak},
		{"observe-claude-large", "observe-claude, one transcript of 300 MB: peak memory", "100 MB", 95, 0, mib, observeLarge},
		{"classify", "classify, 100,000 sessions: cpu", "`jq -c .` over the same", 0.9, 0.35, times, stageAgainst("observe", "fleet-classify")},
		{"asks", "asks, the stream that classify made of it: cpu", "`jq -c .` over the same", 0.6, 0, times, stageAgainst("classify", "fleet-asks")},
		{"ledger-observe", "ledger observe, 1,000,000 lines: cpu", "`jq -c .` over the ledger", 0.45, 0, times, ledgerObserve},
		{"ledger-append", "ledger append, one entry, a ledger of 1,000,000 lines: cpu", "the same, of 1,000", 1.2, 0, times, ledgerAppend},
		{"render-md", "render md, 100,000 sessions: cpu", "`jq -c .` over the same", 0.9, 0, times, stageAgainst("asks", "fleet-render")},
		{"render-html", "render html, 100,000 sessions: cpu", "`jq -c .` over the same", 1.2, 0, times, stageAgainst("asks", "fleet-render", "--format", "html")},
		{"tick", "a tick, 200 sessions, no repository looked at: wall beyond the listing", "the listing alone", 0.6, 0.25, seconds, tick},
	}
	for _, p := range [][]string{{"fleet-classify"}, {"fleet-asks"}, {"fleet-render"}} {
		rs = append(rs, row{"start-" + p[0][6:], "start of " + p[0][6:] + ", no input: cpu", "a Go program that does nothing", 2, 0, times, start(p...)})
	}
	for _, p := range [][]string{{"fleet-observe-claude"}, {"fleet-observe-paseo"}, {"fleet-observe-board"}} {
		rs = append(rs, row{"start-" + p[0][6:], "start of " + p[0][6:] + ", nothing there: cpu", "a Go program that does nothing", 3, 0, times, start(p...)})
	}
	for _, g := range []struct{ name, stage string }{{"classify", "observe"}, {"asks", "classify"}, {"render-md", "asks"}, {"render-html", "asks"}} {
		rs = append(rs, row{"growth-" + g.name, g.name + ", 100,000 sessions: cpu a session", "the same of 10,000", 1.2, 0, times, growth(g.stage, stages[g.name]...)})
	}
	return append(rs, row{"growth-observe-claude", "observe-claude, 10,000 sessions: cpu a session", "the same of 1,000", 1.2, 0, times, observeGrowth})
}

var stages = map[string][]string{"classify": {"fleet-classify"}, "asks": {"fleet-asks"}, "render-md": {"fleet-render"}, "render-html": {"fleet-render", "--format", "html"}}

// against is the ratio of two commands in turn.
func against(n int, of func(cost) time.Duration, a, b command) (figure, error) {
	both, err := inTurn(n, a, b)
	if err != nil {
		return figure{}, err
	}
	return figure{ratio(both[0], both[1], of), short(both[0].median(of)), short(both[1].median(of))}, nil
}

func short(d time.Duration) string {
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// stageAgainst measures a filter over the stream of a stage against jq.
func stageAgainst(stage string, argv ...string) func(lab, int) (figure, error) {
	return func(l lab, n int) (figure, error) {
		in, err := l.stream(stage, many)
		if err != nil {
			return figure{}, err
		}
		return against(n, cpu, l.filter(in, argv...), command{argv: []string{"jq", "-c", "."}, stdin: in})
	}
}

func (l lab) filter(in string, argv ...string) command {
	return command{argv: append([]string{l.program(argv[0])}, argv[1:]...), stdin: in}
}

// growth measures what a session costs among many and among few.
func growth(stage string, argv ...string) func(lab, int) (figure, error) {
	return func(l lab, n int) (figure, error) {
		large, err := l.stream(stage, many)
		if err != nil {
			return figure{}, err
		}
		small, err := l.stream(stage, few)
		if err != nil {
			return figure{}, err
		}
		f, err := against(n, cpu, l.filter(large, argv...), l.filter(small, argv...))
		f.value *= float64(few) / many
		return f, err
	}
}

// start measures a program that finds nothing: no input, an empty home.
func start(argv ...string) func(lab, int) (figure, error) {
	return func(l lab, n int) (figure, error) {
		home := l.path("empty")
		if err := os.MkdirAll(home, 0o700); err != nil {
			return figure{}, err
		}
		c := l.filter("", argv...)
		c.env = []string{"HOME=" + home, "PATH=" + home}
		return against(max(n, 50), cpu, c, command{argv: []string{l.program("nothing")}, env: c.env})
	}
}

// observer is fleet-observe-claude over a generated fleet.
func (l lab) observer(home string) command {
	return command{argv: []string{l.program("fleet-observe-claude"), "--now", now},
		env: []string{"HOME=" + home, "GOMAXPROCS=2", "PATH=" + filepath.Join(home, "bin") + ":/usr/bin:/bin"}}
}

func observeClaude(l lab, n int) (figure, error) {
	home, err := l.made("fleet", few)
	if err != nil {
		return figure{}, err
	}
	read := fmt.Sprintf("xargs -0 -P2 tail -c 131072 <%s/transcripts >/dev/null; xargs -0 cat <%s/files >/dev/null", home, home)
	return against(n, wall, l.observer(home), command{argv: []string{"sh", "-c", read}})
}

func observePeak(l lab, n int) (figure, error) {
	home, err := l.made("fleet", few)
	if err != nil {
		return figure{}, err
	}
	return peak(n, l.observer(home))
}

func peak(n int, c command) (figure, error) {
	all, err := inTurn(n, c)
	if err != nil {
		return figure{}, err
	}
	value := float64(all[0].peak()) / (1 << 20)
	return figure{value, fmt.Sprintf("%.0f MiB", value), ""}, nil
}

func observeGrowth(l lab, n int) (figure, error) {
	large, err := l.made("fleet", few)
	if err != nil {
		return figure{}, err
	}
	small, err := l.made("fleet", few/10)
	if err != nil {
		return figure{}, err
	}
	f, err := against(n, cpu, l.observer(large), l.observer(small))
	f.value /= 10
	return f, err
}

// observeLarge observes one session with a transcript of 300 MB, the last line
// of which decides.
func observeLarge(l lab, n int) (figure, error) {
	home, err := l.made("large", 1)
	if err != nil {
		return figure{}, err
	}
	return peak(n, l.observer(home))
}

func ledgerObserve(l lab, n int) (figure, error) {
	home, err := l.home(1_000_000)
	if err != nil {
		return figure{}, err
	}
	ledger := filepath.Join(home, ".local/state/fleet-reconcile", ledgerScope, "ledger.jsonl")
	c := command{argv: []string{l.program("fleet-ledger"), "observe", "--scope", ledgerScope}, env: []string{"HOME=" + home}}
	return against(n, cpu, c, command{argv: []string{"jq", "-c", "."}, stdin: ledger})
}

// ledgerAppend appends one entry to a long ledger and to a short one.
func ledgerAppend(l lab, n int) (figure, error) {
	var commands []command
	for _, size := range []int{1_000_000, 1000} {
		c, err := l.appends(size)
		if err != nil {
			return figure{}, err
		}
		commands = append(commands, c)
	}
	return against(max(n, 21), cpu, commands[0], commands[1])
}

// appends is an append of one entry to a ledger of n lines, from which it is
// taken away again before each run.
func (l lab) appends(n int) (command, error) {
	home, err := l.home(n)
	if err != nil {
		return command{}, err
	}
	ledger := filepath.Join(home, ".local/state/fleet-reconcile", ledgerScope, "ledger.jsonl")
	info, err := os.Stat(ledger)
	if err != nil {
		return command{}, err
	}
	number, fire, err := lastTick(ledger)
	if err != nil {
		return command{}, err
	}
	in, err := l.asking(number, fire)
	return command{argv: []string{l.program("fleet-ledger"), "append", "--scope", ledgerScope}, env: []string{"HOME=" + home}, stdin: in,
		before: func() error { return os.Truncate(ledger, info.Size()) }}, err
}

// asking is the stream of a tick that asks something for the first time.
func (l lab) asking(number int, fire []byte) (string, error) {
	home, err := l.made("fleet", 49)
	if err != nil {
		return "", err
	}
	state := filepath.Join(home, ".local/state/fleet-reconcile", ledgerScope)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(state, "ledger.jsonl"), append(fire, '\n'), 0o600); err != nil {
		return "", err
	}
	if err := configure(home); err != nil {
		return "", err
	}
	path := l.path("asking-" + strconv.Itoa(number))
	script := fmt.Sprintf("set -e; { fleet-config tick --tick %d; fleet-observe-claude; fleet-ledger observe; } | fleet-classify | fleet-asks", number)
	_, err = command{argv: []string{"sh", "-c", script}, stdout: path, env: []string{"HOME=" + home, "FLEET_SCOPE=" + ledgerScope, "FLEET_NOW=" + now,
		"PATH=" + l.bin + ":" + filepath.Join(home, "bin") + ":/usr/bin:/bin"}}.run()
	return path, err
}
