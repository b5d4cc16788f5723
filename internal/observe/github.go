package observe

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// GitHub says how the repositories of the machine are observed through gh.
type GitHub struct {
	Binary    string        // name or path of gh
	TokenFile string        // file whose content gh gets as GH_TOKEN; "" for gh's own login
	Timeout   time.Duration // for one gh api; a gh pr list, which pages by itself, has twice that
	Paths     []string      // directories whose repositories are looked at in place of those of the input
}

// pullLimit is how many open pull requests are asked for when the tick names
// no number.
const pullLimit = 200

// checkout is one local repository and what its origin leads to.
type checkout struct {
	dir       string // git common dir
	slug      string // owner/name that origin names; "" when it names none
	err       error  // why there is no slug
	notGitHub bool
	readable  bool // its configuration could be read
	remote    bool // and has a remote named origin
}

// Read passes every line of in on to pass, unchanged, and returns them as a
// set. With Paths, in is not read.
func (g GitHub) Read(in io.Reader, pass func(raw []byte) error) (*record.Set, error) {
	set := new(record.Set)
	if len(g.Paths) > 0 {
		return set, nil
	}
	for line, err := range record.All(in) {
		if err != nil {
			return nil, err
		}
		set.Add(line)
		if err := pass(line.Raw); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// Observe writes a repo record for every git common dir that the session and
// tick records of this host in set, or Paths, name, and a surface for every
// slug, in an order that does not depend on which answer came first. It returns
// the surfaces that could not be read, one line each.
func (g GitHub) Observe(ctx context.Context, w *machine.World, set *record.Set, sink Sink) (unread []string, err error) {
	limit, app := pullLimit, github.ActionsApp
	dirs, broken := g.paths(w)
	for _, r := range set.Of(record.KindSession) {
		if s, ok := record.Payload[record.Session](r); ok && filepath.IsAbs(s.Repo) && r.Host == w.Host {
			dirs[s.Repo] = true
		}
	}
	if _, t, ok := set.Tick(); ok {
		for _, dir := range t.Repos {
			dirs[dir] = true
		}
		if t.PRCap > 0 {
			limit = t.PRCap
		}
		if t.Actions > 0 {
			app = t.Actions
		}
	}
	outs := broken
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		outs = append(outs, lookAt(w, dir))
	}
	slices.SortStableFunc(outs, func(a, b checkout) int { return strings.Compare(a.dir, b.dir) })
	remotes := g.ask(ctx, w, outs, limit, app)
	emit := emitter{sink: sink, at: record.NewTime(w.At), host: w.Host}
	for _, c := range outs {
		emit.add(record.KindRepo, guard.Path(c.dir), c.record(remotes[strings.ToLower(c.slug)]))
	}
	told := map[string]bool{}
	for _, c := range outs {
		name, s := c.surface(remotes[strings.ToLower(c.slug)])
		if key := strings.ToLower(name); !told[key] {
			told[key] = true
			emit.surface(name, "", s)
		}
	}
	emit.close("")
	w.Rec.Meta(w, nil)
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// paths are the common dirs of Paths, and the paths that lead to none.
func (g GitHub) paths(w *machine.World) (dirs map[string]bool, broken []checkout) {
	dirs = map[string]bool{}
	for _, p := range g.Paths {
		dir := w.Expand(p)
		if abs, err := filepath.Abs(dir); err == nil && !w.Recorded() {
			dir = abs
		}
		place, err := gitrepo.Locate(w.FS, dir)
		if err != nil {
			broken = append(broken, checkout{dir: dir, err: machine.Reason(err)})
			continue
		}
		dirs[place.CommonDir] = true
	}
	return dirs, broken
}

// lookAt finds the slug of a common dir.
func lookAt(w *machine.World, dir string) checkout {
	c := checkout{dir: dir}
	xdg := w.Getenv("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = w.Expand("~/.config")
	}
	urls, err := gitrepo.Origins(w.FS, dir, w.Home, "/etc/gitconfig", filepath.Join(xdg, "git/config"), w.Expand("~/.gitconfig"))
	if errors.Is(err, fs.ErrNotExist) {
		c.err = errors.New("there is no git repository any more")
		return c
	}
	if c.slug, c.err = github.Slug(urls...); c.err != nil && err != nil {
		c.err = machine.Reason(err)
	}
	c.notGitHub, c.readable, c.remote = errors.Is(c.err, github.ErrNotGitHub), err == nil || c.slug != "", len(urls) > 0
	recordCheckout(w.Rec, c)
	return c
}

// ask asks GitHub about every slug once and returns what it says by slug in
// lower case. Slugs that lead to one repository, as after a rename, share its
// rules and pull requests.
func (g GitHub) ask(ctx context.Context, w *machine.World, outs []checkout, limit, app int) map[string]*remote {
	remotes := map[string]*remote{}
	for _, c := range outs {
		if key := strings.ToLower(c.slug); c.slug != "" && remotes[key] == nil {
			remotes[key] = &remote{slug: c.slug}
		}
	}
	keys := slices.Sorted(maps.Keys(remotes))
	if len(keys) == 0 {
		return remotes
	}
	h := newHub(ctx, w, g, limit, app)
	each(len(keys), func(i int) { h.find(remotes[keys[i]]) })
	first := map[int64]*remote{}
	var ids []int64
	for _, k := range keys {
		if r := remotes[k]; r.failure == nil && first[r.meta.ID] == nil {
			first[r.meta.ID] = r
			ids = append(ids, r.meta.ID)
		}
	}
	each(len(ids), func(i int) { h.read(first[ids[i]]) })
	for _, k := range keys {
		if r := remotes[k]; r.failure == nil {
			from := first[r.meta.ID]
			r.answer = from.answer
		}
		remotes[k].login, remotes[k].notes = h.login, h.notes
	}
	return remotes
}

// record is the repo record of a checkout; r is nil without a slug.
func (c checkout) record(r *remote) record.Repo {
	out := record.Repo{CommonDir: guard.Path(c.dir), NotGitHub: c.notGitHub, Login: loginNone}
	if r == nil {
		out.Error = guard.Text(c.err.Error(), errorWidth)
		return out
	}
	out.Slug = guard.ID(r.slug)
	if m := r.meta; m.ID != 0 {
		out.ID, out.Archived = m.ID, m.Archived
		out.DefaultBranch, out.DefaultID = guard.Text(m.DefaultBranch, branchWidth), gitrepo.BranchID(m.DefaultBranch)
		if !strings.EqualFold(m.FullName, r.slug) {
			out.FullName = guard.ID(m.FullName)
		}
	}
	out.Rules, out.PRs, out.Truncated = r.rules, r.prs, r.cut
	if out.Login = r.login; r.failure != nil {
		out.Error, out.ResetAt = r.failure.Says, record.TimeOf(r.failure.ResetAt)
		if r.failure.Absent || r.meta.ID != 0 && !r.meta.LoggedIn {
			out.Login = loginNone
		}
	}
	out.OK = r.failure == nil
	return out
}

// branchWidth is how much of a branch name is shown.
const branchWidth = 120

// surface is the surface of a checkout and its name.
func (c checkout) surface(r *remote) (string, *record.Surface) {
	s := &record.Surface{OK: true}
	switch {
	case r == nil && c.notGitHub:
		s.Absent, s.Notes = true, []string{c.err.Error()}
	case r == nil:
		fail(s, c.err)
	case r.failure != nil && r.failure.Absent:
		s.Absent, s.Notes = true, []string{r.failure.Says}
	case r.failure != nil:
		fail(s, r.failure)
		s.ResetAt = record.TimeOf(r.failure.ResetAt)
	default:
		s.Rows, s.Drift = len(r.prs), r.drift
	}
	if r == nil {
		return "gh/" + guard.Path(c.dir), s
	}
	s.Notes = append(s.Notes, r.notes...)
	if r.bare {
		s.Notes = append(s.Notes, "checks not read: the list with them was too heavy for GitHub")
	}
	if name := r.meta.FullName; name != "" && !strings.EqualFold(name, r.slug) {
		s.Notes = append(s.Notes, "GitHub calls it "+guard.ID(name))
	}
	return "gh/" + guard.ID(r.slug), s
}
