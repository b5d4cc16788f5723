package report

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// scopeAt is where a sheet of several scopes has the column of them.
const scopeAt = 2

// scoped tells whether rows are of several scopes.
func scoped(rows []Label) bool {
	return slices.ContainsFunc(rows, func(l Label) bool { return l.Scope != rows[0].Scope })
}

// columns is the head of a sheet.
func columns(scoped bool) []string {
	if scoped {
		return slices.Insert(slices.Clone(labelColumns), scopeAt, "scope")
	}
	return labelColumns
}

// cells is the row under labelColumns, with its scope behind the tick when the
// sheet is scoped.
func (l Label) cells(row int, scoped bool) []string {
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
	if scoped {
		cells = slices.Insert(cells, scopeAt, l.Scope)
	}
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	return cells
}

// formula is what a spreadsheet takes for the beginning of one, also where a
// reader takes another character for the separator.
var formula = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[,;\t])(\s*)([=+\-@＝＋－＠])`) })

// LabelCSV writes a sheet for a spreadsheet. What one would take for a formula is
// quoted with an apostrophe; every cell with a character that separates cells
// in some spreadsheet stands in quotes.
func LabelCSV(w io.Writer, rows []Label) error {
	var b strings.Builder
	several := scoped(rows)
	csvLine(&b, columns(several))
	for i, row := range rows {
		cells := row.cells(i+1, several)
		for j, c := range cells {
			cells[j] = formula().ReplaceAllString(c, "$1$2'$3")
		}
		csvLine(&b, cells)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func csvLine(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.ContainsAny(c, "\",;\t\r\n") || strings.HasPrefix(c, " ") {
			c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		b.WriteString(c)
	}
	b.WriteByte('\n')
}

// LabelMarkdown writes the same sheet to be read.
func LabelMarkdown(w io.Writer, rows []Label) error {
	p := &page{Report: Report{}}
	p.printf("# %s to label\n\n", count(len(rows), "verdict", "verdicts"))
	p.printf("Judge each session yourself, from what it shows. Write agree or disagree in the %s column of the sheet's CSV form.\n\n", agreeColumn)
	if len(rows) > 0 {
		several := scoped(rows)
		head := columns(several)
		grid := [][]string{head[:len(head)-2]}
		for i, row := range rows {
			cells := row.cells(i+1, several)[:len(grid[0])]
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
