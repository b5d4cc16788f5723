package ledger

import (
	"fmt"

	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// Append writes what of an offer the ledger lacks.
func (l Ledger) Append(o fold.Offer) (fold.Admitted, error) {
	var a fold.Admitted
	err := l.update(0, func(h held) ([][]byte, error) {
		tail, err := l.tail(h, o.Words()...)
		if err != nil {
			return nil, err
		}
		a, err = o.Admit(tail)
		return a.Lines, err
	})
	return a, err
}

// Filter copies a stream and writes its entries to the ledger that open names.
// Lines pass at once up to the first entry; that one and all behind it wait
// until the input has ended and it is decided whether the entries are written,
// and then pass in any case. scope is the one that the caller asked for, ""
// for any.
func Filter(std *cli.Std, scope string, open func(scope string) (Ledger, error)) error {
	set, held, err := hold(std)
	if err == nil {
		err = appendSet(std, set, scope, open)
	}
	for _, raw := range held {
		if cerr := std.Copy(raw); cerr != nil {
			return cerr
		}
	}
	return err
}

// hold reads the input, copies what may pass at once and returns the rest.
func hold(std *cli.Std) (*record.Set, [][]byte, error) {
	set := new(record.Set)
	var held [][]byte
	for line, err := range record.All(std.In) {
		if err != nil {
			return nil, held, err
		}
		set.Add(line)
		if held != nil || line.Record.Kind == record.KindEntry {
			held = append(held, line.Raw)
		} else if err := std.Copy(line.Raw); err != nil {
			return nil, nil, err
		}
	}
	return set, held, nil
}

// appendSet writes the entries of a stream that was read whole.
func appendSet(std *cli.Std, set *record.Set, scope string, open func(scope string) (Ledger, error)) error {
	offer, err := fold.NewOffer(set)
	switch {
	case err != nil:
		return fmt.Errorf("nothing is written: %w", err)
	case offer.Nothing != "":
		std.Warn("nothing is written: %s", offer.Nothing)
		return nil
	case len(offer.Entries) == 0:
		return nil
	case scope != "" && scope != offer.Scope:
		return fmt.Errorf("nothing is written: the entries are of scope %q, asked for is %q", offer.Scope, scope)
	}
	l, err := open(offer.Scope)
	if err != nil {
		return err
	}
	a, err := l.Append(offer)
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	if a.Already > 0 {
		std.Warn("%d of %d entries are in the ledger already", a.Already, len(offer.Entries))
	}
	if len(a.Dropped) > 0 {
		std.Warn("%d resolutions are left out: the owner answered meanwhile", len(a.Dropped))
	}
	return nil
}

// questionWidth is more columns than a question of ours has.
const questionWidth = 4000

// ObserveNone writes the surface of a ledger that is not there or was not read,
// and the closing record.
func ObserveNone(std *cli.Std, at record.Time, host string, surface record.Surface) error {
	if err := std.AddData(record.KindSurface, at, host, "ledger", surface); err != nil {
		return err
	}
	return std.Close(at, host, "")
}

// Sink takes records, and the closing record.
type Sink interface {
	AddData(kind record.Kind, at record.Time, host, subject string, data any) error
	Close(at record.Time, host, label string) error
}

// Observe writes what a folded ledger tells: its surface, what is ours, what
// was asked, the last ticks, how agents are kept alive, and the closing record.
func Observe(std Sink, s *fold.State, at record.Time, host string) error {
	add := func(kind record.Kind, subject string, data any) error {
		return std.AddData(kind, at, host, subject, data)
	}
	if err := add(record.KindSurface, "ledger", s.Surface()); err != nil {
		return err
	}
	for _, o := range s.Owned() {
		if err := add(record.KindOwned, fold.OwnedSubject(o), o); err != nil {
			return err
		}
	}
	for _, a := range s.Asked() {
		a.Question = guard.Text(a.Question, questionWidth) // a ledger may be older than what withholds
		if err := add(record.KindAsked, a.Key, a); err != nil {
			return err
		}
	}
	for _, p := range s.Past() {
		if err := add(record.KindPast, fmt.Sprintf("tick:%d", p.Tick), p); err != nil {
			return err
		}
	}
	for _, h := range s.Heals(at.Time) {
		if err := add(record.KindHeal, h.Agent, h); err != nil {
			return err
		}
	}
	if swept := s.Sweep(); swept != nil {
		if err := add(record.KindSwept, "sweep", swept); err != nil {
			return err
		}
	}
	return std.Close(at, host, "")
}
