package macf

import "testing"

// A directory belongs to the nearest workspace at or above it, and in another
// checkout to none.
func TestOwner(t *testing.T) {
	marked := map[string]bool{"/w/a": true, "/w/a/b/inner": true, "/w/a/tree/own": true}
	trees := map[string]bool{"/w/a/tree": true, "/w/a/tree/own": true}
	for dir, want := range map[string]string{
		"/w/a": "/w/a", "/w/a/b": "/w/a", "/w/a/b/c": "/w/a", "/w/a/b/inner/x": "/w/a/b/inner", "/w": "", "/w/ab": "", "/": "", "": "", "w/a": "",
		"/w/a/tree": "", "/w/a/tree/x": "", "/w/a/tree/own/x": "/w/a/tree/own",
	} {
		got := Owner(dir, func(d string) bool { return marked[d] }, func(d string) bool { return trees[d] })
		if got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
	if got := Owner("/x", func(d string) bool { return d == "/" }, func(string) bool { return false }); got != "/" {
		t.Errorf("a workspace at the root: %q", got)
	}
}

func TestIsWorktree(t *testing.T) {
	for text, want := range map[string]bool{"gitdir: /w/a/.git/worktrees/tree\n": true, "gitdir: ../.git/modules/x\n": false, "": false} {
		if got := IsWorktree([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
