package classify

import (
	"cmp"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// place answers whether a session is in the scope. While a repository of the
// scope is not found, a session that nothing places may be one of its.
func (st *stream) place(f *Facts) Reading {
	r := st.placed(f)
	if r.Truth == No && slices.Contains([]string{record.PlacedGone, record.PlacedAbove}, f.S.Placement) && f.Repo == f.S.Repo { // not by the board
		r = st.once(f, r)
	}
	if r.Truth == No && len(st.tick.Unfound) > 0 && !slices.Contains(st.tick.Others, f.Repo) {
		return unread("config", "a repository of the scope was not found: %s", st.tick.Unfound[0])
	}
	return r
}

// placed is place by what was found. Where its cwd is gone, the board's word
// for its repository goes before what its paths suggest.
func (st *stream) placed(f *Facts) Reading {
	f.Repo = f.S.Repo
	lost := slices.Contains([]string{record.PlacedGone, record.PlacedAbove, record.PlacedByWorktree, record.PlacedUnknown, ""}, f.S.Placement)
	if lost && f.Row != nil && f.Row.Repo != "" {
		f.Repo = f.Row.Repo
	}
	switch {
	case st.tick == nil:
		return Reading{Truth: Yes}
	case f.S.Placement == record.PlacedNone:
		return no("git", "its cwd is in no repository")
	case f.S.Placement == record.PlacedUnreadable:
		return unread("git", "its cwd could not be looked at")
	case lost && f.Board.Truth == Unread:
		return f.Board
	case f.Repo == "" && f.S.Placement == record.PlacedGone:
		return no("git", "its cwd is gone and nothing places it")
	case f.Repo == "":
		return unread("git", "no source names its cwd")
	case st.tick.There[f.Host] != nil:
		if slices.Contains(st.tick.There[f.Host], f.Repo) {
			return yes("git", "its repository %s is in the scope", f.Repo)
		}
		return no("git", "its repository %s is none that the scope has on %s", f.Repo, f.Host)
	case slices.Contains(st.tick.Others, f.Repo):
		return no("git", "its repository %s is another scope's", f.Repo)
	case st.tick.Clash(f.Repo) != "":
		return unread("config", "its repository %s: %s", f.Repo, st.tick.Clash(f.Repo))
	case slices.Contains(st.tick.Repos, f.Repo):
		return yes("git", "its repository %s is in the scope", f.Repo)
	}
	return no("git", "its repository %s is in no scope", f.Repo)
}

// once answers whether a session whose directory is gone was in the scope: while the
// scope has a question about it that is not resolved. Else what it waits for would be
// taken for over when somebody removes its work tree.
func (st *stream) once(f *Facts, none Reading) Reading {
	if st.expects(ledgers) {
		if r := st.remembered(); r.Truth != Yes {
			return unread("ledger", "%s", complaint(r))
		}
	}
	session := f.Subject
	if f.Host != st.tick.Host {
		session = f.Host + "/" + session
	}
	if tick, ok := st.asked[session]; ok {
		return yes("ledger", "its cwd is gone, and what tick %d asked of it is not resolved", tick)
	}
	return none
}

// ours answers whether a session is ours, and why. Without a configuration
// every session with a live process is. A finished background job without a
// process is ours only by its own id.
func (st *stream) ours(f *Facts) (Reading, string) {
	if st.tick == nil {
		if f.Live.Truth == Yes {
			return f.Live, "it has a live process"
		}
		return f.Live, ""
	}
	names := ids(f.S)
	for _, id := range names {
		if why := st.mine[id]; why != "" {
			return Reading{Truth: Yes}, why
		}
	}
	agent, through := st.agentOf(f.Host, names)
	if through.Truth == Yes {
		return through, "through the Paseo agent " + agent
	}
	wild := no("config", "nobody adopted it")
	if st.all {
		wild = not(f.finished())
	}
	if wild.Truth == Yes {
		return wild, "the configuration adopts every session"
	}
	ledger := no("ledger", "not in the ledger")
	if r := st.remembered(); st.expects(ledgers) && r.Truth != Yes {
		ledger = unread("ledger", "%s", complaint(r))
	}
	return or(wild, through, ledger), ""
}

// finished answers whether the session is a background job that ended and
// whose process is gone.
func (f *Facts) finished() Reading {
	return and(f.Background, not(f.Live), f.State.among("done", "failed", "stopped"))
}

// agentOf finds the Paseo agent of ours that lists a session.
func (st *stream) agentOf(host string, names []string) (string, Reading) {
	none := no("paseo/agents", "no Paseo agent of ours lists it")
	if len(st.makers) == 0 || !st.expectsOn(host, paseo) {
		return "", none
	}
	for _, r := range st.agents {
		a, ok := record.Payload[record.Agent](r)
		if ok && r.Host == host && slices.Contains(st.makers, a.ID) && oneOf(a.Sessions, names) {
			return a.ID, Reading{Truth: Yes}
		}
	}
	if r := st.program(host, paseo); r.Truth != Yes {
		return "", unread("paseo/agents", "%s", r.Says[0].Says)
	}
	if st.absent(paseo, host, "paseo/agents") {
		return "", none
	}
	if r := st.surface(host, "paseo/agents", false); r.Truth != Yes {
		return "", r
	}
	return "", none
}

// noPR answers whether no pull request is open on the session's branch. One
// from a fork is none of it, whatever its branch is called.
func (st *stream) noPR(f *Facts) Reading {
	if !st.expects(github) {
		return yes("gh", "PRs not looked at")
	}
	if r := st.everywhere(github); r.Truth != Yes {
		return unread("gh", "%s", complaint(r))
	}
	repo := st.repos[f.Repo]
	switch {
	case repo == nil:
		return unread("gh", "its repository was not looked at")
	case repo.NotGitHub:
		return yes("gh", "its repository is not on GitHub")
	}
	source, branch := "gh/"+repo.Slug, f.branch()
	if slices.ContainsFunc(st.wrote[github], func(host string) bool { return st.absent(github, host, source) }) {
		return yes("gh", "PRs not looked at: gh is not installed or has no login")
	}
	if !repo.OK || repo.PRs == nil {
		return unread(source, "%s", cmp.Or(repo.Error, "its pull requests were not read"))
	}
	for _, pr := range repo.PRs {
		if !pr.Cross && pr.HeadID != "" && pr.HeadID == branch {
			return no(source, "PR #%d is open on its branch", pr.Number)
		}
	}
	if repo.Truncated {
		return unread(source, "the list of pull requests is cut")
	}
	return yes(source, "no open PR on its branch")
}

// branch is the hash of the session's branch name; "" when it is on none or
// that is not known.
func (f *Facts) branch() string {
	if f.S.BranchID == "" && f.Row != nil {
		return f.Row.BranchID
	}
	return f.S.BranchID
}
