package cli

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Std is what a program has of the process. Out is flushed, and the flush
// checked, when run returns.
type Std struct {
	Program string
	Args    []string // arguments that are no flags
	In      io.Reader
	Out     *bufio.Writer
	Err     io.Writer
	Now     time.Time // --now; zero when it was not given
	Clock   time.Time // --now, else the clock when the program started; for programs that touch the machine only

	withhold func(string) string // of the program; nil: none

	query Query               // --jq; nil when it was not given
	line  []byte              // the last that Add wrote, for its room
	added map[uint64]struct{} // hashes of the identities, which differ but once in 10^19
	seed  maphash.Seed
}

// A Query writes what an expression makes of a record, in the record's place.
type Query interface {
	Write(w io.Writer, r record.Record) error
	// Close ends it. The error says that it ended before.
	Close() error
}

// Warn prints one fact on stderr.
func (s *Std) Warn(format string, args ...any) {
	s.tell(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}

// tell prints a line on stderr.
func (s *Std) tell(line string) {
	if s.withhold != nil {
		line = s.withhold(line)
	}
	fmt.Fprintf(s.Err, "%s: %s\n", s.Program, line)
}

// EndsPipe tells whether --jq was given: the input is then not copied.
func (s *Std) EndsPipe() bool { return s.query != nil }

// Copy passes a line on unchanged, or drops it when --jq ends the pipe.
func (s *Std) Copy(raw []byte) error {
	if s.query != nil {
		return nil
	}
	_, err := s.Out.Write(raw)
	return outputError(err)
}

// Add writes a record of this program's own, through --jq when it was given.
func (s *Std) Add(r record.Record) error {
	s.count(r)
	if s.query != nil {
		return s.query.Write(s.Out, r)
	}
	var err error
	if s.line, err = r.AppendTo(s.line[:0]); err != nil {
		return err
	}
	_, err = s.Out.Write(s.line)
	return outputError(err)
}

// count takes that a record is one of those that the closing record counts.
func (s *Std) count(r record.Record) {
	if s.added == nil {
		s.added, s.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}
	s.added[maphash.Comparable(s.seed, r.Identity())] = struct{}{}
}

// AddData is Add of a new record of this program.
func (s *Std) AddData(kind record.Kind, at record.Time, host, subject string, data any) error {
	r, err := record.New(kind, at, host, s.Program, subject, data)
	if err != nil {
		return err
	}
	return s.Add(r)
}

// Close writes the closing record of what was added since the last Close.
// label is "" or that of a further directory. Rows is how many records were
// added. A filter of an empty stream has no time: it writes no closing record
// either, and what comes after it sees that nobody judged.
func (s *Std) Close(at record.Time, host, label string) error {
	return s.CloseWith(at, host, label, record.Surface{})
}

// CloseWith is Close of a program that says more in its closing record.
func (s *Std) CloseWith(at record.Time, host, label string, more record.Surface) error {
	if at.IsZero() {
		return nil
	}
	n := len(s.added)
	name := s.Program
	if label != "" {
		name += "@" + label
	}
	more.OK, more.Rows, more.Records = true, n, &n
	err := s.AddData(record.KindSurface, at, host, name, more)
	s.added = nil
	return err
}

// ReadAll reads the input whole, passes on every line but this program's own,
// and returns what is left as a set. A filter that judges again what it judged
// before so replaces its own lines.
func (s *Std) ReadAll() (*record.Set, error) {
	return s.read(func(l record.Line) bool { return l.Record.By != s.Program })
}

// ReadOn is ReadAll of a program that goes on: what an earlier run of it added stays, all but
// its closing record, in whose place that of this run counts it too, where it is of host.
func (s *Std) ReadOn(host string) (*record.Set, error) {
	return s.read(func(l record.Line) bool {
		r := l.Record
		if r.By != s.Program {
			return true
		}
		if r.Kind == record.KindSurface && r.Subject == s.Program {
			return false
		}
		if r.Host == host {
			s.count(r)
		}
		return true
	})
}

// Take reads the input whole, every line, and passes none on.
func (s *Std) Take() (*record.Set, error) { return s.read(nil) }

// large is the length of a stream from which on the collector runs more often.
// What is kept of it is text, which costs nothing to mark, and the first touch
// of the memory that would fill up meanwhile costs most.
const large = 16 << 20

// read reads the lines that are to be kept, which it passes on; all of them,
// passing none on, when keep is nil.
func (s *Std) read(keep func(record.Line) bool) (*record.Set, error) {
	set, size := new(record.Set), 0
	for line, err := range record.All(s.In) {
		if err != nil {
			return nil, err
		}
		if before := size; before < large {
			if size += len(line.Raw); size >= large && os.Getenv("GOGC") == "" {
				debug.SetGCPercent(25)
				defer debug.SetGCPercent(50)
			}
		}
		if keep != nil {
			if !keep(line) {
				continue
			}
			if err := s.Copy(line.Raw); err != nil {
				return nil, err
			}
		}
		set.Add(line)
	}
	return set, nil
}

func outputError(err error) error {
	if err != nil {
		return fmt.Errorf("writing output: %w", err)
	}
	return nil
}
