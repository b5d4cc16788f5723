package schedule

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"howett.net/plist"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Agent is a launchd job as its property list describes it. What it runs, and
// its environment, where secrets lie, are not decoded.
type Agent struct {
	Label    string        // as it is written: launchd is asked with it
	Every    time.Duration // StartInterval; 0 when there is none
	Calendar []Slot        // StartCalendarInterval
	AtLoad   bool          // RunAtLoad
	Alive    bool          // KeepAlive, also under conditions
	Disabled bool          // by the file; launchd keeps a list of its own, which is stronger
	Log      string        // StandardOutPath; "" when there is none, or it is a device
	Notes    []string      // what of the file was not understood, one line each
}

// agentFile is what is decoded of a property list. Values are any: one of a
// wrong type spoils no other.
type agentFile struct {
	Label     any `plist:"Label"`
	Interval  any `plist:"StartInterval"`
	Calendar  any `plist:"StartCalendarInterval"`
	RunAtLoad any `plist:"RunAtLoad"`
	KeepAlive any `plist:"KeepAlive"`
	Disabled  any `plist:"Disabled"`
	Out       any `plist:"StandardOutPath"`
}

// ParseAgent reads a property list, XML or binary. The error is that of one
// that launchd does not read, or that names no label.
func ParseAgent(b []byte) (a Agent, err error) {
	defer func() { // the library answers a few malformed files so
		if r := recover(); r != nil {
			a, err = Agent{}, errors.New("no property list")
		}
	}()
	var f agentFile
	format, err := plist.Unmarshal(b, &f)
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return Agent{}, errors.New("empty file")
	case err != nil:
		says, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "plist: "), `"`) // what it quotes is the file's, and escaped
		return Agent{}, fmt.Errorf("no property list: %s", guard.Text(strings.TrimRight(says, ": "), errorWidth))
	case format != plist.XMLFormat && format != plist.BinaryFormat:
		return Agent{}, errors.New("a property list of a form that launchd does not read")
	}
	a.Label, _ = f.Label.(string)
	if a.Label == "" {
		return Agent{}, errors.New("no Label")
	}
	if s, ok := f.Out.(string); ok && path.IsAbs(s) && !strings.HasPrefix(path.Clean(s), "/dev/") {
		a.Log = s
	}
	a.AtLoad, a.Alive, a.Disabled = truth(f.RunAtLoad), truth(f.KeepAlive), truth(f.Disabled)
	a.interval(f.Interval)
	a.calendar(f.Calendar)
	return a, nil
}

// truth is a boolean; a dictionary that is not empty is one of conditions.
func truth(v any) bool {
	if conditions, ok := v.(map[string]any); ok {
		return len(conditions) > 0
	}
	b, _ := v.(bool)
	return b
}

// whole is a whole number of a property list.
func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case uint64:
		return int64(min(n, math.MaxInt64)), true
	}
	return 0, false
}

func (a *Agent) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(a.Notes, s) && len(a.Notes) < shown {
		a.Notes = append(a.Notes, s)
	}
}

func (a *Agent) interval(v any) {
	if v == nil {
		return
	}
	n, ok := whole(v)
	switch {
	case !ok:
		a.note("its StartInterval is no whole number")
	case n <= 0:
		a.note("its StartInterval is not greater than zero, which launchd ignores")
	case n > math.MaxInt32:
		a.note("its StartInterval is out of range")
	default:
		a.Every = time.Duration(n) * time.Second
	}
}

func (a *Agent) calendar(v any) {
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
	}
	for _, entry := range list {
		dict, ok := entry.(map[string]any)
		if !ok {
			a.note("an entry of its StartCalendarInterval is no dictionary")
			continue
		}
		if s, err := slot(dict); err != nil {
			a.note("an entry of its StartCalendarInterval is not understood: %v", err)
		} else if !slices.Contains(a.Calendar, s) {
			a.Calendar = append(a.Calendar, s)
		}
	}
}

// slot reads one entry. A key that is not known keeps nothing from running:
// launchd does not look at it.
func slot(dict map[string]any) (Slot, error) {
	s := wildSlot
	for _, f := range []struct {
		key       string
		into      *int
		low, high int64
	}{{"Minute", &s.Minute, 0, 59}, {"Hour", &s.Hour, 0, 23}, {"Day", &s.Day, 1, 31}, {"Weekday", &s.Weekday, 0, 7}, {"Month", &s.Month, 1, 12}} {
		v, there := dict[f.key]
		if !there {
			continue
		}
		n, ok := whole(v)
		switch {
		case !ok:
			return s, fmt.Errorf("%s is no whole number", f.key)
		case n < f.low || n > f.high:
			return s, fmt.Errorf("%s is not within %d to %d", f.key, f.low, f.high)
		}
		*f.into = int(n)
	}
	if s.Weekday == 7 { // Sunday is 0 and 7
		s.Weekday = 0
	}
	return s, nil
}

// Encode returns the property list of which ParseAgent makes the same agent,
// cleaned.
func (a Agent) Encode() ([]byte, error) {
	file := map[string]any{"Label": guard.Text(a.Label, nameWidth)}
	if a.Every > 0 {
		file["StartInterval"] = int64(a.Every / time.Second)
	}
	var entries []any
	for _, s := range a.Calendar {
		dict := map[string]any{}
		for key, n := range map[string]int{"Minute": s.Minute, "Hour": s.Hour, "Day": s.Day, "Weekday": s.Weekday, "Month": s.Month} {
			if n != wild {
				dict[key] = n
			}
		}
		entries = append(entries, dict)
	}
	if entries != nil {
		file["StartCalendarInterval"] = entries
	}
	for key, on := range map[string]bool{"RunAtLoad": a.AtLoad, "KeepAlive": a.Alive, "Disabled": a.Disabled} {
		if on {
			file[key] = true
		}
	}
	if a.Log != "" {
		file["StandardOutPath"] = guard.Path(a.Log)
	}
	return plist.MarshalIndent(file, plist.XMLFormat, "\t")
}

// Words says when the agent runs. zone is that of the host.
func (a Agent) Words(zone string) string {
	var parts []string
	if a.Every > 0 {
		parts = append(parts, "every "+Every(a.Every))
	}
	if len(a.Calendar) > 0 {
		parts = append(parts, Words(a.Calendar, zone))
	}
	switch {
	case len(parts) > 0:
		if a.AtLoad || a.Alive {
			parts = append(parts, "at load")
		}
	case a.Alive:
		parts = append(parts, "at load, kept alive")
	case a.AtLoad:
		parts = append(parts, "at load")
	default:
		parts = append(parts, "on demand")
	}
	return strings.Join(parts, "; ")
}

// Period is the shortest of its periods; 0 when it has none.
func (a Agent) Period() time.Duration {
	p := shortest(a.Calendar)
	if a.Every > 0 && (p == 0 || a.Every < p) {
		p = a.Every
	}
	return p
}
