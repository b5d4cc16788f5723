package guard

import "strings"

// randomRule is what the marker of a token says that looks drawn by lot.
const randomRule = "random-token"

const (
	// A token of fewer characters is not proof enough.
	minRandom = 20
	// A piece of fewer characters says neither.
	minPiece = 5
)

// class tells what a byte of a token is: one bit each.
type class byte

const (
	lowerCase class = 1 << iota
	upperCase
	digit
	joint // joins the pieces of a token
)

var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case strings.IndexByte(lower, byte(c)) >= 0:
			t[c] = lowerCase
		case strings.IndexByte(upper, byte(c)) >= 0:
			t[c] = upperCase
		case strings.IndexByte(digits, byte(c)) >= 0:
			t[c] = digit
		case strings.IndexByte("_-+/=.~", byte(c)) >= 0:
			t[c] = joint
		}
	}
	return t
}()

// randomTokens returns the tokens of text that look drawn by lot whatever product issues them: at least 20 letters of both
// cases and digits that make up no words. It has no keyword and so no pattern: one look at each byte.
func randomTokens(text string) []span {
	var found []span
	for i := 0; i < len(text); i++ {
		if classes[text[i]] == 0 {
			continue
		}
		start, seen := i, class(0)
		for ; i < len(text) && classes[text[i]] != 0; i++ {
			seen |= classes[text[i]]
		}
		if i-start >= minRandom && seen|joint == lowerCase|upperCase|digit|joint && !isPublic(text[:start]) {
			found = append(found, randomIn(text, start, i)...)
		}
	}
	return found
}

// A piece is what stands between two joints of a token.
type piece struct {
	start, end int
	words      bool // made of words, or an identifier that opens nothing
	plain      bool // a word, a number: nothing that a random text of some length holds
	count      [joint]int
}

// randomIn returns the parts of text[start:end], pieces with joints between, that look drawn by lot: pieces of no words,
// with at least 20 characters in those that are no short ones, and what is joined to them up to a plain word.
func randomIn(text string, start, end int) []span {
	var found []span
	all := pieces(text, start, end)
	for i := 0; i < len(all); i++ {
		if all[i].words {
			continue
		}
		first, length, count := i, 0, [joint]int{}
		for ; i < len(all) && !all[i].words; i++ {
			if n := all[i].end - all[i].start; n >= minPiece {
				length += n
				for c := range count {
					count[c] += all[i].count[c]
				}
			}
		}
		last := i - 1
		if length < minRandom || count[digit] == 0 || 6*min(count[lowerCase], count[upperCase]) < length || isID(text[all[first].start:all[last].end]) {
			continue
		}
		for first > 0 && !all[first-1].plain {
			first--
		}
		for last+1 < len(all) && !all[last+1].plain {
			last++
		}
		to := all[last].end
		for to < end && text[to] == '=' {
			to++
		}
		found = append(found, span{all[first].start, to, randomRule})
		i = last
	}
	return found
}

// pieces takes text[start:end] apart at its joints.
func pieces(text string, start, end int) []piece {
	var all []piece
	for i := start; i < end; i++ {
		if classes[text[i]] == joint {
			continue
		}
		p := piece{start: i, plain: true}
		for ; i < end && classes[text[i]] != joint; i++ {
			c := classes[text[i]]
			p.count[c]++
			if before := i - p.start; before > 0 && c != classes[text[i-1]] && (before > 1 || c != lowerCase) {
				p.plain = false
			}
		}
		p.end = i
		word := text[p.start:p.end]
		p.words = len(word) >= minPiece && (wordy(word) || issued(word))
		p.plain = p.plain || issued(word)
		all = append(all, p)
	}
	return all
}

// common has a bit for each letter that often follows another in English: 93 of 100 pairs in the comments of Go's standard
// library are among these 224.
var common = func() (t [26]uint32) {
	for _, row := range strings.Fields(pairs) {
		for _, c := range row[1:] {
			t[row[0]-'a'] |= 1 << (c - 'a')
		}
	}
	return t
}()

const pairs = "abcdgiklmnprstuvy baeilosu cacehiklortu dadeilorsu eacdefglmnpqrstvx faefilotu geinors haeio " +
	"iabcdefglmnoprstvz j keis ladeilostuy mabeimopsu nacdefgiknostuv oabcdfgilmnoprstuvw paeiloprstu qu " +
	"racdegikmnorstuy sacehilopstuy tacehilorstuy uabceilmnprst vaei waeior xept yps ze"

// wordy reports whether a piece is made of words: two in three of the pairs of letters in it are common ones, and one byte
// in four begins a pair. A capital after a small letter begins a word.
func wordy(piece string) bool {
	all, good := 0, 0
	for i := 1; i < len(piece); i++ {
		a, b := classes[piece[i-1]], classes[piece[i]]
		if (a|b)&^(lowerCase|upperCase) != 0 || a == 0 || b == 0 || a == lowerCase && b == upperCase {
			continue
		}
		all++
		if common[piece[i-1]|0x20-'a']&(1<<(piece[i]|0x20-'a')) != 0 {
			good++
		}
	}
	return 4*all >= len(piece) && 3*good >= 2*all
}

// issued reports whether a piece is an identifier as Anthropic's services give to sessions, messages and calls, which
// Claude Code also puts into names of branches: "claude/fix-login-011CUM…". It opens nothing.
func issued(piece string) bool {
	return strings.HasPrefix(piece, "01") && 22 <= len(piece) && len(piece) <= 28
}

// isPublic reports whether what comes after before is a digest or a public key in base64.
func isPublic(before string) bool {
	before = before[max(0, len(before)-24):]
	for _, s := range []string{"SHA256:", "h1:", "ssh-rsa ", "ssh-ed25519 ", "ecdsa-sha2-nistp256 "} {
		if strings.HasSuffix(before, s) {
			return true
		}
	}
	return false
}
