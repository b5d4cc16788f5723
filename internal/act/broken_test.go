package act

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

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
				err = handed(a, a.Recover(t.Context()))
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
