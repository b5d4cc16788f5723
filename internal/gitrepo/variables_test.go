package gitrepo

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/gcfg/v2"
)

// A value goes on after a line that ends with a backslash, as git 2.39 has it.
func TestVariables_goesOn(t *testing.T) {
	got := ""
	err := variables([]byte("[a]\n\tk = x\\\n  y\n\tl = \"x\\\ny\"\n"), func(_, _, key, value string) error {
		got += key + "=" + value + "\n"
		return nil
	})
	if want := "k=x  y\nl=xy\n"; got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// FuzzVariables compares with gcfg: the same variables, and an error where it has
// one. gcfg keeps the line end where a value goes on after a backslash; git doesn't.
func FuzzVariables(f *testing.F) {
	for _, s := range []string{
		"[remote \"origin\"]\n\turl = \"https://github.com/acme/lamp\" ; x\n\tfetch\n[a]b=c", "[a \"x\\\"y\\\\\"]\nk = a\\tb \" # \" c # d\n",
		"[a]\r\nk = v\r\n", "k = v\n", "[a", "[]", "[a]x", "[a] # c\n; d\n", "[a]\nk v\n", "[a]\nk = \"v\n", "[a]\nk = \\q\n", "[a]\nk =\n", "\xef\xbb\xbf[a]\n", "[a]\nk\x00\n",
		"[a.b]\nk = v\n", "[a]\n-k = v\n", "[a]\nk = \\", "[a \"b]\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\\\n") || strings.Contains(text, "\\\r") {
			t.Skip("gcfg keeps a line end that git does not")
		}
		var got, want []string
		err := variables([]byte(text), func(section, sub, key, value string) error {
			got = append(got, strings.Join([]string{section, sub, key, value}, "|"))
			return nil
		})
		wantErr := gcfg.ReadWithCallback(bytes.NewReader([]byte(text)), func(section, sub, key, value string, bare bool) error {
			if key != "" && !bare {
				want = append(want, strings.Join([]string{section, sub, key, value}, "|"))
			}
			return nil
		})
		if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; gcfg: %q, %v", text, got, err, want, wantErr)
		}
	})
}
