package ledger

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// That a batch could not be shown is noted once as long as it is for the same reason.
func TestMissed(t *testing.T) {
	l := newLedger(t)
	seed, err := os.ReadFile("testdata/seed-0.1.0.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	l.put(t, File, string(seed))
	if err := l.Missed("act", noon, "11-2", "no display"); err == nil || err.Error() != `no batch has the intent "11-2"` {
		t.Errorf("%v", err)
	}
	long := "token " + "ghp_" + "FAKE1a2b3c4d5e6f7g8h9i0jklmnopqrst12" + strings.Repeat(" word", 100)
	for i, why := range []string{"no display", "no display", "exit status 7", "no display", long, long} {
		if err := l.Missed("act", noon.Add(time.Duration(i)*time.Hour), "12-2", why); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Seen("act", noon.Add(9*time.Hour), "12-2", record.Shown{Delivered: true}); err != nil {
		t.Fatal(err)
	}
	if err := l.Missed("act", noon.Add(10*time.Hour), "12-2", long); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(l.text(t), string(seed)), "\n"), "\n")
	if want := `{"by":"act","detail":"no display","dry_run":false,"id":"owner-1795953600000","kind":"failed","of":"12-2","scope":"lamp","tick":null,"ts":"2026-11-29T12:00:00.000Z","v":1,"verb":"show"}`; lines[0] != want {
		t.Errorf("%s\nwant\n%s", lines[0], want)
	}
	var says []string
	for _, line := range lines {
		_, detail, _ := strings.Cut(line, `"detail":"`)
		detail, _, _ = strings.Cut(detail, `"`)
		says = append(says, detail[:min(len(detail), 13)])
	}
	if got := strings.Join(says, "|"); got != "no display|exit status 7|no display|token [withhe||token [withhe" || strings.Contains(l.text(t), "FAKE1a2b") {
		t.Errorf("%s in\n%s", got, l.text(t))
	}
}
