package claude

import (
	"strings"
	"testing"
)

func TestWake(t *testing.T) {
	for text, want := range map[string]string{"": "claude --bg --resume ID", "Go on": "claude --bg --resume ID Go on"} {
		if got, err := Wake("ID", text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, bad := range [][2]string{{"", "x"}, {"--all", "x"}, {"ID", "--model"}} {
		if got, err := Wake(bad[0], bad[1]); err == nil {
			t.Errorf("%q", got)
		}
	}
}
