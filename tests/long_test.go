package tests

import (
	"os"
	"testing"
)

// isLong tells whether the forms of tests run that take long: continuous
// integration sets FLEET_LONG, make soak FLEET_SOAK.
func isLong() bool { return os.Getenv("FLEET_LONG") != "" || os.Getenv("FLEET_SOAK") != "" }

// long skips a test that only a long run has.
func long(t *testing.T) {
	t.Helper()
	if !isLong() {
		t.Skip("FLEET_LONG is not set")
	}
}
