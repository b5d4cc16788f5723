package claude

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// A question is cut out of its line before it is cleaned. What tells that a word
// of it is a credential must not be cut off.
func TestProseQuestion_credential(t *testing.T) {
	const secret = "5ce88f384771213006e0f5" + "2a287173106cf92287" // FAKE
	for _, head := range []string{"Authorization: token ", "Done. Authorization: token ", "The header is Authorization: token "} {
		for _, tail := range []string{" Which one?", "?", " is set. Go on?"} {
			s := record.Session{Transcript: &record.Transcript{Question: proseQuestion(head+secret+tail, time.Time{})}}
			Clean(&s)
			if q := s.Transcript.Question; q == nil || strings.Contains(q.Text, secret[:12]) {
				t.Errorf("%q: %+v", head+secret+tail, q)
			}
			if kept := telling(head + secret + tail); strings.Contains(kept, secret[:12]) {
				t.Errorf("%q: kept %q", head+secret+tail, kept)
			}
		}
	}
	if q := proseQuestion("It is done: 1 file. Which one next?", time.Time{}); q == nil || q.Text != "Which one next?" {
		t.Errorf("%+v", q)
	}
}
