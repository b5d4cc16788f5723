package machine

import (
	"testing"
)

// A file that is longer than its size, as one that grows while it is read, is not
// read in part.
func TestReadFile_grows(t *testing.T) {
	w := &World{FS: machineTree()}
	if b, err := w.ReadFile("/proc/self/maps", 100); b != nil || err == nil || err.Error() != "maps: more than the 100 bytes that are read" {
		t.Errorf("%q %v", b, err)
	}
	if b, err := w.ReadFile("/proc/self/maps", 1<<20); len(b) < 100 || err != nil {
		t.Errorf("%q %v", b, err)
	}
}
