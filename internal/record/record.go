// Package record is the line that every fleet program reads and writes: one
// JSON object a line.
//
//	{"v":1,"kind":"session","at":"2026-11-29T14:50:02.000Z","host":"devbox","by":"fleet-observe-claude","subject":"c20a…","data":{…}}
//
// The envelope is closed and the payload open: a program passes on kinds that
// it does not know, and fields that it does not know travel on untouched,
// because a line is copied as bytes and never written again.
//
// Identity of a record is host, kind and subject. Of several records of one
// identity the one with the newest at counts; of equally new ones the greater
// line, bytewise.
//
// Every program that adds records ends with a closing record: a surface whose
// subject is the program's own name and whose data.records says how many
// different identities it added, the closing record itself left out. A reader
// that finds another number, or none, has not read that program.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the format version that this package reads and writes.
const Version = 1

// Layout is how a time is written: UTC, milliseconds, Z.
const Layout = "2006-01-02T15:04:05.000Z"

// Kind says what a record is about.
type Kind string

// The kinds of a stream. A record of another kind is passed on unread.
const (
	KindTick     Kind = "tick"
	KindHost     Kind = "host"
	KindSurface  Kind = "surface"
	KindSession  Kind = "session"
	KindAgent    Kind = "agent"
	KindSchedule Kind = "schedule"
	KindRepo     Kind = "repo"
	KindBoard    Kind = "board"
	KindOwned    Kind = "owned"
	KindAsked    Kind = "asked"
	KindPast     Kind = "past"
	KindVerdict  Kind = "verdict"
	KindFinding  Kind = "finding"
	KindAsk      Kind = "ask"
	KindEntry    Kind = "entry"
)

// Time is an instant that is written in Layout.
type Time struct{ time.Time }

// NewTime returns t in UTC, cut to the millisecond.
func NewTime(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// TimeOf returns a pointer to NewTime(t), or nil for the zero time and for one
// that cannot be written.
func TimeOf(t time.Time) *Time {
	n := NewTime(t)
	if y := n.Year(); t.IsZero() || y < 0 || y > 9999 {
		return nil
	}
	return &n
}

// MarshalJSON writes t in Layout. A year outside 0000 to 9999 is an error.
func (t Time) MarshalJSON() ([]byte, error) {
	u := t.UTC()
	if y := u.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("time: year %d is outside 0 to 9999", y)
	}
	return []byte(`"` + u.Format(Layout) + `"`), nil
}

// UnmarshalJSON reads any RFC 3339 time and cuts it to the millisecond.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return errors.New("time: not a string")
	}
	u, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("time is not RFC 3339") // not quoted: it may be anything
	}
	*t = NewTime(u)
	if y := t.Year(); y < 0 || y > 9999 {
		return errors.New("time is outside the years 0 to 9999")
	}
	return nil
}

// Record is one line.
type Record struct {
	V       int             `json:"v"`       // format version
	Kind    Kind            `json:"kind"`    // what it is about
	At      Time            `json:"at"`      // when the observer looked
	Host    string          `json:"host"`    // the machine that looked; a judge copies it; empty in a conclusion about a scope
	By      string          `json:"by"`      // the program that added the line
	Subject string          `json:"subject"` // stable name of the thing
	Data    json.RawMessage `json:"data"`    // the payload; one of this package's types for a known kind

	payload any
}

// Identity is what makes two records the same thing seen twice.
type Identity struct {
	Host    string
	Kind    Kind
	Subject string
}

// Identity returns the record's identity.
func (r Record) Identity() Identity { return Identity{r.Host, r.Kind, r.Subject} }

// New returns a record of this version with data as its payload. It fails when
// data cannot be written as JSON.
func New(kind Kind, at Time, host, by, subject string, data any) (Record, error) {
	b, err := marshal(data)
	if err != nil {
		return Record{}, fmt.Errorf("%s %s: %w", kind, subject, err)
	}
	r := Record{V: Version, Kind: kind, At: at, Host: host, By: by, Subject: subject, Data: b}
	return r, r.decode()
}

// Payload returns the record's data as a T, and whether it is one. T is the
// payload type of the record's kind.
func Payload[T any](r Record) (*T, bool) {
	p, ok := r.payload.(*T)
	return p, ok
}

// Parse reads one line. The error says why the line is no record: not a JSON
// object, another version, a missing kind, at, by or subject, or a known kind
// whose data does not decode.
func Parse(line []byte) (Record, error) {
	var r Record
	line = bytes.TrimRight(line, "\r\n")
	if t := bytes.TrimLeft(line, " \t"); len(t) == 0 || t[0] != '{' {
		return Record{}, errors.New("not a JSON object")
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return Record{}, jsonError(err)
	}
	if r.V != Version {
		return Record{}, fmt.Errorf("record version %d, this program reads %d", r.V, Version)
	}
	missing := ""
	switch {
	case r.Kind == "":
		missing = "kind"
	case r.At.IsZero():
		missing = "at"
	case r.By == "":
		missing = "by"
	case r.Subject == "":
		missing = "subject"
	}
	if missing != "" {
		return Record{}, fmt.Errorf("record has no %s", missing)
	}
	if err := r.decode(); err != nil {
		return Record{}, err
	}
	return r, nil
}

// decode fills the payload of a known kind.
func (r *Record) decode() error {
	p := payloadOf(r.Kind)
	if p == nil {
		return nil
	}
	if len(r.Data) == 0 || r.Data[0] != '{' {
		return fmt.Errorf("%s record: data is not an object", r.Kind)
	}
	if err := json.Unmarshal(r.Data, p); err != nil {
		return fmt.Errorf("%s record: data: %w", r.Kind, jsonError(err))
	}
	r.payload = p
	return nil
}

// Line returns the record as it is written: one line with its newline.
func (r Record) Line() ([]byte, error) {
	b, err := marshal(r)
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// marshal writes v without HTML escapes and without a final newline, so that
// grep and jq see the same text.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// jsonError names place and cause of a decoding error without quoting the
// input: what does not parse may hold a secret.
func jsonError(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := e.Field
		if field == "" {
			field = "the value"
		}
		return fmt.Errorf("%s is not a %s", field, e.Type)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON at byte %d", e.Offset)
	}
	return err
}
