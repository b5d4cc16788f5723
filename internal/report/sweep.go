package report

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/attach"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/shell"
)

// Sweep writes what a sweep decided about agents and sessions and what became of
// it: a line each, those of which something is to be done first. Above them stands
// what a person should know before they trust it: that the judge was cut, that
// something was not read, that nothing was done.
func Sweep(w io.Writer, set *record.Set, now record.Time) error {
	in, p := set, &page{}
	p.printf("# Sweep, %s\n\n", now.UTC().Format("2006-01-02 15:04 MST"))
	p.sweepState(in, now)
	rows := sweepRows(in)
	if len(rows) == 0 {
		p.printf("Nothing was decided.\n")
	} else {
		p.sweepTable(rows)
		p.sweepTrouble(rows)
		p.sweepTold(rows)
		p.sweepDeeds(rows)
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

// sweepState writes what the table rests on, and, since a file does not age, from when on
// it is of the past.
func (p *page) sweepState(in *record.Set, now record.Time) {
	if _, tick, ok := in.Tick(); ok && tick.Heal != nil && tick.Heal.IntervalMin > 0 {
		late := now.Add(time.Duration(tick.Heal.IntervalMin) * time.Minute * 3 / 2)
		p.printf("The next sweep is due in %s: if it is past %s, sweeps have stopped or are switched off.\n\n",
			count(tick.Heal.IntervalMin, "minute", "minutes"), late.UTC().Format("2006-01-02 15:04 MST"))
	}
	if err := in.Closed("", "fleet-reconcile"); err != nil {
		p.printf("**Decisions may be missing: %s.**\n\n", text(err.Error(), saysWidth))
	}
	for _, r := range in.Of(record.KindSurface) {
		s, ok := record.Payload[record.Surface](r)
		switch {
		case !ok:
		case r.Subject == "fleet-reconcile":
			for _, note := range s.Notes {
				p.printf("- %s\n", text(note, saysWidth))
			}
		case !s.OK:
			p.printf("- **not read: %s: %s**\n", text(r.Subject, psWidth), text(s.Error, saysWidth))
		}
		if ok && r.Subject == "macf/workspaces" {
			if says := notUnderstood(s, r.Host); says != "" {
				p.printf("- %s\n", says)
			}
		}
	}
	if !bytes.HasSuffix(p.b.Bytes(), []byte("\n\n")) {
		p.printf("\n")
	}
}

// sweepRow is a line of the table.
type sweepRow struct {
	subject, host, decision, reason, detail, did string
	name                                         string // of a session; "" of an agent
	lead                                         string // the command that leads there; "" when none is known
	deed                                         string // what is typed or run; "" when nothing is
	end, by                                      string // endOf
	kept                                         string // what would keep it from being done, where it was only said
	told                                         string // what a person is told of it
	order                                        int
}

// sweepOrder is how urgent a decision is.
var sweepOrder = []string{"HEAL", "LAUNCH", "RESUME", "UPGRADE", "SKIP", "OK"}

func sweepRows(in *record.Set) (rows []sweepRow) {
	did, outcomes := map[string]string{}, map[string]*record.Outcome{}
	for _, r := range in.Of(record.KindOutcome) {
		o, ok := record.Payload[record.Outcome](r)
		if !ok {
			continue
		}
		says := o.Verb + ": " + o.Result
		if o.Reason != "" && o.Reason != o.Result {
			says += " (" + o.Reason + ")"
		}
		outcomes[r.Host+"\x00"+r.Subject] = o
		if says += strings.TrimRight("; "+cmp.Or(o.Proof, o.Detail), "; "); o.Kept != "" {
			says = o.Verb + ": " + o.Result + "; as it is now it would be refused: " + o.Kept
		}
		did[r.Host+"\x00"+r.Subject] = says
	}
	sessions := map[string]*record.Verdict{}
	for _, r := range in.Of(record.KindVerdict) {
		if v, ok := record.Payload[record.Verdict](r); ok {
			sessions[r.Host+"\x00session:"+r.Subject] = v
		}
	}
	for _, r := range in.Of(record.KindDecision) {
		d, ok := record.Payload[record.Decision](r)
		if !ok {
			continue
		}
		row := sweepRow{subject: r.Subject, host: r.Host, decision: d.Decision, reason: d.Reason, detail: d.Detail, order: slices.Index(sweepOrder, d.Decision)}
		row.deed = deed(d.Action)
		if v := sessions[r.Host+"\x00"+r.Subject]; v != nil {
			row.name, row.lead = v.Session.Name, attach.Command(v.Session, v.Class != unknown, "")
		} else if s := d.Seen; s != nil {
			row.lead = attach.Command(record.VerdictSession{Tmux: s.Tmux, Process: s.PID != 0}, true, "")
		}
		o := outcomes[r.Host+"\x00"+r.Subject]
		row.end, row.by = endOf(d, o)
		if o != nil {
			row.kept = o.Kept
			if o.Reason == "absent" || strings.HasPrefix(o.Kept, "absent:") { // it is not there
				row.lead = ""
			}
		}
		if row.kept != "" {
			row.told = o.Tells
		} else if d.Alert != nil {
			row.told = d.Alert.Text
		}
		if row.did = did[r.Host+"\x00"+r.Subject]; row.did == "" && d.Action != nil {
			row.did = "would " + d.Action.Verb
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b sweepRow) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.host, b.host), cmp.Compare(a.subject, b.subject))
	})
	return rows
}

// rehearsal tells why a sweep did nothing of what is to be done, because it only says
// it; "" of any other.
func rehearsal(rows []sweepRow) string {
	why := ""
	for _, r := range rows {
		switch {
		case r.did == "":
		case r.end != endNot:
			return ""
		default:
			why = r.by
		}
	}
	return why
}

// would has the rows of a rehearsal end as they would as things are now.
func would(rows []sweepRow) []sweepRow {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		reason, _, _ := strings.Cut(r.kept, ":")
		switch {
		case r.end != endNot:
		case r.kept == "":
			r.end, r.by = endWould, ""
		case waits[reason]:
			r.end, r.by = endHeld, reason
		default:
			r.end, r.by = endWouldNot, reason
		}
	}
	return rows
}

// sweepTable writes the lines, under one that counts what became of them, which begins
// with a number: heal.sh tells it. Of a sweep that only says what is to be done it counts
// what would become of them as things are.
func (p *page) sweepTable(rows []sweepRow) {
	counts := map[string]int{}
	cells := [][]string{{"AGENT", "DECISION", "REASON", "DID", "DETAIL"}}
	for _, r := range rows {
		counts[r.decision]++
		cell := []string{inCell(r.subject, subjectWidth), inCell(r.decision, psWidth), inCell(r.reason, psWidth), inCell(r.did, psPath), inCell(named(r.name, r.detail), psPath)}
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
	ends := ended(rows)
	if why := rehearsal(rows); why != "" {
		ends = ended(would(rows)) + "; nothing was done: " + text(why, psPath)
	}
	p.printf("%s\n\nDecided: %s\n\n", ends, strings.Join(says, ", "))
	p.grid(cells)
}

// sweepTold writes what a person would be told by a sweep that only says what is to be
// done. One that does it has told them.
func (p *page) sweepTold(rows []sweepRow) {
	if rehearsal(rows) == "" {
		return
	}
	first := true
	for _, r := range rows {
		if r.told == "" {
			continue
		}
		if first {
			p.printf("\n")
		}
		first = false
		p.printf("- you would be told of **%s**: %s\n", r.title(), text(r.told, troubleWidth))
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
func (p *page) sweepDeeds(rows []sweepRow) {
	whom := map[string][]string{}
	for _, r := range rows {
		if r.deed != "" {
			whom[r.deed] = append(whom[r.deed], r.title())
		}
	}
	for i, what := range slices.Sorted(maps.Keys(whom)) {
		if i == 0 {
			p.printf("\n")
		}
		p.printf("- %s: %s\n", what, strings.Join(whom[what], ", "))
	}
}
