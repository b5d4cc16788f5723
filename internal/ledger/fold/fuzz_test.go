package fold

import (
	"bytes"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/kr/pretty"
)

// Laws: what stays of a ledger is lines of it, says the same as the whole and
// stays when it is done again; and what is set aside as damaged stays damaged.
func FuzzCompact(f *testing.F) {
	b, err := os.ReadFile("../testdata/seed-0.1.0.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	for seed := range uint64(4) {
		var text strings.Builder
		for _, l := range history(rand.New(rand.NewPCG(seed, 9)), 1, 5+int(seed)*30) {
			text.Write(append(bytes.Clone(l.Raw), '\n'))
		}
		f.Add(text.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := readAll(t, text)
		c, err := Compact(lines)
		if err != nil {
			if c.Kept != nil || c.Damaged != nil {
				t.Fatalf("something beside %v", err)
			}
			return
		}
		if len(c.Kept)+len(c.Damaged)+c.Dropped != len(lines) {
			t.Fatalf("%d kept, %d damaged and %d dropped of %d", len(c.Kept), len(c.Damaged), c.Dropped, len(lines))
		}
		whole, rest := new(State), new(State)
		for _, l := range lines {
			whole.Add(l)
		}
		kept := readAll(t, string(bytes.Join(c.Kept, []byte("\n"))))
		for _, l := range kept {
			if l.Damage != nil {
				t.Fatalf("%q is kept and no entry", l.Raw)
			}
			rest.Add(l)
		}
		for name, reads := range map[string]func(*State) any{
			"asked": func(s *State) any { return s.Asked() }, "owned": func(s *State) any { return s.Owned() },
			"past": func(s *State) any { return s.Past() }, "open": func(s *State) any { return s.Open() }, "last": func(s *State) any { return s.LastTick },
		} {
			if a, b := reads(whole), reads(rest); !reflect.DeepEqual(a, b) {
				t.Fatalf("%s: %v", name, pretty.Diff(a, b))
			}
		}
		again, err := Compact(kept)
		if err != nil || again.Dropped > 0 || len(again.Damaged) > 0 {
			t.Fatalf("done again: %d dropped, %d damaged, %v", again.Dropped, len(again.Damaged), err)
		}
	})
}
