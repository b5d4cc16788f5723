package observe

import (
	"fmt"

	"github.com/fleet-tools/fleet/internal/record"
)

// emitter writes records until the first error, which it keeps.
type emitter struct {
	sink   Sink
	at     record.Time
	host   string
	unread []string
	err    error
}

func (e *emitter) add(kind record.Kind, subject string, data any) {
	if e.err == nil {
		e.err = e.sink.AddData(kind, e.at, e.host, subject, data)
	}
}

// surface writes a surface record and notes one that was not read.
func (e *emitter) surface(name, label string, s *record.Surface) {
	if label != "" {
		name += "@" + label
	}
	if !s.OK {
		e.unread = append(e.unread, fmt.Sprintf("%s: not read: %s", name, s.Error))
	}
	e.add(record.KindSurface, name, s)
}

func (e *emitter) close(label string) {
	if e.err == nil {
		e.err = e.sink.Close(e.at, e.host, label)
	}
}
