package report

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// labelled adds a tick of verdicts, each "session class".
func labelled(t *testing.T, l *Labels, tick int, verdicts ...string) {
	t.Helper()
	labelledOf(t, l, "lamp", tick, tick, verdicts...)
}

// labelledOf adds a tick of a scope at an hour.
func labelledOf(t *testing.T, l *Labels, scope string, hour, tick int, verdicts ...string) {
	t.Helper()
	at := record.NewTime(time.Date(2026, 11, 29, hour, 0, 0, 0, time.UTC))
	add := func(kind record.Kind, subject string, data any) {
		r, err := record.New(kind, at, "devbox", "x", subject, data)
		if err != nil {
			t.Fatal(err)
		}
		l.Add(r)
	}
	add(record.KindTick, scope, record.Tick{Tick: &tick, Scope: scope})
	for _, v := range verdicts {
		subject, class, _ := strings.Cut(v, " ")
		add(record.KindVerdict, subject, record.Verdict{Class: class, ClassName: "class " + class, WouldDo: "nothing",
			Evidence: []record.Evidence{{Source: "claude/listing", Says: "status busy"}}, Session: record.VerdictSession{Name: subject, Kind: "interactive"}})
	}
}

func short(rows []Label) string {
	var s []string
	for _, r := range rows {
		s = append(s, fmt.Sprintf("%s:%s@%d", r.Class, r.Subject, r.number()))
	}
	return strings.Join(s, " ")
}

func TestSample(t *testing.T) {
	l := new(Labels)
	labelled(t, l, 1, "a 5", "b 5", "c 5", "d 5", "e 6", "f 9a", "g unknown")
	labelled(t, l, 2, "a 5", "b 5", "c 5", "d 6", "e 9", "f 9a", "g 10")
	rows := l.Sample(3, 0)
	counts, seen := map[string]int{}, map[string]bool{}
	for _, r := range rows {
		counts[r.Class]++
		if seen[r.Subject] {
			t.Errorf("%s is there twice: %s", r.Subject, short(rows))
		}
		seen[r.Subject] = true
	}
	if len(rows) != 7 { // all sessions: there are fewer than the classes would take
		t.Errorf("%s", short(rows))
	}
	for class, n := range counts {
		if n > 3 {
			t.Errorf("%d of class %s", n, class)
		}
	}
	if !slices.IsSortedFunc(rows, func(a, b Label) int { return compareClasses(a.Class, b.Class) }) {
		t.Errorf("order: %s", short(rows))
	}
	if got := short(l.Sample(1, 0)); strings.Count(got, "5:") != 1 {
		t.Errorf("%s", got)
	}

	// The same in any order; another seed draws another sample.
	want := short(l.Sample(1, 0))
	r := rand.New(rand.NewPCG(1, 2))
	other := false
	for i := range 20 {
		r.Shuffle(len(l.verdicts), func(i, j int) { l.verdicts[i], l.verdicts[j] = l.verdicts[j], l.verdicts[i] })
		if got := short(l.Sample(1, 0)); got != want {
			t.Errorf("order matters: %s, want %s", got, want)
		}
		other = other || short(l.Sample(1, uint64(i))) != want
	}
	if !other {
		t.Error("the seed does not matter")
	}
}

func TestLabelSheets(t *testing.T) {
	l := new(Labels)
	labelled(t, l, 3, `=HYPERLINK("http://x") 5`, "b 9a")
	rows := l.Sample(3, 0)
	var b strings.Builder
	if err := LabelCSV(&b, rows); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(cells) != 3 {
		t.Fatalf("%v: %s", err, b.String())
	}
	if got := strings.Join(cells[0], ","); got != "row,tick,session,name,kind,class,class_name,evidence,would_do,owner_agree_or_disagree,owner_note" {
		t.Errorf("columns %s", got)
	}
	if got := strings.Join(cells[1], "|"); got != `1|3|devbox/=HYPERLINK("http://x")|'=HYPERLINK("http://x")|interactive|5|class 5|claude/listing: status busy|nothing||` {
		t.Errorf("row %s", got)
	}
	b.Reset()
	if err := LabelMarkdown(&b, rows); err != nil {
		t.Fatal(err)
	}
	has(t, b.String(), "# 2 verdicts to label\n", "| 2 ", "class 9a", "owner_agree_or_disagree")
}

// No separator that a spreadsheet may use opens a cell that holds a formula.
func TestLabelCSV_separators(t *testing.T) {
	row := Label{Subject: "a"}
	row.Session.Name, row.Why, row.WouldDo = "x;=1+1", "a, @SUM(1)", "a - b; -1"
	var b strings.Builder
	if err := LabelCSV(&b, []Label{row}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "\n")
	if want := `1,,a,"x;'=1+1",,,,"a, '@SUM(1)","a - b; '-1",,` + "\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Ticks of two scopes at one time, or of one number, are told apart.
func TestLabels_scopes(t *testing.T) {
	l := new(Labels)
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "fleet-classify are missing") {
		t.Errorf("nothing came in: %v", err)
	}
	labelledOf(t, l, "lamp", 3, 7, "a 5")
	labelledOf(t, l, "desk", 3, 9, "b 6")
	rows := l.Sample(3, 0)
	var b strings.Builder
	if err := LabelCSV(&b, rows); err != nil || l.Err() != nil {
		t.Fatal(err, l.Err())
	}
	has(t, b.String(), "row,tick,scope,session,", "1,7,lamp,devbox/a,", "2,9,desk,devbox/b,")
	b.Reset()
	if err := LabelMarkdown(&b, rows); err != nil {
		t.Fatal(err)
	}
	has(t, b.String(), "| lamp ", "| desk ")
	closed := new(Labels)
	r, err := record.New(record.KindSurface, look, "", judge, judge, record.Surface{OK: true, Records: new(int)})
	if err != nil {
		t.Fatal(err)
	}
	if closed.Add(r); closed.Err() != nil {
		t.Error(closed.Err())
	}
}

func TestScore(t *testing.T) {
	sheet := func(rows ...string) string {
		return "row,class,class_name,owner_agree_or_disagree\n" + strings.Join(rows, "\n") + "\n"
	}
	numbered := func(rows ...string) string {
		for i := range rows {
			rows[i] = fmt.Sprintf("%d,%s", i+1, rows[i])
		}
		return sheet(rows...)
	}
	repeat := func(n int, row string) []string { return slices.Repeat([]string{row}, n) }
	tests := []struct {
		name, sheet, out, err string
	}{
		{"all agree", sheet("1,5,running,agree", "2,6,hung,Y", "3,6,hung, AGREE "),
			"agreement: 3 of 3 (100.0 %)\nclass 5 running: 1 of 1\nclass 6 hung: 2 of 2\nexit criterion, 90 % over all and 2 of 3 in each class: met\n", ""},
		{"nine in ten is enough", numbered(append(repeat(18, "5,running,agree"), "6,hung,a", "6,hung,a", "6,hung,d", "10,unmanaged,d", "10,unmanaged,a", "10,unmanaged,a", "9a,idle,a")...),
			"agreement: 23 of 25 (92.0 %)\nclass 5 running: 18 of 18\nclass 6 hung: 2 of 3\nclass 9a idle: 1 of 1\nclass 10 unmanaged: 2 of 3\nexit criterion, 90 % over all and 2 of 3 in each class: met\n", ""},
		{"a class below two in three", numbered(append(repeat(28, "5,running,agree"), "6,hung,agree", "6,hung,disagree")...),
			"agreement: 29 of 30 (96.7 %)\nclass 5 running: 28 of 28\nclass 6 hung: 1 of 2\nexit criterion, 90 % over all and 2 of 3 in each class: not met: class 6 hung: 1 of 2\n", ""},
		{"below nine in ten", numbered(append(repeat(8, "5,running,agree"), repeat(1, "5,running,no")...)...),
			"agreement: 8 of 9 (88.9 %)\nclass 5 running: 8 of 9\nexit criterion, 90 % over all and 2 of 3 in each class: not met: 88.9 % over all\n", ""},
		{"not done yet", sheet("1,5,running,agree", "2,5,running,"),
			"agreement: 1 of 1 (100.0 %)\nclass 5 running: 1 of 1\nexit criterion, 90 % over all and 2 of 3 in each class: not met: 1 row has no word of the owner\n", ""},
		{"not begun", sheet(), "agreement: 0 of 0 (no percentage)\nexit criterion, 90 % over all and 2 of 3 in each class: not met: nothing is labelled\n", ""},
		{"as a spreadsheet may write it", "\uFEFFrow;class;class_name;owner_agree_or_disagree\r\n1;5;running;agree\r\n",
			"agreement: 1 of 1 (100.0 %)\nclass 5 running: 1 of 1\nexit criterion, 90 % over all and 2 of 3 in each class: met\n", ""},
		{"as an old Mac writes it", "row\tclass\tclass_name\towner_agree_or_disagree\r1\t5\trunning\tagree\r",
			"agreement: 1 of 1 (100.0 %)\nclass 5 running: 1 of 1\nexit criterion, 90 % over all and 2 of 3 in each class: met\n", ""},
		{"all quoted", "\"row\";\"class\";\"class_name\";\"owner_agree_or_disagree\"\n\"1\";\"5\";\"a, b\";\"agree\"\n",
			"agreement: 1 of 1 (100.0 %)\nclass 5 a, b: 1 of 1\nexit criterion, 90 % over all and 2 of 3 in each class: met\n", ""},
		{"a row twice", sheet("1,5,running,agree", "2,5,running,agree", "1,5,running,agree"), "", "reading the sheet: line 4: row 1 stands in line 2 too"},
		{"another word", sheet("1,5,running,agree", "2,5,running,perhaps"), "", "reading the sheet: line 3: owner_agree_or_disagree: want agree or disagree"},
		{"no sheet", "a,b\n1,2\n", "", "reading the sheet: line 1: want the columns class and owner_agree_or_disagree"},
		{"empty", "", "", "reading the sheet: it is empty"},
		{"a row too short", sheet("1,5"), "", "reading the sheet: record on line 2: wrong number of fields"},
	}
	for _, tt := range tests {
		var b strings.Builder
		err := Score(&b, strings.NewReader(tt.sheet))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.err || b.String() != tt.out {
			t.Errorf("%s: error %q, want %q\n%s\nwant\n%s", tt.name, got, tt.err, b.String(), tt.out)
		}
	}
}
