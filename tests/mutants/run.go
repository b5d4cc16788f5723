package mutants

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Rows requires that every row of the table names a site.
func (m Table) Rows(t *testing.T) {
	t.Helper()
	names := map[string]bool{}
	for _, s := range m.sites(t) {
		names[s.name] = true
	}
	for _, rows := range []map[string]string{m.Slips, m.Equivalent} {
		for name, row := range rows {
			if !names[name] || row == "" {
				t.Errorf("no site is %q", name)
			}
		}
	}
	t.Logf("%d sites", len(names))
}

// Kill lets every site slip, one at a time, and requires that a test of the
// package fails each time. It runs on Linux when FLEET_MUTATE is set. All slips are built
// into one test binary, of which a variable of the environment chooses one; only
// the tests that come by a site run, the quickest first.
func (m Table) Kill(t *testing.T) {
	t.Helper()
	if os.Getenv("FLEET_MUTATE") == "" || runtime.GOOS != "linux" {
		t.Skip("FLEET_MUTATE is not set, or this is not Linux")
	}
	killed, survived := m.slip(t)
	for _, says := range survived {
		t.Error("survived: " + says)
	}
	t.Logf("mutants: %d killed, %d survived", killed, len(survived))
}

// slip tries every slip. What survives comes with its file and its slip, and
// whether a test comes by.
func (m Table) slip(t *testing.T) (killed int, survived []string) {
	t.Helper()
	all := slices.DeleteFunc(m.sites(t), func(s site) bool { return m.Equivalent[s.name] != "" })
	b := binary{path: overlaid(t, all), tmp: t.TempDir()}
	defer b.endLeft()
	tests := b.tests(t)
	dead := make([]bool, len(all))
	b.each(len(all), func(i int) {
		dead[i] = slices.ContainsFunc(tests, func(by aTest) bool { return by.reached[i+1] && b.run(i+1, by.name, "") != nil })
	})
	for i, s := range all {
		if dead[i] {
			killed++
			continue
		}
		by := slices.ContainsFunc(tests, func(by aTest) bool { return by.reached[i+1] })
		survived = append(survived, fmt.Sprintf("%s: %s as %q, reached by a test: %t", s.file, s.name, s.slip, by))
	}
	return killed, survived
}

// binary is the built tests.
type binary struct{ path, tmp string }

// aTest is one test, which passes without a slip.
type aTest struct {
	name    string
	took    time.Duration
	reached map[int]bool // numbers of sites
}

// tests are the tests that come by a site, the quickest first.
func (b binary) tests(t *testing.T) []aTest {
	t.Helper()
	out, err := exec.Command(b.path, "-test.list", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	tests := []aTest{}
	for name := range strings.FieldsSeq(string(out)) {
		tests = append(tests, aTest{name: name, reached: map[int]bool{}})
	}
	failed := make([]error, len(tests))
	b.each(len(tests), func(i int) {
		log := filepath.Join(b.tmp, tests[i].name)
		begin := time.Now()
		failed[i] = b.run(0, tests[i].name, log)
		tests[i].took = time.Since(begin)
		reached, _ := os.ReadFile(log)
		for n := range strings.FieldsSeq(string(reached)) {
			var at int
			fmt.Sscan(n, &at)
			tests[i].reached[at] = true
		}
	})
	for i, err := range failed {
		if err != nil {
			t.Fatalf("without a slip: %s: %v", tests[i].name, err)
		}
	}
	slices.SortFunc(tests, func(a, b aTest) int { return cmp.Compare(a.took, b.took) })
	return slices.DeleteFunc(tests, func(by aTest) bool { return len(by.reached) == 0 })
}

// run runs one test with one slip, none for 0, and notes in log, unless it is
// "", which sites the test comes by.
func (b binary) run(slip int, name, log string) error {
	cmd := exec.Command(b.path, "-test.failfast", "-test.timeout=60s", "-test.run", "^"+name+"$")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FLEET_MUTATE=") })
	cmd.Env = append(cmd.Env, fmt.Sprint("FLEET_MUTANT=", slip), "FLEET_REACHED="+log, "TMPDIR="+b.tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := os.CreateTemp(b.tmp, "said")
	if err != nil {
		return err
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said // a pipe would wait for what it left running
	if err := cmd.Start(); err != nil {
		return err
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if err != nil {
		out, _ := os.ReadFile(said.Name())
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// endLeft ends what the tests left running in groups of its own: what has tmp, or a place
// below, in its environment. A mutant that broke what ends processes leaves some.
func (b binary) endLeft() {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range environs {
		environ, err := os.ReadFile(name)
		pid, bad := strconv.Atoi(strings.Split(name, "/")[2])
		if err == nil && bad == nil && pid != os.Getpid() && bytes.Contains(environ, []byte("="+b.tmp)) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// each runs f for 0 to n-1, as many at once as there are processors.
func (b binary) each(n int, f func(int)) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	wg.Wait()
}

// chooser is the source of what a slip asks.
const chooser = `package %s

import (
	"fmt"
	"os"
	"sync"
)

var (
	fleetMutant  = os.Getenv("FLEET_MUTANT")
	fleetLog     *os.File // opened at once: a test may use up what can be opened
	fleetReached sync.Map
)

func init() {
	if name := os.Getenv("FLEET_REACHED"); name != "" {
		var err error
		if fleetLog, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			panic(err)
		}
	}
}

func fleetSlips(n string) bool {
	if _, again := fleetReached.LoadOrStore(n, true); fleetLog != nil && !again {
		if _, err := fmt.Fprintln(fleetLog, n); err != nil {
			panic(err)
		}
	}
	return n == fleetMutant
}
`

// overlaid builds the tests over a package that has every slip, each behind its
// number.
func overlaid(t *testing.T, all []site) (path string) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	write := func(name string, text []byte) {
		abs, err := filepath.Abs(name)
		if err == nil {
			replace[abs] = filepath.Join(dir, name)
			err = os.WriteFile(replace[abs], text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pkg := ""
	for name, text := range slipped(t, all) {
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		pkg = tree.Name.Name
		write(name, text)
	}
	write("fleet_mutant.go", fmt.Appendf(nil, chooser, pkg))
	overlay, path := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutants.test")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(overlay, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// slipped are the files that have sites, with their slips.
func slipped(t *testing.T, all []site) map[string][]byte {
	t.Helper()
	type insertion struct {
		at   int
		text string
	}
	inserted := map[string][]insertion{}
	for i, s := range all {
		begin := fmt.Sprintf("if fleetSlips(\"%d\") { %s }; ", i+1, s.slip)
		if !s.stays {
			begin = fmt.Sprintf("if fleetSlips(\"%d\") { %s } else { ", i+1, s.slip)
			inserted[s.file] = append(inserted[s.file], insertion{s.to, " }"})
		}
		inserted[s.file] = append(inserted[s.file], insertion{s.from, begin})
	}
	texts := map[string][]byte{}
	for file, ins := range inserted {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(ins, func(a, b insertion) int { return cmp.Compare(b.at, a.at) }) // from the end, so that places stay
		for _, in := range ins {
			text = slices.Concat(text[:in.at], []byte(in.text), text[in.at:])
		}
		texts[file] = text
	}
	return texts
}
