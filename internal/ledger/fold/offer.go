package fold

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/record"
)

// judges are the programs that add verdicts. One of them must have judged a
// stream whose entries are written.
var judges = []string{"fleet-classify", "fleet-reconcile", "fleet-watch"}

// Offer is what a stream that was read whole wants written.
type Offer struct {
	Scope   string
	Tick    int
	Entries []record.Record // by number
	Nothing string          // why nothing can be written although nothing went wrong; "" otherwise

	asked map[string]record.Asked // as the stream's judge knew it
}

// NewOffer judges a stream. The error says what does not fit: the stream was
// cut, a program that had to be read was not, or an entry is not of this tick.
// Nothing of such a stream may be written.
func NewOffer(set *record.Set) (Offer, error) {
	o := Offer{Entries: set.Of(record.KindEntry), asked: map[string]record.Asked{}}
	r, tick, ok := set.Tick()
	if ok && tick.Tick != nil {
		o.Scope, o.Tick = tick.Scope, *tick.Tick
	} else if len(o.Entries) > 0 {
		return o, errors.New("the stream has entries and no tick record with a number")
	}
	if len(o.Entries) == 0 {
		switch {
		case !ok:
			o.Nothing = "no tick record"
		case tick.Tick == nil:
			o.Nothing = "the tick record has no number"
		default:
			o.Nothing = unreadLedger(set, r.Host)
		}
		if o.Nothing != "" {
			return o, nil
		}
	}
	if err := fits(set); err != nil {
		return o, err
	}
	for _, r := range set.Of(record.KindAsked) {
		if p, ok := record.Payload[record.Asked](r); ok {
			o.asked[p.Key] = *p
		}
	}
	slices.SortStableFunc(o.Entries, func(a, b record.Record) int {
		return cmp.Compare(entryNumber(a.Subject), entryNumber(b.Subject))
	})
	return o, o.checkEntries()
}

// unreadLedger says why the ledger of a host was not read, "" when it was.
func unreadLedger(set *record.Set, host string) string {
	if err := set.Closed(host, "fleet-ledger"); err != nil {
		return "the ledger was not read: " + err.Error()
	}
	r, _ := set.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: "ledger"})
	if p, ok := record.Payload[record.Surface](r); !ok || !p.OK || p.Absent {
		return "the ledger was not read"
	}
	return ""
}

// fits tells whether a judge, and each program that judged, asked or offers an
// entry, was read whole.
func fits(set *record.Set) error {
	programs := map[string]bool{"fleet-asks": true}
	for _, r := range set.All() {
		switch r.Kind {
		case record.KindVerdict, record.KindFinding, record.KindAsk, record.KindEntry:
			programs[r.By] = true
		case record.KindSurface:
			if slices.Contains(judges, r.By) {
				programs[r.By] = true
			}
		}
	}
	if !slices.ContainsFunc(judges, func(j string) bool { return programs[j] }) {
		programs[judges[0]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if err := set.Closed("", name); err != nil {
			return err
		}
	}
	return nil
}

var entryID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,10})-([0-9]{1,10})$`) })

// entryNumber is 2 for 13-2.
func entryNumber(id string) int {
	_, n, _ := strings.Cut(id, "-")
	i, _ := strconv.Atoi(n)
	return i
}

// checkEntries says which entry is not one of this tick. An id that is none is
// not quoted.
func (o Offer) checkEntries() error {
	ids := map[string]bool{}
	for _, r := range o.Entries {
		if !entryID().MatchString(r.Subject) {
			return fmt.Errorf("an entry's id is not %d-<n>", o.Tick)
		}
		e, _ := record.Payload[record.Entry](r)
		_, newer, err := Parse(r.Data)
		switch {
		case err != nil:
			return fmt.Errorf("entry %s: %w", r.Subject, err)
		case newer:
			return fmt.Errorf("entry %s: a kind that this release does not know", r.Subject)
		case e.ID != r.Subject:
			return fmt.Errorf("entry %s: its id is another", r.Subject)
		case e.Tick == nil || *e.Tick != o.Tick || !strings.HasPrefix(e.ID, fmt.Sprintf("%d-", o.Tick)):
			return fmt.Errorf("entry %s is not of tick %d", r.Subject, o.Tick)
		case e.Scope != o.Scope:
			return fmt.Errorf("entry %s is not of the scope of its tick", r.Subject)
		case ids[e.ID]:
			return fmt.Errorf("entry %s is there twice", r.Subject)
		case len(r.Data) > MaxLine:
			return fmt.Errorf("entry %s: longer than %d bytes", r.Subject, MaxLine)
		}
		ids[e.ID] = true
	}
	return nil
}

// Admitted is what of an offer is to be written.
type Admitted struct {
	Lines   [][]byte // compact, without newline
	Already int      // entries left out because the ledger has their id since the last fire
	Dropped []string // keys whose resolution was left out because the owner answered meanwhile
}

// Words are texts of which a ledger line has one when Admit must know it: the
// ids of the offer, and ack.
func (o Offer) Words() []string {
	words := []string{`"` + record.EntryAck + `"`}
	for _, r := range o.Entries {
		words = append(words, `"`+r.Subject+`"`)
	}
	return words
}

// Admit holds an offer against the end of its ledger: the last fire and, of
// what came after it, the entries that have one of its Words. The error says that the offer's tick is not the last one.
func (o Offer) Admit(tail []record.Entry) (Admitted, error) {
	var a Admitted
	if len(tail) == 0 || tail[0].Kind != record.EntryFire {
		return a, fmt.Errorf("the entries are of tick %d; the ledger has no tick", o.Tick)
	}
	if last := *tail[0].Tick; last != o.Tick {
		return a, fmt.Errorf("the entries are of tick %d; the last tick that began is %d", o.Tick, last)
	}
	ids := map[string]bool{}
	for _, e := range tail {
		ids[e.ID] = true
	}
	for _, r := range o.Entries {
		if ids[r.Subject] {
			a.Already++
			continue
		}
		ids[r.Subject] = true
		line, dropped := o.line(r, tail)
		a.Dropped = append(a.Dropped, dropped...)
		if line != nil {
			a.Lines = append(a.Lines, line)
		}
	}
	return a, nil
}

// line is the ledger line of an entry: as it is, but for resolutions of keys
// that the owner answered since the judge looked. It is nil when nothing else
// is in it.
func (o Offer) line(r record.Record, tail []record.Entry) (line []byte, dropped []string) {
	e, _ := record.Payload[record.Entry](r)
	kept := []string{}
	for _, key := range e.Keys {
		if e.Resolved && o.answeredMeanwhile(key, tail) {
			dropped = append(dropped, key)
		} else {
			kept = append(kept, key)
		}
	}
	switch {
	case len(dropped) == 0:
		return compact(r.Data), nil
	case len(kept) == 0:
		return nil, dropped
	}
	fields := decode[map[string]json.RawMessage](r.Data)
	fields["keys"] = Marshal(kept)
	return Marshal(fields), dropped
}

// answeredMeanwhile tells whether the owner answered a key that the judge saw
// open.
func (o Offer) answeredMeanwhile(key string, tail []record.Entry) bool {
	a := o.asked[key]
	return a.State == record.AskOpen && slices.ContainsFunc(tail, func(e record.Entry) bool {
		return e.Kind == record.EntryAck && e.Of == a.Intent && Covers(e.Asks, a.ID)
	})
}

// compact is one line of JSON without blanks between its parts.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // a record's data has been read as JSON
	return b.Bytes()
}

// Marshal writes an entry, or a part of one, as a ledger has it: compact,
// UTF-8 and HTML characters unescaped, without a newline. v must be made of
// what JSON can hold.
func Marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
