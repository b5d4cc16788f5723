// Package limit reads what a usage-limit line of Claude Code says: which limit was hit and when it resets.
//
// The lines are those of Claude Code 2.1.280, and of older versions where their transcripts are still about. The package
// judges a text, not a situation: a tool result or a prompt may hold a whole banner, so a caller asks only about a text
// that Claude Code itself marked as an error (isApiErrorMessage, a job's detail or needs).
package limit

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // macOS and slim images have no zone files where Go looks
)

// What a limit is of. Source: the words after "You've hit your" in Claude Code 2.1.280.
const (
	Session = "session" // the five-hour window
	Weekly  = "weekly"  // seven days, all models
	Opus    = "opus"    // seven days, one model
	Sonnet  = "sonnet"  // seven days, one model
	Fable   = "fable"   // seven days, one model
	Spend   = "spend"   // a monthly amount of a person, channel, team or organisation
	Usage   = "usage"   // a usage limit whose window the line doesn't name
	Credits = "credits" // no usage credits left, or none included
	APIKey  = "api_key" // an API key's cap or credit balance
	Unknown = "unknown" // "You've hit your limit"
)

// Where the zone of a time came from.
const (
	FromText = "text" // the line names a zone, or the instant itself
	FromHost = "host" // the line names none, so it was read in the zone of the host that printed it
)

// A When is a time that a line names.
type When struct {
	At      time.Time // UTC, to the minute as Claude Code prints it; zero when unknown
	Zone    string    // zone name the time was read in; empty when At is zero
	From    string    // FromText or FromHost; empty when At is zero
	Certain bool      // the line fixes the instant: its own zone, and a time that comes once
	Why     string    // why At is zero or not certain; empty when Certain
}

// A Limit is one usage-limit line.
type Limit struct {
	Kind string // Session, Weekly, …
	// Reset is when this limit ends. Spend limits, credit and key lines without a date name none.
	Reset When
	// Session is when the five-hour window resets, which a spend-limit line tells besides. It is not the end of the spend
	// limit: that ends when somebody raises it. Why is "not named" on every other line.
	Session When
}

const notNamed = "not named"

// Is reports whether the whole of text is one usage-limit line of Claude Code, white space around it aside. Warnings
// ("You've used 93% of …"), server rate limits and text that quotes or explains a limit are none.
func Is(text string) bool {
	_, ok := read(text)
	return ok
}

// Parse returns what text says, and false when Is(text) is false. seen is when the line was written, the present of
// "resets 5pm"; host is the IANA name of the zone of the machine that wrote it, for lines without a zone, or empty.
func Parse(text string, seen time.Time, host string) (Limit, bool) {
	l, ok := read(text)
	if !ok {
		return Limit{}, false
	}
	return Limit{
		Kind:    l.kind,
		Reset:   resolve(l.reset, seen, host),
		Session: resolve(l.session, seen, host),
	}, true
}

// A line is a usage-limit line taken apart; reset and session are as written, "5pm (Europe/Berlin)", or empty.
type line struct {
	kind, reset, session string
}

// No line of Claude Code 2.1.280 is longer; the longest seen, an API error with its JSON body, has 300 bytes.
const maxLine = 1000

// words are those of which every line has one. Most texts have none, and cost no pattern.
var words = []string{"limit", "usage", "redit", "budget", "your org"}

func read(text string) (line, bool) {
	if len(text) > maxLine || !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
		return line{}, false
	}
	text, ok := normal(text)
	if !ok {
		return line{}, false
	}
	parts := strings.Split(text, " · ")
	switch parts[0] {
	case "rate limited — wait and retry":
		parts = parts[1:]
	case "usage limit reached — check plan":
		if parts = parts[1:]; len(parts) == 0 {
			return line{kind: Usage}, true
		}
	}
	if len(parts) == 0 {
		return line{}, false
	}
	l, ok := head(parts[0])
	for i, part := range parts[1:] {
		last := i == len(parts)-2
		ok = ok && (l.tail(part) || last && strings.HasSuffix(part, "…"))
	}
	return l, ok
}
