package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fleet-tools/fleet/internal/record"
)

// addBatch takes the batch that this tick's entries put into the ledger. What is
// new without an entry is no batch: nothing remembers it, and no answer would
// find it.
func (r *Report) addBatch(set *input) {
	for _, rec := range set.Of(record.KindEntry) {
		e, ok := record.Payload[record.Entry](rec)
		if !ok || e.Kind != record.EntryIntent || e.Verb != "ask" || e.Tick == nil || r.Tick == nil || *e.Tick != *r.Tick {
			continue
		}
		b := new(record.Batch)
		if json.Unmarshal(e.Target, b) == nil && len(b.Asks) > 0 {
			r.batch = b
		}
	}
}

// Asks writes the tick's batch of new asks for the owner and how to answer it,
// as Markdown; nothing when the tick asked nothing new.
func Asks(w io.Writer, r Report) error {
	if r.batch == nil {
		return nil
	}
	p := &page{Report: r}
	ack := fmt.Sprintf("fleet-asks ack %d --scope %s", r.batch.Batch, r.Scope)
	p.printf("# Tick %d of %s asks %s\n\n", r.batch.Batch, text(r.Scope, nameWidth), count(len(r.batch.Asks), "question", "questions"))
	for _, a := range r.batch.Asks {
		p.printf("- **%s**", text(a.ID, nameWidth))
		if a.Class != "" {
			p.printf(" (class %s)", text(a.Class, nameWidth))
		}
		p.printf(": %s\n", cmp.Or(text(a.Question, questionWidth), "(no question)"))
	}
	p.printf("\nAnswer all: %s\n\nAnswer one: %s\n", code(ack), code(ack+" --ask "+r.batch.Asks[0].ID))
	_, err := w.Write(p.b.Bytes())
	return err
}
