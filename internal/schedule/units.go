package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Properties are those that systemctl show is asked for, of timers and of the
// services that they start. What a service runs, and its environment, are not
// among them.
const Properties = "Id,Description,LoadState,LoadError,ActiveState,SubState,UnitFileState,FragmentPath,Result,Persistent," +
	"Unit,TimersCalendar,TimersMonotonic,LastTriggerUSec,ActiveEnterTimestamp,ExecMainExitTimestamp,ExecMainStatus"

// Unit is one unit as systemctl show describes it.
type Unit struct {
	Name        string // as it is written: systemd is asked with it
	Description string
	Load        string // loaded, not-found, bad-setting, error, masked …
	LoadError   string
	Active      string // active, inactive, activating, deactivating, failed …
	Sub         string // of a timer: waiting, running, elapsed, dead, failed
	FileState   string // enabled, disabled, static, masked, transient …
	Path        string // of its file; "" when it has none
	Result      string // success, exit-code, signal, timeout …
	Persistent  bool

	Starts    string   // unit that a timer starts
	Calendar  []string // OnCalendar, as systemd writes them
	Monotonic []string // OnBootSec=5min …

	LastTrigger time.Time // of a timer; zero when there was none
	ActiveSince time.Time // zero when it never was active since it was loaded
	Exited      time.Time // of a service's main process
	Status      int       // its exit status, or the signal that ended it
}

// ParseUnits reads the answer of systemctl show for n units: blocks of lines
// Property=value, one block a unit in the order in which they were named. Times
// must have been asked for in UTC.
func ParseUnits(b []byte, n int, d *Drift) ([]Unit, error) {
	var us []Unit
	for block := range strings.SplitSeq(strings.ReplaceAll(string(b), "\r", ""), "\n\n") {
		if strings.TrimSpace(block) == "" {
			continue
		}
		var u Unit
		for line := range strings.Lines(block) {
			if key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), "="); ok {
				u.set(key, value, d)
			}
		}
		if u.Name == "" || u.Load == "" {
			return nil, fmt.Errorf("systemctl show: unit %d has no name or no state", len(us)+1)
		}
		us = append(us, u)
	}
	if len(us) != n {
		return nil, fmt.Errorf("systemctl show: it describes %d units of %d", len(us), n)
	}
	return us, nil
}

func (u *Unit) set(key, value string, d *Drift) {
	texts := map[string]*string{"Id": &u.Name, "FragmentPath": &u.Path, "Unit": &u.Starts, "Description": &u.Description, "LoadError": &u.LoadError}
	words := map[string]*string{"LoadState": &u.Load, "ActiveState": &u.Active, "SubState": &u.Sub, "UnitFileState": &u.FileState, "Result": &u.Result}
	times := map[string]*time.Time{"LastTriggerUSec": &u.LastTrigger, "ActiveEnterTimestamp": &u.ActiveSince,
		"ExecMainExitTimestamp": &u.Exited}
	switch {
	case texts[key] != nil:
		*texts[key] = value
	case words[key] != nil:
		*words[key] = guard.Text(value, wordWidth)
	case times[key] != nil:
		*times[key] = utc(key, value, d)
	case key == "Persistent":
		u.Persistent = value == "yes"
	case key == "ExecMainStatus":
		u.Status = max(number(value, key, d), 0)
	case key == "TimersCalendar" && value != "":
		u.Calendar = append(u.Calendar, strings.TrimPrefix(spec(value), "OnCalendar="))
	case key == "TimersMonotonic" && value != "":
		m := spec(value)
		if name, when, _ := strings.Cut(m, "="); monotonic[name] != "" {
			m = monotonic[name] + "=" + when
		}
		u.Monotonic = append(u.Monotonic, m)
	}
}

// monotonic are the settings of a timer's file by the properties of systemd's
// bus, which systemctl names.
var monotonic = map[string]string{"OnActiveUSec": "OnActiveSec", "OnBootUSec": "OnBootSec", "OnStartupUSec": "OnStartupSec",
	"OnUnitActiveUSec": "OnUnitActiveSec", "OnUnitInactiveUSec": "OnUnitInactiveSec"}

// spec is the setting in "{ OnCalendar=… ; next_elapse=… }".
func spec(value string) string {
	s := strings.TrimPrefix(value, "{ ")
	s, _, _ = strings.Cut(s, " ; next_elapse=")
	return s
}

// stampLayout is how systemd writes a time when it is asked in UTC.
const stampLayout = "Mon 2006-01-02 15:04:05 UTC"

// utc reads a time; zero when there is none. One in another zone is drift: what
// its letters mean nobody can tell.
func utc(key, value string, d *Drift) time.Time {
	if value == "" || value == "n/a" || value == "0" {
		return time.Time{}
	}
	t, err := time.Parse(stampLayout, value)
	if err != nil {
		d.add(key, "is no time in UTC")
		return time.Time{}
	}
	return t
}

// EncodeUnits returns an answer of which ParseUnits makes the same units,
// cleaned.
func EncodeUnits(us []Unit) []byte {
	var b strings.Builder
	for i, u := range us {
		if i > 0 {
			b.WriteByte('\n')
		}
		put := func(key, value string) { fmt.Fprintf(&b, "%s=%s\n", key, value) }
		stamp := func(key string, t time.Time) {
			if !t.IsZero() {
				put(key, t.Format(stampLayout))
			}
		}
		for _, p := range [][2]string{{"Id", CleanUnit(u.Name)}, {"Description", guard.Text(u.Description, nameWidth)},
			{"LoadState", u.Load}, {"LoadError", guard.Text(u.LoadError, errorWidth)}, {"ActiveState", u.Active},
			{"SubState", u.Sub}, {"UnitFileState", u.FileState}, {"FragmentPath", guard.Path(u.Path)},
			{"Result", u.Result}, {"Unit", CleanUnit(u.Starts)}, {"ExecMainStatus", strconv.Itoa(u.Status)}} {
			put(p[0], p[1])
		}
		if u.Persistent {
			put("Persistent", "yes")
		}
		stamp("LastTriggerUSec", u.LastTrigger)
		stamp("ActiveEnterTimestamp", u.ActiveSince)
		stamp("ExecMainExitTimestamp", u.Exited)
		for _, c := range u.Calendar {
			put("TimersCalendar", "{ OnCalendar="+guard.Text(c, errorWidth)+" ; next_elapse=(null) }")
		}
		for _, m := range u.Monotonic {
			put("TimersMonotonic", "{ "+guard.Text(m, errorWidth)+" ; next_elapse=0 }")
		}
	}
	return []byte(b.String())
}

// CleanUnit is the name of a unit of any kind, cleaned; "" stays so.
func CleanUnit(name string) string {
	switch {
	case name == "":
		return ""
	case isTimer(name):
		return unitText(name)
	case IsUnit(name) && guard.Text(name, nameWidth) == name:
		return name
	}
	return guard.ID(name)
}

// Vendor tells a unit that a package brought, and not the owner.
func (u Unit) Vendor() bool {
	return slices.ContainsFunc([]string{"/usr/", "/lib/"}, func(dir string) bool { return strings.HasPrefix(u.Path, dir) })
}
