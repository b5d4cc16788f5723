package observe

import (
	"testing"
	"testing/fstest"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// A session whose directory is gone is where its job's work tree is, else where one of
// the two was; a directory is gone only when it is that itself.
func TestPlaces(t *testing.T) {
	m := fstest.MapFS{"w/plain/x": {}, "w/lost/.git": {Data: []byte("gitdir: /moved/.git/worktrees/lost\n")}}
	for _, repo := range []string{"lamp", "stove"} {
		m["w/"+repo+"/.git/HEAD"], m["w/"+repo+"/.git/refs/x"], m["w/"+repo+"/src/x"] = &fstest.MapFile{Data: []byte("ref: refs/heads/main\n")}, &fstest.MapFile{}, &fstest.MapFile{}
	}
	const lamp, stove = "/w/lamp/.git", "/w/stove/.git"
	for _, tt := range []struct{ cwd, tree, repo, branch, how string }{
		{"/w/lamp/src", "", lamp, "main", record.PlacedByCwd},
		{"/w/lamp/src", "/w/stove", lamp, "main", record.PlacedByCwd},
		{"/w/plain", "/w/stove", "", "", record.PlacedNone},
		{"/w/gone", "/w/stove", stove, "main", record.PlacedByWorktree},
		{"/w/gone", "/w/stove/.claude/worktrees/x", stove, "", record.PlacedAbove},
		{"/w/lamp/gone", "/w/stove/.claude/worktrees/x", stove, "", record.PlacedAbove},
		{"/w/lamp/.claude/worktrees/x", "", lamp, "", record.PlacedAbove},
		{"/w/lamp/src/gone/deeper", "/w/gone", lamp, "", record.PlacedAbove},
		{"/w/gone", "/w/plain/gone", "", "", record.PlacedGone},
		{"/w/lost", "/w/lamp", "", "", record.PlacedUnreadable},
		{"/w/lost/gone", "", "", "", record.PlacedGone},
		{"gone", "", "", "", record.PlacedUnreadable},
		{"", "/w/lamp", "", "", record.PlacedUnknown},
	} {
		p, d := &places{w: &machine.World{FS: m}}, &claude.Draft{WorktreePath: tt.tree}
		d.Cwd = tt.cwd
		if p.session(d); d.Repo != tt.repo || d.Branch != tt.branch || d.Placement != tt.how || (d.BranchID == "") != (tt.branch == "") {
			t.Errorf("%s, %q: %s %q %q", tt.cwd, tt.tree, d.Placement, d.Repo, d.Branch)
		}
	}
	p, d := &places{w: &machine.World{FS: m}}, &claude.Draft{WorktreePath: "/w/lamp/x", WorktreeBranch: "fix"}
	d.Cwd = "/w/gone"
	if p.session(d); d.Repo != lamp || d.Branch != "fix" || d.BranchID != gitrepo.BranchID("fix") {
		t.Errorf("%+v", d.Session)
	}
}
