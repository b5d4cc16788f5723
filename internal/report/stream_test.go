package report

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// look is when the streams of these tests were made.
var look = record.NewTime(time.Date(2026, 11, 29, 14, 50, 2, 0, time.UTC))

func ago(d time.Duration) *record.Time { return record.TimeOf(look.Add(-d)) }

// stream writes records as the programs would, and closes every program that
// wrote some.
type stream struct {
	t       testing.TB
	b       bytes.Buffer
	wrote   map[string]int // program → records
	zone    string
	nextID  int
	subject string // of the last session
}

// newStream begins a stream with all that a whole reading of Claude Code says.
func newStream(t testing.TB) *stream {
	s := &stream{t: t, wrote: map[string]int{}, zone: "Europe/Berlin"}
	s.add(record.KindHost, "fleet-observe-claude", "devbox", record.Host{OS: "linux", Zone: s.zone})
	s.surface("claude/listing", record.Surface{OK: true, Rows: 1})
	return s
}

func (s *stream) add(kind record.Kind, by, subject string, data any) {
	s.t.Helper()
	host := "devbox"
	if kind == record.KindFinding || by == "fleet-asks" {
		host = ""
	}
	s.line(kind, host, by, subject, data)
	s.wrote[by]++
}

func (s *stream) line(kind record.Kind, host, by, subject string, data any) {
	s.t.Helper()
	r, err := record.New(kind, look, host, by, subject, data)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := r.Line()
	if err != nil {
		s.t.Fatal(err)
	}
	s.b.Write(b)
}

func (s *stream) surface(name string, data record.Surface) {
	s.add(record.KindSurface, "fleet-observe-claude", name, data)
}

// session adds a session and its verdict, with what edit changes of it.
func (s *stream) session(class string, edit func(*record.Verdict)) {
	s.nextID++
	id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", s.nextID)
	v := record.Verdict{Class: class, ClassName: class}
	v.Session = record.VerdictSession{Name: fmt.Sprintf("session %d", s.nextID), Kind: "interactive", SessionID: id,
		Cwd: "/home/ana/code/shop", Repo: "/home/ana/code/shop/.git", Branch: "main", Process: true, Since: ago(10 * time.Minute)}
	if edit != nil {
		edit(&v)
	}
	s.subject = id
	s.add(record.KindSession, "fleet-observe-claude", id, record.Session{SessionID: id, Name: v.Session.Name})
	s.add(record.KindVerdict, "fleet-classify", id, v)
}

// bytes closes the programs and returns the stream.
func (s *stream) bytes() []byte {
	if s.wrote["fleet-classify"] == 0 {
		s.wrote["fleet-classify"] = 0
	}
	for by, n := range s.wrote {
		host := "devbox"
		if by == "fleet-classify" || by == "fleet-asks" {
			host = ""
		}
		s.line(record.KindSurface, host, by, by, record.Surface{OK: true, Rows: n, Records: &n})
	}
	s.wrote = map[string]int{}
	return s.b.Bytes()
}

// markdown renders the stream and checks the laws.
func (s *stream) markdown() string {
	s.t.Helper()
	b := s.bytes()
	md, doc := render(s.t, b, time.Time{})
	laws(s.t, b, md, doc)
	return md
}
