// Package record is the line that every fleet program reads and writes: one
// JSON object a line.
//
//	{"v":1,"kind":"session","at":"2026-11-29T14:50:02.000Z","host":"devbox","by":"fleet-observe-claude","subject":"c20a…","data":{…}}
//
// The envelope is closed and the payload open: a program passes on kinds that
// it does not know, and fields that it does not know travel on untouched,
// because a line is copied as bytes and never written again.
//
// Identity of a record is host, kind and subject. Of several records of one
// identity the one with the newest at counts; of equally new ones the greater
// line, bytewise.
//
// Every program that adds records ends with a closing record: a surface whose
// subject is the program's own name and whose data.records says how many
// different identities it added, the closing record itself left out. A reader
// that finds another number, or none, has not read that program.
package record

import "encoding/json"

// Version is the format version that this package reads and writes.
const Version = 1

// Kind says what a record is about.
type Kind string

// The kinds of a stream. A record of another kind is passed on unread.
const (
	KindTick     Kind = "tick"
	KindHost     Kind = "host"
	KindSurface  Kind = "surface"
	KindSession  Kind = "session"
	KindAgent    Kind = "agent"
	KindSchedule Kind = "schedule"
	KindRepo     Kind = "repo"
	KindBoard    Kind = "board"
	KindOwned    Kind = "owned"
	KindAsked    Kind = "asked"
	KindPast     Kind = "past"
	KindVerdict  Kind = "verdict"
	KindFinding  Kind = "finding"
	KindAsk      Kind = "ask"
	KindEntry    Kind = "entry"

	KindWorkspace Kind = "workspace"
	KindHealth    Kind = "health"
	KindHeal      Kind = "heal"
	KindSwept     Kind = "swept"
	KindDecision  Kind = "decision"
	KindOutcome   Kind = "outcome"
)

// Record is one line.
type Record struct {
	V       int             `json:"v"`       // format version
	Kind    Kind            `json:"kind"`    // what it is about
	At      Time            `json:"at"`      // when the observer looked
	Host    string          `json:"host"`    // the machine that looked; a judge copies it; empty in a conclusion about a scope
	By      string          `json:"by"`      // the program that added the line
	Subject string          `json:"subject"` // stable name of the thing
	Data    json.RawMessage `json:"data"`    // the payload, which each known kind has its own of

	payload any    // a pointer to the kind's type, null when it is decoded as often as it is asked for; or from New a value of it
	raw     []byte // in a Set, the line
}

// Identity is what makes two records the same thing seen twice.
type Identity struct {
	Host    string
	Kind    Kind
	Subject string
}

// Identity returns the record's identity.
func (r Record) Identity() Identity { return Identity{r.Host, r.Kind, r.Subject} }
