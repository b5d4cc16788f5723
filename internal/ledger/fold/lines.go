// Package fold reads ledger lines and folds them: which numbers ticks had,
// which asks are open, answered or resolved, which sessions and agents are
// ours. It also judges what a stream may add to a ledger. It opens nothing.
//
// A ledger is JSON lines, append-only. A line that is damaged is counted and
// never joined with its neighbours: a newline ends whatever stands before it.
package fold

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	fast "github.com/go-json-experiment/json"
	json "github.com/go-json-experiment/json/v1"

	"github.com/fleet-tools/fleet/internal/record"
)

// MaxLine is the length, in bytes, up to which a ledger line is read, and past
// which none is written.
const MaxLine = 4 << 20

// TickLimit bounds a tick number. An hourly tick needs a hundred thousand years
// to get there; a number beyond is damage.
const TickLimit = 1 << 30

// Line is one line of a ledger that is not blank.
type Line struct {
	N      int          // its number, from 1
	Raw    []byte       // its bytes without the newline, credentials of old releases and all; the first of them when it is longer than MaxLine; good until the next line is read
	Entry  record.Entry // empty when damaged; only the envelope counts when Newer
	Newer  bool         // an entry of a kind that this release does not know
	Damage error        // why it is no entry; nil when it is one
}

// Lines yields the lines of a ledger in order, damaged ones too. It stops
// after an error of r, which it yields.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		br := bufio.NewReaderSize(r, 16<<10)
		var raw []byte
		for n := 1; ; n++ {
			var whole bool
			var err error
			raw, whole, err = readLine(br, raw[:0])
			if err != nil && err != io.EOF {
				yield(Line{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if len(bytes.TrimSpace(raw)) > 0 {
				line := Line{N: n, Raw: raw}
				if whole {
					line.Entry, line.Newer, line.Damage = Parse(line.Raw)
				} else {
					line.Damage = fmt.Errorf("longer than %d bytes", MaxLine)
				}
				if !yield(line, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// readLine appends the next line without its newline to line; whole is false
// when more than MaxLine bytes of it were dropped.
func readLine(br *bufio.Reader, line []byte) (_ []byte, whole bool, err error) {
	whole = true
	for {
		part, err := br.ReadSlice('\n')
		if room := MaxLine - len(line); len(part) > room+1 {
			part, whole = part[:room], false
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return bytes.TrimSuffix(line, []byte("\n")), whole, err
		}
	}
}

// quick is encoding/json's reading, without a look at the whole line first.
var quick = fast.JoinOptions(json.DefaultOptionsV1(), json.ReportErrorsWithLegacySemantics(false))

// Parse reads one line without its newline. newer says that the entry's kind
// is of a later release. The error says what is wrong and quotes nothing of
// the line.
func Parse(raw []byte) (e record.Entry, newer bool, err error) {
	switch text := bytes.TrimSpace(raw); {
	case bytes.IndexByte(raw, 0) >= 0:
		return e, false, errors.New("NUL bytes")
	case !utf8.Valid(raw):
		return e, false, errors.New("not UTF-8")
	case len(text) == 0 || text[0] != '{':
		return e, false, errors.New("not a JSON object")
	}
	if !record.Quick(raw, &e) {
		if e = (record.Entry{}); fast.Unmarshal(raw, &e, quick) != nil {
			e = record.Entry{}
			err = json.Unmarshal(raw, &e) // which says more
		}
	}
	if err == nil && e.V == record.Version && known[e.Kind] {
		err = check(e)
	} else {
		var kind string
		if kind, err = later(raw, err); err == nil {
			return record.Entry{V: record.Version, Kind: kind}, true, nil
		}
	}
	if err != nil {
		return record.Entry{}, false, err
	}
	return e, false, nil
}

// later judges a line that is no entry of a kind that this release knows: it is
// of a later kind, which it returns, and whose fields may be anything; or it is
// damaged.
func later(raw []byte, err error) (kind string, _ error) {
	var head struct {
		V    int    `json:"v"`
		Kind string `json:"kind"`
	}
	if herr := json.Unmarshal(raw, &head); herr != nil {
		return "", jsonError(herr, len(raw))
	}
	switch {
	case head.V != record.Version:
		return "", fmt.Errorf("ledger version %d, this program reads %d", head.V, record.Version)
	case !word().MatchString(head.Kind):
		return "", errors.New("kind is no word")
	case known[head.Kind]:
		return "", jsonError(err, len(raw))
	}
	return head.Kind, nil
}

// word is what a kind of any release looks like. It is shown to the owner.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`) })

// known is every kind of this release.
var known = map[string]bool{
	record.EntryFire: true, record.EntryExit: true, record.EntryStep: true, record.EntryIntent: true,
	record.EntryDone: true, record.EntryFailed: true, record.EntryUnknown: true,
	record.EntrySeen: true, record.EntryAck: true, record.EntryAdopt: true,
	record.EntrySweep: true, record.EntrySweepExit: true, record.EntryPause: true, record.EntryUnpause: true, record.EntryAgentExit: true,
}

// check says what an entry lacks.
func check(e record.Entry) error {
	switch {
	case e.ID == "":
		return errors.New("entry has no id")
	case e.TS.IsZero():
		return errors.New("entry has no ts")
	case e.Tick == nil && (e.Kind == record.EntryFire || e.Kind == record.EntryExit):
		return fmt.Errorf("%s entry has no tick", e.Kind)
	case e.Exit == nil && (e.Kind == record.EntrySweepExit || e.Kind == record.EntryAgentExit):
		return fmt.Errorf("%s entry has no exit", e.Kind)
	case e.Key == "" && (e.Kind == record.EntryPause || e.Kind == record.EntryUnpause || e.Kind == record.EntryAgentExit):
		return fmt.Errorf("%s entry has no key", e.Kind)
	case e.Tick != nil && (*e.Tick < 0 || *e.Tick > TickLimit):
		return fmt.Errorf("tick is not within 0 to %d", TickLimit)
	}
	return nil
}

// jsonError names the field or the byte of a decoding error without quoting
// the input, which may hold a secret.
func jsonError(err error, length int) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// As the line has it: a name in it may be a credential, which an escape hides.
		return fmt.Errorf("%s is not a %s", strings.NewReplacer("~1", "/", "~0", "~").Replace(e.Field), e.Type)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		if e.Offset >= int64(length) {
			return fmt.Errorf("torn: ends at byte %d", length)
		}
		return fmt.Errorf("not JSON at byte %d", e.Offset)
	}
	return err
}
