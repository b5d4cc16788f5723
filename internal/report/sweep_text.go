package report

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/shell"
)

// SweepMarkdown writes a line for each decision; above them stands what a person should
// know before they trust it: that the judge was cut, that something was not read, that
// nothing was done.
func SweepMarkdown(w io.Writer, s Sweep) error {
	p := &page{clock: newClock("", s.At)}
	p.printf("# Sweep, %s\n\n", s.At.UTC().Format("2006-01-02 15:04 MST"))
	p.sweepState(s)
	if len(s.Rows) == 0 {
		p.printf("Nothing was decided.\n")
	} else {
		p.sweepTable(s)
		p.sweepTrouble(s.Rows)
		p.sweepTold(s)
		p.sweepDeeds(s.Rows)
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

// sweepState writes what the table rests on, and, since a file does not age, from when on
// it is of the past.
func (p *page) sweepState(s Sweep) {
	if s.Outdated != nil {
		p.printf("The next sweep is due in %s: if it is past %s, sweeps have stopped or are switched off.\n\n",
			count(s.interval, "minute", "minutes"), s.Outdated.UTC().Format("2006-01-02 15:04 MST"))
	}
	if s.Alarm != "" {
		p.printf("**%s.**\n\n", text(capital(s.Alarm), saysWidth))
	}
	for _, says := range s.Undecided {
		p.printf("- **Nothing is decided about %s**\n", text(says, saysWidth))
	}
	for _, n := range s.NotRead {
		p.printf("- Not read: %s\n", p.unread(n))
	}
	for _, note := range s.Notes {
		p.printf("- %s\n", text(note, saysWidth))
	}
	if !bytes.HasSuffix(p.b.Bytes(), []byte("\n\n")) {
		p.printf("\n")
	}
}

// sweepTable writes the lines, under one that counts what became of them, which begins
// with a number: heal.sh tells it. Of a sweep that only says what is to be done it counts
// what would become of them as things are.
func (p *page) sweepTable(s Sweep) {
	counts := map[string]int{}
	cells := [][]string{{"AGENT", "DECISION", "REASON", "DID", "DETAIL"}}
	for _, r := range s.Rows {
		counts[r.Decision]++
		cell := []string{inCell(r.Subject, subjectWidth), inCell(r.Decision, psWidth), inCell(r.Reason, psWidth), inCell(r.did(), psPath), inCell(named(r.Name, r.Detail), psPath)}
		for i := range cell {
			cell[i] = cmp.Or(cell[i], "—")
		}
		cells = append(cells, cell)
	}
	var says []string
	for _, decision := range sweepOrder {
		if n := counts[decision]; n > 0 {
			says = append(says, count(n, decision, decision))
		}
	}
	ends := text(s.Says, 2*troubleWidth)
	if s.Dry != "" {
		ends += "; nothing was done: " + text(s.Dry, psPath)
	}
	if len(says) > 0 {
		ends += "\n\nDecided: " + strings.Join(says, ", ")
	}
	p.printf("%s\n\n", ends)
	p.grid(cells)
}

// sweepTold writes what a person would be told by a sweep that only says what is to be
// done. One that does it has told them.
func (p *page) sweepTold(s Sweep) {
	if s.Dry == "" {
		return
	}
	first := true
	for _, r := range s.Rows {
		if r.Told == "" {
			continue
		}
		if first {
			p.printf("\n")
		}
		first = false
		p.printf("- you would be told of **%s**: %s\n", r.title(), text(r.Told, troubleWidth))
	}
}

// named is a text about a session with its name before it.
func named(name, says string) string {
	if name == "" {
		return says
	}
	return name + ": " + says
}

// deed is what an act types or runs, as Markdown; "" when it is nothing of ours.
func deed(a *record.Action) string {
	switch {
	case a == nil:
		return ""
	case a.Text != "":
		return a.Verb + " types " + code(clip(a.Text, questionWidth))
	case len(a.Argv) > 0:
		words := make([]string, len(a.Argv))
		for i, w := range a.Argv {
			words[i] = shell.Word(w)
		}
		return a.Verb + " runs " + code(clip(strings.Join(words, " "), questionWidth))
	}
	return ""
}

// sweepDeeds writes what is typed and run, each once with all that it is for.
func (p *page) sweepDeeds(rows []SweepRow) {
	whom := map[string][]string{}
	for _, r := range rows {
		if what := deed(r.Action); what != "" {
			whom[what] = append(whom[what], r.title())
		}
	}
	for i, what := range slices.Sorted(maps.Keys(whom)) {
		if i == 0 {
			p.printf("\n")
		}
		p.printf("- %s: %s\n", what, strings.Join(whom[what], ", "))
	}
}

// sweepTrouble writes in full what was tried and did not end well, and what else is longer
// than its cell, each once with all that it is of and what leads there.
func (p *page) sweepTrouble(rows []SweepRow) {
	var order []string
	whom := map[string][]string{}
	for _, r := range rows {
		says := ""
		switch {
		case r.End == EndFailed || r.End == EndUnknown || r.End == EndRefused || r.kept() != "":
			says = r.did()
		case r.End != EndDone && r.End != EndWell && clip(named(r.Name, r.Detail), psPath) != clean(named(r.Name, r.Detail)):
			says = r.Detail
		default:
			continue
		}
		if whom[says] == nil {
			order = append(order, says)
		}
		who := "**" + r.title() + "**"
		if r.Go != "" {
			who += " (" + code(r.Go) + ")"
		}
		whom[says] = append(whom[says], who)
	}
	for i, says := range order {
		if i == 0 {
			p.printf("\n")
		}
		p.printf("- %s: %s\n", strings.Join(whom[says], ", "), text(says, troubleWidth))
	}
}

// troubleWidth is how much of what went wrong is shown: commands say it in many words.
const troubleWidth = 1000

// title is what a row is about: the name of a session, else what is to be typed to mean it.
func (r SweepRow) title() string {
	return cmp.Or(text(r.Name, nameWidth), text(r.Subject, subjectWidth))
}

// subjectWidth is wide enough for session:, a session id and the label of an account:
// what is to be typed is not cut.
const subjectWidth = psPath
