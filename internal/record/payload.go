package record

// payloadOf returns a new payload of a known kind, nil for another.
func payloadOf(k Kind) any {
	switch k {
	case KindTick:
		return new(Tick)
	case KindHost:
		return new(Host)
	case KindSurface:
		return new(Surface)
	case KindSession:
		return new(Session)
	case KindAgent:
		return new(Agent)
	case KindSchedule:
		return new(Schedule)
	case KindRepo:
		return new(Repo)
	case KindBoard:
		return new(Board)
	case KindOwned:
		return new(Owned)
	case KindAsked:
		return new(Asked)
	case KindPast:
		return new(Past)
	case KindVerdict:
		return new(Verdict)
	case KindFinding:
		return new(Finding)
	case KindAsk:
		return new(Ask)
	case KindEntry:
		return new(Entry)
	case KindWorkspace:
		return new(Workspace)
	case KindHealth:
		return new(Health)
	case KindHeal:
		return new(Heal)
	case KindSwept:
		return new(Swept)
	case KindDecision:
		return new(Decision)
	case KindOutcome:
		return new(Outcome)
	}
	return nil
}

// Surface says how the reading of one part went. Its subject is the surface's
// name (claude/listing, gh/acme/lamp …), or the program's own name in a closing
// record.
type Surface struct {
	OK       bool     `json:"ok"`                 // it was read, or is absent
	Absent   bool     `json:"absent,omitempty"`   // the product is not installed
	Error    string   `json:"error,omitempty"`    // why it was not read, one line; empty when OK
	Rows     int      `json:"rows"`               // items read
	Unparsed int      `json:"unparsed"`           // items that were there and could not be understood
	Drift    []string `json:"drift,omitempty"`    // words, fields and versions that this release does not know, each once
	Notes    []string `json:"notes,omitempty"`    // facts about the reading that a person should see
	ResetAt  *Time    `json:"reset_at,omitempty"` // when a rate limit that stopped the reading ends
	Records  *int     `json:"records,omitempty"`  // closing record only: identities added, this one left out
	Via      string   `json:"via,omitempty"`      // ssh only: the words behind ssh -t that lead to the machine
	RC       *int     `json:"rc,omitempty"`       // closing record of fleet-reconcile only: 0 all is well, 1 something is to be done, 2 something was not read

	Undecided []string    `json:"undecided,omitempty"` // closing record of fleet-reconcile only: about what nothing is decided, and why; absent unless rc is 2
	Untracked []Untracked `json:"untracked,omitempty"` // claude/processes only: session processes that nothing else names
}

// Untracked is a Claude Code process that no file and no listing names, such as
// one that waits at its trust dialog.
type Untracked struct {
	PID int    `json:"pid"`
	Cwd string `json:"cwd"` // "" when it cannot be told
	Exe string `json:"exe"`
}

// Host is the machine that looked.
type Host struct {
	OS     string   `json:"os"`                // GOOS of the observer: linux, darwin
	Zone   string   `json:"zone"`              // IANA name of the local zone, "" when it cannot be told
	BootAt *Time    `json:"boot_at"`           // start of the kernel; null when it cannot be told
	AwakeS *float64 `json:"awake_s,omitempty"` // seconds since boot in which the machine did not sleep; absent when it cannot be told
}

// Tick is what a judge must know and that is no observation.
type Tick struct {
	Tick     *int       `json:"tick"`                       // tick number; null outside a tick
	Scope    string     `json:"scope"`                      // id of the scope
	Config   string     `json:"config,omitempty"`           // path of the configuration, when it is not the usual one
	Host     string     `json:"host"`                       // the machine that runs the tick
	Hosts    []string   `json:"hosts"`                      // machines expected in the stream; empty means host alone
	Mode     string     `json:"mode"`                       // report or act
	DryRun   bool       `json:"dry_run"`                    //
	Repos    []string   `json:"repos"`                      // git common dirs of the scope
	Others   []string   `json:"others,omitempty"`           // git common dirs that another scope, or more than one, names, and this one does not
	Adopted  []Adopted  `json:"adopted"`                    // sessions that the config makes ours
	Caps     Caps       `json:"caps"`                       //
	Surfaces []string   `json:"surfaces"`                   // products that must be read: claude, paseo, gh, board, schedule
	AskWhen  []AskWhen  `json:"ask_when,omitzero"`          // questions of the config's own
	Actions  int        `json:"actions_app_id"`             // GitHub app whose required checks count as pinned
	PRCap    int        `json:"pr_list_cap"`                // open pull requests asked for in each repository; as many as that are perhaps not all
	Timeout  int        `json:"tick_timeout_min,omitempty"` // minutes that a tick may take; absent: as a release before it was noted, 15
	Renotify int        `json:"ask_renotify_h"`             // hours between two showings of an unseen batch
	Raise    int        `json:"ask_raise_after_min"`        // minutes that an ask is open before it is shown; 0: at once
	Unfound  []string   `json:"repos_not_found,omitempty"`  // repositories of the scope that could not be located, and why
	Verbose  []string   `json:"notes,omitempty"`            // what the config says that this release does not use
	Heal     *HealRules `json:"heal,omitempty"`             // absent: nothing is kept alive

	SSH map[string]string `json:"ssh,omitempty"` // by the name of another machine: the words behind ssh -t that lead there
	// by git common dir that this scope names and another one too, the ids of all that do; it is in none of the other lists
	Shared map[string][]string `json:"repos_shared,omitempty"`

	There map[string][]string `json:"repos_there,omitempty"` // by the name of another machine: git common dirs of the scope there; absent: those of repos
}

// Caps limit what a tick may do when it acts.
type Caps struct {
	FleetSessions    int `json:"fleet_sessions"`
	ActiveSessions   int `json:"active_sessions"`
	ActiveWindowMin  int `json:"active_window_min"` // minutes
	ResearchPerDay   int `json:"research_spawns_per_day"`
	MailIntervalHour int `json:"mail_interval_h"` // hours
}

// Adopted makes a session or a Paseo agent ours. SessionID "*" is every session.
type Adopted struct {
	SessionID    string `json:"session_id"`
	PaseoAgentID string `json:"paseo_agent_id,omitempty"`
	Adopted      string `json:"adopted,omitempty"` // when, as the owner wrote it
	Note         string `json:"note,omitempty"`
}

// AskWhen is a question that the config raises: When is a jq expression over a
// record, Question the text.
type AskWhen struct {
	Key      string `json:"key"`
	When     string `json:"when"`
	Question string `json:"question"`
}

// Agent is a Paseo agent record, without the fields where secrets lie. Source:
// ~/.paseo/agents of Paseo 0.1.65 to 0.8.
type Agent struct {
	ID         string            `json:"id"`
	Provider   string            `json:"provider"` // claude, codex, a name from Paseo's config …; tells nothing of the session
	Cwd        string            `json:"cwd"`
	Repo       string            `json:"repo"`                  // git common dir; "" when none or unplaced
	Placement  string            `json:"placement"`             // as in Session
	Title      string            `json:"title,omitempty"`       //
	Sessions   []string          `json:"sessions"`              // session ids that the record names, runtime first; several records may name one
	Status     string            `json:"status"`                // initializing, idle, running, error, closed: what was last written; never liveness
	Leftover   *bool             `json:"leftover"`              // the daemon that wrote the record has ended since, so nothing keeps status up; null when that cannot be told
	Attention  string            `json:"attention,omitempty"`   // finished, error; absent when none, and while the agent waits for an answer
	Parent     string            `json:"parent,omitempty"`      // agent id of the creator
	ScheduleID string            `json:"schedule_id,omitempty"` // schedule that made it
	Labels     map[string]string `json:"labels,omitempty"`      // what its creator wrote on it; Paseo's own labels are left out
	Internal   bool              `json:"internal,omitempty"`    //
	Archived   bool              `json:"archived"`              // which does not end its process
	ArchivedAt *Time             `json:"archived_at,omitempty"` //
	CreatedAt  *Time             `json:"created_at"`            //
	UpdatedAt  *Time             `json:"updated_at"`            // last write, which is no activity and may go backwards by seconds
}

// Schedule is one piece of scheduled work, whatever runs it.
type Schedule struct {
	Source     string `json:"source"`               // paseo, launchd, systemd, log
	ID         string `json:"id"`                   //
	Name       string `json:"name"`                 //
	Cadence    string `json:"cadence"`              // in words
	Zone       string `json:"zone"`                 // IANA zone of the cadence, "" when it has none
	Status     string `json:"status"`               // active, paused, completed, loaded, not loaded, running …
	Cwd        string `json:"cwd,omitempty"`        //
	Repo       string `json:"repo,omitempty"`       // git common dir
	Placement  string `json:"placement,omitempty"`  // as in Session; absent when the source has no cwd
	AgentID    string `json:"agent_id,omitempty"`   // Paseo agent that it prompts
	LastRun    *Time  `json:"last_run"`             // null: never, or not known
	LastResult string `json:"last_result"`          // succeeded, failed, running, interrupted, exit 3, ""
	NextRun    *Time  `json:"next_run"`             // null: none is due
	ExpiresAt  *Time  `json:"expires_at,omitempty"` //
	Runs       int    `json:"runs"`                 // runs that the source knows
	MaxRuns    int    `json:"max_runs,omitempty"`   // it ends after so many; absent when it does not
	Stale      bool   `json:"stale"`                // it should have run and did not
	Detail     string `json:"detail"`               // one line
}

// Repo is a GitHub repository as gh shows it.
type Repo struct {
	CommonDir     string        `json:"common_dir"`              // the local repository that named it
	Slug          string        `json:"slug"`                    // owner/name that origin names; "" when origin is no GitHub
	FullName      string        `json:"full_name,omitempty"`     // GitHub's name for it when it differs
	OK            bool          `json:"ok"`                      // observed whole
	Error         string        `json:"error,omitempty"`         // why not
	NotGitHub     bool          `json:"not_github,omitempty"`    // origin is no GitHub repository: nothing to observe
	ResetAt       *Time         `json:"reset_at,omitempty"`      // end of the rate limit that stopped it
	ID            int64         `json:"id,omitempty"`            // GitHub's number for it, which survives a rename
	Login         string        `json:"login"`                   // whose login gh used: token file, environment, gh's own, none
	DefaultBranch string        `json:"default_branch"`          //
	DefaultID     string        `json:"default_branch_id"`       // hash of its raw name
	Archived      bool          `json:"archived,omitempty"`      //
	Rules         *Rules        `json:"rules"`                   // null when not read
	PRs           []PullRequest `json:"prs"`                     // open ones, newest first; null when not read whole, [] when none
	Truncated     bool          `json:"prs_truncated,omitempty"` // there were as many as were asked for, perhaps more: prs is then null
}

// Rules is what the rulesets of the default branch ask together. Source: gh
// api repos/<slug>/rules/branches/<branch>, which shows active rulesets of the
// repository, its organization and its enterprise, and no bypass.
type Rules struct {
	PullRequest   bool            `json:"pull_request"`          // changes come by pull request
	Approvals     int             `json:"approvals,omitempty"`   // highest number of approving reviews asked
	Checks        []RequiredCheck `json:"checks"`                // required status checks, [] when none
	NoForcePush   bool            `json:"no_force_push"`         // force-pushes are blocked
	Classic       string          `json:"classic"`               // classic branch protection: yes, admins exempt, no, cannot tell
	Types         []string        `json:"types"`                 // every rule type of the rulesets, each once, sorted
	Sources       []string        `json:"sources,omitempty"`     // Repository, Organization, Enterprise
	Flags         []string        `json:"flags"`                 // what is missing, in the words of the ask key; [] also when it cannot be told
	DriverAllowed bool            `json:"driver_eligible"`       // pull request rule, checks, and all of them pinned
	CannotTell    string          `json:"cannot_tell,omitempty"` // why the rules were not shown; nothing is then known of them, which is not unprotected
}

// RequiredCheck is one required status check.
type RequiredCheck struct {
	Context string `json:"context"`
	AppID   *int   `json:"app_id"` // null: any source satisfies it
	Pinned  bool   `json:"pinned"`
}

// PullRequest is an open pull request.
type PullRequest struct {
	Number     int      `json:"number"`
	Title      string   `json:"title"`
	Head       string   `json:"head"`             // branch as shown
	HeadID     string   `json:"head_id"`          // hash of its raw name; equals a session's branch_id
	Base       string   `json:"base"`             //
	Draft      bool     `json:"draft"`            //
	Cross      bool     `json:"cross_repository"` // from a fork: never matches a local branch
	Author     string   `json:"author"`           //
	Labels     []string `json:"labels"`           //
	Hold       bool     `json:"hold,omitempty"`   // bears the label hold
	URL        string   `json:"url"`              //
	UpdatedAt  *Time    `json:"updated_at"`       //
	MergeState string   `json:"merge_state"`      // CLEAN, BLOCKED, UNKNOWN …
	Mergeable  string   `json:"mergeable"`        // MERGEABLE, CONFLICTING; UNKNOWN while GitHub works it out
	Checks     string   `json:"checks"`           // passing, failing, pending, none; unknown when not all are shown; "" when not read
}

// Board is one session's row of the context board, folded from the
// events.jsonl of every scope that was read. Subject: the session id. Cwd,
// repo, branch and scope are those of its last event.
type Board struct {
	SessionID    string       `json:"session_id"`
	Scope        string       `json:"scope"` // directory whose log holds its last event
	Cwd          string       `json:"cwd"`
	Repo         string       `json:"repo"` // git common dir, realpath
	Branch       string       `json:"branch"`
	BranchID     string       `json:"branch_id"`
	PaseoAgentID string       `json:"paseo_agent_id,omitempty"`
	LastAt       *Time        `json:"last_at"`
	LastType     string       `json:"last_type"` // session.start, session.stop, session.died
	Died         *BoardDeath  `json:"died"`      // the newest death; null when none
	Arc          *ArcStatus   `json:"arc"`       // of the row's last event; null when it has none
	Events       int          `json:"events"`    //
	Claims       []BoardClaim `json:"claims,omitempty"`
}

// BoardDeath is a session.died event.
type BoardDeath struct {
	At    Time   `json:"at"`
	Class string `json:"class"` // rate_limit, server_error …
	Text  string `json:"text,omitempty"`
}

// BoardClaim is a path that a session claims.
type BoardClaim struct {
	Repo string `json:"repo"`
	Path string `json:"path"`
}
