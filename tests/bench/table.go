package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// measure prints a table of the rows whose names match, as they come, and keeps
// it in a file when one is named. The error names the rows beyond their bounds.
func measure(l lab, only *regexp.Regexp, n int, keep string) error {
	var table strings.Builder
	put := func(format string, args ...any) {
		fmt.Printf(format, args...)
		fmt.Fprintf(&table, format, args...)
	}
	put("%s, %d rounds.\n\n| row | what | took | against | took | ratio | at most | |\n|---|---|---|---|---|---|---|---|\n", machine(), n)
	var over []string
	for _, r := range rows() {
		if !only.MatchString(r.name) {
			continue
		}
		f, err := r.measure(l, n)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		within := "yes"
		if f.value > r.bound {
			within = "**no**"
			over = append(over, r.name)
		}
		put("| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, r.what, f.took, r.against, f.other, r.unit.write(f.value), r.limits(), within)
	}
	if keep != "" {
		if err := write(keep, table.String()); err != nil {
			return err
		}
	}
	if len(over) > 0 {
		return errors.New("beyond their bounds: " + strings.Join(over, ", "))
	}
	return nil
}

func (r row) limits() string {
	if r.stretch == 0 {
		return r.unit.write(r.bound)
	}
	return r.unit.write(r.bound) + " (better " + r.unit.write(r.stretch) + ")"
}

func (u unit) write(v float64) string {
	switch u {
	case mib:
		return fmt.Sprintf("%.0f MiB", v)
	case seconds:
		return fmt.Sprintf("%+.2f s", v)
	}
	return fmt.Sprintf("%.2f ×", v)
}

// machine says on what and when something was measured.
func machine() string {
	jq, _ := exec.Command("jq", "--version").Output()
	kernel, _ := exec.Command("uname", "-sr").Output()
	return fmt.Sprintf("%s: %s, %d cores, %s, %s, %s", time.Now().UTC().Format("2006-01-02"), processor(), runtime.NumCPU(), strings.TrimSpace(string(kernel)), runtime.Version(), strings.TrimSpace(string(jq)))
}

// processor is the model of the processor, as far as the system tells.
func processor() string {
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				return strings.Trim(name, "\t :\n")
			}
		}
	}
	b, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
	if name := strings.TrimSpace(string(b)); name != "" {
		return name
	}
	return runtime.GOARCH
}

// marks are around the table in a file.
const (
	tableBegins = "<!-- bench -->\n"
	tableEnds   = "<!-- end -->\n"
)

// write puts the table into a file in the place of the one that is there.
func write(path, table string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !ok || !ends {
		return fmt.Errorf("%s has no place for a table", path)
	}
	return os.WriteFile(path, []byte(before+tableBegins+table+tableEnds+after), 0o644)
}
