package report

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/attach"
	"github.com/fleet-tools/fleet/internal/record"
)

// Sweep is what a sweep decided about agents and sessions and what became of it. Every
// format is written from it alone. Lists are never nil.
type Sweep struct {
	V         int          `json:"v"`           // version of this format
	At        record.Time  `json:"at"`          // when it was decided
	Scope     string       `json:"scope"`       // local without a configuration
	Outdated  *record.Time `json:"outdated_at"` // when the next sweep's report must be there: later, this one says nothing of the present, or sweeps are switched off; null when nobody knows
	Alarm     string       `json:"alarm"`       // why it must not be taken for the whole, or that no sweep was made after it; "" when it may
	NotRead   []NotRead    `json:"not_read"`    // what a decision may lack
	Undecided []string     `json:"undecided"`   // about what nothing is decided, and why
	Notes     []string     `json:"notes"`       // what the judge says of the whole
	Says      string       `json:"says"`        // how many rows ended how; "" without rows
	Dry       string       `json:"dry"`         // why nothing was done of what is to be done; "" when it was, or nothing is to be done
	Rows      []SweepRow   `json:"rows"`        // those of which something is to be done first

	interval int // minutes between two sweeps
}

// SweepRow is what was decided about an agent or a session.
type SweepRow struct {
	Host     string          `json:"host"`     // machine
	Subject  string          `json:"subject"`  // the agent; session: and the session's subject; stall: and the agent that shows a stall
	Name     string          `json:"name"`     // of a session; "" of an agent
	Decision string          `json:"decision"` // HEAL, LAUNCH, RESUME, UPGRADE, SKIP, OK; "" of a stall, as are reason and detail
	Reason   string          `json:"reason"`   // a word of docs/reconcile.md
	Detail   string          `json:"detail"`   // the same in words
	Action   *record.Action  `json:"action"`   // what is to be done; null when nothing is, and of a stall
	Outcome  *record.Outcome `json:"outcome"`  // what became of that; null when no fleet-act has seen it
	End      string          `json:"end"`      // an End… word; where nothing was done because it is only said, what would become of it as things are
	By       string          `json:"by"`       // what it ended so by; "" when that is not one word
	Told     string          `json:"told"`     // what a person is told of it; "" when nothing
	Go       string          `json:"go"`       // the command that leads there; "" when none is known

	order int
}

// BuildSweep makes the report of a sweep's records. now is the present, Set.Now's answer.
func BuildSweep(set *record.Set, now record.Time) Sweep {
	s := Sweep{V: Version, At: now, Scope: LocalScope, NotRead: []NotRead{}, Undecided: []string{}, Notes: []string{}, Rows: sweepRows(set)}
	if _, tick, ok := set.Tick(); ok {
		s.Scope = tick.Scope
		if tick.Heal != nil && tick.Heal.IntervalMin > 0 {
			s.interval = tick.Heal.IntervalMin
			late := record.NewTime(now.Add(time.Duration(s.interval) * time.Minute * 3 / 2))
			s.Outdated = &late
		}
	}
	s.NotRead = append(s.NotRead, sweepNotRead(set)...)
	s.Alarm = cutSweep(set, s.NotRead)
	if r, ok := set.Get(record.Identity{Kind: record.KindSurface, Subject: judgeOfSweeps}); ok {
		if p, ok := record.Payload[record.Surface](r); ok {
			s.Notes, s.Undecided = append(s.Notes, p.Notes...), append(s.Undecided, p.Undecided...)
		}
	}
	if s.Dry = rehearsal(s.Rows); s.Dry != "" {
		s.Rows = would(s.Rows)
	}
	s.Says = ended(s.Rows)
	return s
}

// The programs whose decisions and outcomes a sweep is made of.
const (
	judgeOfSweeps = "fleet-reconcile"
	actor         = "fleet-act"
)

// cutSweep says which rows may be missing or wrong since a program's records are not all
// here, "" when none.
func cutSweep(set *record.Set, unread []NotRead) string {
	var cut []string
	if err := set.Closed("", judgeOfSweeps); err != nil {
		cut = append(cut, "decisions may be missing: "+err.Error())
	}
	for _, host := range set.Hosts() {
		for rec := range set.Each() {
			if rec.Host != host || rec.By != actor {
				continue
			}
			if err := set.Closed(host, actor); err != nil {
				cut = append(cut, "what was done may be missing: "+err.Error())
			}
			break
		}
	}
	for _, n := range unread {
		if n.Why == WhyCut {
			cut = append(cut, "decisions may be wrong or missing: "+n.Name+": "+n.Says)
			break
		}
	}
	return strings.Join(cut, "; ")
}

// sweepNotRead is what a tick's report has of the same programs, but for those of cutSweep.
func sweepNotRead(set *record.Set) []NotRead {
	ns := failedSurfaces(set, expectedSurfaces(set))
	for _, n := range cutPrograms(set) {
		if n.Name != judgeOfSweeps && n.Name != actor {
			ns = append(ns, n)
		}
	}
	if _, tick, ok := set.Tick(); ok && tick.Heal != nil {
		ns = append(ns, neverRun(set, "", sweepers...)...)
	}
	sortNotRead(ns)
	return ns
}

// sweepers are the programs of which a sweep has records.
var sweepers = []string{"fleet-config", "fleet-ledger", "fleet-observe-workspaces", "fleet-observe-health", observers["claude"], judge}

// Over notes that no sweep was made after this one, or none to its end, and why.
func (s *Sweep) Over(why string, at time.Time) {
	says := "at " + at.UTC().Format(time.RFC3339) + ": " + why
	if s.Alarm != "" {
		says += "; of the last one was said: " + s.Alarm
	}
	s.Alarm = says
}

// SweepJSON writes the report as JSON does.
func SweepJSON(w io.Writer, s Sweep) error { return writeJSON(w, s) }

// sweepOrder is how urgent a decision is.
var sweepOrder = []string{"HEAL", "LAUNCH", "RESUME", "UPGRADE", "SKIP", "OK"}

func sweepRows(set *record.Set) []SweepRow {
	outcomes, sessions := map[key]*record.Outcome{}, map[key]*record.Verdict{}
	for _, r := range set.Of(record.KindOutcome) {
		if o, ok := record.Payload[record.Outcome](r); ok {
			outcomes[key{r.Host, r.Subject}] = o
		}
	}
	for _, r := range set.Of(record.KindVerdict) {
		if v, ok := record.Payload[record.Verdict](r); ok {
			sessions[key{r.Host, "session:" + r.Subject}] = v
		}
	}
	rows := []SweepRow{}
	for _, r := range set.Of(record.KindDecision) {
		if d, ok := record.Payload[record.Decision](r); ok {
			k := key{r.Host, r.Subject}
			rows = append(rows, sweepRowOf(k, d, outcomes[k], sessions[k]))
			delete(outcomes, k)
		}
	}
	for k, o := range outcomes { // of a stall
		rows = append(rows, sweepRowOf(k, &record.Decision{}, o, nil))
	}
	slices.SortStableFunc(rows, func(a, b SweepRow) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Subject, b.Subject))
	})
	return rows
}

// sweepRowOf is the row of a decision; o is nil without an outcome, v of an agent.
func sweepRowOf(k key, d *record.Decision, o *record.Outcome, v *record.Verdict) SweepRow {
	row := SweepRow{Host: k.host, Subject: k.subject, Decision: d.Decision, Reason: d.Reason, Detail: d.Detail, Action: d.Action, Outcome: o,
		order: slices.Index(sweepOrder, d.Decision)}
	row.End, row.By = endOf(d, o)
	if v != nil {
		row.Name, row.Go = v.Session.Name, attach.Command(v.Session, v.Class != unknown, "")
	} else if s := d.Seen; s != nil {
		row.Go = attach.Command(record.VerdictSession{Tmux: s.Tmux, Process: s.PID != 0}, true, "")
	}
	if o != nil && (o.Reason == "absent" || strings.HasPrefix(o.Kept, "absent:")) { // it is not there
		row.Go = ""
	}
	switch {
	case o != nil && d.Action != nil && (o.Result != record.Dry || o.Kept != ""):
		row.Told = o.Tells
	case d.Alert != nil:
		row.Told = d.Alert.Text
	}
	return row
}

// kept is what would keep it from being done, where it was only said; "" when nothing.
func (r SweepRow) kept() string {
	if r.Outcome == nil {
		return ""
	}
	return r.Outcome.Kept
}

// did is what became of it in words; "" where nothing is to be done.
func (r SweepRow) did() string {
	o := r.Outcome
	switch {
	case o == nil && r.Action == nil:
		return ""
	case o == nil:
		return "would " + r.Action.Verb
	case o.Kept != "":
		return o.Verb + ": " + o.Result + "; as it is now it would be refused: " + o.Kept
	}
	says := o.Verb + ": " + o.Result
	if o.Reason != "" && o.Reason != o.Result {
		says += " (" + o.Reason + ")"
	}
	return says + strings.TrimRight("; "+cmp.Or(o.Proof, o.Detail), "; ")
}

// rehearsal tells why a sweep did nothing of what is to be done, because it only says
// it; "" of any other.
func rehearsal(rows []SweepRow) string {
	why := ""
	for _, r := range rows {
		switch {
		case r.Action == nil && (r.Outcome == nil || r.Outcome.Verb == lookVerb):
		case r.End != EndNot:
			return ""
		default:
			why = r.By
		}
	}
	return why
}

// would has the rows of a rehearsal end as they would as things are now.
func would(rows []SweepRow) []SweepRow {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		reason, _, _ := strings.Cut(r.kept(), ":")
		switch {
		case r.End != EndNot:
		case r.kept() == "":
			r.End, r.By = EndWould, ""
		case waits[reason]:
			r.End, r.By = EndHeld, reason
		default:
			r.End, r.By = EndWouldNot, reason
		}
	}
	return rows
}
