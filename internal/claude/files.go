package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ProcessFile is sessions/<pid>.json: one a live process, left behind by kill
// -9.
type ProcessFile struct {
	PID         int
	SessionID   string
	Cwd         string
	Kind        string // interactive, bg, daemon, daemon-worker
	Entrypoint  string // cli, sdk-cli, sdk-ts, claude-vscode …
	Version     string
	ProcStart   string // Linux: field 22 of /proc/<pid>/stat; macOS: ps lstart in UTC; "" when the file has none
	Status      string // busy, shell, idle, waiting; "" when the file has none
	WaitingFor  string
	StatusSince time.Time // zero when the file has none
	StartedAt   time.Time
	UpdatedAt   time.Time
	Tmux        string
	Name        string
	JobID       string
	Parked      bool   // hidden from the listing
	HostID      string // session id of the session that hosts it; "" when none
	Spare       bool   // a warm process that waits for a job
}

// processFile is ProcessFile as it is written.
type processFile struct {
	PID             *int     `json:"pid,omitempty"`
	SessionID       *string  `json:"sessionId,omitempty"`
	Cwd             *string  `json:"cwd,omitempty"`
	Kind            *string  `json:"kind,omitempty"`
	Entrypoint      *string  `json:"entrypoint,omitempty"`
	Version         *string  `json:"version,omitempty"`
	ProcStart       anyText  `json:"procStart,omitempty"`
	Status          *string  `json:"status,omitempty"`
	WaitingFor      *string  `json:"waitingFor,omitempty"`
	StatusUpdatedAt *float64 `json:"statusUpdatedAt,omitempty"`
	StartedAt       *float64 `json:"startedAt,omitempty"`
	UpdatedAt       *float64 `json:"updatedAt,omitempty"`
	Tmux            *string  `json:"tmux,omitempty"`
	Name            *string  `json:"name,omitempty"`
	JobID           *string  `json:"jobId,omitempty"`
	ParkedJobID     *string  `json:"parkedJobId,omitempty"`
	HostSessionID   *string  `json:"hostSessionId,omitempty"`
	Spare           anyBool  `json:"spare,omitempty"`
}

// anyText is a string or a number, kept as text: procStart is both in the wild.
type anyText string

// UnmarshalJSON takes a string or a number; anything else reads as absent.
func (t *anyText) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = anyText(s)
	} else if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*t = anyText(strconv.FormatInt(n, 10))
	}
	return nil
}

// anyBool is true for any value but false and null.
type anyBool bool

// UnmarshalJSON takes any value.
func (t *anyBool) UnmarshalJSON(b []byte) error {
	*t = anyBool(string(b) != "false" && string(b) != "null")
	return nil
}

var (
	processFields = words("pid sessionId cwd startedAt procStart version peerProtocol peerFeatures kind entrypoint pidDomain tmux" +
		" messagingSocketPath name nameSource nameSince formerNames jobId parkedJobId spare agent logPath hostSessionId bridgeSessionId" +
		" status waitingFor updatedAt statusUpdatedAt state detail tempo needs")
	processKinds = words("interactive bg daemon daemon-worker")
	rawStatuses  = words("busy shell idle waiting")
)

// IsRawStatus tells whether a word is a status of a process file of 2.1.280.
func IsRawStatus(word string) bool { return rawStatuses[word] }

// ReadProcessFile reads sessions/<pid>.json. pid is the one of its name, which
// wins over the one inside.
func ReadProcessFile(b []byte, pid int) (ProcessFile, []string, error) {
	b = bytes.TrimPrefix(b, bom)
	var f processFile
	if err := decodeObject(b, &f); err != nil {
		return ProcessFile{}, nil, err
	}
	if f.PID != nil && *f.PID != pid {
		return ProcessFile{}, nil, errors.New("its pid is not that of its name")
	}
	if str(f.SessionID) == "" && str(f.Kind) == "" {
		return ProcessFile{}, nil, errors.New("it names neither a session nor a kind")
	}
	var d driftWords
	d.fields("process file field", b, processFields)
	d.word("process file kind", str(f.Kind), processKinds)
	d.word("process file status", str(f.Status), rawStatuses)
	return ProcessFile{PID: pid, SessionID: str(f.SessionID), Cwd: str(f.Cwd), Kind: str(f.Kind), Entrypoint: str(f.Entrypoint),
		Version: str(f.Version), ProcStart: string(f.ProcStart), Status: str(f.Status), WaitingFor: str(f.WaitingFor),
		StatusSince: epochMS(f.StatusUpdatedAt), StartedAt: epochMS(f.StartedAt), UpdatedAt: epochMS(f.UpdatedAt),
		Tmux: str(f.Tmux), Name: str(f.Name), JobID: str(f.JobID), Parked: str(f.ParkedJobID) != "", HostID: str(f.HostSessionID), Spare: bool(f.Spare)}, d.list(), nil
}

// Session tells whether the process is a session: no daemon of any kind.
func (p ProcessFile) Session() bool { return p.Kind == "interactive" || p.Kind == "bg" }

// SameStart compares the start time that a process file names with that of the
// live process: "same", "other", or "cannot tell" when one of them is missing
// or they are of two forms. macOS writes it as text in UTC.
func SameStart(file, live string) string {
	file, live = strings.Join(strings.Fields(file), " "), strings.Join(strings.Fields(live), " ")
	switch {
	case file == "" || live == "":
		return "cannot tell"
	case file == live:
		return "same"
	}
	ft, ferr := time.Parse("Mon Jan 2 15:04:05 2006", file)
	lt, lerr := time.Parse("Mon Jan 2 15:04:05 2006", live)
	switch {
	case ferr == nil && lerr == nil && ft.Equal(lt):
		return "same"
	case (ferr == nil) != (lerr == nil):
		return "cannot tell"
	}
	if _, err := strconv.ParseInt(file, 10, 64); err != nil && ferr != nil {
		return "cannot tell"
	}
	return "other"
}

// decodeObject decodes a JSON object; its errors quote nothing of it.
func decodeObject(b []byte, v any) error {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return errors.New("empty")
	case !isObject(b):
		return errors.New("not a JSON object")
	}
	err := json.Unmarshal(b, v)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("field %s is not a %s", e.Field, e.Type)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON at byte %d", e.Offset)
	}
	return err
}
