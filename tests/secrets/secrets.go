// Package secrets makes text that imitates credentials, for the tests of what must
// never come out. Every body is random and made at run time, none is anybody's.
package secrets

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

//go:embed corpus.tsv
var corpus string

//go:embed untold.tsv
var untold string

// Shape is a line of corpus.tsv.
type Shape struct {
	Name              string // "github-classic"
	Source            string // the documentation or prefix that tells the shape
	Sentence, pattern string // "%s" in Sentence stands for the credential
}

// Credential is one text of a shape.
type Credential struct {
	Shape
	Text   string   // the credential alone
	Bodies []string // its random parts, in order: what nobody may see
}

// Corpus returns the shapes that must be found, in the order of the file.
func Corpus() ([]Shape, error) { return shapes(corpus) }

// Untold returns the shapes that nobody can find without taking away what is none.
func Untold() ([]Shape, error) { return shapes(untold) }

func shapes(table string) ([]Shape, error) {
	var all []Shape
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || strings.Count(f[3], "%s") != 1 {
			return nil, fmt.Errorf("%q is no name, source, shape and sentence", line)
		}
		all = append(all, Shape{Name: f[0], Source: f[1], pattern: f[2], Sentence: f[3]})
	}
	return all, nil
}

var hole = regexp.MustCompile(`(\[\[|\(\()([a-z0-9]+)(?: ([0-9]+)(?:\*([0-9]+)(e?))?)?(?:\]\]|\)\))|\\n|\\\\|\^`)

// Make returns a credential of the shape; the same r in the same state makes the
// same one.
func (s Shape) Make(r *rand.Rand) Credential {
	c := Credential{Shape: s}
	c.Text = hole.ReplaceAllStringFunc(s.pattern, func(m string) string {
		switch m {
		case `\n`:
			return "\n"
		case `\\`:
			return `\`
		case "^":
			return ""
		}
		f := hole.FindStringSubmatch(m)
		n, _ := strconv.Atoi(f[3])
		times, sep := 1, "\n"
		if f[4] != "" {
			times, _ = strconv.Atoi(f[4])
		}
		if f[5] != "" {
			sep = `\n`
		}
		var parts []string
		for range times {
			parts = append(parts, random(r, f[2], n))
		}
		if f[1] == "[[" {
			c.Bodies = append(c.Bodies, parts...)
		}
		return strings.Join(parts, sep)
	})
	return c
}

// Leak returns the first 12 bytes in a row of a body that text shows, or a whole body of 8 to 11; "" for none.
func (c Credential) Leak(text string) string {
	for _, b := range c.Bodies {
		n := min(len(b), minLeak)
		for i := 0; n >= 8 && i+n <= len(b); i++ {
			if strings.Contains(text, b[i:i+n]) {
				return b[i : i+n]
			}
		}
	}
	return ""
}

const minLeak = 12

// In returns the credential in its sentence.
func (c Credential) In() string { return strings.Replace(c.Sentence, "%s", c.Text, 1) }

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

var alphabets = map[string]string{
	"alnum":    uppers + lowers + digits,
	"letter":   uppers + lowers,
	"lower":    lowers + digits,
	"upper":    uppers + digits,
	"digit":    digits,
	"hex":      digits + "abcdef",
	"upperhex": digits + "ABCDEF",
	"b64":      uppers + lowers + digits + "+/",
	"b64u":     uppers + lowers + digits + "-_",
	"base32":   uppers + "234567",
	"lower32":  lowers + "234567",
	"bech32":   "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
	"pass":     uppers + lowers + digits + "!*-_.",
	"azure":    uppers + lowers + digits + "-_.~",
	"django":   lowers + digits + "!@#$%^&*(-_=+)",
}

var words = strings.Fields("Marble Copper Lantern Meadow Falcon Thistle Harbor Saffron Juniper Velvet Summit Orchid")

// random returns n characters of an alphabet, or one of the three things that no
// alphabet tells.
func random(r *rand.Rand, alphabet string, n int) string {
	switch alphabet {
	case "uuid":
		h := random(r, "hex", 32)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	case "human": // as a person makes one up, two words, a year and a sign
		return words[r.IntN(len(words))] + words[r.IntN(len(words))] + strconv.Itoa(1950+r.IntN(80)) + "!"
	case "jwt":
		enc := base64.RawURLEncoding
		return enc.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT","kid":"`+random(r, "hex", 16)+`"}`)) + "." +
			enc.EncodeToString([]byte(`{"sub":"`+random(r, "digit", 10)+`","jti":"`+random(r, "alnum", 22)+`","iat":1796000000}`))
	}
	set, ok := alphabets[alphabet]
	if !ok || n == 0 {
		panic("no alphabet " + alphabet)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}
