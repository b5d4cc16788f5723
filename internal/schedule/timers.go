package schedule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Elapse is a row of systemctl list-timers: a timer that systemd holds in
// memory.
type Elapse struct {
	Unit       string
	Next, Last time.Time // zero when there is none
}

// elapseRow is a row as it is written since systemd 246. left and passed, which
// some versions give as times and others as spans, are not read.
type elapseRow struct {
	Next *uint64 `json:"next"` // microseconds since 1970; null, 0 or 2^64-1 when there is none
	Last *uint64 `json:"last"`
	Unit string  `json:"unit"`
}

// ParseTimers reads the answer of systemctl list-timers --output=json, to
// which a version before 246 gives a table.
func ParseTimers(b []byte) ([]Elapse, error) {
	var rows []elapseRow
	if err := unmarshal(b, &rows); err != nil {
		return nil, fmt.Errorf("systemctl list-timers: %w", err)
	}
	var es []Elapse
	for _, r := range rows {
		if !isTimer(r.Unit) {
			return nil, errors.New("systemctl list-timers: a row without a timer")
		}
		es = append(es, Elapse{Unit: r.Unit, Next: micro(r.Next), Last: micro(r.Last)})
	}
	return es, nil
}

// EncodeTimers returns the answer of which ParseTimers makes the same.
func EncodeTimers(es []Elapse) ([]byte, error) {
	rows := []elapseRow{}
	for _, e := range es {
		r := elapseRow{Unit: unitText(e.Unit)}
		if !e.Next.IsZero() {
			us := uint64(e.Next.UnixMicro())
			r.Next = &us
		}
		us := uint64(0)
		if !e.Last.IsZero() {
			us = uint64(e.Last.UnixMicro())
		}
		r.Last = &us
		rows = append(rows, r)
	}
	b, err := json.Marshal(rows)
	return append(b, '\n'), err
}

// fileRow is a row of systemctl list-unit-files.
type fileRow struct {
	File string `json:"unit_file"`
}

// ParseTimerFiles reads the answer of systemctl list-unit-files --output=json
// and returns the names of timers. Templates, which nothing can start, are left
// out.
func ParseTimerFiles(b []byte) ([]string, error) {
	var rows []fileRow
	if err := unmarshal(b, &rows); err != nil {
		return nil, fmt.Errorf("systemctl list-unit-files: %w", err)
	}
	var names []string
	for _, r := range rows {
		switch {
		case !isTimer(r.File):
			return nil, errors.New("systemctl list-unit-files: a row without a timer")
		case !strings.Contains(r.File, "@."):
			names = append(names, r.File)
		}
	}
	return names, nil
}

// EncodeTimerFiles returns the answer of which ParseTimerFiles makes the same.
func EncodeTimerFiles(names []string) ([]byte, error) {
	rows := []fileRow{}
	for _, n := range names {
		rows = append(rows, fileRow{unitText(n)})
	}
	b, err := json.Marshal(rows)
	return append(b, '\n'), err
}

func unmarshal(b []byte, into any) error {
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '[' {
		return errors.New("its answer is no JSON list")
	}
	if err := json.Unmarshal(b, into); err != nil {
		return errors.New("its answer is not understood")
	}
	return nil
}

// isTimer tells a name that systemctl takes as one unit: a star would be a
// pattern, a dash an option.
func isTimer(name string) bool {
	return strings.HasSuffix(name, ".timer") && IsUnit(name)
}

// IsUnit tells a name that systemctl takes as one unit of any kind.
func IsUnit(name string) bool {
	return 0 < len(name) && len(name) < 256 && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`*?[]/"'`, r)
	})
}

// unitText is a unit name, cleaned.
func unitText(name string) string {
	if suffix, ok := strings.CutSuffix(guard.Text(name, nameWidth), ".timer"); ok && IsUnit(suffix) {
		return suffix + ".timer"
	}
	return guard.ID(name) + ".timer"
}

// micro is a time in microseconds since 1970; zero for what is none.
func micro(us *uint64) time.Time {
	const lastYear = 253402300799e6 // the end of 9999
	if us == nil || *us == 0 || *us > lastYear {
		return time.Time{}
	}
	return time.UnixMicro(int64(*us)).UTC()
}
