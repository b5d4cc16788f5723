package fold

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/guard"
)

// What is wrong is named as the line has it, so that a name that is a credential
// is seen to be one.
func TestParse_field(t *testing.T) {
	secret := "Xu2pd6VI" + "jVL6kONgFAKE"
	_, _, err := Parse([]byte(`{"v":1,"kind":"runner_exit","id":"1-4","tick":1,"ts":"2026-11-29T12:00:00.000Z","counts":{"mongodb+srv://app:` + secret + `@cluster0.ab1cd.example":"x"}}`))
	if err == nil || !strings.Contains(err.Error(), "mongodb+srv://app:") {
		t.Fatalf("%v", err)
	}
	if says := guard.Withhold(err.Error()); strings.Contains(says, secret[:8]) {
		t.Error(says)
	}
}
