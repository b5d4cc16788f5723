package asks

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// tape is chance that is read from bytes: one a draw, then, when they are used
// up, those of a generator, so that no draw waits for a number that never comes.
type tape struct {
	b    []byte
	then *rand.PCG
}

// Uint64 has the byte on top, where IntN looks.
func (t *tape) Uint64() uint64 {
	n := t.then.Uint64()
	if len(t.b) > 0 {
		n = uint64(t.b[0])<<56 | n>>8
		t.b = t.b[1:]
	}
	return n
}

// Law: whatever a history is, each tick says from the ledger alone what the
// model says, which shares no code with the fold; so does the ledger at its end.
func FuzzHistory(f *testing.F) {
	for _, b := range []string{"", "\x00\x00\x00", "\x40\x80\xc0\xff\x00\x40\x80\xc0", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		f.Add([]byte(b), uint8(3))
		f.Add([]byte(b), uint8(11))
	}
	f.Fuzz(func(t *testing.T, b []byte, ticks uint8) {
		r := rand.New(&tape{b, rand.NewPCG(uint64(len(b)), 7)})
		h := &history{Rand: r, model: model{map[string]bool{}, map[string]bool{}}, t: t}
		for range ticks % 16 {
			h.tickOnce()
			if h.IntN(3) == 0 {
				h.ack()
			}
		}
		asked := map[string]bool{}
		for _, a := range h.state().Asked() {
			asked[a.Key] = true
			is := map[string]bool{record.AskOpen: h.open[a.Key], record.AskAcked: h.answered[a.Key], record.AskResolved: !h.open[a.Key] && !h.answered[a.Key]}
			if !is[a.State] {
				t.Fatalf("the ledger has %s %s: %q", a.Key, a.State, h.said)
			}
		}
		for key, open := range h.open {
			if open && !asked[key] {
				t.Fatalf("the ledger has lost %s: %q", key, h.said)
			}
		}
	})
}

// readable are the lines of a stream up to the first that is no record.
func readable(stream []byte) (lines []record.Line) {
	for line, err := range record.All(bytes.NewReader(stream)) {
		if err != nil {
			break
		}
		if !line.Blank {
			lines = append(lines, line)
		}
	}
	return lines
}

// Laws: the order of the lines changes nothing; a key is told once; and without
// one of its lines a stream resolves no key that it did not resolve with it.
func FuzzOf(f *testing.F) {
	for _, w := range []*world{newWorld(), newWorld(waits(devbox, "s1"), asks("prompt:s1:"+promptTag, record.AskOpen)),
		newWorld(asks("prompt:s1:"+promptTag, record.AskAcked), failed("devbox claude/jobs")), newWorld(gone(devbox, "s1"), asks("prompt:s1:"+promptTag, record.AskOpen)),
		newWorld(stuck(attic, "s3"), cut(" "+judge), asks("blocked:s3:"+blockedTag, record.AskOpen), asks("listing", record.AskOpen))} {
		var b []byte
		for _, l := range linesOf(w.records()) {
			b = append(b, l.Raw...)
		}
		for drop := range uint8(5) {
			f.Add(b, drop*13)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, drop uint8) {
		lines := readable(stream)
		if len(lines) == 0 {
			return
		}
		fold := func(lines []record.Line) Fold {
			f, err := Of(gather(lines), noon, odd)
			if err != nil {
				t.Skip(err)
			}
			return f
		}
		whole := fold(lines)
		turned := slices.Clone(lines)
		slices.Reverse(turned)
		if again := fold(turned); !reflect.DeepEqual(again, whole) {
			t.Fatalf("the other way round: %v", pretty.Diff(whole, again))
		}
		once := map[string]bool{}
		for _, a := range whole.Asks {
			if once[a.Key] {
				t.Fatalf("%s is told twice: %q", a.Key, whole.keys())
			}
			once[a.Key] = true
		}
		i := int(drop) % len(lines)
		rest := slices.Delete(slices.Clone(lines), i, i+1)
		if counts(lines, lines[i]) && !surplus(gather(lines), gather(rest)) {
			less := fold(rest)
			for _, key := range less.resolved() {
				if !slices.Contains(whole.resolved(), key) {
					t.Fatalf("without %s\n%s is over", lines[i].Raw, key)
				}
			}
		}
	})
}

// counts tells whether to leave out a line is to read less: not when it is the
// tick, the last of its program, or one of several of its identity.
func counts(lines []record.Line, l record.Line) bool {
	same, program := 0, 0
	for _, o := range lines {
		if o.Record.Identity() == l.Record.Identity() {
			same++
		}
		if o.Record.By == l.Record.By && o.Record.Host == l.Record.Host {
			program++
		}
	}
	return l.Record.Kind != record.KindTick && same == 1 && program > 1
}

// surplus tells whether a closing record counts what is there only in the stream that
// lacks a line: that line was one too many.
func surplus(whole, rest *record.Set) bool {
	for _, host := range append(rest.Hosts(), "") {
		for _, name := range rest.By(host) {
			if whole.Closed(host, name) != nil && rest.Closed(host, name) == nil {
				return true
			}
		}
	}
	return false
}
