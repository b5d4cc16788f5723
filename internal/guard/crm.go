package guard

import "strings"

// crmRule is what the marker of a withheld path says.
const crmRule = "crm path"

// crmPaths returns the paths of text that have a part crm, in any case. A path ends at white space, unless that is
// escaped, the path is quoted, or the next word goes on with it ("crm/Big Client/notes.md").
func crmPaths(text string) []span {
	var found []span
	for from := 0; ; {
		i := indexCRM(text, from)
		if i < 0 {
			return found
		}
		start, end := pathAround(text, i)
		found = append(found, span{start, end, crmRule})
		from = end
	}
}

// indexCRM returns where the next part crm of a path is at or after from; -1 when there is none.
func indexCRM(text string, from int) int {
	for i := from; i+3 <= len(text); i++ {
		if text[i]|0x20 != 'c' || !strings.EqualFold(text[i:i+3], "crm") || i > 0 && inToken(text[i-1], "_-.") {
			continue
		}
		after := text[i+3:]
		ends := after == "" || !inToken(after[0], "_-.") || after[0] == '.' && (len(after) == 1 || !inToken(after[1], "_-"))
		if ends && (strings.HasPrefix(after, "/") || i > 0 && text[i-1] == '/') {
			return i
		}
	}
	return -1
}

const quotes = "\"'`"

// pathAround returns the path that text[i] stands in.
func pathAround(text string, i int) (start, end int) {
	for start = i; start > 0 && (strings.IndexByte(quotes+" <>|", text[start-1]) < 0 || start > 1 && text[start-2:start] == `\ `); start-- {
	}
	if start > 0 && strings.IndexByte(quotes, text[start-1]) >= 0 {
		if n := strings.IndexByte(text[i:], text[start-1]); n >= 0 {
			return start, i + n
		}
	}
	for end = i; ; {
		for end < len(text) && (strings.IndexByte(quotes+" <>|", text[end]) < 0 || text[end-1:end+1] == `\ `) {
			end++
		}
		next, _, _ := strings.Cut(text[min(end+1, len(text)):], " ")
		if end == len(text) || text[end] != ' ' || strings.Index(next, "/") <= 0 || strings.IndexByte("~.", next[0]) >= 0 {
			return start, end
		}
		end++
	}
}
