package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// scored is how often the owner agreed.
type scored struct{ agree, all int }

// Score reads a filled sheet and writes how often the owner agreed, over all
// and by class, and whether that is enough: nine in ten over all, two in three
// in each class, and no row without a word. The error names the line of a
// sheet that is none.
func Score(w io.Writer, sheet io.Reader) error {
	in, err := csvReader(sheet)
	if err != nil {
		return fmt.Errorf("reading the sheet: %w", err)
	}
	head, err := in.Read()
	if err == io.EOF {
		err = errors.New("it is empty")
	}
	if err != nil {
		return fmt.Errorf("reading the sheet: %w", err)
	}
	class, agree := slices.Index(head, classColumn), slices.Index(head, agreeColumn)
	if class < 0 || agree < 0 {
		return fmt.Errorf("reading the sheet: line 1: want the columns %s and %s", classColumn, agreeColumn)
	}
	rows, number := map[string]int{}, slices.Index(head, "row")
	classes, names, open := map[string]scored{}, map[string]string{}, 0
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the sheet: %w", err)
		}
		line, _ := in.FieldPos(agree)
		if number >= 0 {
			n := strings.TrimSpace(row[number])
			if first := rows[n]; n != "" && first > 0 {
				return fmt.Errorf("reading the sheet: line %d: row %s stands in line %d too", line, clip(n, 12), first)
			}
			rows[n] = line
		}
		s := classes[row[class]]
		switch strings.ToLower(strings.TrimSpace(row[agree])) {
		case "":
			open++
			continue
		case "agree", "a", "yes", "y":
			s.agree++
		case "disagree", "d", "no", "n":
		default:
			return fmt.Errorf("reading the sheet: line %d: %s: want agree or disagree", line, agreeColumn)
		}
		s.all++
		classes[row[class]] = s
		if i := slices.Index(head, "class_name"); i >= 0 {
			names[row[class]] = row[i]
		}
	}
	return writeScore(w, classes, names, open)
}

// csvReader reads what spreadsheets write: some begin with a byte order mark,
// some put semicolons or tabs where the decimal point is a comma, some quote
// every cell, and some end lines as an old Mac does.
func csvReader(r io.Reader) (*csv.Reader, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	head, _, _ := bytes.Cut(b, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(b))
	for _, separator := range ";\t" { // no column is named with one
		if bytes.ContainsRune(head, separator) {
			in.Comma = separator
		}
	}
	return in, nil
}

func writeScore(w io.Writer, classes map[string]scored, names map[string]string, open int) error {
	var total scored
	var b strings.Builder
	var why []string
	for _, class := range slices.SortedFunc(maps.Keys(classes), compareClasses) {
		s := classes[class]
		total.agree, total.all = total.agree+s.agree, total.all+s.all
		name := strings.TrimSpace("class " + clean(class) + " " + clean(names[class]))
		fmt.Fprintf(&b, "%s: %d of %d\n", name, s.agree, s.all)
		if 3*s.agree < 2*s.all {
			why = append(why, fmt.Sprintf("%s: %d of %d", name, s.agree, s.all))
		}
	}
	if 10*total.agree < 9*total.all {
		why = slices.Insert(why, 0, fmt.Sprintf("%s over all", percent(total)))
	}
	if open > 0 {
		why = append(why, count(open, "row has", "rows have")+" no word of the owner")
	}
	verdict := "met"
	switch {
	case total.all == 0:
		verdict = "not met: nothing is labelled"
	case len(why) > 0:
		verdict = "not met: " + strings.Join(why, "; ")
	}
	_, err := fmt.Fprintf(w, "agreement: %d of %d (%s)\n%sexit criterion, 90 %% over all and 2 of 3 in each class: %s\n",
		total.agree, total.all, percent(total), b.String(), verdict)
	return err
}

func percent(s scored) string {
	if s.all == 0 {
		return "no percentage"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(s.agree)/float64(s.all))
}
