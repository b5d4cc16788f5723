package fold

import (
	"strings"
	"testing"
)

// Of a sweep's stream is told what its judge left undecided; of one that is cut it is not.
func TestUndecided(t *testing.T) {
	const closing = `{"v":1,"kind":"surface","at":"2026-11-29T12:00:00.000Z","host":"","by":"fleet-reconcile","subject":"fleet-reconcile","data":{"ok":true,"rows":0,"unparsed":0,"records":0,"rc":2,"undecided":["a, b: gone","/w/x: odd"]}}` + "\n"
	for in, want := range map[string]string{
		closing: "a, b: gone; /w/x: odd",
		strings.Replace(closing, `,"undecided":["a, b: gone","/w/x: odd"]`, "", 1): "",
		strings.ReplaceAll(closing, "fleet-reconcile", "fleet-classify"):           "",
		strings.Replace(closing, `"host":""`, `"host":"attic"`, 1):                 "",
		"": "",
	} {
		if got, err := Undecided(strings.NewReader(in)); got != want || err != nil {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	if got, err := Undecided(strings.NewReader(closing[:80])); got != "" || err == nil {
		t.Errorf("a cut stream: %q, %v", got, err)
	}
}
