package screen

import (
	"fmt"
	"regexp"
)

// Signatures are what a stalled session shows.
type Signatures []signature

type signature struct {
	id      string
	pattern *regexp.Regexp
}

// Add adds a signature: a name, and a pattern that is matched within one row,
// without regard to case. The error says what is wrong with the pattern.
func (s *Signatures) Add(id, pattern string) error {
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return fmt.Errorf("stall signature %s: %w", id, err)
	}
	*s = append(*s, signature{id, re})
	return nil
}

// Stall returns the name of the first signature that a row next to the prompt
// holds; "" when none does.
func (s Signatures) Stall(shown Screen) string {
	for _, sig := range s {
		for _, row := range shown.Beside {
			if sig.pattern.MatchString(row) {
				return sig.id
			}
		}
	}
	return ""
}
