package record

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Layout is how a time is written: UTC, milliseconds, Z.
const Layout = "2006-01-02T15:04:05.000Z"

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
	return u.AppendFormat(make([]byte, 0, len(Layout)+2), `"`+Layout+`"`), nil
}

// UnmarshalJSON reads any RFC 3339 time and cuts it to the millisecond.
func (t *Time) UnmarshalJSON(b []byte) error {
	var short [64]byte // most times have no escapes and go on the stack
	s, err := jsontext.AppendUnquote(short[:0], b)
	if err != nil {
		return errors.New("time: not a string")
	}
	u, err := time.Parse(time.RFC3339, string(s))
	if err != nil {
		return errors.New("time is not RFC 3339") // not quoted: it may be anything
	}
	*t = NewTime(u)
	if y := t.Year(); y < 0 || y > 9999 {
		return errors.New("time is outside the years 0 to 9999")
	}
	return nil
}
