package guard

import (
	"sort"
	"strings"
)

// unglued returns flat with spaces in the place of what other programs leave of a character: of a colour code, "[31m", whose
// escape character is gone, of a line end or a quotation mark in JSON, "\\n" and "\\u0022", and of any in a URL, "%20". What
// stands beside one is no part of it. What is shown keeps them: "rate(x[5m])" has one too.
func unglued(flat string) string {
	var b []byte
	for i := 0; i < len(flat); {
		next := strings.IndexAny(flat[i:], `[\%`)
		if next < 0 {
			break
		}
		i += next
		n := left(flat[i:])
		if n > 0 && b == nil {
			b = []byte(flat)
		}
		for to := i + n; i < to; i++ {
			b[i] = ' '
		}
		if n == 0 {
			i++
		}
	}
	if b == nil {
		return flat
	}
	return string(b)
}

// left is the length of what is left of a character at the beginning of s; 0 when nothing is.
func left(s string) int {
	n := 1
	switch {
	case s[0] == '[':
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == ';') {
			n++
		}
		if n == len(s) || s[n] != 'm' {
			return 0
		}
		return n + 1
	case s[0] == '%':
		return hexes(s, 1, 2)
	case len(s) > 1 && s[1] == 'u':
		return hexes(s, 2, 4)
	case len(s) > 1 && strings.IndexByte("nrt", s[1]) >= 0:
		return 2
	}
	return 0
}

// hexes is from+n when s has n hex digits from there, else 0.
func hexes(s string, from, n int) int {
	if len(s) < from+n || strings.Trim(s[from:from+n], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return from + n
}

// divide returns text with a byte that is part of no token at each of gaps, which are in order.
func divide(text string, gaps []int) string {
	if len(gaps) == 0 {
		return text
	}
	b := make([]byte, 0, len(text)+len(gaps))
	from := 0
	for _, gap := range gaps {
		b = append(append(b, text[from:gap]...), 0)
		from = gap
	}
	return string(append(b, text[from:]...))
}

// undivided is the place in a text of a place in what divide made of it.
func undivided(at int, gaps []int) int {
	return at - sort.Search(len(gaps), func(i int) bool { return gaps[i]+i >= at })
}
