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
	b, ok := t.appendTo(make([]byte, 0, len(Layout)+2))
	if !ok {
		return nil, fmt.Errorf("time: year %d is outside 0 to 9999", t.UTC().Year())
	}
	return b, nil
}

// appendTo appends t in Layout, with its quotes; ok is false for a year outside
// 0000 to 9999.
func (t Time) appendTo(b []byte) (_ []byte, ok bool) {
	u := t.UTC()
	year, month, day := u.Date()
	if year < 0 || year > 9999 {
		return b, false
	}
	hour, minute, second := u.Clock()
	two := func(n int, then byte) { b = append(b, byte('0'+n/10), byte('0'+n%10), then) }
	b = append(b, '"', byte('0'+year/1000), byte('0'+year/100%10))
	two(year%100, '-')
	two(int(month), '-')
	two(day, 'T')
	two(hour, ':')
	two(minute, ':')
	two(second, '.')
	ms := u.Nanosecond() / int(time.Millisecond)
	return append(b, byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z', '"'), true
}

// UnmarshalJSON reads any RFC 3339 time and cuts it to the millisecond.
func (t *Time) UnmarshalJSON(b []byte) error {
	if u, ok := written(b); ok {
		*t = Time{u}
		return nil
	}
	return t.parse(b)
}

// written reads a time in Layout; ok is false for anything else. A record has
// some eight of them.
func written(b []byte) (t time.Time, ok bool) {
	const form = `"0000-00-00T00:00:00.000Z"`
	if len(b) != len(form) {
		return t, false
	}
	for i, c := range b {
		if digit := form[i] == '0'; digit && (c < '0' || c > '9') || !digit && c != form[i] {
			return t, false
		}
	}
	number := func(from, to int) (n int) {
		for _, c := range b[from:to] {
			n = 10*n + int(c-'0')
		}
		return n
	}
	month, day, hour, minute, second := number(6, 8), number(9, 11), number(12, 14), number(15, 17), number(18, 20)
	if hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(number(1, 5), time.Month(month), day, hour, minute, second, number(21, 24)*int(time.Millisecond), time.UTC)
	return t, int(t.Month()) == month && t.Day() == day // else there is no such day
}

// parse is UnmarshalJSON of a time in any form.
func (t *Time) parse(b []byte) error {
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
