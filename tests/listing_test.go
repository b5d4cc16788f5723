package tests

import (
	"testing"

	"github.com/fleet-tools/fleet/internal/claude"
)

// listingClasses reads a class from each row of a listing alone, as a person
// who sees nothing else would.
func listingClasses(t *testing.T, out []byte) map[string]string {
	t.Helper()
	rows, _, _, err := claude.Listing(out)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, r := range rows {
		switch {
		case r.Status == "waiting":
			said[r.SessionID] = "3"
		case r.State == "failed":
			said[r.SessionID] = "4"
		case r.State == "blocked":
			said[r.SessionID] = "7"
		case r.Status == "busy" || r.State == "working" && r.Status == "":
			said[r.SessionID] = "5"
		default:
			said[r.SessionID] = "9a"
		}
	}
	return said
}
