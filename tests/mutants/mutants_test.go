package mutants

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// sample is a package of which everything slips that can.
const sample = `package sample

import "errors"

type failure struct{}

type part struct {
	OK     bool
	Unread int
	Error  string
	Notes  []string
}

func open(name string) (*part, error) {
	if name == "" {
		return nil, errors.New("no name")
	}
	return &part{OK: true}, nil
}

func again(name string) (*part, error) {
	return open(name)
}

func (p *part) fail(why string) { p.OK, p.Error = false, why }

func (p part) whole() bool { return p.OK && p.Unread == 0 }

func count(names []string) (p part) {
	p.OK = len(names) > 0
	for _, name := range names {
		if _, err := open(name); err != nil {
			p.Unread++
			p.fail("a part")
		}
	}
	var err error
	if e := func() error { return errors.New("of a literal") }(); e != nil {
		err = errors.Join(err, e)
	}
	p.Notes = append(p.Notes, err.Error())
	return p
}

func told() (part, *failure) { return part{Error: "x", Notes: nil}, nil }

func asked(fine bool) (part, *failure) {
	if fine {
		return part{}, nil
	}
	return part{}, new(failure)
}

func known(n int) map[string]bool {
	if n == 0 {
		return nil
	}
	return map[string]bool{"x": true}
}
`

var table = Table{Errors: []string{"*failure"}, Fields: []string{"OK", "Unread", "Error", "err"}, Calls: []string{"fail"}}

// here puts a package into a directory of its own and goes there.
func here(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSites(t *testing.T) {
	here(t, map[string]string{"sample.go": sample, "sample_test.go": sample, "sample_plan9.go": sample})
	want := []string{
		`open: return nil, errors.New("no name") -> _ = errors.New("no name"); return nil, nil`,
		`again: return open(name) -> v0, _ := open(name); return v0, nil`,
		`part.fail: p.OK, p.Error = false, why -> _, p.Error = false, why`,
		`part.fail: p.OK, p.Error = false, why (2) -> p.OK, _ = false, why`,
		`count: err = errors.Join(err, e) -> _ = errors.Join(err, e)`,
		`part.whole: return p.OK && p.Unread == 0 -> _ = p.OK && p.Unread == 0; return true`,
		`count: p.OK = len(names) > 0 -> _ = len(names) > 0; p.OK = true`,
		`count: p.Unread++ -> `,
		`count: p.fail("a part") -> `,
		`count: return errors.New("of a literal") -> _ = errors.New("of a literal"); return nil`,
		`told: return part{Error: "x", Notes: nil}, nil -> return part{Notes: nil}, nil`,
		`asked: return part{}, new(failure) -> _ = new(failure); return part{}, nil`,
		`known: return nil -> return map[string]bool{}`,
	}
	var got []string
	for _, s := range table.sites(t) {
		got = append(got, s.name+" -> "+s.slip)
	}
	for _, s := range got {
		if !slices.Contains(want, s) {
			t.Errorf("found %s", s)
		}
	}
	for _, s := range want {
		if !slices.Contains(got, s) {
			t.Errorf("not found: %s", s)
		}
	}
}

// What a test holds is killed; what no test holds survives, and is named, also
// when a test comes by.
func TestSlip(t *testing.T) {
	here(t, map[string]string{"go.mod": "module sample\n", "sample.go": sample, "sample_test.go": `package sample

import "testing"

func TestOpen(t *testing.T) {
	if _, err := open(""); err == nil {
		t.Error("opened")
	}
}

func TestCount(t *testing.T) { count([]string{"", "x"}) }
`})
	killed, survived := table.slip(t)
	if killed != 3 || len(survived) != 10 {
		t.Errorf("%d killed, survived %q", killed, survived)
	}
	for _, says := range survived {
		by := strings.Contains(says, " count: ") || strings.Contains(says, " part.fail: ")
		if by != strings.HasSuffix(says, "reached by a test: true") {
			t.Error(says)
		}
	}
	but := table
	but.Slips = map[string]string{"known: return nil": "panic(n)"}
	but.Equivalent = map[string]string{"count: p.Unread++": "nobody asks"}
	if killed, survived := but.slip(t); killed != 3 || len(survived) != 9 || !strings.Contains(strings.Join(survived, " "), `as "panic(n)"`) {
		t.Errorf("with rows: %d killed, survived %q", killed, survived)
	}
}
