package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The go command remembers a result as long as no file changes that the tests
// read. The programs are built by another go command, and scripts are read by a
// shell, so it would not see them: here all of them are read.
func TestInputs(t *testing.T) {
	read := 0
	for _, dir := range []string{"cmd", "internal", "bin", "tests"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || dir == "bin" && !strings.HasSuffix(name, ".sh") {
				return err
			}
			read++
			_, err = os.ReadFile(name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 300 {
		t.Errorf("%d files read", read)
	}
}
