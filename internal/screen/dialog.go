package screen

import (
	"regexp"
	"strings"
	"sync"
)

// maxDialog is how many rows from the bottom up a dialog takes at most.
const maxDialog = 40

// dialog reads a pane without a prompt: its words, when there is an option that
// is chosen beside others, or a line of keys at the bottom.
func dialog(all []row) Screen {
	at := asks(all)
	if at < 0 {
		return Screen{}
	}
	from := at
	for from > 0 && at-from < maxDialog && !all[from-1].edge() {
		from--
	}
	var s Screen
	for _, r := range all[from:] {
		if text := strings.TrimSpace(r.text); text != "" && !r.edge() && !framed().MatchString(text) {
			s.Beside = append(s.Beside, text)
		}
	}
	s.Dialog = strings.Join(s.Beside, "\n")
	return s
}

// asks returns the row in which a dialog has its chosen option, or its keys; -1
// when there is none.
func asks(all []row) int {
	keyed := false
	for i, n := len(all)-1, 0; i >= 0 && n < maxDialog; i-- {
		if all[i].text == "" {
			continue
		}
		n++
		switch {
		case n <= 3 && keys().MatchString(all[i].text):
			keyed = true
		case chosen(all[i]) && (keyed || sibling(all, i)):
			return i
		}
	}
	if keyed {
		return len(all) - 1
	}
	return -1
}

// chosen tells the option of a menu that would be taken.
func chosen(r row) bool { return pointer().MatchString(r.text) }

// sibling tells whether a numbered option stands near the one at i.
func sibling(all []row, i int) bool {
	if !option().MatchString(strings.Replace(all[i].text, "❯", " ", 1)) {
		return false
	}
	for j := max(0, i-6); j < min(len(all), i+7); j++ {
		if j != i && option().MatchString(all[j].text) {
			return true
		}
	}
	return false
}

var (
	pointer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s+❯ +\S|^❯ \d{1,2}\. \S`) })
	option  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s+\d{1,2}\. \S`) })
	keys    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[ ·])(?:Esc|Enter|Space|Tab|↑/↓|←/→)(?: [a-z]+)?(?:/\S+)? (?:to|again to) [a-z]`)
	})
	framed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[╌─▔╭╮╰╯│ ]+$`) })
)
