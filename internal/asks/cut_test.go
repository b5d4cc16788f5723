package asks

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// anyWorld makes up a world: any conditions, any readings that failed, and any
// memory of keys that a case has.
func anyWorld(r *rand.Rand) *world {
	w := newWorld()
	for _, c := range keyCases {
		if r.IntN(4) == 0 {
			c.raise(w)
		}
		if r.IntN(3) == 0 {
			asks(c.key, []string{record.AskOpen, record.AskAcked, record.AskResolved}[r.IntN(3)])(w)
		}
	}
	for range r.IntN(3) {
		blinds := keyCases[r.IntN(len(keyCases))].blind
		names := make([]string, 0, len(blinds))
		for name := range blinds {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) > 0 {
			blinds[names[r.IntN(len(names))]](w)
		}
	}
	if len(w.labels) == 0 {
		w.sessions = slices.DeleteFunc(w.sessions, func(s seat) bool { return strings.Contains(s.subject, "@") })
	}
	return w
}

// unreadKey tells a key that says that something was not read: to read less may
// raise it.
func unreadKey(key string) bool {
	return strings.HasPrefix(key, "listing") || strings.HasPrefix(key, "surface:") || strings.HasPrefix(key, "repo:")
}

// compare says what the fold of a part may not say when whole is that of all
// and before is what the ledger knows.
func compare(whole, part Fold, before map[string]string) (wrong []string) {
	for _, a := range part.Asks {
		was, asked := before[a.Key]
		asked = asked && was != record.AskResolved
		full := whole.state(a.Key)
		switch {
		case a.State == record.AskResolved && full != record.AskResolved:
			wrong = append(wrong, a.Key+" is resolved, was "+full)
		case a.State == record.AskNew && asked:
			wrong = append(wrong, a.Key+" is new, the ledger has it "+was)
		case a.State == record.AskNew && full == "" && !unreadKey(a.Key):
			wrong = append(wrong, a.Key+" is new and was not raised")
		case a.State == record.AskAcked && was != record.AskAcked, a.State == record.AskOpen && was != record.AskOpen:
			wrong = append(wrong, a.Key+" is "+a.State+", the ledger has it "+was)
		}
	}
	for _, key := range part.resolved() {
		if !slices.Contains(whole.resolved(), key) {
			wrong = append(wrong, key+" is written as resolved")
		}
	}
	for _, e := range part.Entries {
		if e.Verb == "ask" && (len(whole.Entries) == 0 || whole.Entries[0].Verb != "ask") && !slices.ContainsFunc(part.raised(), unreadKey) {
			wrong = append(wrong, "a batch is written")
		}
	}
	return wrong
}

// part takes some lines away, but the first, which is the tick's: the end, or
// any of them.
func part(r *rand.Rand, lines []record.Line) []record.Line {
	if r.IntN(3) == 0 {
		return lines[:1+r.IntN(len(lines)-1)]
	}
	n := 1 + r.IntN(4)
	if r.IntN(4) == 0 {
		n = r.IntN(len(lines))
	}
	left := slices.Clone(lines)
	for range min(n, len(left)-1) {
		k := 1 + r.IntN(len(left)-1)
		left = slices.Delete(left, k, k+1)
	}
	return left
}

// Whatever lines of a stream are not there, for a fixed tick and fixed
// programs, no ask ends that the whole stream leaves open, and nothing that
// was asked is asked again.
func TestLess(t *testing.T) {
	worlds := 300
	if os.Getenv("FLEET_SOAK") != "" {
		worlds = 20000
	}
	r := rand.New(rand.NewPCG(4, 4))
	resolved, unchecked := 0, 0
	for i := range worlds {
		w := anyWorld(r)
		lines := linesOf(w.records())
		before := map[string]string{}
		for _, l := range lines {
			if a, ok := record.Payload[record.Asked](l.Record); ok {
				before[a.Key] = a.State
			}
		}
		whole := w.fold(t)
		resolved += len(whole.resolved())
		for range 12 {
			f, err := Of(gather(part(r, lines)), noon, odd)
			if err != nil {
				t.Fatal(err)
			}
			unchecked += len(slices.DeleteFunc(slices.Clone(f.Asks), func(a Ask) bool { return a.State != record.AskUnchecked }))
			for _, wrong := range compare(whole, f, before) {
				t.Fatalf("world %d: %s", i, wrong)
			}
		}
	}
	if resolved < worlds || unchecked < 10*worlds {
		t.Errorf("the worlds are too tame: %d resolved, %d unchecked", resolved, unchecked)
	}
	t.Logf("%d worlds: %d asks resolved in whole streams, %d unchecked in parts", worlds, resolved, unchecked)
}

// A whole program or directory that is missing is a line set like any other.
func TestWithoutProgram(t *testing.T) {
	for _, c := range keyCases {
		rs := newWorld(c.raise, asks(c.key, record.AskOpen)).records()
		was := newWorld(c.raise, asks(c.key, record.AskOpen)).fold(t)
		programs := map[string]bool{}
		for _, r := range rs {
			programs[r.Host+" "+r.By] = true
		}
		for program := range programs {
			part := slices.DeleteFunc(slices.Clone(rs), func(r record.Record) bool {
				return r.Kind != record.KindTick && r.Host+" "+r.By == program
			})
			if strings.HasSuffix(program, " "+judge) {
				part = slices.DeleteFunc(part, func(r record.Record) bool { return r.By == judge })
			}
			f, err := Of(setOf(part), noon, odd)
			if err != nil {
				t.Fatal(err)
			}
			if f.state(c.key) == record.AskResolved || slices.Contains(f.resolved(), c.key) || f.state(c.key) == record.AskNew {
				t.Errorf("%s without%s: %s, was %s", c.key, program, f.state(c.key), was.state(c.key))
			}
		}
	}
}
