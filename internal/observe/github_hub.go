package observe

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/github"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Bounds of what gh is asked for.
const (
	ghParallel  = 6        // calls at once
	ghOutput    = 32 << 20 // bytes of one answer
	rulePages   = 10       // of 100 rules
	ghKillAfter = 2 * time.Second
)

// ghBins are the places where people have gh when PATH does not.
var ghBins = []string{"~/.local/bin", "/opt/homebrew/bin", "/usr/local/bin"}

// ghKept is what gh gets of our environment: where it finds its configuration,
// its keyring, its network, and no switch that changes what it prints.
var ghKept = []string{
	"HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "GH_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
	"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// answer is what GitHub says of one repository, or why it doesn't.
type answer struct {
	failure *github.Failure
	rules   *record.Rules
	prs     []record.PullRequest
	cut     bool // the list of pull requests was as long as was asked for
	bare    bool // it was read without its checks
	drift   []string
}

// remote is one slug.
type remote struct {
	slug string
	meta github.Repository
	answer
	login string
	notes []string
}

// hub runs gh.
type hub struct {
	ctx        context.Context
	w          *machine.World
	bin        string
	binErr     error
	env        []string
	login      string
	notes      []string
	timeout    time.Duration
	limit, app int

	limits func() []byte // body of rate_limit, asked for once and when it is needed

	recording sync.Mutex // guards w.Rec, which calls at once write to
}

func newHub(ctx context.Context, w *machine.World, g GitHub, limit, app int) *hub {
	h := &hub{ctx: ctx, w: w, timeout: g.Timeout, limit: limit, app: app, login: loginOwn}
	h.bin, h.binErr = w.FindProgram(g.Binary, ghBins...)
	if abs, err := filepath.Abs(h.bin); err == nil && h.binErr == nil && !w.Recorded() {
		h.bin = abs // gh runs in another directory
	}
	for _, name := range ghKept {
		if v := w.Getenv(name); v != "" {
			h.env = append(h.env, name+"="+v)
		}
	}
	h.env = append(h.env, "NO_COLOR=1", "GH_PAGER=cat", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "LC_ALL=C")
	h.logIn(g.TokenFile)
	h.limits = sync.OnceValue(func() []byte {
		a, _ := h.api("rate_limit", "") // one that failed has no body
		return a.Body
	})
	return h
}

// run runs gh and says why it gave nothing to use. resource is the rate limit
// that the call counts against.
func (h *hub) run(timeout time.Duration, resource string, args ...string) ([]byte, *github.Failure) {
	if h.binErr != nil {
		return nil, notStarted(h.binErr)
	}
	spec := command.Spec{Argv: append([]string{"gh"}, args...), Path: h.bin, Env: h.env, Dir: "/",
		Timeout: timeout, KillAfter: ghKillAfter, MaxOutput: ghOutput}
	res, err := h.w.Run(h.ctx, spec)
	h.record(spec, res, err)
	switch {
	case errors.Is(err, command.ErrTimeout):
		return nil, &github.Failure{Says: fmt.Sprintf("gh %s: no answer within %s", args[0], timeout)}
	case errors.Is(err, command.ErrOutput):
		return nil, &github.Failure{Says: fmt.Sprintf("gh %s: wrote more than %d bytes", args[0], ghOutput)}
	case err != nil:
		return nil, notStarted(err)
	case res.Status == 0:
		return res.Stdout, nil
	}
	f := github.Fail(res.Status, res.Stdout, res.FirstLine(), h.w.At)
	if f.RateLimited && f.ResetAt.IsZero() && resource != "" {
		f.ResetAt = github.ParseRateLimit(h.limits(), resource)
	}
	return nil, f
}

// notStarted is the failure of a gh that did not run. One that is there may lack
// its interpreter, which looks to the kernel as if it were not there itself.
func notStarted(err error) *github.Failure {
	if errors.Is(err, exec.ErrNotFound) {
		return &github.Failure{Says: guard.Text("gh is not installed: "+machine.Reason(err).Error(), errorWidth), Absent: true}
	}
	return &github.Failure{Says: guard.Text("gh: "+machine.Reason(err).Error(), errorWidth)}
}

// api asks for a path of the REST API.
func (h *hub) api(path, resource string) (github.Answer, *github.Failure) {
	out, failure := h.run(h.timeout, resource, "api", "--include", "--hostname", "github.com", path)
	if failure != nil {
		return github.Answer{}, failure
	}
	a, err := github.ParseAnswer(out)
	if err != nil {
		return a, &github.Failure{Says: "gh api: " + err.Error()}
	}
	return a, nil
}

// find asks for the repository itself.
func (h *hub) find(r *remote) {
	a, failure := h.api("repos/"+r.slug, "core")
	if failure == nil {
		var err error
		if r.meta, err = github.ParseRepository(a); err != nil {
			failure = &github.Failure{Says: err.Error()}
		} else if !r.meta.LoggedIn {
			failure = &github.Failure{Says: "gh sent no login: it could not read its own"}
		}
	}
	r.failure = failure
}

// read asks for the rules of the default branch and for the pull requests.
func (h *hub) read(r *remote) {
	if r.rules, r.failure = h.rules(r.meta); r.failure != nil {
		return
	}
	fields := github.PullFields
	out, failure := h.pulls(r.meta.FullName, fields)
	if failure != nil && failure.TooHeavy() {
		r.bare = true
		out, failure = h.pulls(r.meta.FullName, github.PullFieldsBare)
	}
	if failure == nil {
		var err error
		if r.prs, r.drift, err = github.ParsePulls(out, h.limit); err != nil {
			failure = &github.Failure{Says: err.Error()}
			r.cut = errors.Is(err, github.ErrCut)
		}
	}
	r.failure = failure
}

func (h *hub) pulls(name, fields string) ([]byte, *github.Failure) {
	return h.run(2*h.timeout, "graphql", "pr", "list", "-R", "github.com/"+name, "--state", "open", "--limit", strconv.Itoa(h.limit), "--json", fields)
}

// rules asks for the effective rules, page by page.
func (h *hub) rules(m github.Repository) (*record.Rules, *github.Failure) {
	var rules []github.Rule
	path := "repos/" + m.FullName + "/rules/branches/" + url.PathEscape(m.DefaultBranch) + "?per_page=100"
	for page := 1; ; page++ {
		if page > rulePages {
			return nil, &github.Failure{Says: fmt.Sprintf("more than %d rules", 100*rulePages)}
		}
		at := path
		if page > 1 {
			at += "&page=" + strconv.Itoa(page)
		}
		a, failure := h.api(at, "core")
		if failure != nil && failure.Hidden(m.Admin) {
			return github.Unshown(failure.Says), nil
		}
		if failure != nil {
			return nil, failure
		}
		more, err := github.ParseRules(a.Body)
		if err != nil {
			return nil, &github.Failure{Says: err.Error()}
		}
		rules = append(rules, more...)
		if !a.More() {
			return github.Judge(rules, h.classic(m), h.app), nil
		}
	}
}

// classic asks for classic protection where permission lets it show: GitHub
// answers anybody else as if there were none.
func (h *hub) classic(m github.Repository) github.Classic {
	unseen := github.Classic{Word: github.ClassicUnseen}
	if !m.Admin {
		return unseen
	}
	a, failure := h.api("repos/"+m.FullName+"/branches/"+url.PathEscape(m.DefaultBranch)+"/protection", "core")
	if failure != nil {
		if failure.Unprotected() {
			unseen.Word = github.ClassicNo
		}
		return unseen
	}
	c, err := github.ParseProtection(a.Body)
	if err != nil {
		return unseen
	}
	return c
}

// each runs f for 0 to n-1, a few at once, and waits for all.
func each(n int, f func(int)) {
	slots := make(chan struct{}, ghParallel)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			f(i)
		})
	}
	wg.Wait()
}
