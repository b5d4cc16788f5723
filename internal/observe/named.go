package observe

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/guard"
)

// unnamed is why it is not known whose a workspace is that no record can name.
const unnamed = "its path is not UTF-8"

var errNameless = errors.New(unnamed + ", so no record can hold it")

// named is a path as records have it before it is guarded: one that is not UTF-8 with
// `\xe9` in the place of a byte that is none, so that it is no other directory's. One of
// which the guard would take more than such bytes is told by its hash: between them a
// credential would not show any more that it is one.
func named(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	var b strings.Builder
	for rest := path; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, rest[0])
		} else {
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	if valid := strings.ToValidUTF8(path, ""); guard.Path(path) != valid || guard.Path(b.String()) != b.String() {
		return "/" + guard.ID(path)
	}
	return b.String()
}
