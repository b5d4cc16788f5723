package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/fleet-tools/fleet/internal/record"
)

// asker writes the asks and their batch.
const asker = "fleet-asks"

// addBatch takes the batch that this tick's entries put into the ledger. What is
// new without an entry is no batch: nothing remembers it, and no answer would
// find it.
func (r *Report) addBatch(set *record.Set) {
	for _, rec := range set.Of(record.KindEntry) {
		e, ok := record.Payload[record.Entry](rec)
		if !ok || e.Kind != record.EntryIntent || e.Verb != "ask" || e.Tick == nil || r.Tick == nil || *e.Tick != *r.Tick || e.Scope != r.Scope {
			continue
		}
		b := new(record.Batch)
		if json.Unmarshal(e.Target, b) == nil && len(b.Asks) > 0 && b.Batch > 0 {
			r.batch = b
		}
	}
}

// Asks writes the tick's batch of new asks for the owner and how to acknowledge
// it, as Markdown; nothing when the tick asked nothing new, or outside a tick.
// The error says that the records of fleet-asks are not all here: it may have
// asked more, and a batch that is cut is not to be answered.
func Asks(w io.Writer, r Report) error {
	for _, n := range r.NotRead {
		if r.Tick != nil && n.Name == asker && n.Why == WhyCut {
			return fmt.Errorf("the batch is not whole: %s: %s", asker, clip(n.Says, saysWidth))
		}
	}
	if r.batch == nil {
		return nil
	}
	p := &page{Report: r}
	p.printf("# Tick %d of %s asks %s\n\n", r.batch.Batch, text(r.Scope, nameWidth), count(len(r.batch.Asks), "question", "questions"))
	last := "\x00"
	for _, a := range r.batchByHost() {
		p.batchHead(&last, a)
		p.printf("- **%s**", text(a.ID, nameWidth))
		if a.Class != "" {
			p.printf(" (class %s)", text(a.Class, nameWidth))
		}
		p.printf(": %s\n", cmp.Or(text(a.Question, questionWidth), "(no question)"))
	}
	batch, first := strconv.Itoa(r.batch.Batch), r.batch.Asks[0].ID
	if all := r.ackCommand(batch, ""); all != "" {
		p.printf("\nAnswer all: %s\n", code(all))
		if plainAsk(first) {
			p.printf("\nAnswer one: %s\n", code(r.ackCommand(batch, first)))
		}
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

// batchByHost is the asks of the batch, machine by machine when they are about
// several; what is about no session comes last.
func (r *Report) batchByHost() []record.BatchAsk {
	asks := slices.Clone(r.batch.Asks)
	slices.SortStableFunc(asks, func(a, b record.BatchAsk) int { return byHost(len(r.Machines) > 1, r.hostOf(a), r.hostOf(b)) })
	return asks
}

// hostOf is the machine of the session that an ask of the batch is about, "" when
// it is about none.
func (r *Report) hostOf(a record.BatchAsk) string {
	for _, b := range r.Asks {
		if b.Key == a.Key {
			return b.Host
		}
	}
	return ""
}

// batchHead writes the head of the asks of a machine, when the tick looks at
// several.
func (p *page) batchHead(last *string, a record.BatchAsk) {
	host := p.hostOf(a)
	if len(p.Machines) > 1 && host != *last {
		*last = host
		p.gap()
		p.printf("## %s\n\n", cmp.Or(text(host, nameWidth), "The scope"))
	}
}
