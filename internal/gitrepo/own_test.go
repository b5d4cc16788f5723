package gitrepo

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

// Paths as people have them: inputs of our own.
func TestOwn(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	fsys := fstest.MapFS{
		"r/a b/ü (1)/.git/HEAD":                    file("ref: refs/heads/müll/x y\n"),
		"r/a b/ü (1)/.git/refs/x":                  file(""),
		"r/a b/ü (1)/.git/worktrees/w x/HEAD":      file("ref: refs/heads/w\r\n"),
		"r/a b/ü (1)/.git/worktrees/w x/commondir": file("../..\r\n"),
		"r/w x/.git":                file("gitdir: ../a b/ü (1)/.git/worktrees/w x\r\n"),
		"r/line\nbreak/.git/HEAD":   file("ref: refs/heads/main\n"),
		"r/line\nbreak/.git/refs/x": file(""),
		"r/nested/.git/HEAD":        file("ref: refs/heads/outer\n"),
		"r/nested/.git/refs/x":      file(""),
		"r/nested/sub/.git/HEAD":    file("ref: refs/heads/inner\n"),
		"r/nested/sub/.git/refs/x":  file(""),
		"r/chain":                   {Data: []byte("chain2"), Mode: fs.ModeSymlink},
		"r/chain2":                  {Data: []byte("/r/nested/sub"), Mode: fs.ModeSymlink},
	}
	tests := []struct {
		id, dir string
		want    Place
	}{
		{"own-path-blanks-and-brackets", "/r/a b/ü (1)", Place{"/r/a b/ü (1)/.git", "/r/a b/ü (1)", "müll/x y", BranchID("müll/x y")}},
		{"own-path-crlf-pointers", "/r/w x", Place{"/r/a b/ü (1)/.git", "/r/w x", "w", BranchID("w")}},
		{"own-path-line-break", "/r/line\nbreak", Place{"/r/line\nbreak/.git", "/r/line\nbreak", "main", BranchID("main")}},
		{"own-path-repo-in-a-repo", "/r/nested/sub", Place{"/r/nested/sub/.git", "/r/nested/sub", "inner", BranchID("inner")}},
		{"own-path-links-to-links", "/r/chain/../sub/.", Place{"/r/nested/sub/.git", "/r/nested/sub", "inner", BranchID("inner")}},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			if got, err := Locate(fsys, tt.dir); got != tt.want || err != nil {
				t.Errorf("Locate(%q) = %+v, %v; want %+v", tt.dir, got, err, tt.want)
			}
		})
	}
}
