package macf

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// HealthLimit is the most bytes of an answer to GET /health that are read.
const HealthLimit = 64 << 10

// Answer is what an agent says of its health.
type Answer struct {
	Agent    string // as it calls itself
	Version  string
	Busy     *bool  // nil when it does not say
	Instance string // "" when it does not say
	UptimeS  int
	Doing    string // one line; "" when it says nothing
}

// ParseHealth reads the body of an answer to GET /health. One that does not
// name its agent and its version, or whose status is not "online", is an error.
// What the agent does is a word, or an object since macf 0.2.44.
func ParseHealth(b []byte) (Answer, error) {
	o := newObject(b)
	a := Answer{Agent: o.text("agent"), Version: guard.Text(o.text("version"), textWidth)}
	if o.text("status") != "online" {
		o.fail(`status is not "online"`)
	}
	if a.Version == "" {
		o.fail("version shows nothing")
	}
	uptime, _ := o.whole("uptime_seconds", 0, math.MaxInt32)
	a.UptimeS = int(uptime)
	if id := o.maybe("instance_id"); id != "" {
		a.Instance = guard.ID(id)
	}
	issue, _ := o.whole("current_issue", 0, math.MaxInt32)
	var words []string
	if o.has("state") && o.fields["state"].Kind() == '"' {
		a.state(o.maybe("state"), &words)
	} else if p := o.part("state"); p != nil {
		a.turn(p, &words)
		o.take("state", p)
	}
	if issue > 0 {
		words = append(words, fmt.Sprintf("issue %d", issue))
	}
	if o.err != nil {
		return Answer{}, o.err
	}
	a.Doing = guard.Text(strings.Join(words, ", "), textWidth)
	return a, nil
}

// state takes the word for what the agent does, which is busy or idle: of
// another word nobody knows whether it works.
func (a *Answer) state(word string, words *[]string) {
	first, _, _ := strings.Cut(word, " ")
	first = strings.TrimRight(first, ",")
	if busy := first == "busy"; busy || first == "idle" {
		a.Busy = &busy
	}
	if word != "" {
		*words = append(*words, word)
	}
}

// turn takes the state as an object.
func (a *Answer) turn(p *object, words *[]string) {
	a.state(p.text("status"), words)
	if n, ok := p.whole("turn_number", 0, math.MaxInt32); ok {
		*words = append(*words, fmt.Sprintf("turn %d", n))
	}
	if ms, ok := p.whole("elapsed_ms", 0, math.MaxInt32*1000); ok && a.Busy != nil && *a.Busy {
		*words = append(*words, fmt.Sprintf("for %s", (time.Duration(ms)*time.Millisecond).Round(time.Second)))
	}
	for _, name := range []string{"phase", "current_tool", "current_command"} {
		if s := p.maybe(name); s != "" {
			*words = append(*words, s)
		}
	}
}

// Is tells whether it is the agent that was asked: it calls itself as the
// registry does, as its workspace does, or as its project's member.
func (a Answer) Is(project, agent string, names ...string) bool {
	self := Canonical(a.Agent)
	if self == agent || self == project+"-"+agent {
		return true
	}
	for _, name := range names {
		if name != "" && self == Canonical(name) {
			return true
		}
	}
	return false
}

// Recorded is an answer as a recording keeps it, DIR/health/<host>_<port>.json.
type Recorded struct {
	Status  int             `json:"status"`                    // HTTP; 0: there was no answer
	Body    json.RawMessage `json:"body,omitempty"`            // absent when it does not fit
	Expires *time.Time      `json:"cert_expires_at,omitempty"` // absent when no certificate was shown
	Failure string          `json:"failure,omitempty"`         // a word of a health record; absent when it answered
	Detail  string          `json:"detail,omitempty"`
}

// Encode returns the body of an answer that reads as a does.
func (a Answer) Encode() (json.RawMessage, error) {
	m := map[string]any{"agent": guard.ID(a.Agent), "version": a.Version, "status": "online", "uptime_seconds": a.UptimeS}
	if a.Instance != "" {
		m["instance_id"] = a.Instance
	}
	if a.Doing != "" {
		m["state"] = a.Doing // which begins with the word for whether it is busy
	}
	return json.Marshal(m)
}

// FileOf is the name of the file of an address in a recording.
func FileOf(host string, port int) string {
	return fmt.Sprintf("%s_%d.json", FileName(guard.ID(host)), port)
}
