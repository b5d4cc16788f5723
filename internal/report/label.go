package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// Labels collects the verdicts of one or more snapshots, from which a person
// labels a sample by hand. Add takes every line: of a session that several
// ticks judged, each verdict may be drawn.
type Labels struct {
	ticks    map[record.Time]int
	verdicts []record.Record
}

// Add takes a line of a snapshot.
func (l *Labels) Add(r record.Record) {
	if t, ok := record.Payload[record.Tick](r); ok && t.Tick != nil {
		if l.ticks == nil {
			l.ticks = map[record.Time]int{}
		}
		l.ticks[r.At] = *t.Tick
	}
	if r.Kind == record.KindVerdict {
		l.verdicts = append(l.verdicts, r)
	}
}

// Label is one row of a labelling sheet.
type Label struct {
	Tick    *int // null when the verdict is of no tick that was added
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
		v, ok := record.Payload[record.Verdict](r)
		if !ok {
			continue
		}
		row := Label{Host: r.Host, Subject: r.Subject, Verdict: *v}
		if n, ok := l.ticks[r.At]; ok {
			row.Tick = &n
		}
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
			return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Host, b.Host), cmp.Compare(a.number(), b.number()))
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

// cells is the row under labelColumns.
func (l Label) cells(row int) []string {
	tick := ""
	if l.Tick != nil {
		tick = strconv.Itoa(*l.Tick)
	}
	session := l.Subject
	if l.Host != "" {
		session = l.Host + "/" + session
	}
	says := []string{}
	for _, e := range l.Evidence {
		says = append(says, e.Source+": "+e.Says)
	}
	if len(says) == 0 {
		says = append(says, l.Why)
	}
	cells := []string{strconv.Itoa(row), tick, session, l.Session.Name, l.Session.Kind, l.Class, l.ClassName, strings.Join(says, "; "), l.WouldDo, "", ""}
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	return cells
}

// LabelCSV writes a sheet for a spreadsheet. A cell that one would take for a
// formula is quoted with an apostrophe.
func LabelCSV(w io.Writer, rows []Label) error {
	out := csv.NewWriter(w)
	sheet := [][]string{labelColumns}
	for i, row := range rows {
		cells := row.cells(i + 1)
		for j, c := range cells {
			if c != "" && strings.ContainsAny(c[:1], "=+-@") {
				cells[j] = "'" + c
			}
		}
		sheet = append(sheet, cells)
	}
	return out.WriteAll(sheet)
}

// LabelMarkdown writes the same sheet to be read.
func LabelMarkdown(w io.Writer, rows []Label) error {
	p := &page{Report: Report{}}
	p.printf("# %s to label\n\n", count(len(rows), "verdict", "verdicts"))
	p.printf("Judge each session yourself, from what it shows. Write agree or disagree in the %s column of the sheet's CSV form.\n\n", agreeColumn)
	if len(rows) > 0 {
		grid := [][]string{labelColumns[:len(labelColumns)-2]}
		for i, row := range rows {
			cells := row.cells(i + 1)[:len(grid[0])]
			for j, c := range cells {
				cells[j] = text(c, 60)
			}
			grid = append(grid, cells)
		}
		p.grid(grid)
	}
	_, err := p.b.WriteTo(w)
	return err
}
