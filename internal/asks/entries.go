package asks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fleet-tools/fleet/internal/record"
)

// The numbers of the entries of a tick; its fire has the first.
const (
	batchNumber   = 2
	resolveNumber = 3
)

// byClass orders a batch: by class, then key.
func byClass(a, b Ask) int {
	return cmp.Or(cmp.Compare(classOrder(a.Class), classOrder(b.Class)), cmp.Compare(a.Key, b.Key))
}

// classOrder puts what is about no session behind the sessions.
func classOrder(class string) int {
	n, err := strconv.Atoi(class)
	if err != nil {
		return 99
	}
	return n
}

// number puts the asks of a batch into it.
func number(fresh []Ask, tick int, now record.Time) {
	for i := range fresh {
		fresh[i].ID, fresh[i].Batch, fresh[i].FirstTick, fresh[i].Since = "a"+strconv.Itoa(i+1), tick, tick, &now
	}
}

// entries are the batch of the new asks and the resolutions of those that are
// over.
func (s *stream) entries(fresh, over []Ask, now record.Time) []record.Entry {
	tick := *s.tick.Tick
	var es []record.Entry
	entry := func(n int, e record.Entry) {
		e.V, e.ID, e.TS, e.Scope, e.Tick, e.DryRun = record.Version, fmt.Sprintf("%d-%d", tick, n), now, s.tick.Scope, &tick, s.tick.DryRun
		es = append(es, e)
	}
	if len(fresh) > 0 {
		batch := record.Batch{Batch: tick}
		for _, a := range fresh {
			batch.Asks = append(batch.Asks, record.BatchAsk{Class: a.Class, ID: a.ID, Key: a.Key, Question: a.Question, Go: a.Go})
		}
		entry(batchNumber, record.Entry{Kind: record.EntryIntent, By: "act", Verb: "ask", Key: fmt.Sprintf("batch:%d", tick), Target: mustJSON(batch)})
	}
	if len(over) > 0 {
		var keys []string
		for _, a := range over {
			keys = append(keys, a.Key)
		}
		entry(resolveNumber, record.Entry{Kind: record.EntryAck, By: "tick", Keys: keys, Resolved: true})
	}
	return es
}

// mustJSON writes a value of this package's own making, which always can be.
func mustJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
