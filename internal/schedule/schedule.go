// Package schedule reads what tells of scheduled work outside Paseo: launchd's
// property lists and launchctl's description of a loaded job, systemd's user
// timers and the services that they start, and the logs that a job leaves. It
// opens nothing and starts nothing. Every string of others is cleaned on the
// way out, by guard.
package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // macOS and slim images have no zone files where Go looks

	"github.com/fleet-tools/fleet/internal/guard"
)

// How much of a foreign text is kept, in columns.
const (
	nameWidth  = 120
	wordWidth  = 60
	errorWidth = 200

	detailWidth = 500
)

// The words of Schedule.Status that this package uses beside a scheduler's own.
const (
	statusActive    = "active"     // systemd will start it
	statusLoaded    = "loaded"     // launchd will start it
	statusNotLoaded = "not loaded" // its file is there and nothing starts it
	statusRunning   = "running"
	statusPaused    = "paused"    // its file is in order and nothing starts it now
	statusCompleted = "completed" // it is not due again
	statusFailed    = "failed"    // the timer itself has failed
	statusUnknown   = "unknown"   // its scheduler could not be asked
	statusOnTime    = "on time"   // of a run log
	statusLate      = "late"
	statusNeverRan  = "never ran"
)

// Look is what scheduled work is seen against.
type Look struct {
	At   time.Time // when it was looked at
	Zone string    // IANA zone of the host; "" when it is not known
}

// location is the host's zone; nil when it is not known.
func (l Look) location() *time.Location {
	if l.Zone == "" || l.Zone == "Local" { // which would mean this machine
		return nil
	}
	zone, err := time.LoadLocation(l.Zone)
	if err != nil {
		return nil
	}
	return zone
}

// future tells of a time that a clock cannot have shown yet.
func (l Look) future(t time.Time) bool { return t.Sub(l.At) > 120*time.Second }

// grace is how much later than its period a run may be.
func grace(period time.Duration) time.Duration { return period + period/2 + time.Hour }

// late tells whether a run is due that did not come: the last one, or what the
// wait began with, is older than one and a half periods and an hour. says is
// how late, "" when it is not. Without a period nothing is late.
func (l Look) late(since time.Time, period time.Duration) (says string) {
	age := l.At.Sub(since)
	if period <= 0 || age <= grace(period) {
		return ""
	}
	if n := age / period; n > 1 {
		return fmt.Sprintf("late: at least %d runs were missed", n)
	}
	return "late: a run was missed"
}

// says joins what a person should know beside the rest, on one line.
type says []string

func (s *says) add(when bool, format string, args ...any) {
	if when {
		*s = append(*s, fmt.Sprintf(format, args...))
	}
}

func (s says) line() string { return guard.Text(strings.Join(s, "; "), detailWidth) }

// Drift collects words that this release does not know, each once.
type Drift []string

// maxDrift is how many are named.
const maxDrift = 100

func (d *Drift) add(what, word string) {
	w := what
	if word != "" {
		w += " " + guard.Text(word, wordWidth)
	}
	if len(*d) < maxDrift && !slices.Contains(*d, w) {
		*d = append(*d, w)
	}
}

// known returns word, cleaned, and notes one that is not among words.
func (d *Drift) known(what, word string, words ...string) string {
	if !slices.Contains(words, word) {
		d.add(what, word)
	}
	return guard.Text(word, wordWidth)
}

// Words returns what was collected, sorted; nil when nothing was.
func (d Drift) Words() []string { return slices.Sorted(slices.Values(d)) }

const (
	day  = 24 * time.Hour
	week = 7 * day
)
