package record

import (
	"slices"
	"strings"
)

// Workspace is a directory that holds an agent's configuration, with what runs
// in it; or processes that run in none. One whose configuration was not read, or not
// understood, has unread, and no agent. Subject: the canonical path of the
// workspace; <cwd> of processes that no workspace holds, pid:<n> without one.
// Source: <dir>/.macf/macf-agent.json of macf 0.2.46 and the process table.
type Workspace struct {
	Agent       string       `json:"agent"`                 // routing_label, else agent_name: lower case, "-" for "_"; "" when no workspace holds the processes
	Project     string       `json:"project"`               // groups the agents of one fleet; "" likewise
	Registry    *Registry    `json:"registry"`              // where the agents of the project meet; null likewise
	Type        string       `json:"type,omitempty"`        // permanent or worker
	Unread      string       `json:"unread,omitempty"`      // why it is not known whose workspace it is, one line; absent when it is, and of processes that no workspace holds
	Path        string       `json:"path"`                  // of the workspace; of processes that none holds: their cwd, "" when it cannot be told
	Repo        string       `json:"repo,omitempty"`        // git common dir of the repository that it is in; absent when it is in none, or that cannot be told, and when nobody knows whose the workspace is
	Session     string       `json:"tmux_session"`          // the name that its tmux session has: <project>@<agent>, as tmux writes it; "" when unmatched
	Unstartable string       `json:"unstartable,omitempty"` // why claude.sh in it cannot be started, one line that begins with its name; absent when nothing is known against it, when nobody knows whose the workspace is, and in records of before this was noted
	Pin         string       `json:"pin"`                   // versions.cli: the version that it should run; "" when none is pinned
	Processes   []AgentProc  `json:"processes"`             // what runs here, sorted by kind and pid; [] when nothing does
	Maintenance *Maintenance `json:"maintenance,omitempty"` // a lock that macf's own upgrade holds; absent when there is none
	LastExit    *AgentExit   `json:"last_exit,omitempty"`   // what its launcher noted when it last ended; absent when it noted nothing
}

// AgentProc is a running process of an agent.
type AgentProc struct {
	PID      int    `json:"pid"`
	Start    *Time  `json:"start"`                   // null when it cannot be told; with the pid it tells a process from a later one
	Kind     string `json:"kind"`                    // claude, or channel-server
	Cwd      string `json:"cwd"`                     //
	Agent    string `json:"agent,omitempty"`         // whom the process says that it is; absent when it does not
	Version  string `json:"version,omitempty"`       // of a channel server: package.json beside it; never the pin
	Port     int    `json:"port,omitempty"`          // MACF_PORT; absent when not set
	Endpoint string `json:"otel_endpoint,omitempty"` // OTEL_EXPORTER_OTLP_ENDPOINT; absent when not set
	Session  string `json:"session_id,omitempty"`    // Claude Code's; absent when its process file does not say
}

// Registry is where the agents of a project announce themselves.
type Registry struct {
	Kind string `json:"kind"` // org, profile, repo, local
	ID   string `json:"id"`   // the organization, the user, owner/repo; of local: the path of the directory
}

// Maintenance is a lock that holds everyone off an agent. Source:
// ~/.macf/maintenance-locks/<agent>.lock of the macf toolkit, schema 1.
type Maintenance struct {
	HeartbeatAt Time   `json:"heartbeat_at"`             // it holds for 15 minutes from then
	Target      string `json:"target_version,omitempty"` // what it upgrades to
}

// AgentExit is how an agent's session last ended.
type AgentExit struct {
	Code     int    `json:"code"`               // exit status; 128 + n after signal n
	At       *Time  `json:"at"`                 // null when it cannot be told, as in a file of macf's own
	Instance string `json:"instance,omitempty"` // of the session: <pid>@<start>; absent in a file of macf's own
}

// Health is an agent that its registry lists, and what it answered. Subject:
// <project>/<agent>. An agent that no registry lists has none. Source: macf
// 0.2.46, GET /health over mutual TLS.
type Health struct {
	Agent       string    `json:"agent"`
	Project     string    `json:"project"`
	Registry    *Registry `json:"registry"`
	Address     string    `json:"address"`            // host:port of its entry
	Listed      string    `json:"listed_instance"`    // instance id of its entry; "" when it has none
	StartedAt   *Time     `json:"started_at"`         // of its entry; null when not said
	Online      bool      `json:"online"`             // it answered 2xx, as the agent that was asked, in a body that fits
	Failure     string    `json:"failure,omitempty"`  // why not: unreachable, timeout, certificate, expired, status, body, identity, trust, unasked; absent when online
	Detail      string    `json:"detail,omitempty"`   // the failure in one line
	Version     string    `json:"version,omitempty"`  // that runs; absent when not online
	Busy        *bool     `json:"busy"`               // null: it does not say, or is not online
	Instance    string    `json:"instance_id"`        // of the process that answered; "" when not said
	UptimeS     int       `json:"uptime_s,omitempty"` // seconds
	Doing       string    `json:"doing,omitempty"`    // one line of what it says that it does
	CertExpires *Time     `json:"cert_expires_at"`    // end of the certificate that it showed; null when it showed none
	TookMS      int       `json:"took_ms,omitempty"`  // milliseconds until it answered, or failed
}

// Heal is what the ledger knows of an agent or session that is kept alive.
// Subject: its name, or session:<id>. Host: the machine of the ledger.
type Heal struct {
	Agent     string            `json:"agent"`
	Paused    bool              `json:"paused"`                // the owner said: leave it alone
	PausedAt  *Time             `json:"paused_at,omitempty"`   // absent when not paused
	PausedIn  string            `json:"paused_in,omitempty"`   // of a session: the directory in which it worked when it was paused; absent when that was not known
	Deaf      int               `json:"deaf"`                  // sweeps in a row that acted and found it deaf
	Throttled int               `json:"throttled"`             // sweeps in a row that found it at a limit and idle
	Attempts  int               `json:"attempts"`              // restarts and launches begun since it was last well
	Injects   int               `json:"injects"`               // messages begun since it was last well, nudges left out
	LastAct   *Time             `json:"last_act"`              // when the last of them began; null: none
	LastVerb  string            `json:"last_verb,omitempty"`   //
	LastEnd   string            `json:"last_end,omitempty"`    // outcome of the last: done, or the reason of a failure; absent while it is open
	Acts      []ActTime         `json:"acts,omitempty"`        // those of the last day, newest last
	Alerts    []string          `json:"alerts,omitempty"`      // severities that were filed since it was last well, and those that this does not end; absent: none
	Untold    []string          `json:"untold,omitempty"`      // those of alerts that the owner's command did not take: the next sweep tries again; absent: none
	Unasked   []string          `json:"unasked,omitempty"`     // severities of which no tick has made a question yet, filed within a week and over; absent: none
	Texts     map[string]string `json:"alert_texts,omitempty"` // by severity of either, what was said of it
	Filed     map[string]Time   `json:"alert_filed,omitempty"` // by severity of either, when
	AliveAt   *Time             `json:"alive_at"`              // when a sweep last saw it well; null: never
	LastExit  *AgentExit        `json:"last_exit,omitempty"`   // the newest that a sweep noted
	Ends      []Ended           `json:"ends,omitempty"`        // when an end of its session was fleet's own doing, or may have been, newest last: of this episode, and the last before; absent when it never was
	Open      []OpenAct         `json:"open,omitempty"`        // intents without an outcome
	SweptAt   *Time             `json:"swept_at"`              // when a sweep that acts last spoke of it; null: never
	Upgrade   *UpgradeRun       `json:"upgrade,omitempty"`     // the upgrade that it is in, or that stopped at it
}

// Told tells that a person was told of a severity in this episode: it is told no second time.
func (h Heal) Told(severity string) bool {
	return slices.Contains(h.Alerts, severity) && !slices.Contains(h.Untold, severity)
}

// Swept is the last sweep that ended, whether it acted or not. Subject: sweep.
// None: none ever did.
type Swept struct {
	At        Time   `json:"at"`
	Exit      int    `json:"exit"`                  // status
	Detail    string `json:"detail,omitempty"`      // why it failed, one line; absent when it did not, or did not say
	Undecided string `json:"undecided,omitempty"`   // about what it decided nothing, and why, one line; absent when it could read all
	Since     *Time  `json:"blind_since,omitempty"` // when the first of the sweeps in a row ended that left something undecided; absent with undecided
}

// ActTarget is what an act was to do to what.
type ActTarget struct {
	Action   Action `json:"action"`
	Attempt  int    `json:"attempt,omitempty"`  // number of the restart or launch within its episode
	Seen     *Seen  `json:"seen,omitempty"`     // what stood when it was decided
	Severity string `json:"severity,omitempty"` // of an alert
	Over     bool   `json:"over,omitempty"`     // of an alert: that what was told of the severity is so no more; absent: it is told
	Text     string `json:"text,omitempty"`     // of an alert
}

// ActTime is one act in the past.
type ActTime struct {
	At   Time   `json:"at"`
	Verb string `json:"verb"`
}

// Ended is the time in which the end of a session is fleet's own doing: it ended the
// process, or what it started gave up.
type Ended struct {
	From  Time  `json:"from"`
	Until *Time `json:"until,omitempty"` // absent as long as the act has no outcome
}

// OpenAct is an intent whose outcome nobody noted.
type OpenAct struct {
	ID   string `json:"id"` // of its entry
	Verb string `json:"verb"`
	At   Time   `json:"at"`
}

// UpgradeRun is how the last upgrade of an agent went.
type UpgradeRun struct {
	To     string `json:"to"`
	State  string `json:"state"`            // open, green, failed
	Reason string `json:"reason,omitempty"` // of a failure
}

// Decision is what a judge would have done with an agent or a session. Subject:
// the agent's name, or session:<id>.
type Decision struct {
	Agent     string    `json:"agent"`               //
	Decision  string    `json:"decision"`            // OK, LAUNCH, SKIP, HEAL, UPGRADE, RESUME
	Tier      int       `json:"tier"`                // rung of the ladder: 1 inject, 2 restart; 0 when on none
	Reason    string    `json:"reason"`              // one word, which stays the same: docs/reconcile.md lists them
	Detail    string    `json:"detail"`              // one line for a person
	Action    *Action   `json:"action"`              // what to do; null: nothing
	Not       []NotDone `json:"not,omitempty"`       // what was not chosen, and why
	Alert     *Alert    `json:"alert,omitempty"`     // what a person should be told; absent: nothing, or it was told
	Deaf      int       `json:"deaf,omitempty"`      // sweeps in a row that found it deaf, this one included
	Attempt   int       `json:"attempt,omitempty"`   // number that the restart or launch would have
	Throttled int       `json:"throttled,omitempty"` // sweeps in a row that found it at a limit and idle, this one included
	NextAt    *Time     `json:"next_at,omitempty"`   // when the next try may come; absent: at once, or never by itself
	Seen      *Seen     `json:"seen"`                // what the decision rests on; null when nothing was there
	Order     int       `json:"order"`               // in which the decisions were made, from 1
}

// Action is one thing to do. Its target is what must still be true when it is
// done.
type Action struct {
	Verb   string   `json:"verb"`              // inject, launch, restart, upgrade, resume, mail
	Driver string   `json:"driver"`            // tmux, claude
	Text   string   `json:"text,omitempty"`    // inject, mail, resume: what is said, from a fixed template
	To     string   `json:"to,omitempty"`      // upgrade: the version
	DelayS int      `json:"delay_s,omitempty"` // seconds to wait before it, so that starts are apart
	Argv   []string `json:"argv,omitempty"`    // launch, restart, upgrade: what starts it
}

// Seen is what a decision rests on.
type Seen struct {
	Host      string `json:"host"`                // the machine
	Project   string `json:"project,omitempty"`   //
	Workspace string `json:"workspace,omitempty"` // canonical path
	Tmux      string `json:"tmux_session,omitempty"`
	SessionID string `json:"session_id,omitempty"` //
	JobID     string `json:"job_id,omitempty"`     //
	PID       int    `json:"pid,omitempty"`        // of the Claude Code process; 0: none
	Start     *Time  `json:"start,omitempty"`      // of that process
	Instance  string `json:"instance_id,omitempty"`
	Version   string `json:"version,omitempty"` //
	Address   string `json:"address,omitempty"` // host:port where it is asked for its health
	Class     string `json:"class,omitempty"`   // of the verdict about its session
}

// NotDone is a possible action, and why it was not chosen.
type NotDone struct {
	Verb string `json:"verb"`
	Why  string `json:"why"`
}

// Untold is the reason of an alert that failed, as the owner's command did.
const Untold = "untold"

// UpgradeStopped is the severity of an upgrade that stopped at an agent.
const UpgradeStopped = "upgrade-stopped"

// StallAlert is what the severity of a stall begins with; the id of its rule follows, and,
// when it is that the stall is not nudged, StallKept and why.
const (
	StallAlert = "stall-"
	StallKept  = "/kept-"
)

// StallOf is the id of the rule of a stall's severity, and why it is not nudged, "" when it
// says something else; false of any other severity.
func StallOf(severity string) (rule, kept string, ok bool) {
	rule, ok = strings.CutPrefix(severity, StallAlert)
	rule, kept, _ = strings.Cut(rule, StallKept)
	return rule, kept, ok
}

// Unlisted is the reason of a decision about an agent that should run no longer: what
// was told of it is over.
const Unlisted = "unlisted"

// Alert is what a person should be told about an agent.
type Alert struct {
	Severity string `json:"severity"` // one word: within an episode each is told once; docs/reconcile.md lists them
	Text     string `json:"text"`
}

// The results of an Outcome.
const (
	Done    = "done"    // its effect was seen
	Failed  = "failed"  // it was not
	Unknown = "unknown" // that could not be told
	Refused = "refused" // something forbade it at the last moment: nothing was done
	Dry     = "dry"     // nothing was to be done, only said
)

// Outcome is what became of a decision. Subject: that of the decision; of a stall, which
// no judge decides about, stall: and the agent.
type Outcome struct {
	Agent  string `json:"agent"`
	Verb   string `json:"verb"`             //
	Intent string `json:"intent,omitempty"` // ledger id of the intent; absent when none was written
	Result string `json:"result"`           // done, failed, unknown, refused, dry
	Reason string `json:"reason,omitempty"` // one word: busy, dialog, draft, attached, backoff, cap, usage-limit, changed, deaf, gone, unsubmitted …
	Detail string `json:"detail,omitempty"` // one line
	Kept   string `json:"kept,omitempty"`   // dry: the reason and the detail of the refusal that it would meet as things are now; absent when it would meet none, and when nobody looked
	Tells  string `json:"tells,omitempty"`  // what a person is told of it, once in an episode; dry: would be, of that refusal; absent when nothing is
	Proof  string `json:"proof,omitempty"`  // done: what was seen: the uuid of the user record, the new process, the new instance
}
