package record

import "encoding/json"

// Entry is a complete ledger line that fleet-ledger append writes as it is.
// Subject: its id. Fields are in the order of their keys, so that a line that
// we write has sorted keys. Source: the ledger of fleet-reconcile 0.1.0, which
// lacks counts and read.
type Entry struct {
	Agents   []SweepAgent    `json:"agents,omitempty"`      // sweep: what it found of each
	Asks     json.RawMessage `json:"asks,omitempty"`        // ack: "all" or a list of ask ids of the batch
	By       string          `json:"by"`                    // act, recover, hook, tick, owner:<tty>
	Clock    *Clock          `json:"clock,omitempty"`       // tick_fire: how long the machine was awake; absent when it cannot be told
	Counts   map[string]int  `json:"counts,omitzero"`       // runner_exit: sessions by class; absent without a snapshot
	Detail   string          `json:"detail,omitempty"`      // one line; pause of a session: the directory in which it worked; failed show: why the batch could not be shown
	DryRun   bool            `json:"dry_run"`               //
	Exit     *int            `json:"exit,omitempty"`        // runner_exit, b_step, sweep_exit, agent_exit: status
	ID       string          `json:"id"`                    // <tick>-<n> in a tick, owner-<epoch ms> outside
	Key      string          `json:"key,omitempty"`         // what an intent is about: batch:12, or what a spawn is for
	Keys     []string        `json:"keys,omitempty"`        // ack by a tick: the ask keys that it resolves
	Kind     string          `json:"kind"`                  // an Entry… word
	Of       string          `json:"of,omitempty"`          // id of the intent that this answers or ends
	Blind    *Time           `json:"blind_since,omitempty"` // sweep_exit: when the first of the sweeps in a row ended that left something undecided, as detail says; absent when this one did not
	Read     []string        `json:"read,omitzero"`         // runner_exit: surfaces read; absent without a snapshot
	Reason   string          `json:"reason,omitempty"`      // failed, unknown: one word
	Resolved bool            `json:"resolved,omitempty"`    // ack by a tick: the keys are no longer true
	Result   json.RawMessage `json:"result,omitempty"`      // done, seen: what came of it
	Scope    string          `json:"scope"`                 //
	SeenAt   *Time           `json:"seen_at,omitempty"`     // sweep: when what it found was looked at
	Target   json.RawMessage `json:"target,omitempty"`      // intent of an ask: a Batch, of an act: an ActTarget; adopt: an Adopted
	Tick     *int            `json:"tick"`                  // null outside a tick
	TS       Time            `json:"ts"`                    //
	V        int             `json:"v"`                     // format version
	Verb     string          `json:"verb,omitempty"`        // mail, spawn, label, resume, ask; alert and those of ActVerbs; show: a failed of an ask intent that says no more than that its batch could not be shown
}

// The kinds of a ledger entry. A line of another kind is from a newer release.
const (
	EntryFire    = "tick_fire"   // a tick began
	EntryExit    = "runner_exit" // a tick ended
	EntryStep    = "b_step"      // a step of a tick
	EntryIntent  = "intent"      // something is about to be done
	EntryDone    = "done"        // the outcome of an intent
	EntryFailed  = "failed"      // the outcome of an intent
	EntryUnknown = "unknown"     // the outcome of an intent cannot be told
	EntrySeen    = "seen"        // the owner was shown a batch
	EntryAck     = "ack"         // the owner answered, or a tick resolved
	EntryAdopt   = "adopt"       // a session or agent was made ours

	EntrySweep     = "sweep"      // a sweep that acts found so of each agent
	EntrySweepExit = "sweep_exit" // a sweep ended, whether it acts or not
	EntryPause     = "pause"      // the owner: the agent that is its key is left alone
	EntryUnpause   = "unpause"    // the owner: no more
	EntryAgentExit = "agent_exit" // the session of the agent that is its key ended by itself, with that status
)

// SweepAgent is what a sweep found of an agent or a session.
type SweepAgent struct {
	Agent     string `json:"agent"`               // subject of its decision
	Deaf      int    `json:"deaf,omitempty"`      // as in its decision
	Decision  string `json:"decision"`            // likewise; OK ends an episode
	Reason    string `json:"reason"`              //
	Throttled int    `json:"throttled,omitempty"` //
	Version   string `json:"version,omitempty"`   // OK: that it answered with; absent when it did not say, and in entries of before this was noted
}

// ActVerbs are the verbs of intents that fleet-act writes about an agent or a
// session, which is their key. Those that start or end a session count as
// attempts.
var ActVerbs = map[string]bool{"inject": false, "mail": false, "nudge": false, "resume": true, "launch": true, "restart": true, "upgrade": true}

// VerbAlert is the verb of an intent to tell a person about the agent that is
// its key.
const VerbAlert = "alert"

// VerbShow is the verb of a failed entry that ends nothing: the batch of the ask intent
// that it is of could not be put before the owner, as its detail says.
const VerbShow = "show"

// Batch is the target of an ask intent.
type Batch struct {
	Asks  []BatchAsk `json:"asks"`
	Batch int        `json:"batch"` // tick number
}

// BatchAsk is one ask of a batch.
type BatchAsk struct {
	Class    string `json:"class"`        // "" when it is about no session
	ID       string `json:"id"`           // a1 … within the batch
	Key      string `json:"key"`          //
	Question string `json:"question"`     // one line
	Go       string `json:"go,omitempty"` // the command that led to the session when it was asked; absent when none was known
}

// Shown is the result of a seen entry: a batch was in a dialog, or was handed to
// the owner's command. Only the button Seen says that the owner saw it.
type Shown struct {
	Button    string `json:"button"`              // Seen or Later; "" when there was no dialog
	Delivered bool   `json:"delivered,omitempty"` // the owner's command took it
	GaveUp    bool   `json:"gave_up"`             // nobody chose a button in time
}

// Asked is the folded ledger state of an ask key. Subject: the key. Host: the
// machine of the ledger.
type Asked struct {
	Key        string   `json:"key"`
	ID         string   `json:"id"`                    // a1 … within its batch
	Batch      int      `json:"batch"`                 // tick number of the batch
	Intent     string   `json:"intent"`                // ledger id of the batch
	State      string   `json:"state"`                 // open, acked, resolved (those of the last ticks only)
	Seen       bool     `json:"seen"`                  // the owner chose Seen for its batch
	ShownAt    *Time    `json:"shown_at,omitempty"`    // when its batch was last shown; absent: never
	Unshown    *Unshown `json:"unshown,omitempty"`     // open: that its batch could not be shown; absent when it was shown since, nobody tried, or owner_channel is none by now
	Class      string   `json:"class"`                 //
	Session    string   `json:"session"`               // session that it is about, <host>/<session> on another machine; "" when it is about none
	Question   string   `json:"question"`              //
	Go         string   `json:"go,omitempty"`          // the command that led to the session when it was asked; absent when none was known
	FirstTick  int      `json:"first_tick"`            // tick that first asked it while it was not resolved
	Since      *Time    `json:"since"`                 // when that tick asked it
	AnsweredAt *Time    `json:"answered_at,omitempty"` // acked: when
}

// Unshown is that a batch could not be put before the owner.
type Unshown struct {
	Since Time   `json:"since"` // when that was tried first, since it was last shown
	Why   string `json:"why"`   // what the last failure that was another than the one before it said; one line
}

// Clock is what a machine's clocks said at one moment. Between two of one boot
// the machine slept for as long as the times differ by more than the awake
// seconds do.
type Clock struct {
	At     Time    `json:"at"`
	AwakeS float64 `json:"awake_s"` // seconds since boot in which the machine did not sleep
	BootAt Time    `json:"boot_at"` // start of the kernel
}

// Past is a tick that began, the one that runs included. Subject: tick:<n>.
type Past struct {
	Tick   int            `json:"tick"`
	FireAt *Time          `json:"fire_at"` // null: the line that says so is lost
	Clock  *Clock         `json:"clock"`   // the machine's when it began; null when it could not be told
	ExitAt *Time          `json:"exit_at"` // null: it never ended
	Exit   *int           `json:"exit"`    // status; null: it never ended
	Counts map[string]int `json:"counts"`  // sessions by class; null without a snapshot
	Read   []string       `json:"read"`    // surfaces read; null without a snapshot
}

// Owned is a session or agent that the ledger makes ours. Subject: session:<id>,
// agent:<id> or job:<id>, the first of them that is known.
type Owned struct {
	SessionID    string `json:"session_id,omitempty"`
	PaseoAgentID string `json:"paseo_agent_id,omitempty"`
	JobID        string `json:"job_id,omitempty"` // first 8 hex of the session id, while that is not known
	Key          string `json:"key,omitempty"`    // key of the spawn
	Why          string `json:"why"`              // spawned in tick 12; adopted in tick 3
}
