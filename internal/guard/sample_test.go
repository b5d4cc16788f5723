package guard

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
)

// Every rule of gitleaks withholds what it is for: a text made from its own pattern, in a sentence.
func TestSamplesOfEveryRule(t *testing.T) {
	s := rules()
	for i := len(own) + len(products); i < len(s.re); i++ {
		r := s.compile(i)
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		tree, err := syntax.Parse(r.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		for try := 0; try < 500 && made < 3; try++ {
			// Some patterns leave their keyword out, and a UUID or digest is a secret only if its name says so.
			before := []string{"see ", "see " + r.keywords[0] + " ", "see token_"}[try%3]
			text, _ := flatten(before+sample(tree, rng), 1<<20, true)
			if len(r.re.FindAllString(text, -1)) != 1 || !hits(s.hit(text), r.name) {
				continue
			}
			spans := r.spans(text)
			if len(spans) != 1 || spans[0].end-spans[0].start < 8 {
				continue
			}
			made++
			secret := text[spans[0].start:spans[0].end]
			for _, end := range []string{" and go on", "", ") and go on", ", and go on", "."} {
				if got := Text(text+end, 5000); strings.Contains(got, secret) || !strings.Contains(got, markerStart) {
					t.Errorf("%s: %q shows as %q", r.name, text+end, got)
				}
			}
		}
		if made == 0 {
			t.Errorf("%s: no sample of it is withheld", r.name)
		}
	}
}

// sample returns a text that re may match: context (word boundaries and the like) is left to luck.
func sample(re *syntax.Regexp, rng *rand.Rand) string {
	var b strings.Builder
	repeat := func(lo, hi int) {
		if hi < 0 || hi > lo+3 {
			hi = lo + 3
		}
		for range lo + rng.IntN(hi-lo+1) {
			b.WriteString(sample(re.Sub[0], rng))
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune, rng))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(".abcdefgh"[rng.IntN(9)])
	case syntax.OpCapture:
		b.WriteString(sample(re.Sub[0], rng))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(sample(sub, rng))
		}
	case syntax.OpAlternate:
		b.WriteString(sample(re.Sub[rng.IntN(len(re.Sub))], rng))
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	}
	return b.String()
}

// oneOf returns a printable ASCII member of a class given by its ranges, a space when there is none.
func oneOf(ranges []rune, rng *rand.Rand) rune {
	var all []rune
	for i := 0; i < len(ranges); i += 2 {
		for c := max(ranges[i], ' '); c <= min(ranges[i+1], '~'); c++ {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return ' '
	}
	return all[rng.IntN(len(all))]
}
