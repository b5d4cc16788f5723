package classify

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// TestLosingASource takes each source, and some sets of sources, away from
// made-up sessions: the verdict stays, or becomes unknown.
func TestLosingASource(t *testing.T) {
	lives := 400
	if os.Getenv("FLEET_LONG") != "" {
		lives = 1200
	}
	kept, lost := 0, map[string]int{}
	for seed := range uint64(lives) {
		r := rand.New(rand.NewPCG(1, seed))
		l := newLife(r)
		look := func(lacks map[string]bool) *world {
			return l.worldOf(rand.New(rand.NewPCG(2, seed)), seed%2 == 0, lacks)
		}
		whole := look(nil)
		if whole == nil {
			continue
		}
		want := whole.verdict(standard())
		for _, lacks := range lifeLosses(r) {
			w := look(lacks)
			if w == nil {
				continue
			}
			switch got := w.verdict(standard()); got.Class {
			case want.Class:
				kept++
			case Unknown:
				for source := range lacks {
					lost[source]++
				}
			default:
				t.Errorf("life %d %+v: without %v class %s, with it %s\nwithout: %v\nwith: %v", seed, l, lacks, got.Class, want.Class, got.Evidence, want.Evidence)
			}
		}
	}
	for _, source := range lifeSources {
		if lost[source] == 0 {
			t.Errorf("no verdict rests on %s", source)
		}
	}
	t.Logf("%d verdicts kept, became unknown without %v", kept, lost)
}

// lifeLosses is each source alone, and some sets of them.
func lifeLosses(r *rand.Rand) []map[string]bool {
	var all []map[string]bool
	for _, source := range lifeSources {
		all = append(all, map[string]bool{source: true})
	}
	for range 2 {
		all = append(all, map[string]bool{pick(r, lifeSources...): true, pick(r, lifeSources...): true, pick(r, lifeSources...): true})
	}
	return all
}

// crowd is a stream of many lives.
func crowd(seed uint64, configured bool) []record.Record {
	r := rand.New(rand.NewPCG(3, seed))
	w := local()
	if configured {
		w = scoped()
		w.agents = []*record.Agent{{ID: "a1", Sessions: []string{"c1", "c2"}, Repo: lamp}, {ID: "a2", Sessions: []string{"c3"}, Repo: lamp}}
		w.owned = []*record.Owned{{PaseoAgentID: "a1"}, {SessionID: "c4"}, {SessionID: "c5"}}
		w.adopt("c6", "c7")
		w.repos[0].PRs = []record.PullRequest{{Number: 1, HeadID: branch}}
	}
	for i := range 12 {
		l, id := newLife(r), fmt.Sprint("c", i)
		s := l.session(id, nil)
		if s == nil {
			continue
		}
		s.BranchID = pick(r, branch, "other", "")
		s.Placement = pick(r, record.PlacedByCwd, record.PlacedByCwd, record.PlacedGone, record.PlacedAbove)
		w.sessions = append(w.sessions, s)
		if configured {
			b := l.boardRow(r)
			b.SessionID, b.Repo = id, pick(r, "", lamp, stove)
			w.row(b)
		}
	}
	return w.records()
}

func judgedClasses(rs []record.Record) map[string]string {
	classes := map[string]string{}
	for _, s := range standard().sessions(newStream(setOf(rs))) {
		classes[s.record.Subject] = s.verdict.Class
	}
	return classes
}

// TestLosingRecords takes records out of streams, at random, and mixes the
// rest: with the tick kept, verdicts stay or become unknown.
func TestLosingRecords(t *testing.T) {
	same, unknown := 0, 0
	for seed := range uint64(150) {
		rs := crowd(seed, seed%3 > 0)
		want := judgedClasses(rs)
		r := rand.New(rand.NewPCG(4, seed))
		for range 6 {
			left := slices.DeleteFunc(slices.Clone(rs), func(x record.Record) bool { return x.Kind != record.KindTick && r.IntN(25) == 0 })
			if r.IntN(3) == 0 { // all of one program, or all but its closing record
				by, closed := pick(r, paseo, github, board, ledgers), r.IntN(2) == 0
				left = slices.DeleteFunc(left, func(x record.Record) bool { return x.By == by && !(closed && x.Subject == by) })
			}
			r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			for subject, got := range judgedClasses(left) {
				switch {
				case got == want[subject]:
					same++
				case got == Unknown:
					unknown++
				default:
					t.Errorf("stream %d, %s: class %s, was %s", seed, subject, got, want[subject])
				}
			}
		}
	}
	if same == 0 || unknown == 0 {
		t.Errorf("%d the same, %d unknown: the law was not tried", same, unknown)
	}
	t.Logf("%d the same, %d unknown", same, unknown)
}

// TestOrder mixes the records of streams: the same bytes come out.
func TestOrder(t *testing.T) {
	for seed := range uint64(40) {
		rs := crowd(seed, seed%2 > 0)
		want := judgedLines(t, rs)
		r := rand.New(rand.NewPCG(5, seed))
		r.Shuffle(len(rs), func(i, j int) { rs[i], rs[j] = rs[j], rs[i] })
		if got := judgedLines(t, rs); got != want {
			t.Errorf("stream %d: another order, another output", seed)
		}
	}
}

func judgedLines(t *testing.T, rs []record.Record) string {
	t.Helper()
	out, err := judgeAll(setOf(rs), "fleet-classify", noon)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, r := range out {
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, line...)
	}
	return string(text)
}
