package asks

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// The ways in which a tick finds a condition.
const (
	present = "present"
	gone_   = "gone"
	unread  = "unread"
)

// model is the reference: what the owner is asked, and what of it is answered.
type model struct{ open, answered map[string]bool }

// tell returns the states that a tick tells, and which keys are new and over.
func (m model) tell(found map[string]string, judgeCut bool) (tells map[string]string, fresh, over []string) {
	tells = map[string]string{}
	for key, is := range found {
		if judgeCut {
			is = unread
		}
		switch asked := m.open[key] || m.answered[key]; {
		case is == present && !asked:
			tells[key], fresh = "new", append(fresh, key)
		case asked && is == gone_:
			tells[key], over = "resolved", append(over, key)
		case m.answered[key]:
			tells[key] = "acked"
		case m.open[key] && is == present:
			tells[key] = "open"
		case m.open[key]:
			tells[key] = "unchecked"
		}
	}
	return tells, fresh, over
}

// file is a ledger in memory, appended to as package ledger does.
type file struct {
	b     bytes.Buffer
	last  int
	owner int
}

func (f *file) append(lines ...[]byte) {
	if n := f.b.Len(); n > 0 && f.b.Bytes()[n-1] != '\n' {
		f.b.WriteByte('\n')
	}
	for _, l := range lines {
		f.b.Write(append(l, '\n'))
	}
}

func (f *file) state() *fold.State {
	s, err := fold.Read(fold.Lines(bytes.NewReader(f.b.Bytes())))
	if err != nil {
		panic(err)
	}
	return s
}

func (f *file) entry(kind, id string, tick *int) record.Entry {
	return record.Entry{V: 1, Kind: kind, ID: id, TS: noon, Scope: "home", Tick: tick}
}

// history is a ledger, a model of it, and the chance.
type history struct {
	*rand.Rand
	file
	model
	t    testing.TB
	said []string // what happened, for a failure
}

// tickOnce runs a tick from the ledger alone: fire, observe, fold, append.
// Sometimes it is killed in the middle of the append, or before it.
func (h *history) tickOnce() {
	h.last++
	n := h.last
	h.file.append(fold.Marshal(h.entry(record.EntryFire, fmt.Sprintf("%d-1", n), &n)))
	d, found := h.drawn()
	state := h.state()
	w := small()
	w.tick.Tick, w.asked = &n, state.Asked()
	p := state.Surface()
	found["surface:ledger-corrupt"] = map[bool]string{true: present, false: gone_}[p.Unparsed > 0]
	set := gather(d.lines())
	for _, l := range linesOf(w.memory(p)) {
		set.Add(l)
	}
	f, err := Of(set, noon, odd)
	if err != nil {
		h.t.Fatal(err)
	}
	tells, fresh, over := h.tell(found, d.judgeCut)
	h.said = append(h.said, fmt.Sprintf("tick %d, judge cut %v: %v", n, d.judgeCut, found))
	for _, a := range f.Asks {
		if a.State != tells[a.Key] {
			h.t.Fatalf("%s: %q, the model says %q\n%s", a.Key, a.State, tells[a.Key], strings.Join(h.said, "\n"))
		}
	}
	if len(f.Asks) != len(tells) {
		h.t.Fatalf("%q, the model says %v\n%s", f.keys(), tells, strings.Join(h.said, "\n"))
	}
	h.write(set, f, fresh, over, h.IntN(6))
}

// memory is what fleet-config and fleet-ledger write.
func (w *world) memory(p record.Surface) []record.Record {
	n := len(w.asked) + 1
	rs := []record.Record{must(record.New(record.KindTick, noon, devbox, config, w.tick.Scope, w.tick)),
		must(record.New(record.KindSurface, noon, devbox, config, config, record.Surface{OK: true, Records: ptr(1)})),
		must(record.New(record.KindSurface, noon, devbox, ledger, "ledger", p)),
		must(record.New(record.KindSurface, noon, devbox, ledger, ledger, record.Surface{OK: true, Records: &n}))}
	for _, a := range w.asked {
		rs = append(rs, must(record.New(record.KindAsked, noon, devbox, ledger, a.Key, a)))
	}
	return rs
}

// tail is the last fire and what came after it.
func (h *history) tail() (es []record.Entry) {
	for line := range fold.Lines(bytes.NewReader(h.b.Bytes())) {
		if line.Damage == nil {
			if line.Entry.Kind == record.EntryFire {
				es = nil
			}
			es = append(es, line.Entry)
		}
	}
	return es
}

// write appends the entries of a tick through what fleet-ledger append decides
// with. Fault 0 tears the append, 1 comes before it, 2 is an answer in between.
func (h *history) write(set *record.Set, f Fold, fresh, over []string, fault int) {
	if fault == 1 {
		h.said = append(h.said, "killed before the append")
		return
	}
	n := len(f.Entries)
	rs := []record.Record{must(record.New(record.KindSurface, noon, "", "fleet-asks", "fleet-asks", record.Surface{OK: true, Records: &n}))}
	for _, e := range f.Entries {
		rs = append(rs, must(record.New(record.KindEntry, noon, "", "fleet-asks", e.ID, e)))
	}
	for _, l := range linesOf(rs) {
		set.Add(l)
	}
	if fault == 2 { // answered while the tick ran: an answer goes before a resolution
		answered := h.ack()
		over = slices.DeleteFunc(over, func(key string) bool { return slices.Contains(answered, key) })
	}
	var lines [][]byte
	if offer, err := fold.NewOffer(set); err == nil {
		a, err := offer.Admit(h.tail())
		if err != nil {
			h.t.Fatal(err)
		}
		lines = a.Lines
	} else if n > 0 {
		h.t.Fatalf("%d entries are offered and refused: %v", n, err)
	}
	if fault == 0 && len(lines) > 0 {
		whole := bytes.Join(lines, []byte("\n"))
		at := h.IntN(len(whole))
		h.file.append()
		h.b.Write(whole[:at])
		h.said = append(h.said, fmt.Sprintf("torn at byte %d of %d", at, len(whole)))
		if at < len(lines[0]) || len(lines) == 1 {
			fresh = nil
		}
		over = nil // the last line is never whole
	} else {
		h.file.append(lines...)
	}
	for _, key := range fresh {
		h.open[key] = true
	}
	for _, key := range over {
		delete(h.open, key)
		delete(h.answered, key)
	}
}

// ack answers one of what is open, or all, and returns the keys.
func (h *history) ack() (keys []string) {
	s := h.state()
	pick := fold.Pick{All: true}
	for _, a := range s.Asked() {
		if a.State == record.AskOpen && h.IntN(2) == 0 {
			pick = fold.Pick{Batch: a.Batch, IDs: []string{a.ID}}
		}
	}
	answers, err := s.Answers(pick)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, a := range answers {
		h.owner++
		e := h.entry(record.EntryAck, fmt.Sprintf("owner-%d", h.owner), nil)
		e.Of, e.Asks = a.Of, a.Asks
		h.file.append(fold.Marshal(e))
		for _, key := range a.Keys {
			h.open[key], h.answered[key] = false, true
		}
		h.said = append(h.said, fmt.Sprintf("answered %q", a.Keys))
		keys = append(keys, a.Keys...)
	}
	return keys
}

// Random histories of conditions, readings, judges that were cut, answers,
// ticks that were killed and appends that were torn: each tick, from the ledger
// alone, says what the model says.
func TestModel(t *testing.T) {
	histories := 2500
	switch {
	case os.Getenv("FLEET_SOAK") != "":
		histories = 200000
	case os.Getenv("FLEET_LONG") != "":
		histories = 10000
	}
	const shards = 4
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			runHistories(t, shard*histories/shards, (shard+1)*histories/shards)
		})
	}
}

func runHistories(t *testing.T, from, to int) {
	ticks, states := 0, map[string]int{}
	for i := from; i < to; i++ {
		h := &history{Rand: rand.New(rand.NewPCG(uint64(i), 10)), model: model{map[string]bool{}, map[string]bool{}}, t: t}
		for range 2 + h.IntN(4) {
			h.tickOnce()
			ticks++
			if h.IntN(4) == 0 {
				h.ack()
			}
		}
		for _, a := range h.state().Asked() {
			states[a.State]++
			if got := map[string]bool{record.AskOpen: h.open[a.Key], record.AskAcked: h.answered[a.Key], record.AskResolved: !h.open[a.Key] && !h.answered[a.Key]}; !got[a.State] {
				t.Fatalf("history %d: the ledger has %s %s\n%s", i, a.Key, a.State, strings.Join(h.said, "\n"))
			}
		}
	}
	for _, state := range []string{record.AskOpen, record.AskAcked, record.AskResolved} {
		if states[state] < (to-from)/10 {
			t.Errorf("the histories are too tame: %d %s", states[state], state)
		}
	}
	t.Logf("%d histories, %d ticks; at their ends %v", to-from, ticks, states)
}
