package macf

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// skew is how far a heartbeat may lie after the look that found it.
const skew = 120 * time.Second

// A lock's times are of these years.
const (
	firstSecond = 1_000_000_000
	lastSecond  = 10_000_000_000
)

// ParseLock reads a maintenance lock of schema 1 of an agent: epoch seconds. at
// is when it was looked at. A lock of another agent, of another schema, or whose
// heartbeat is of the future is an error: such a lock would hold for ever.
func ParseLock(b []byte, agent string, at time.Time) (*record.Maintenance, error) {
	o := newObject(b)
	if v, ok := o.whole("schema_version", 0, lastSecond); o.err == nil && (!ok || v != 1) {
		return nil, errors.New("its schema_version is not 1")
	}
	if name := o.text("agent"); o.err == nil && Canonical(name) != Canonical(agent) {
		return nil, errors.New("it is the lock of another agent")
	}
	o.whole("started_at", firstSecond, lastSecond)
	beat, ok := o.whole("heartbeat_at", firstSecond, lastSecond)
	m := &record.Maintenance{HeartbeatAt: record.NewTime(time.Unix(beat, 0)), Target: guard.Text(o.maybe("target_version"), textWidth)}
	switch {
	case o.err != nil:
		return nil, o.err
	case !ok:
		return nil, errors.New("heartbeat_at is missing")
	case m.HeartbeatAt.Sub(at) > skew:
		return nil, errors.New("its heartbeat is of the future")
	}
	return m, nil
}

// EncodeLock returns a lock of the agent that reads as m does.
func EncodeLock(m record.Maintenance, agent string) []byte {
	b, _ := json.Marshal(map[string]any{"schema_version": 1, "agent": guard.ID(agent), "target_version": m.Target, "heartbeat_at": m.HeartbeatAt.Unix()})
	return b // made of texts and numbers
}

var wholeShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0|[1-9][0-9]{0,2})$`) })

// ParseExit reads a file in which a launcher noted an exit status: one number
// of 0 to 255 and nothing else. It does not tell when.
func ParseExit(b []byte) (*record.AgentExit, error) {
	s := strings.TrimSpace(string(b))
	n, err := strconv.Atoi(s)
	if err != nil || !wholeShape().MatchString(s) || n > 255 {
		return nil, errors.New("it holds no exit status")
	}
	return &record.AgentExit{Code: n}, nil
}

// PackageVersion is the version in a package.json, cleaned; "" when it has
// none.
func PackageVersion(b []byte) string {
	o := newObject(b)
	if v := o.maybe("version"); o.err == nil && v != "" {
		return guard.Text(v, textWidth)
	}
	return ""
}

// EncodePackage returns a package.json of that version.
func EncodePackage(version string) []byte { return fmt.Appendf(nil, "{\"version\":%q}\n", version) }
