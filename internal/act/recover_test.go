package act

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// An intent that a run left is closed by what is seen of it, once, and nothing is done
// again. One of which that cannot be looked at stays open, and is named; those of other
// programs stay as they are.
func TestRecover(t *testing.T) {
	reborn := func(s *spot) { s.now = s.now.Add(time.Second); s.runs(s.agents[0]) }
	deaf := func(s *spot) { reborn(s); s.agents[0].answers = false }
	tick := 3
	for name, tt := range map[string]struct {
		verb string
		lay  func(s *spot) // after the intent
		left func(e *record.Entry, t *record.ActTarget)
		want string // outcome, reason, a part of its detail; "open": none
		warn string // a part of what is warned of
	}{
		"an alert":                      {verb: record.VerbAlert, want: "done  it is told: the ledger has it"},
		"of what is not told":           {verb: "restart", left: func(_ *record.Entry, t *record.ActTarget) { t.Seen = nil }, want: "unknown lost the intent does not say what was to be done"},
		"a text is there":               {verb: "inject", lay: func(s *spot) { s.agents[0].said = []string{"x"} }, want: "done  user record u1"},
		"a text is not there":           {verb: "inject", want: "failed lost no user record of it is in the transcript"},
		"a text is not looked for":      {verb: "inject", lay: only("said"), want: "open", warn: "said was not read; until it can"},
		"no process came":               {verb: "restart", want: "failed lost no Claude Code process that is younger than the intent runs in /w/0"},
		"a process is not looked for":   {verb: "restart", lay: only("beside"), want: "open", warn: "beside was not read; until it can"},
		"a process came, of no project": {verb: "launch", lay: deaf, left: func(_ *record.Entry, t *record.ActTarget) { t.Seen.Project = "" }, want: "done  process 5"},
		"it came back":                  {verb: "restart", lay: reborn, want: "done  process 5; instance i5"},
		"it is deaf":                    {verb: "restart", lay: deaf, want: "failed deaf process 5 runs, and no new instance answers"},
		"it does not say which it is":   {verb: "restart", lay: func(s *spot) { reborn(s); s.health = func(h *record.Health) { h.Instance = "" } }, want: "failed deaf process 5"},
		"it answers in a moment": {verb: "restart", lay: func(s *spot) {
			reborn(s)
			s.health = func(h *record.Health) { h.Online = s.now.After(noon.Add(3 * time.Second)) }
		}, want: "done  process 5; instance i5"},
		"it cannot be asked": {verb: "restart", lay: func(s *spot) { reborn(s); only("health")(s) }, want: "open", warn: "health was not read; until it can"},
		"it cannot be asked again": {verb: "restart", lay: func(s *spot) {
			deaf(s)
			s.blind = func(what string) bool { return what == "health" && s.now.After(noon.Add(3*time.Second)) }
		}, want: "open", warn: "health was not read; until it can"},
		"an upgraded one came back":     {verb: "upgrade", lay: reborn, want: "done  process 5; instance i5"},
		"it came back as it was":        {verb: "upgrade", lay: func(s *spot) { reborn(s); s.health = func(h *record.Health) { h.Version = "1.2.2" } }, want: "failed wrong-version it runs 1.2.2"},
		"its update still works":        {verb: "upgrade", lay: func(s *spot) { reborn(s); s.updates = errors.New("it works") }, want: "open", warn: "it works; until it can"},
		"the update of another works":   {verb: "restart", lay: func(s *spot) { reborn(s); s.updates = errors.New("it works") }, want: "done  process 5; instance i5"},
		"an upgraded one is deaf":       {verb: "upgrade", lay: deaf, want: "failed deaf process 5 runs, and no new instance answers"},
		"of a dry run":                  {verb: "restart", left: func(e *record.Entry, _ *record.ActTarget) { e.DryRun = true }, want: "open"},
		"of a tick":                     {verb: "restart", left: func(e *record.Entry, _ *record.ActTarget) { e.Tick = &tick }, want: "open"},
		"of another program":            {verb: "restart", left: func(e *record.Entry, _ *record.ActTarget) { e.By = "tick" }, want: "open"},
		"an alert of another program":   {verb: record.VerbAlert, left: func(e *record.Entry, _ *record.ActTarget) { e.By = "tick" }, want: "open"},
		"of another program's own verb": {verb: "spawn", want: "open"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got, warned := &spot{desk: newDesk(t)}, "", ""
			s.now = noon
			e := record.Entry{Kind: record.EntryIntent, By: "act", Verb: tt.verb, Key: "agent-0"}
			target := record.ActTarget{Action: record.Action{Verb: tt.verb, Text: "x", To: "1.2.3"}, Seen: s.decided(0, "restart").Seen}
			if tt.verb == record.VerbAlert {
				target = record.ActTarget{Severity: "stuck", Text: "x"}
			}
			if tt.left != nil {
				tt.left(&e, &target)
			}
			e.Target = fold.Marshal(target)
			id := s.append(s.now, e)
			if tt.lay != nil {
				tt.lay(s)
			}
			a, book := s.acting(&got), &keeps{Book: s}
			a.Book = book
			a.Warn = func(format string, args ...any) { warned += fmt.Sprintf(format, args...) }
			for range 2 {
				if err := a.Recover(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			says := "open"
			if len(book.kept) > 0 {
				end := record.Entry{}
				if err := json.Unmarshal([]byte(book.kept[0]), &end); err != nil {
					t.Fatal(err)
				}
				detail, ok := strings.CutPrefix(end.Detail, "recovered: ")
				if says = fmt.Sprint(end.Kind, " ", end.Reason, " ", detail); !ok {
					t.Error(end.Detail)
				}
			}
			if !strings.HasPrefix(says, tt.want) || s.state.IsOpen(id) != (tt.want == "open") || len(book.kept) > 1 {
				t.Errorf("%s, want %s; %d outcomes", says, tt.want, len(book.kept))
			}
			if !strings.Contains(warned, tt.warn) || (warned != "") != (tt.warn != "") {
				t.Errorf("warned of %q", warned)
			}
			if len(s.said)+s.starts+s.stops > 0 {
				t.Errorf("written to %q, %d begun, %d ended", s.said, s.starts, s.stops)
			}
		})
	}
}

// broken is a ledger of which one call fails: the n-th of that name.
type broken struct {
	Book
	call string
	n    int
}

func (b *broken) fails(call string) bool {
	if b.call != call {
		return false
	}
	b.n--
	return b.n == 0
}

func (b *broken) Begin(at time.Time, e record.Entry, may func(*fold.State) error) (string, error) {
	if b.fails("begin") {
		return "", syscall.EIO
	}
	return b.Book.Begin(at, e, may)
}

func (b *broken) End(at time.Time, of string, e record.Entry) error {
	if b.fails("end") {
		return syscall.EIO
	}
	return b.Book.End(at, of, e)
}

func (b *broken) Note(at time.Time, e record.Entry) error {
	if b.fails("note") {
		return syscall.EIO
	}
	return b.Book.Note(at, e)
}

func (b *broken) ReadOrNone() (*fold.State, error) {
	if b.fails("read") {
		return nil, syscall.EIO
	}
	return b.Book.ReadOrNone()
}

// A ledger that fails stops a run where it does, and the error says what was not
// written or read; what nothing could be noted of is not done.
func TestBroken(t *testing.T) {
	const alert, message, closing = "alert", "message", "closing"
	for _, tt := range []struct {
		run, call string
		n         int
		left      bool // an intent of before is open
		want      string
		acts      int
	}{
		{message, "read", 1, false, "reading the ledger: ", 0},
		{message, "read", 2, false, "reading the ledger: ", 0}, // whether this stream was done
		{message, "end", 1, true, "noting what became of inject agent-1: ", 0},
		{message, "begin", 1, false, "noting that inject is about to be done to agent-0: ", 0},
		{message, "end", 1, false, "noting what became of inject agent-0: ", 1},
		{message, "note", 1, false, "noting the sweep: ", 1},
		{alert, "begin", 1, false, "noting an alert about agent-0: ", 0},
		{alert, "end", 1, false, "noting what became of alert agent-0: ", 0},
		{closing, "read", 1, false, "reading the ledger: ", 0},
		{closing, "end", 1, true, "noting what became of inject agent-1: ", 0},
	} {
		t.Run(fmt.Sprint(tt.run, " ", tt.call, tt.n), func(t *testing.T) {
			d := newDesk(t)
			d.agents[0].answers = false
			dec := d.decided(0, "inject")
			if tt.left {
				d.append(d.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "inject", Key: "agent-1", Target: fold.Marshal(record.ActTarget{Seen: dec.Seen})})
			}
			a := d.at(d.now)
			a.Book = &broken{d, tt.call, tt.n}
			d.now = d.now.Add(time.Second)
			err := error(nil)
			switch tt.run {
			case closing:
				err = a.Recover(t.Context())
			case alert:
				dec.Action, dec.Alert = nil, &record.Alert{Severity: "stuck", Text: "x"}
				fallthrough
			case message:
				err = a.Do(t.Context(), []record.Decision{dec})
			}
			if !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), tt.want) || len(d.said) != tt.acts {
				t.Errorf("%v, written to %q", err, d.said)
			}
		})
	}
}

// Every intent that was left is closed, and one that answers is asked once.
func TestRecover_all(t *testing.T) {
	s, got := &spot{desk: newDesk(t)}, ""
	for i := range 2 {
		s.append(s.now, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "restart", Key: fmt.Sprint("agent-", i), Target: fold.Marshal(record.ActTarget{Action: record.Action{Verb: "restart"}, Seen: s.decided(i, "restart").Seen})})
		s.runs(s.agents[i])
	}
	was := s.now
	if err := s.acting(&got).Recover(t.Context()); err != nil || len(s.state.Open()) > 0 || !s.now.Equal(was) {
		t.Errorf("%v, open %v, waited %v", err, s.state.Open(), s.now.Sub(was))
	}
}

// An answer is another instance's when it says which it is, and it is not the one that was.
func TestIsOther(t *testing.T) {
	was := &record.Seen{Instance: "i1"}
	for _, tt := range []struct {
		h    *record.Health
		want bool
	}{
		{nil, false}, {&record.Health{Online: true, Instance: "i2"}, true}, {&record.Health{Instance: "i2"}, false},
		{&record.Health{Online: true, Instance: "i1"}, false}, {&record.Health{Online: true}, false},
	} {
		if got := isOther(tt.h, was); got != tt.want {
			t.Errorf("%+v: %t", tt.h, got)
		}
	}
}
