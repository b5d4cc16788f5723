package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLocate(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	link := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: fs.ModeSymlink} }
	const sha = "0123456789abcdef0123456789abcdef01234567"
	fsys := fstest.MapFS{
		"r/lamp/.git/HEAD":                    file("ref: refs/heads/feat/lamp\n"),
		"r/lamp/.git/refs/x":                  file(""),
		"r/lamp/src/a.go":                     file(""),
		"r/lamp/.git/worktrees/fix/HEAD":      file("ref: refs/heads/fix\n"),
		"r/lamp/.git/worktrees/fix/commondir": file("../..\n"),
		"r/fix/.git":                          file("gitdir: ../lamp/.git/worktrees/fix\n"),
		"r/pruned/.git":                       file("gitdir: ../lamp/.git/worktrees/pruned\n"),
		"r/lost/.git":                         file("gitdir: /r/moved/.git/worktrees/lost\n"),
		"r/sub/.git":                          file("gitdir: ../lamp/.git/modules/sub\n"),
		"r/odd/.git/HEAD":                     file("ref: refs/heads/odd\n"),
		"r/odd/.git/commondir":                file("/r/moved/.git\n"),
		"r/detached/.git/HEAD":                file(sha + "\n"),
		"r/detached/.git/refs/x":              file(""),
		"r/table/.git/HEAD":                   file("ref: refs/heads/.invalid\n"),
		"r/table/.git/refs/heads":             file("this repository uses the reftable format\n"),
		"r/bare.git/HEAD":                     file("ref: refs/heads/main\n"),
		"r/bare.git/refs/x":                   file(""),
		"r/none/x":                            file(""),
		"r/empty/.git/config":                 file(""), // no repository: git passes it by
		"r/broken/.git":                       file("what\n"),
		"private/r/x":                         file(""),
		"l/abs":                               link("/r/lamp"),
		"l/rel":                               link("../r/lamp/src"),
		"l/loop":                              link("loop"),
	}
	lamp := Place{CommonDir: "/r/lamp/.git", Worktree: "/r/lamp", Branch: "feat/lamp", BranchID: BranchID("feat/lamp")}
	tests := []struct {
		dir  string
		want Place
		err  error // nil: none
	}{
		{"/r/lamp", lamp, nil},
		{"/r/lamp/src", lamp, nil},
		{"/l/abs", lamp, nil},
		{"/l/rel", lamp, nil}, // case path-symlink: two spellings, one place
		{"/r/fix", Place{CommonDir: "/r/lamp/.git", Worktree: "/r/fix", Branch: "fix", BranchID: BranchID("fix")}, nil},
		{"/r/pruned", Place{CommonDir: "/r/lamp/.git", Worktree: "/r/pruned"}, nil},
		{"/r/lost", Place{}, errThere},
		{"/r/sub", Place{}, errThere},
		{"/r/odd", Place{}, errThere},
		{"/r/detached", Place{CommonDir: "/r/detached/.git", Worktree: "/r/detached", Branch: "detached@0123456789ab"}, nil},
		{"/r/table", Place{CommonDir: "/r/table/.git", Worktree: "/r/table"}, nil},
		{"/r/bare.git", Place{CommonDir: "/r/bare.git", Branch: "main", BranchID: BranchID("main")}, nil},
		{"/r/none", Place{}, ErrNoRepository},
		{"/r/empty", Place{}, ErrNoRepository},
		{"/r/gone", Place{}, fs.ErrNotExist},
		{"/r/none/x", Place{}, errAny},
		{"/r/broken", Place{}, errAny},
		{"/l/loop", Place{}, errAny},
		{"relative", Place{}, errAny},
	}
	for _, tt := range tests {
		got, err := Locate(fsys, tt.dir)
		if got != tt.want || (err == nil) != (tt.err == nil) || tt.err != nil && tt.err != errAny && tt.err != errThere && !errors.Is(err, tt.err) || tt.err == errThere && errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Locate(%s) = %+v, %v; want %+v, %v", tt.dir, got, err, tt.want, tt.err)
		}
	}
}

// errAny stands for any error, errThere for one that does not say that the directory is gone.
var errAny, errThere = errors.New("any"), errors.New("there")

// The answer on a real file system is that on a map, through real links.
func TestLocate_disk(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	for _, d := range []string{"repo/.git/refs", "repo/sub"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(repo, "sub"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	got, err := Locate(os.DirFS("/"), filepath.Join(dir, "link"))
	real, _ := filepath.EvalSymlinks(repo)
	if err != nil || got.Worktree != real || got.Branch != "main" {
		t.Errorf("Locate = %+v, %v", got, err)
	}
}

func FuzzRealPath(f *testing.F) {
	f.Add("/a/b", "../c")
	f.Add("/l/x", "/")
	f.Fuzz(func(t *testing.T, p, target string) {
		fsys := fstest.MapFS{"l": {Data: []byte(target), Mode: fs.ModeSymlink}, "a/b": {Data: []byte("x")}, "c": {Data: []byte("x")}}
		got, err := RealPath(fsys, p)
		if err != nil {
			return
		}
		if again, err := RealPath(fsys, got); err != nil || again != got { // law: a resolved path resolves to itself
			t.Errorf("RealPath(%q) = %q, again %q, %v", p, got, again, err)
		}
	})
}

// Laws: a directory below a work tree, and the same by another name, is in the
// same place; a place is resolved; and it has an id of its branch when it has a
// branch and no commit in its place.
func FuzzLocate(f *testing.F) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	f.Add("gitdir: ../m/.git/worktrees/w\n", "../..\n", "ref: refs/heads/feat/x\n")
	f.Add("gitdir: /m/.git", "", sha)
	f.Add("gitdir:/m/.git/worktrees/w", "/m/.git", "ref: refs/heads/.invalid")
	f.Fuzz(func(t *testing.T, dotGit, commondir, head string) {
		fsys := fstest.MapFS{"w/.git": {Data: []byte(dotGit)}, "w/d/x": {Data: []byte("x")}, "l": {Data: []byte("w"), Mode: fs.ModeSymlink},
			"m/.git/HEAD": {Data: []byte(head)}, "m/.git/refs/x": {Data: []byte("x")},
			"m/.git/worktrees/w/HEAD": {Data: []byte(head)}, "m/.git/worktrees/w/commondir": {Data: []byte(commondir)}}
		top, err := Locate(fsys, "/w")
		for _, dir := range []string{"/w/d", "/l", "/l/d", "/w/d/..", "//w//d/."} {
			if p, again := Locate(fsys, dir); p != top || (again == nil) != (err == nil) {
				t.Errorf("/w is %+v, %v; %s is %+v, %v", top, err, dir, p, again)
			}
		}
		if err != nil {
			if top != (Place{}) {
				t.Errorf("%+v beside %v", top, err)
			}
			return
		}
		if real, err := RealPath(fsys, top.CommonDir); err != nil || real != top.CommonDir || top.Worktree != "/w" {
			t.Errorf("%+v: %q, %v", top, real, err)
		}
		detached := strings.HasPrefix(top.Branch, "detached@") && strings.TrimSpace(head) != "ref: refs/heads/"+top.Branch
		if (top.BranchID == "") != (top.Branch == "" || detached) || top.BranchID != "" && top.BranchID != BranchID(top.Branch) {
			t.Errorf("%+v", top)
		}
	})
}
