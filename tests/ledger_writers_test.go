package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// offer is a whole stream of tick n with entries of these numbers.
func offer(t testing.TB, n int, detail string, numbers ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	at := record.NewTime(time.Date(2026, 11, 29, 15, 10, 0, 0, time.UTC))
	add := func(kind record.Kind, host, by, subject string, data any) {
		r, err := record.New(kind, at, host, by, subject, data)
		if err != nil {
			t.Error(err)
		}
		line, err := r.Line()
		if err != nil {
			t.Error(err)
		}
		b.Write(line)
	}
	count := func(of int) record.Surface { return record.Surface{OK: true, Records: &of} }
	add(record.KindTick, "devbox", "fleet-config", "lamp", record.Tick{Tick: &n, Scope: "lamp", Host: "devbox"})
	add(record.KindSurface, "", "fleet-classify", "fleet-classify", count(0))
	for _, i := range numbers {
		id := fmt.Sprintf("%d-%d", n, i)
		add(record.KindEntry, "", "fleet-asks", id, record.Entry{V: 1, ID: id, TS: at, Scope: "lamp", Tick: &n, By: "act", Kind: record.EntryStep, Detail: detail})
	}
	add(record.KindSurface, "", "fleet-asks", "fleet-asks", count(len(numbers)))
	return b.Bytes()
}

// once checks that the ledger is sound and has as many entries of steps, each once.
func (h home) once(t testing.TB, entries int) {
	t.Helper()
	if out := h.must(t, nil, "verify"); !strings.HasSuffix(out, " 0 findings\n") {
		t.Errorf("verify: %s", out)
	}
	if got := strings.Count(h.text(t), `"b_step"`); got != entries {
		t.Errorf("%d entries, want %d", got, entries)
	}
}

// Many writers, each killed at random and trying again until it is told that
// its entry is written: every entry is there once, and no line is torn. The
// full size is 64 writers of 1,000 entries, 10 of each in a tick: an append reads
// what its tick wrote before.
func TestLedgerWriters(t *testing.T) {
	t.Parallel()
	writers, each, ticks := 12, 2, 2
	if os.Getenv("FLEET_SOAK") != "" {
		writers, each, ticks = 64, 10, 100
	}
	h := newHome(t)
	var kills atomic.Int64
	for tick := range ticks {
		if tick > 0 {
			h.must(t, nil, "fire")
		}
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), uint64(tick)))
				for i := range each {
					h.insist(t, r, offer(t, 14+tick, "x", 100+w*each+i), &kills)
				}
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
	}
	h.once(t, writers*each*ticks)
	t.Logf("%d writers of %d entries, %d killed", writers, each*ticks, kills.Load())
}

// insist appends a stream, killed now and then, until it is told that it is written.
func (h home) insist(t testing.TB, r *rand.Rand, in []byte, kills *atomic.Int64) {
	for tries := 0; ; tries++ {
		cmd := h.command(bytes.NewReader(in), "append")
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		if tries < 8 && r.IntN(2) == 0 {
			timer := time.AfterFunc(time.Duration(r.IntN(40))*time.Millisecond, func() { cmd.Process.Kill() })
			defer timer.Stop()
		}
		if cmd.Wait() == nil {
			return
		}
		kills.Add(1)
		if tries > 60 {
			t.Error("a writer does not get through")
			return
		}
	}
}
