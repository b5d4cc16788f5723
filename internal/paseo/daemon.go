package paseo

import (
	"errors"
	"time"
)

// Daemon is what is known of Paseo's daemon. The zero Daemon is that nothing
// is known.
type Daemon struct {
	PID       int       // the supervisor's, as paseo.pid names it; 0 without the file
	StartedAt time.Time // zero when the file does not say
	Lives     *bool     // nil when it cannot be told
}

// ParsePID reads paseo.pid, the lock of the daemon: it names the supervisor,
// is removed when that ends and stays after kill -9 (Paseo 0.1.65). Whether the
// process lives is the caller's to find out.
func ParsePID(b []byte, d *Drift) (Daemon, error) {
	var f struct {
		PID       int     `json:"pid"`
		StartedAt *string `json:"startedAt"`
	}
	if err := decode(b, &f); err != nil {
		return Daemon{}, err
	}
	if f.PID <= 0 {
		return Daemon{}, errors.New("no pid")
	}
	return Daemon{PID: f.PID, StartedAt: d.time("daemon startedAt", f.StartedAt)}, nil
}

// Leftover tells whether what was written at t is the word of a daemon that
// has ended since, so that nothing keeps it up: no restart of Paseo rewrites a
// record (0.1.65). It is nil when that cannot be told.
func (d Daemon) Leftover(t time.Time) *bool {
	switch {
	case d.Lives == nil:
		return nil
	case !*d.Lives:
		return d.answer(true)
	case d.StartedAt.IsZero() || t.IsZero():
		return nil
	}
	return d.answer(t.Before(d.StartedAt))
}

func (Daemon) answer(b bool) *bool { return &b }

// dead tells that for certain no daemon lives.
func (d Daemon) dead() bool { return d.Lives != nil && !*d.Lives }
