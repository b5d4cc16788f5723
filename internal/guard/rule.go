package guard

import (
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A rule finds one kind of credential.
type rule struct {
	name string
	// keywords are lower-case ASCII, at least two characters each; without one of them in the text, in any case, the pattern isn't tried.
	keywords []string
	// pattern is a regular expression. What it encloses in group is withheld, the whole match for group 0, and the bytes
	// that go on with the same token on either side of it.
	pattern string
	group   int
	// entropy is the least Shannon entropy of that, in bits a character; 0 for any.
	entropy float64
	// value, when set, says which part of the text to withhold after a match m, start < end, instead of group.
	value func(text string, m []int) (start, end int)
}

// maxRuleName is the longest name of a rule and the bracket after it, in bytes.
const maxRuleName = 80

// A ruleSet holds every rule and an index of their keywords. Most programs look at a
// few short texts, so it is laid out in few pieces.
type ruleSet struct {
	tables [][]rule
	re     []onceRegexp // by the number of the rule
	// first has a bit for each start of a keyword: the lower five bits of three characters, which fold case.
	first [1 << 15 / 64]uint64
	words []keyword // by start
}

// keyword is one of a rule. A word of two characters has a start for any third.
type keyword struct {
	start, rule uint16
	word        string
}

// onceRegexp is compiled when it is asked for first.
type onceRegexp struct {
	once sync.Once
	re   *regexp.Regexp
}

var rules = sync.OnceValue(func() *ruleSet { return newRules(own, products, gitleaks) })

func newRules(tables ...[]rule) *ruleSet {
	s := &ruleSet{tables: tables}
	n := 0
	for i, r := range s.all() {
		for _, k := range r.keywords {
			s.add(k, i)
		}
		n = i + 1
	}
	s.re = make([]onceRegexp, n)
	slices.SortStableFunc(s.words, func(a, b keyword) int { return int(a.start) - int(b.start) })
	return s
}

// all are the rules in order, with their numbers.
func (s *ruleSet) all() iter.Seq2[int, *rule] {
	return func(yield func(int, *rule) bool) {
		n := 0
		for _, table := range s.tables {
			for i := range table {
				if !yield(n, &table[i]) {
					return
				}
				n++
			}
		}
	}
}

func (s *ruleSet) add(word string, rule int) {
	lo, hi := byte(0), byte(31)
	if len(word) > 2 {
		lo = word[2] & 31
		hi = lo
	}
	for c := lo; c <= hi; c++ {
		t := trigram(word[0], word[1], c)
		s.first[t/64] |= 1 << (t % 64)
		s.words = append(s.words, keyword{t, uint16(rule), word})
	}
}

func trigram(a, b, c byte) uint16 { return uint16(a&31)<<10 | uint16(b&31)<<5 | uint16(c&31) }

// hit returns the rules of which text holds a keyword, in order.
func (s *ruleSet) hit(text string) []*compiled {
	var hit []int
	for i := 0; i+1 < len(text); i++ {
		var c byte
		if i+2 < len(text) {
			c = text[i+2]
		}
		t := trigram(text[i], text[i+1], c)
		if s.first[t/64]&(1<<(t%64)) == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(s.words, t, func(k keyword, t uint16) int { return int(k.start) - int(t) })
		for ; at < len(s.words) && s.words[at].start == t; at++ {
			k := s.words[at]
			if len(text)-i >= len(k.word) && strings.EqualFold(text[i:i+len(k.word)], k.word) && !slices.Contains(hit, int(k.rule)) {
				hit = append(hit, int(k.rule))
			}
		}
	}
	slices.Sort(hit)
	all := make([]*compiled, len(hit))
	for i, n := range hit {
		all[i] = s.compile(n)
	}
	return all
}

// compile is the rule with this number and its pattern.
func (s *ruleSet) compile(n int) *compiled {
	r, o := s.rule(n), &s.re[n]
	o.once.Do(func() { o.re = regexp.MustCompile(r.pattern) })
	return &compiled{r, o.re}
}

func (s *ruleSet) rule(n int) *rule {
	for _, table := range s.tables {
		if n < len(table) {
			return &table[n]
		}
		n -= len(table)
	}
	panic("no such rule")
}

// isRule tells whether a marker may name it.
func isRule(name string) bool {
	if name == crmRule || name == randomRule {
		return true
	}
	for _, r := range rules().all() {
		if r.name == name {
			return true
		}
	}
	return false
}

type compiled struct {
	*rule
	re *regexp.Regexp
}

// spans returns what the rule withholds of text.
func (r *compiled) spans(text string) []span {
	var found []span
	done := 0 // end of the last span
	for _, m := range r.re.FindAllStringSubmatchIndex(text, -1) {
		if m[1] < done {
			continue
		}
		start, end := r.secret(m)
		switch {
		case r.value != nil:
			start, end = r.value(text, m)
		case entropy(text[start:end]) < r.entropy || isID(text[start:end]) && !speaksOfSecrets(text[m[0]:start]):
			continue
		default:
			start, end = whole(text, start, end)
		}
		if start < end {
			found = append(found, span{start, end, r.name})
			done = end
		}
	}
	return found
}

// secret returns the part of a match that is the credential: the group of the rule, or the group that holds every other
// one that matched, or everything.
func (r *compiled) secret(m []int) (start, end int) {
	if g := r.group; g > 0 && m[2*g] >= 0 {
		return m[2*g], m[2*g+1]
	}
	start, end = -1, -1
	for g := 2; g < len(m); g += 2 {
		switch {
		case m[g] < 0:
		case start < 0:
			start, end = m[g], m[g+1]
		case m[g] < start || m[g+1] > end:
			return m[0], m[1]
		}
	}
	if start < 0 || start == end {
		return m[0], m[1]
	}
	return start, end
}

// whole extends a part of text over the token that it stands in.
func whole(text string, start, end int) (int, int) {
	for start > 0 && inToken(text[start-1], "_-") {
		start--
	}
	for end < len(text) && (inToken(text[end], "_-+/=~%") || text[end] == '.' && end+1 < len(text) && inToken(text[end+1], "_-+/=~%")) {
		end++
	}
	return start, end
}

func inToken(c byte, others string) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte(others, c) >= 0
}

// entropy returns the Shannon entropy of s in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// isID reports whether s is a commit id, a digest or a UUID, all of which occur next to a product's name for good reasons.
func isID(s string) bool {
	switch len(s) {
	case 40, 64:
		return strings.Trim(s, "0123456789abcdefABCDEF") == ""
	case 36:
		return strings.Trim(s, "0123456789abcdefABCDEF-") == "" && strings.Count(s, "-") == 4
	}
	return false
}

// speaksOfSecrets reports whether the name before a value says that it is a credential.
func speaksOfSecrets(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"key", "token", "secret", "passw", "auth", "cred", "api", "client", "access"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}
