package config

import (
	"fmt"
	"testing"
)

// What init writes is right as it stands, takes every session of the scope for
// the owner's, and never acts.
func TestFirst(t *testing.T) {
	for _, tt := range []struct {
		id, lists string
		repos     string
	}{
		{"lamp", "", "[/home/ana/src/lamp]"},
		{"lamp", `{"version": 1, "scopes": {"lamp": ["~/a"]}}`, "[/home/ana/a]"},
	} {
		text := string(First(tt.id, tt.lists != "", "none"))
		f, err := load(text, tt.lists)
		if err != nil {
			t.Fatalf("%s: %v\n%s", tt.id, err, text)
		}
		s, err := f.Scope(tt.id)
		if err != nil || len(f.Scopes()) != 1 || !s.Enabled || !s.DryRun || s.Mode != "report" || s.OwnerChannel.Kind != "none" || len(s.Adopted) != 1 || s.Adopted[0].SessionID != "*" || fmt.Sprint(s.Repos) != tt.repos {
			t.Errorf("%s: %v %+v", tt.id, err, s)
		}
	}
}
