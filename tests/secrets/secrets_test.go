package secrets

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every line makes a text whose secret parts are in it, the same from the same
// seed and others from another.
func TestCorpus(t *testing.T) {
	all, err := Corpus()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 200 {
		t.Errorf("%d shapes", len(all))
	}
	seen := map[string]bool{}
	for i, s := range all {
		if seen[s.Name] || s.Source == "" {
			t.Errorf("%s: twice, or without a source", s.Name)
		}
		seen[s.Name] = true
		one, again := s.Make(rand.New(rand.NewPCG(1, uint64(i)))), s.Make(rand.New(rand.NewPCG(1, uint64(i))))
		other := s.Make(rand.New(rand.NewPCG(2, uint64(i))))
		if one.Text != again.Text || one.Text == other.Text {
			t.Errorf("%s: %q, %q, %q", s.Name, one.Text, again.Text, other.Text)
		}
		if len(one.Bodies) == 0 || strings.ContainsAny(one.Text, "^") && s.Name != "django-secret-key" || strings.Contains(one.Text, "[[") || strings.Contains(one.Text, "((") {
			t.Errorf("%s: %q", s.Name, one.Text)
		}
		for _, b := range one.Bodies {
			if !strings.Contains(one.In(), b) {
				t.Errorf("%s: %q lacks %q", s.Name, one.In(), b)
			}
		}
		if long := slices.MaxFunc(one.Bodies, func(a, b string) int { return len(a) - len(b) }); len(long) < 12 {
			t.Errorf("%s: no part of 12 bytes, %q", s.Name, one.Bodies)
		}
	}
}

// The file itself holds no credential: what looks like one is taken apart.
func TestCorpusIsNoSecret(t *testing.T) {
	like := regexp.MustCompile(`(gh[posur]_|github_pat_|xox[bp]-|[sr]k_live_|AKIA|AIza|glpat-|sk-|hf_)[0-9A-Za-z_-]{16}|-----BEGIN [A-Z ]*PRIVATE KEY|hooks.slack.com/services/T`)
	if m := like.FindString(corpus); m != "" {
		t.Errorf("%s stands in corpus.tsv", m)
	}
}
