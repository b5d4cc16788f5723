package claude

import (
	"bytes"
	"errors"
	"strings"
	"time"
)

// JobFile is jobs/<id>/state.json of a background session.
type JobFile struct {
	ID              string // of its directory
	SessionID       string
	ResumeSessionID string // the transcript it goes on in; mostly SessionID
	State           string // raw: working, running, blocked, done, failed, stopped, crashed, resuming …
	Tempo           string // active, idle, blocked
	Detail          string
	Needs           string
	Questions       []Asked
	SuggestedReply  string
	Result          string
	Exec            bool
	Intent          string
	Name            string
	Cwd             string
	OriginCwd       string
	WorktreePath    string
	WorktreeBranch  string
	Version         string
	Tasks           int
	TaskKinds       []string
	Recurring       bool // a loop, cron or routine job
	CreatedAt       time.Time
	UpdatedAt       time.Time
	TerminalAt      time.Time // zero when it never ended
}

// Asked is a question with its options, as AskUserQuestion writes it.
type Asked struct {
	Question string        `json:"question"`
	Options  []AskedOption `json:"options,omitempty"`
}

// AskedOption is one answer that is offered.
type AskedOption struct {
	Label string `json:"label"`
}

// jobFile is JobFile as it is written. providerEnv, respawnFlags, output other
// than its result, and the prompt's own settings are never decoded: secrets
// may lie in them.
type jobFile struct {
	State           *string   `json:"state,omitempty"`
	Tempo           *string   `json:"tempo,omitempty"`
	Detail          *string   `json:"detail,omitempty"`
	Needs           *string   `json:"needs,omitempty"`
	Block           *jobBlock `json:"block,omitempty"`
	SuggestedReply  *string   `json:"suggestedReply,omitempty"`
	Output          *output   `json:"output,omitempty"`
	InFlight        *inFlight `json:"inFlight,omitempty"`
	Template        *string   `json:"template,omitempty"`
	Routine         any       `json:"routine,omitempty"`
	Intent          *string   `json:"intent,omitempty"`
	Name            *string   `json:"name,omitempty"`
	SessionID       *string   `json:"sessionId,omitempty"`
	ResumeSessionID *string   `json:"resumeSessionId,omitempty"`
	CLIVersion      *string   `json:"cliVersion,omitempty"`
	Cwd             *string   `json:"cwd,omitempty"`
	OriginCwd       *string   `json:"originCwd,omitempty"`
	WorktreePath    *string   `json:"worktreePath,omitempty"`
	WorktreeBranch  *string   `json:"worktreeBranch,omitempty"`
	CreatedAt       *string   `json:"createdAt,omitempty"`
	UpdatedAt       *string   `json:"updatedAt,omitempty"`
	FirstTerminalAt *string   `json:"firstTerminalAt,omitempty"`
	LastTerminalAt  *string   `json:"lastTerminalAt,omitempty"`
}

type jobBlock struct {
	Questions []Asked `json:"questions,omitempty"`
}

type output struct {
	Result *string `json:"result,omitempty"`
}

type inFlight struct {
	Tasks int      `json:"tasks"`
	Kinds []string `json:"kinds,omitempty"`
}

var (
	jobFields = words("state tempo detail needs needsOverlay block suggestedReply output structuredResult children inFlight fan tokens" +
		" budget template routine agent respawnFlags bgIsolation providerEnv sessionPermissionRules intent displayIntent initialPrompt" +
		" queuedPrompt name nameSource color sessionId resumeSessionId daemonShort cliVersion cwd originCwd worktreePath worktreeBranch" +
		" worktreeHookBased linkScanPath linkScanOffset createdAt updatedAt firstTerminalAt lastTerminalAt reapedMidWorkAt" +
		" reapedUnsettledAt deadEpochReapedAt backend interactiveLineage memoryToggledOff sessionIdTaken selfWake sortOrder" +
		" stateSortOrder group pinned")
	jobStates = words("working running blocked done failed stopped crashed resuming starting adopted")
	jobTempos = words("active idle blocked")
)

// ReadJobFile reads jobs/<id>/state.json. Claude Code drops a file that lacks
// state, sessionId or cwd; so does this.
func ReadJobFile(b []byte, id string) (JobFile, []string, error) {
	b = bytes.TrimPrefix(b, bom)
	var f jobFile
	if err := decodeObject(b, &f); err != nil {
		return JobFile{}, nil, err
	}
	for _, need := range []struct {
		name  string
		value *string
	}{{"state", f.State}, {"sessionId", f.SessionID}, {"cwd", f.Cwd}} {
		if str(need.value) == "" {
			return JobFile{}, nil, errors.New("it has no " + need.name)
		}
	}
	j := JobFile{ID: id, SessionID: str(f.SessionID), ResumeSessionID: str(f.ResumeSessionID), State: str(f.State), Tempo: str(f.Tempo),
		Detail: str(f.Detail), Needs: str(f.Needs), SuggestedReply: str(f.SuggestedReply), Exec: str(f.Template) == "exec",
		Intent: str(f.Intent), Name: str(f.Name), Cwd: str(f.Cwd), OriginCwd: str(f.OriginCwd), WorktreePath: str(f.WorktreePath),
		WorktreeBranch: str(f.WorktreeBranch), Version: str(f.CLIVersion), Recurring: f.Routine != nil,
		CreatedAt: isoTime(str(f.CreatedAt)), UpdatedAt: isoTime(str(f.UpdatedAt))}
	if j.TerminalAt = isoTime(str(f.LastTerminalAt)); j.TerminalAt.IsZero() {
		j.TerminalAt = isoTime(str(f.FirstTerminalAt))
	}
	if f.Block != nil {
		j.Questions = f.Block.Questions
	}
	if f.Output != nil {
		j.Result = str(f.Output.Result)
	}
	if f.InFlight != nil {
		j.Tasks, j.TaskKinds = f.InFlight.Tasks, f.InFlight.Kinds
	}
	var d driftWords
	d.jobFields(b)
	d.word("job state", j.State, jobStates)
	d.word("job tempo", j.Tempo, jobTempos)
	return j, d.list(), nil
}

// jobFields names unknown keys; bridge and fork keys are families of their own
// in 2.1.280.
func (d *driftWords) jobFields(b []byte) {
	for _, k := range names(b, jobFields) {
		if !strings.HasPrefix(k, "bridge") && !strings.HasPrefix(k, "fork") {
			d.word("job field", k, jobFields)
		}
	}
}

// DetailIsPrompt tells a detail that only repeats the beginning of the prompt,
// which is no progress.
func (j JobFile) DetailIsPrompt() bool {
	d := strings.TrimRight(strings.TrimSpace(j.Detail), "….")
	flat := strings.Join(strings.Fields(j.Intent), " ")
	return d != "" && !j.Exec && strings.HasPrefix(flat, strings.Join(strings.Fields(d), " "))
}

// isoTime reads an ISO 8601 time, zero when it is none or not within the years
// 1970 to 9999.
func isoTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if y := t.UTC().Year(); err != nil || y < 1970 || y > 9999 {
		return time.Time{}
	}
	return t.UTC()
}
