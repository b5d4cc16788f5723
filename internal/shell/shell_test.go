package shell

import (
	"os/exec"
	"testing"
	"unicode/utf8"
)

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "/home/ana/x.json": "/home/ana/x.json", "work:@3.%7": "work:@3.%7", "a,b+c": "a,b+c",
		"": "''", "-p": "'-p'", "a b": "'a b'", "$(reboot)": "'$(reboot)'", "it's": `'it'\''s'`, "a~b": "'a~b'", "~": "'~'", "x=1": "'x=1'", "é": "'é'", "*": "'*'", "a\nb": "'a\nb'",
	} {
		if got := Word(in); got != want {
			t.Errorf("Word(%q) = %s, want %s", in, got, want)
		}
	}
}

// Law: a shell reads what was written as the one word that it was.
func FuzzWord(f *testing.F) {
	for _, seed := range []string{"", "-p", "it's", "$(x)`y`", "a\nb", "~", "\\", "x*y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if len(word) > 4096 || !utf8.ValidString(word) {
			return
		}
		for i := range len(word) {
			if word[i] == 0 {
				return // no argument of a program holds it
			}
		}
		for _, written := range []string{Word(word), Quote(word)} {
			out, err := exec.Command("/bin/sh", "-c", `printf '%s|' `+written).Output()
			if word != "" && word[0] == '-' {
				out, err = exec.Command("/bin/sh", "-c", `printf '%s|' x`+written).Output()
				if len(out) > 0 {
					out = out[1:]
				}
			}
			if err != nil || string(out) != word+"|" {
				t.Fatalf("%q: %s: %q, %v", word, written, out, err)
			}
		}
	})
}
