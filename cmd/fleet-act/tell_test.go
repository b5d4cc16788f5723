package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/notify"
)

// The owner's command is called five times a run at most, and no more once it hung.
func TestCalls(t *testing.T) {
	lost, hung := errors.New("no network"), fmt.Errorf("telling: %w", &notify.HungError{Name: "tell", Limit: time.Minute})
	for name, tt := range map[string]struct {
		answers []error // to each call
		want    string  // what became of each of seven
	}{
		"well":  {[]error{nil, nil, nil, nil, nil}, "ok ok ok ok ok ok ok"},
		"lost":  {[]error{lost, nil, lost, nil, nil}, "lost ok lost ok ok ok ok"},
		"hangs": {[]error{nil, hung}, "ok hung hung hung hung hung hung"},
	} {
		var c calls
		var got []string
		called := 0
		for range 7 {
			err := c.call(func() error { called++; return tt.answers[called-1] })
			_, hung := errors.AsType[*notify.HungError](err)
			switch {
			case hung:
				got = append(got, "hung")
			case err != nil:
				got = append(got, "lost")
			default:
				got = append(got, "ok")
			}
		}
		if all := strings.Join(got, " "); all != tt.want || called != len(tt.answers) {
			t.Errorf("%s: %s, %d calls", name, all, called)
		}
	}
}
