package notify

import (
	"cmp"
	"fmt"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/internal/shell"
)

// Batch is what a command channel gets on its standard input: one JSON object
// on one line. Texts are one line each, with what looks like a credential
// withheld. Keys may be added to it while v is 1.
type Batch struct {
	V      int    `json:"v"`               // 1
	Scope  string `json:"scope"`           //
	Batch  int    `json:"batch"`           // number of the tick that asked
	Open   int    `json:"open"`            // open asks of the scope, those of other batches too
	Asks   []Ask  `json:"asks"`            // the open ones of the batch, oldest first; one at least
	List   string `json:"list"`            // command line that lists all that is open
	Answer string `json:"answer"`          // command line that answers the batch
	Alert  string `json:"alert,omitempty"` // what failed, a word; "" for a batch of the ledger's
}

// Ask is one open ask of a Batch.
type Ask struct {
	ID       string       `json:"id"`       // a1 … within its batch
	Class    string       `json:"class"`    // of the session; "" when it is about none
	Question string       `json:"question"` // at most 500 columns
	Since    *record.Time `json:"since"`    // when it was first asked
	Key      string       `json:"key"`      // what it is about
	Session  string       `json:"session"`  // session id, <host>/<id> on another machine; "" when it is about none
	Go       string       `json:"go"`       // the command that led to the session when it was asked; "" when none was known
}

// Of returns a due batch as it leaves the machine's ledger. Records are clean
// from birth, but a ledger may be older than what cleans them. configFile is the
// configuration that --config named, "" for the usual one.
func Of(scope, configFile string, d fold.Due) Batch {
	where := " --scope " + scope
	if configFile != "" {
		where += " --config " + shell.Word(configFile)
	}
	b := Batch{V: 1, Scope: scope, Batch: d.Batch, Open: d.Open, Asks: []Ask{},
		List: "fleet-asks list" + where, Answer: fmt.Sprintf("fleet-asks ack %d%s", d.Batch, where)}
	for _, a := range d.Asks {
		b.Asks = append(b.Asks, Ask{ID: guard.Text(a.ID, 20), Class: guard.Text(a.Class, 20), Question: guard.Text(a.Question, 500),
			Since: a.Since, Go: whole(a.Go), Key: guard.Text(a.Key, 500), Session: guard.Text(record.SessionOf(a.Key), 300)})
	}
	return b
}

// whole is a command, or "" when it would be another without what is withheld.
func whole(command string) string {
	if guard.Text(command, len(command)) != command {
		return ""
	}
	return command
}

// AlertOf returns what broke, or what a sweep tells at once, as a batch for a command
// channel: number 0, with one ask that nobody can answer. kind is a word; of the ask the
// id is alert whatever it says, and the key alert:<kind> when it has none.
func AlertOf(scope, configFile, kind string, a record.Asked) Batch {
	a.ID, a.Key = "alert", cmp.Or(a.Key, "alert:"+kind)
	b := Of(scope, configFile, fold.Due{Open: 1, Asks: []record.Asked{a}})
	b.Alert, b.Answer = guard.Text(kind, 20), b.List
	return b
}

// title and text are what a dialog shows. Neither begins with a dash, so that
// no program takes them for a flag.
func (b Batch) title() string { return "fleet: " + b.Scope }

func (b Batch) text() string {
	a, there := b.Asks[0], ""
	if a.Go != "" {
		there = "To go there: " + a.Go + "\n"
	}
	return fmt.Sprintf("%s in scope %s.\n\n%d %s: %s\n\n%sAll of them: %s\nTo answer these: %s", openAsks(b.Open), b.Scope, b.Batch, a.ID, guard.Text(a.Question, 300), there, b.List, b.Answer)
}

func openAsks(n int) string {
	if n == 1 {
		return "1 open ask"
	}
	return fmt.Sprintf("%d open asks", n)
}
