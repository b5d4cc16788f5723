// Package claude reads what Claude Code leaves behind: its listing, its job,
// process and transcript files. It takes bytes and returns facts; it judges
// nothing. The facts are those of Claude Code 2.1.280; another version, field
// or word is named as drift and passed on.
package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Pinned is the Claude Code version whose surfaces this package knows.
const Pinned = "2.1.280"

// Version reads the output of claude --version, such as
// "2.1.280 (Claude Code)". Another version than Pinned is drift.
func Version(out []byte) (version string, drift []string, err error) {
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	word, rest, _ := strings.Cut(first, " ")
	if word == "" || strings.TrimSpace(rest) != "(Claude Code)" {
		return "", nil, errors.New("claude --version: not a version of Claude Code")
	}
	if word != Pinned {
		drift = []string{"version " + word}
	}
	return word, drift, nil
}

// Row is a row of claude agents --json --all.
type Row struct {
	PID        int    // 0 without a live process
	ID         string // job id; "" on interactive rows
	Cwd        string // "" when the listing has none or "?"
	Kind       string
	StartedAt  time.Time // zero when null
	SessionID  string
	Name       string
	Status     string
	WaitingFor string
	State      string
}

// row is Row as it is written. Fields that the listing never writes as null
// are pointers all the same: null reads as absent.
type row struct {
	PID        *int     `json:"pid,omitempty"`
	ID         *string  `json:"id,omitempty"`
	Cwd        *string  `json:"cwd,omitempty"`
	Kind       *string  `json:"kind,omitempty"`
	StartedAt  *float64 `json:"startedAt,omitempty"` // epoch ms
	SessionID  *string  `json:"sessionId,omitempty"`
	Name       *string  `json:"name,omitempty"`
	Status     *string  `json:"status,omitempty"`
	WaitingFor *string  `json:"waitingFor,omitempty"`
	State      *string  `json:"state,omitempty"`
}

var (
	rowFields = words("pid id cwd kind startedAt sessionId name status waitingFor state")
	kinds     = words("interactive background")
	statuses  = words("busy idle waiting")
	states    = words("working blocked done failed stopped")
	// waitings are the words of 2.1.280, in this order in its source.
	waitings = []string{"permission prompt", "input needed", "dialog open", "sandbox request", "worker request", "goal proposal"}
)

// Listing reads the output of claude agents --json --all. Rows that are no
// objects, or name neither a session nor a process, are counted in unparsed.
// Output that is no JSON array, empty output too, is an error: it is no empty
// fleet.
func Listing(out []byte) (rows []Row, unparsed int, drift []string, err error) {
	out = bytes.TrimPrefix(out, bom)
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, 0, nil, errors.New("the listing is empty, not even []")
	}
	var items []json.RawMessage
	if err := json.Unmarshal(out, &items); err != nil || items == nil {
		return nil, 0, nil, errors.New("the listing is not a JSON array")
	}
	var d driftWords
	rows = []Row{}
	for _, item := range items {
		var r row
		if !isObject(item) || json.Unmarshal(item, &r) != nil {
			unparsed++
			continue
		}
		got := Row{Cwd: str(r.Cwd), Kind: str(r.Kind), ID: str(r.ID), SessionID: str(r.SessionID), Name: str(r.Name),
			Status: str(r.Status), WaitingFor: str(r.WaitingFor), State: str(r.State), StartedAt: epochMS(r.StartedAt)}
		if r.PID != nil {
			got.PID = max(*r.PID, 0)
		}
		if got.Cwd == "?" {
			got.Cwd = ""
		}
		if got.SessionID == "" && got.PID == 0 {
			unparsed++
			continue
		}
		d.fields("listing field", item, rowFields)
		d.word("listing kind", got.Kind, kinds)
		d.word("listing status", got.Status, statuses)
		d.word("listing state", got.State, states)
		if got.WaitingFor != "" && !slices.Contains(waitings, got.WaitingFor) {
			d.add("listing waitingFor", got.WaitingFor)
		}
		rows = append(rows, got)
	}
	return rows, unparsed, d.list(), nil
}

var bom = []byte("\xef\xbb\xbf")

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

func str(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// epochMS is a time in milliseconds since 1970, zero when it is absent or not
// within the years 1970 to 9999.
func epochMS(p *float64) time.Time {
	if p == nil || *p <= 0 || *p > 253402300799999 {
		return time.Time{}
	}
	return time.UnixMilli(int64(*p)).UTC()
}

func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{'
}

// driftWords collects words that this release does not know, each once.
type driftWords struct{ seen map[string]bool }

// maxDriftWord bounds a foreign word in a message, in columns.
const maxDriftWord = 61

func (d *driftWords) add(what, word string) {
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	// Before it is cut: what is left of a credential may look like nothing.
	d.seen[what+" "+guard.Text(word, maxDriftWord)] = true
}

func (d *driftWords) word(what, word string, known map[string]bool) {
	if word != "" && !known[word] {
		d.add(what, word)
	}
}

// fields names the keys of an object that are not known.
func (d *driftWords) fields(what string, object []byte, known map[string]bool) {
	for _, name := range names(object, known) {
		d.word(what, name, known)
	}
}

// MoreDrift stands for the words beyond those that are named.
const MoreDrift = "and more"

// maxDrift is how many words of one file are named.
const maxDrift = 30

// list returns the words in order, the first of them when there are too many.
func (d *driftWords) list() []string {
	l := slices.Sorted(maps.Keys(d.seen))
	if len(l) > maxDrift {
		l = append(l[:maxDrift], MoreDrift)
	}
	return l
}
