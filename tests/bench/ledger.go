package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

// ledgerScope is the scope of a generated ledger.
const ledgerScope = "bench"

// A history writes the ledger of an hourly tick that goes on for years.
type history struct {
	out  *bufio.Writer
	left int // lines still to write
	tick int
	at   time.Time
	err  error
}

// writeLedger writes a ledger of n lines: in most ticks the owner is asked up to
// three things, sees them, answers some, and what was asked before is over;
// now and then a session is spawned or adopted. The last tick has begun and has
// written nothing.
func writeLedger(w io.Writer, _ lab, n int) error {
	h := history{out: bufio.NewWriterSize(w, 1<<20), left: n - 1, at: time.Date(2000, 1, 1, 0, 0, 2, 120e6, time.UTC)}
	for h.left > 0 && h.err == nil {
		h.whole()
	}
	h.left = 1
	h.tick++
	h.fire()
	if h.err == nil {
		h.err = h.out.Flush()
	}
	return h.err
}

// whole writes a tick from its beginning to the answers of the owner.
func (h *history) whole() {
	h.tick++
	h.fire()
	batch := fmt.Sprintf("%d-2", h.tick)
	asked := h.asked(h.tick)
	if len(asked) > 0 {
		h.add(record.EntryIntent, batch, record.Entry{By: "act", Verb: "ask", Key: fmt.Sprintf("batch:%d", h.tick),
			Target: mustJSON(record.Batch{Batch: h.tick, Asks: asked})})
	}
	if over := h.over(); len(over) > 0 {
		h.add(record.EntryAck, fmt.Sprintf("%d-3", h.tick), record.Entry{By: "tick", Keys: over, Resolved: true})
	}
	number := 4
	if h.tick%20 == 0 {
		spawn, key := fmt.Sprintf("%d-4", h.tick), fmt.Sprintf("acme/lamp#%d", h.tick/20)
		h.add(record.EntryIntent, spawn, record.Entry{By: "act", Verb: "spawn", Key: key, Target: mustJSON(map[string]string{"name": fmt.Sprintf("lamp-pr%d", h.tick/20)})})
		h.add(record.EntryDone, fmt.Sprintf("%d-5", h.tick), record.Entry{By: "act", Verb: "spawn", Key: key, Of: spawn, Result: mustJSON(map[string]string{"session_id": idOf("spawn", h.tick)})})
		number = 6
	}
	h.exit(number)
	if len(asked) > 0 {
		h.add(record.EntrySeen, fmt.Sprintf("%d-%d", h.tick, number+1), record.Entry{By: "act", Of: batch, Result: mustJSON(record.Shown{Button: "Seen"})})
		h.owner(record.EntryAck, record.Entry{Of: batch, Asks: mustJSON([]string{"a1"})})
	}
	if h.tick%200 == 0 {
		h.owner(record.EntryAdopt, record.Entry{Target: mustJSON(record.Adopted{SessionID: idOf("adopt", h.tick)})})
	}
	h.at = h.at.Truncate(time.Hour).Add(time.Hour + 2120*time.Millisecond)
}

func (h *history) fire() {
	boot := h.at.Truncate(30 * 24 * time.Hour)
	h.add(record.EntryFire, fmt.Sprintf("%d-1", h.tick), record.Entry{By: "tick", Detail: "release: 0.1.0; gh: keyring",
		Clock: &record.Clock{At: record.NewTime(h.at), AwakeS: h.at.Sub(boot).Seconds(), BootAt: record.NewTime(boot)}})
}

func (h *history) exit(number int) {
	zero := 0
	h.add(record.EntryExit, fmt.Sprintf("%d-%d", h.tick, number), record.Entry{By: "tick", Exit: &zero,
		Counts: map[string]int{"10": 4, "2": 5, "3": 6, "4": 4, "5": 10, "7": 5, "9": 1, "9a": 7},
		Read:   []string{"claude/jobs", "claude/listing", "claude/processes", "claude/sessions", "claude/transcripts", "claude/version", "gh/acme/lamp", "ledger"}})
}

// asked is what is asked first in a tick: two ticks in three ask something.
func (h *history) asked(tick int) []record.BatchAsk {
	var asks []record.BatchAsk
	for i := range tick % 3 * 3 / 2 {
		kind := [...]string{"prompt", "blocked", "listing"}[i]
		id := idOf(kind, tick)
		asks = append(asks, record.BatchAsk{Class: [...]string{"3", "7", ""}[i], ID: fmt.Sprintf("a%d", i+1), Key: fmt.Sprintf("%s:%s:%s", kind, id, id[:8]),
			Question: fmt.Sprintf("session %d: Should I take a counter row with a lock instead? (Yes · No)", tick)})
	}
	return asks
}

// over is the keys of what was asked four ticks ago.
func (h *history) over() []string {
	var keys []string
	if h.tick > 4 {
		for _, a := range h.asked(h.tick - 4) {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

// add writes a line of the tick; owner one of its owner.
func (h *history) add(kind, id string, e record.Entry) {
	e.ID, e.Tick = id, &h.tick
	h.write(kind, e)
}

func (h *history) owner(kind string, e record.Entry) {
	e.ID, e.By = fmt.Sprintf("owner-%d", h.at.UnixMilli()), "owner:/dev/pts/3"
	h.write(kind, e)
}

func (h *history) write(kind string, e record.Entry) {
	if h.left == 0 || h.err != nil {
		return
	}
	h.left--
	e.V, e.Kind, e.TS, e.Scope = record.Version, kind, record.NewTime(h.at), ledgerScope
	h.at = h.at.Add(1503 * time.Millisecond)
	_, h.err = h.out.Write(append(fold.Marshal(e), '\n'))
}

// mustJSON writes a value of this program's own making.
func mustJSON(v any) json.RawMessage { return fold.Marshal(v) }
