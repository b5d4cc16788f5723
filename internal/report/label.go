package report

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Labels collects the verdicts of one or more snapshots, from which a person
// labels a sample by hand. Add takes every line, in the order of each snapshot:
// of a session that several ticks judged, each verdict may be drawn.
type Labels struct {
	ticks    map[moment]int
	at       map[record.Time][]string // scopes of the ticks of a time
	scope    string                   // of the snapshot that is being added
	tick     *int                     // its tick, until its judge ends; null without one
	verdicts []judgement
	judged   bool // a judge says that it has ended
}

// moment is when a scope's tick was.
type moment struct {
	scope string
	at    record.Time
}

// judgement is a verdict and the scope and number of the tick before it.
type judgement struct {
	record.Record
	scope string
	tick  *int
}

// Add takes a line of a snapshot.
func (l *Labels) Add(r record.Record) {
	if t, ok := record.Payload[record.Tick](r); ok && t.Tick != nil {
		if l.ticks == nil {
			l.ticks, l.at = map[moment]int{}, map[record.Time][]string{}
		}
		l.scope, l.tick = t.Scope, t.Tick
		if _, ok := l.ticks[moment{t.Scope, r.At}]; !ok {
			l.at[r.At] = append(l.at[r.At], t.Scope)
		}
		l.ticks[moment{t.Scope, r.At}] = *t.Tick
	}
	if s, ok := record.Payload[record.Surface](r); ok && s.Records != nil && r.By == judge {
		l.judged, l.tick = true, nil
	}
	if r.Kind == record.KindVerdict {
		l.verdicts = append(l.verdicts, judgement{r, l.scope, l.tick})
	}
}

// Err says that there is nothing to label because the judge's lines are
// missing; nil when there are verdicts, or the judge says that there are none.
func (l *Labels) Err() error {
	if len(l.verdicts) > 0 || l.judged {
		return nil
	}
	return fmt.Errorf("drawing a sample: the lines of %s are missing: no verdict and no closing record of it came in", judge)
}

// tickOf finds the tick of a verdict: the only one of its time, else the one of
// its snapshot: a session is looked at a little later than its tick begins, and
// by the clock of its own machine.
func (l *Labels) tickOf(j judgement) (scope string, tick *int) {
	scope = j.scope
	if all := l.at[j.At]; len(all) == 1 {
		scope = all[0]
	}
	if n, ok := l.ticks[moment{scope, j.At}]; ok {
		return scope, &n
	}
	if j.tick != nil {
		return j.scope, j.tick
	}
	return "", nil
}

// Label is one row of a labelling sheet.
type Label struct {
	Tick    *int   // null when the verdict is of no tick that was added
	Scope   string // of the tick; "" without one
	Host    string
	Subject string
	record.Verdict
}

// labelColumns are the columns of a sheet. The owner fills in the last two.
var labelColumns = []string{"row", "tick", "session", "name", "kind", "class", "class_name", "evidence", "would_do", agreeColumn, "owner_note"}

const (
	classColumn = "class"
	agreeColumn = "owner_agree_or_disagree"
)

// Sample draws up to perClass sessions of every class, each session once. The
// same verdicts and seed give the same sample, in whatever order they came.
// Rare classes choose first.
func (l *Labels) Sample(perClass int, seed uint64) []Label {
	classes := map[string][]Label{}
	for _, r := range l.verdicts {
		v, ok := record.Payload[record.Verdict](r.Record)
		if !ok {
			continue
		}
		row := Label{Host: r.Host, Subject: r.Subject, Verdict: *v}
		row.Scope, row.Tick = l.tickOf(r)
		classes[v.Class] = append(classes[v.Class], row)
	}
	names := slices.SortedFunc(maps.Keys(classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(classes[a]), len(classes[b])), compareClasses(a, b))
	})
	taken := map[key]bool{}
	var sample []Label
	for _, class := range names {
		rows := classes[class]
		slices.SortFunc(rows, func(a, b Label) int {
			return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.number(), b.number()))
		})
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		drawn := 0
		for _, row := range rows {
			if k := (key{row.Host, row.Subject}); drawn < perClass && !taken[k] {
				taken[k] = true
				drawn++
				sample = append(sample, row)
			}
		}
	}
	slices.SortStableFunc(sample, func(a, b Label) int { return compareClasses(a.Class, b.Class) })
	return sample
}

func (l Label) number() int {
	if l.Tick == nil {
		return 0
	}
	return *l.Tick
}

// compareClasses puts classes in the order of their numbers, 9a behind 9 and
// words last.
func compareClasses(a, b string) int {
	number := func(class string) int {
		n, err := strconv.Atoi(strings.TrimSuffix(class, "a"))
		if err != nil {
			return 1000
		}
		return n
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}
