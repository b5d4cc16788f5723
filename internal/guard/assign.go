package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// assigned withholds the value after a match of a name (group 1) and a separator (group 2). NAME=value goes whatever the
// value is, and so does a quoted one; after a colon or with spaces it has to look like a secret, because "token: expired"
// is how people write.
func assigned(text string, m []int) (start, end int) {
	name, sep := strings.ToLower(text[m[2]:m[3]]), text[m[4]:m[5]]
	password := strings.Contains(name, "pass") || name == "pwd"
	start, end, quoted := operand(text, m[5])
	value := text[start:end]
	if quoted && sep == "=" && strings.IndexByte(quotes, text[m[4]-1]) < 0 && closes(text, m[2], text[start-1]) {
		start, end, quoted = operand(text, start)
		value, sep = text[start:end], ""
	}
	ok := looksSecret(value, password)
	switch {
	case placeholder(value) || pathLike(value):
		ok = false
	case name == "pwd": // also the shell's name of a directory
	case strings.HasPrefix(name, "_") && name != "_auth":
		ok = ok && len(value) >= 16 && !isID(value)
	case quoted && strings.TrimSpace(sep) != ">":
		ok = true
	case sep == "=" && strings.IndexByte("=>~", value[0]) < 0:
		ok = password || strings.Trim(value, digits) != "" || len(value) >= 16
	}
	if !ok {
		return 0, 0
	}
	return start, end
}

// closes reports whether a quote after a name and its "=" ends a quotation that begins with the name, as in "`TOKEN=` is
// not set".
func closes(text string, name int, quote byte) bool {
	for name > 0 && inToken(text[name-1], "_-.") {
		name--
	}
	return name > 0 && text[name-1] == quote
}

// flagged withholds the value after a command-line flag, unless it is the next word of a sentence about the flag.
func flagged(text string, m []int) (start, end int) {
	start, end, quoted := operand(text, m[5])
	value := text[start:end]
	switch {
	case placeholder(value) || pathLike(value):
		return 0, 0
	case quoted:
		return start, end
	case strings.IndexByte("-|&;<>()", value[0]) >= 0, slices.Contains(prose, strings.Trim(value, ".,;:!?)")):
		return 0, 0
	}
	return start, end
}

var prose = []string{
	"flag", "flags", "option", "options", "argument", "is", "was", "and", "or", "to", "for", "from", "in", "on", "with", "as",
	"if", "when", "instead", "that", "the", "a", "an", "it", "can", "could", "should", "must", "will", "has", "does", "here",
}

// operand returns the value that starts at from: what the quotes there enclose, or everything to the next white space or
// quote. An unclosed quote encloses the rest.
func operand(text string, from int) (start, end int, quoted bool) {
	start = from
	for start < len(text) && text[start] == '\\' {
		start++
	}
	if start == len(text) || strings.IndexByte(quotes, text[start]) < 0 {
		end = from + template(text[from:])
		for end < len(text) && text[end] != ' ' && strings.IndexByte(quotes, text[end]) < 0 {
			end++
		}
		return from, end, false
	}
	quote, escaped := text[start], start > from
	start++
	for end = start; end < len(text) && text[end] != quote; end++ {
		if text[end] == '\\' && !escaped && end+1 < len(text) {
			end++
		}
	}
	for escaped && end > start && text[end-1] == '\\' {
		end--
	}
	return start, min(end, len(text)), true
}

// template returns the length of the <…>, {{…}}, ${{…}} or $(…) that s starts with, which may hold spaces; 0 when there is none.
func template(s string) int {
	for _, pair := range [][2]string{{"<", ">"}, {"{{", "}}"}, {"${{", "}}"}, {"$(", ")"}} {
		if strings.HasPrefix(s, pair[0]) {
			if n := strings.Index(s, pair[1]); n >= 0 {
				return n + len(pair[1])
			}
		}
	}
	return 0
}

var standIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` +
		`|\$\{?(?:[A-Z_][A-Z0-9_]*|[A-Za-z_]+)\}?` + // $NAME
		`|\$\([^()]*\)|%[A-Z_]+%|%[sdvq]` +
		`|<[^<>]*>|\$?\{\{[^{}]*\}\}` +
		`|(?:process\.env|os\.environ|env)[.\[].*|os\.getenv\(.*` +
		`|[*•xX.…_-]+|[A-Z]+(?:_[A-Z]+)+` +
		`|(?i:true|false|null|none|nil|undefined|yes|no|string|required|optional|empty|unset|set|missing|invalid|expired)` +
		`|\[?(?i:redacted|hidden|masked|filtered|withheld|removed)\]?` +
		`)[\])}.,;:]*$`)
})

// placeholder reports whether a value only stands for one: a variable, a template, stars, a word such as "null".
func placeholder(value string) bool { return len(value) < 200 && standIn().MatchString(value) }

// pathLike reports whether a value is a file's path: where a secret is kept, not a secret.
func pathLike(value string) bool {
	if !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~/") && !strings.HasPrefix(value, "./") || strings.ContainsAny(value, "+=") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(value, "/"), func(part string) bool {
		return len(part) >= 12 && strings.ContainsAny(part, digits) && strings.ContainsAny(part, upper) && strings.ContainsAny(part, lower)
	})
}

// looksSecret reports whether a value is more likely a secret than a word, a path, a number or code.
func looksSecret(value string, password bool) bool {
	value = strings.TrimRight(value, ".,;:!?)]}")
	if len(value) < 4 || strings.IndexByte("$<=>,)", value[0]) >= 0 || value[0] == '+' && len(value) < minRandom || strings.ContainsAny(value, "([{") || strings.Contains(value, "://") {
		return false
	}
	digit, letter := strings.ContainsAny(value, digits), strings.ContainsAny(strings.ToLower(value), lower)
	switch {
	case password:
		return digit || strings.ContainsAny(value, "!@#$%^&*+=~?") || len(value) >= 8 && mixed(value) && !wordy(value)
	case digit && letter:
		return len(value) >= 8
	case strings.ContainsAny(value, "!@#$%^&*~"):
		return len(value) >= 8
	case digit:
		return len(value) >= 16
	case strings.ContainsAny(value, upper):
		return len(value) >= 16
	}
	return len(value) >= 24 && !strings.ContainsAny(value, "-_./")
}

// mixed reports whether a value has small letters and capitals.
func mixed(value string) bool {
	return strings.ContainsAny(value, lower) && strings.ContainsAny(value, upper)
}
