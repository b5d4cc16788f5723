package limit

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

var (
	// Older versions put the way out on a line of its own.
	wayOut = lazy(`\s+(?:[•·]\s*)?(/(?:upgrade|extra-usage|rate-limit-options)\b)`)
	spaces = lazy(`[\p{Z}\t]+`)
	plain  = strings.NewReplacer("’", "'", "∙", "·")
)

// normal returns text on one line with plain spaces, apostrophes and separators; false when it has several lines.
func normal(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "/") {
		text = wayOut().ReplaceAllString(text, " · $1")
	}
	if strings.ContainsAny(text, "\r\n\v\f\u0085\u2028\u2029") {
		return "", false
	}
	text = plain.Replace(text)
	if strings.Contains(text, "  ") || strings.ContainsFunc(text, func(r rune) bool { return r == '\t' || r > 0x7f && unicode.Is(unicode.Z, r) }) {
		text = spaces().ReplaceAllString(text, " ")
	}
	return strings.ReplaceAll(text, " · · ", " · "), true
}

// What may stand after "You've hit your".
var hit = map[string]string{
	"limit":                         Unknown,
	"usage limit":                   Usage,
	"session limit":                 Session,
	"weekly limit":                  Weekly,
	"Opus limit":                    Opus,
	"Sonnet limit":                  Sonnet,
	"Fable limit":                   Fable,
	"monthly spend limit":           Spend,
	"individual spend limit":        Spend,
	"individual usage limit":        Spend,
	"org's monthly spend limit":     Spend,
	"org's monthly usage limit":     Spend,
	"channel's monthly spend limit": Spend,
	"channel's monthly usage limit": Spend,
	"team's shared budget":          Spend,
}

// otherLimit is a limit that 2.1.280 doesn't know by name: one of a later model, say.
var otherLimit = lazy(`^(?:[\w'.-]+ ){1,4}limit$`)

// What a first part may be, word for word.
var whole = map[string]string{
	"You're out of usage credits":                  Credits,
	"Your org is out of usage":                     Credits,
	"Your seat type doesn't include usage":         Credits,
	"Your seat type doesn't include usage credits": Credits,
	"This service is disabled for your org":        Usage,
	"Usage limit reached":                          Session, // the terminal's line while it waits for the window to reset
	"5-hour limit reached":                         Session,
	"Session limit reached":                        Session,
	"Weekly limit reached":                         Weekly,
	"Opus weekly limit reached":                    Opus,
}

// What a first part may be besides. Group 1, where there is one, is its reset. A sentence whose end was not seen in
// 2.1.280 may end in any words.
var heads = []struct {
	kind string
	re   func() *regexp.Regexp
}{
	{Usage, lazy(`^Your usage allocation has been disabled by your admin\b`)},
	{Usage, lazy(`^Your group's usage limit is set to \$0(?:$|\D)`)},
	{Fable, lazy(`^You've reached your Fable limit\.`)},
	{Credits, lazy(`^[A-Z][\w.]*(?: [\w.()\[\]]+){0,4} requires usage credits\.`)},
	{APIKey, lazy(`^(?:API Error: 400 )?(?:\{.*"message": ?")?(?:Your c|C)redit balance (?:is )?too low(?:$| to access the )`)},
	{APIKey, lazy(`^API Error: 4\d\d (?:\{.*"message": ?")?You have reached your specified API usage limits\.?` +
		`(?: You will regain access (on \d{4}-\d\d-\d\d at \d\d:\d\d \w+)\.?)?(?:$|"\})`)},
	{Usage, lazy(`^Claude(?: AI)? usage limit reached(?:\|(\d{10}|\d{13}))?\.?$`)},
	{Usage, lazy(`^Claude(?: AI)? usage limit reached\. Your limit will reset (.+?)\.?$`)},
}

// lazy compiles a pattern when it is first used: most processes meet no limit.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

func head(s string) (line, bool) {
	if what, ok := strings.CutPrefix(s, "You've hit your "); ok {
		if kind, ok := hit[what]; ok {
			return line{kind: kind}, true
		}
		return line{kind: Unknown}, otherLimit().MatchString(what)
	}
	if kind, ok := whole[s]; ok {
		return line{kind: kind}, true
	}
	for _, h := range heads {
		m := h.re().FindStringSubmatch(s)
		switch {
		case m == nil:
		case len(m) == 1 || m[1] == "":
			return line{kind: h.kind}, true
		default:
			return line{kind: h.kind, reset: m[1]}, epoch().MatchString(m[1]) || when().MatchString(m[1])
		}
	}
	return line{}, false
}

var (
	// The shape of every time that a line names, understood or not: a few words of date and hour, and a zone.
	when = lazy(`(?i)^(?:(?:at|on|in|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day` +
		`|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|\d+(?:[:-]\d+)* ?(?:am|pm|h|m|d|utc)?),? ?)+(?:\([^()]+\))?$`)
	// What to do about a limit. A sentence that goes on after its full stop is talk.
	advice = lazy(`^(?:progress saved|esc\b|/[a-z]|(?:ask|raise|run|contact|[Aa]dd|upgrade|buy|switch)\b)(?:[^.!?]|[.!?][^ ])*\.?$`)
)

// tail reads one more part of the line, and reports whether it is one that Claude Code writes.
func (l *line) tail(s string) bool {
	switch verb, rest, _ := strings.Cut(s, " "); {
	case verb == "resets":
		return when().MatchString(rest) && keep(&l.reset, rest)
	case strings.HasPrefix(rest, "automatically "):
		return verb == "continuing" && l.tail("resets "+strings.TrimPrefix(rest, "automatically "))
	case strings.HasPrefix(rest, "session limit resets "):
		rest = strings.TrimPrefix(rest, "session limit resets ")
		return verb == "your" && when().MatchString(rest) && keep(&l.session, rest)
	}
	return advice().MatchString(s)
}

// keep sets a part of a line, which comes once.
func keep(part *string, s string) bool {
	if *part != "" {
		return false
	}
	*part = s
	return true
}
