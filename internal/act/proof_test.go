package act

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// The proof that the ledger has of an act is JSON without a credential, whatever a
// transcript or an agent calls itself.
func TestProof_ledger(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for _, name := range []string{token, "a\ab", "\U000e0001", "\xff", strings.Repeat("x", 2_000_000)} {
		t.Run("", func(t *testing.T) {
			s, got := &spot{desk: newDesk(t)}, ""
			s.health = func(h *record.Health) { h.Instance, h.Listed = name, name }
			a, book := s.acting(&got), &keeps{Book: s}
			a.Book = book
			if err := handed(a, a.One(t.Context(), s.decided(0, "launch"))); err != nil || got != "done" {
				t.Fatalf("%s, %v", got, err)
			}
			var e record.Entry
			if err := json.Unmarshal([]byte(book.kept[1]), &e); err != nil || len(book.kept[1]) > 20_000 || strings.Contains(book.kept[1], "FAKEFAKE") {
				t.Errorf("%v: %.200s", err, book.kept[1])
			}
		})
	}
}
