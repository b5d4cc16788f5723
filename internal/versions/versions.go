// Package versions compares the versions of macf, as people, files and agents write them.
package versions

import (
	"errors"
	"strings"

	"golang.org/x/mod/semver"
)

// Older tells that a version is before another. A version that is not of the
// form 1.2.3, a v before it or not, is before every one that is.
func Older(version, than string) bool {
	return semver.Compare(canonical(version), canonical(than)) < 0
}

// Same tells whether two texts are of one version, however each is written.
func Same(a, b string) bool { return !Older(a, b) && !Older(b, a) }

// Wrong is the reason of an upgrade that brought another version than was asked for.
const Wrong = "wrong-version"

// MadeGood tells whether an upgrade to a version that failed for a reason is made good by
// what runs now: that version, or a newer one. Where another came than was asked for, a
// newer one is what failed: macf installs what it finds, and would do so again.
func MadeGood(to, reason, runs string) bool {
	return runs != "" && (Same(runs, to) || reason != Wrong && !Older(runs, to))
}

// Parse is a version as decisions and the ledger have it, 1.2.3, of a text that a
// person wrote: a v before it is left out. The error says what is wanted instead of one
// that is of another form, or has anything around it.
func Parse(s string) (string, error) {
	if v := canonical(s); v != "" && strings.TrimSpace(s) == s {
		return v[1:], nil
	}
	return "", errors.New("want a version such as 1.2.3, or 1.2.3-rc.1, and nothing around it")
}

// canonical is the text that semver compares; "" when it is no whole version.
func canonical(s string) string {
	v := "v" + strings.TrimPrefix(strings.TrimSpace(s), "v")
	if semver.Canonical(v) != strings.TrimSuffix(v, semver.Build(v)) {
		return ""
	}
	return v
}
