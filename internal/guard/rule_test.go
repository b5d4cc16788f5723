package guard

import (
	"slices"
	"strings"
	"testing"
)

// Every rule compiles, has keywords of the right shape, and a name that its own marker carries.
func TestRules(t *testing.T) {
	s := rules()
	for i, r := range s.all() {
		re := s.compile(i).re
		if re.NumSubexp() < r.group {
			t.Errorf("%s: no group %d", r.name, r.group)
		}
		if len(r.name) >= maxRuleName || markerLength(marker(r.name)) != len(marker(r.name)) {
			t.Errorf("%s: its marker isn't recognised", r.name)
		}
		if len(r.keywords) == 0 {
			t.Errorf("%s: no keyword", r.name)
		}
		for _, k := range r.keywords {
			if len(k) < 2 || k != strings.ToLower(k) || strings.ContainsFunc(k, func(c rune) bool { return c > '~' }) {
				t.Errorf("%s: keyword %q", r.name, k)
			}
			for _, text := range []string{k, "x" + k, strings.ToUpper(k) + "x"} {
				if !hits(s.hit(text), r.name) {
					t.Errorf("%s: keyword %q isn't found in %q", r.name, k, text)
				}
			}
		}
	}
	if len(gitleaks) < 200 {
		t.Errorf("only %d rules of gitleaks", len(gitleaks))
	}
}

func hits(all []*compiled, name string) bool {
	for _, r := range all {
		if r.name == name {
			return true
		}
	}
	return false
}

// Every rule of ours withholds something of the table above.
func TestOwnRulesAreUsed(t *testing.T) {
	s := rules()
	for i, r := range s.all() {
		if i == len(own)+len(products) {
			break
		}
		one := s.compile(i)
		if !slices.ContainsFunc(secrets, func(c struct{ rule, text, secret string }) bool {
			flat, _ := flatten(c.text, 1<<20, true)
			return c.rule == r.name && len(one.spans(flat)) > 0
		}) {
			t.Errorf("no secret for rule %s: %s", r.name, r.pattern)
		}
	}
}
