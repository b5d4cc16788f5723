package fold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// A ledger that is older than what withholds tells no credential, and a
// resolution finds the ask by the key as it is told.
func TestState_withholds(t *testing.T) {
	token := "ghp_" + "FAKE0FAKE1FAKE2FAKE3FAKE4FAKE5FAKE67"
	ask := `{"by":"act","id":"1-2","kind":"intent","verb":"ask","scope":"lamp","tick":1,"ts":"2026-11-29T12:00:00.000Z","v":1,"dry_run":false,` +
		`"target":{"batch":1,"asks":[{"id":"a1","class":"3","key":"repo:` + token + `","question":"may I use ` + token + `?"}]}}` + "\n"
	s, err := Read(Lines(strings.NewReader(ask)))
	told := s.Asked()
	if err != nil || len(told) != 1 || strings.Contains(fmt.Sprint(told), token) || !strings.Contains(told[0].Key, "withheld") || !strings.Contains(told[0].Question, "withheld") {
		t.Fatalf("got %+v, %v", told, err)
	}
	over := `{"by":"tick","id":"2-3","kind":"ack","keys":["` + told[0].Key + `"],"resolved":true,"scope":"lamp","tick":2,"ts":"2026-11-29T13:00:00.000Z","v":1,"dry_run":false}` + "\n"
	if s, err = Read(Lines(strings.NewReader(ask + over))); err != nil || s.Asked()[0].State != "resolved" {
		t.Errorf("got %+v, %v", s.Asked(), err)
	}
}

// A command that leads to a session is told whole or not at all.
func TestAsked_go(t *testing.T) {
	for lead, want := range map[string]string{
		"": "", "tmux attach -t 'my work:@3.%7'": "tmux attach -t 'my work:@3.%7'", "cd /w/" + strings.Repeat("x", 200) + " && claude": "cd /w/" + strings.Repeat("x", 200) + " && claude",
		"tmux attach -t " + "ghp_" + "FAKE1a2b3c4d5e6f7g8h9i0jklmnopqrst12": "", "tmux attach -t \x1b[2J": "", "tmux\nattach": "",
	} {
		s := new(State)
		e := batchOf(1, "k")
		e.Target = Marshal(record.Batch{Batch: 1, Asks: []record.BatchAsk{{ID: "a1", Key: "k", Question: "?", Go: lead}}})
		for _, l := range linesOf(t, e) {
			s.Add(l)
		}
		if asked := s.Asked(); len(asked) != 1 || asked[0].Go != want {
			t.Errorf("%q: %+v", lead, asked)
		}
	}
}
