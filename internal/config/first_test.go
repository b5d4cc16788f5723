package config

import (
	"fmt"
	"testing"
)

// What init writes is right as it stands, takes every session of the scope for
// the owner's, and never acts.
func TestFirst(t *testing.T) {
	lists := "version: 1\nscopes:\n  lamp: [~/a]\n  other: []\n"
	for _, tt := range []struct {
		id, yaml string
		repos    string
	}{
		{"lamp", "", "[/home/ana/src/lamp]"},
		{"lamp", lists, "[/home/ana/a]"},
		{"other", lists, "[/home/ana/src/other]"},
		{"example", "not yaml: [", "[/home/ana/src/example]"},
	} {
		text := string(First(tt.id, Lists("scopes.yaml", []byte(tt.yaml), tt.id, "/home/ana"), "none"))
		f, err := load(text, tt.yaml)
		if err != nil {
			t.Fatalf("%s: %v\n%s", tt.id, err, text)
		}
		s, err := f.Scope(tt.id)
		if err != nil || len(f.Scopes()) != 1 || !s.Enabled || !s.DryRun || s.Mode != "report" || s.OwnerChannel.Kind != "none" || len(s.Adopted) != 1 || s.Adopted[0].SessionID != "*" || fmt.Sprint(s.Repos) != tt.repos {
			t.Errorf("%s: %v %+v", tt.id, err, s)
		}
	}
}
