package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

var actTime = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func restartOf(agent string) record.Entry {
	return record.Entry{Verb: "restart", Key: agent, Target: fold.Marshal(record.ActTarget{Action: record.Action{Verb: "restart"}})}
}

func anyway(*fold.State) error { return nil }

// Of an act the disk has the intent when Begin returns, its outcome once, and
// nothing of one that the ledger forbids.
func TestAct(t *testing.T) {
	l := New(filepath.Join(t.TempDir(), "lamp"), "lamp")
	if s, err := l.ReadOrNone(); err != nil || len(s.Heals(time.Time{})) != 0 {
		t.Fatalf("no ledger: %v, %v", s, err)
	}
	forbidden := errors.New("it is paused")
	if id, err := l.Begin(actTime, restartOf("a"), func(*fold.State) error { return forbidden }); !errors.Is(err, forbidden) || id != "" {
		t.Fatalf("forbidden: %q, %v", id, err)
	}
	if s, err := l.ReadOrNone(); err != nil || len(s.Heals(time.Time{})) != 0 {
		t.Fatalf("what was forbidden is written: %v", err)
	}
	id, err := l.Begin(actTime, restartOf("a"), anyway)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(l.Dir, "ledger.jsonl"))
	if err != nil || strings.Count(string(b), "\n") != 1 || !strings.Contains(string(b), `"`+id+`"`) {
		t.Errorf("%q, %v", b, err)
	}
	if err := l.End(actTime, id, record.Entry{Kind: record.EntryFailed, By: "act", Verb: "restart", Key: "a", Reason: "gone"}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{id, "act-none"} {
		if err := l.End(actTime, of, record.Entry{Kind: record.EntryDone, By: "act", Verb: "restart", Key: "a"}); err == nil || !strings.Contains(err.Error(), "no intent without an outcome") {
			t.Errorf("a second outcome of %s: %v", of, err)
		}
	}
	if err := l.Note(actTime, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: "b"}); err != nil {
		t.Fatal(err)
	}
	s, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	if h := s.Heal("a"); h.Attempts != 1 || h.LastEnd != "gone" || len(h.Open) != 0 || !s.Heal("b").Paused {
		t.Errorf("%+v %+v", h, s.Heal("b"))
	}
}

// Sweeps that overlap, and owners that speak meanwhile, write one after the other:
// of twenty that would each be the only one, one is, and no line is lost or has
// another's id.
func TestAct_overlapping(t *testing.T) { // defect D13
	l := New(filepath.Join(t.TempDir(), "lamp"), "lamp")
	taken := errors.New("another has begun")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var ids []string
	for i := range 20 {
		wg.Go(func() {
			id, err := l.Begin(actTime, restartOf("a"), func(s *fold.State) error {
				if len(s.Heal("a").Open) > 0 {
					return taken
				}
				return nil
			})
			if err != nil && !errors.Is(err, taken) {
				t.Error(err)
			}
			if err := l.Note(actTime, record.Entry{Kind: record.EntryPause, By: "owner:tty", Key: fmt.Sprint("b", i)}); err != nil {
				t.Error(err)
			}
			if mu.Lock(); id != "" {
				ids = append(ids, id)
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	b, err := os.ReadFile(filepath.Join(l.Dir, "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line, err := range fold.Lines(strings.NewReader(string(b))) {
		if err != nil || line.Damage != nil {
			t.Fatal(err, line.Damage)
		}
		all = append(all, line.Entry.ID)
	}
	slices.Sort(all)
	if len(ids) != 1 || len(all) != 21 || len(slices.Compact(all)) != 21 {
		t.Errorf("%d began, %d lines, ids %q", len(ids), len(all), all)
	}
}

// An entry that no reader would take is not written: it would be damage to all.
func TestNote_tooLong(t *testing.T) {
	l := New(t.TempDir(), "lamp")
	if err := l.Note(time.Now(), record.Entry{Kind: record.EntrySweep, By: "act", Detail: strings.Repeat("x", fold.MaxLine)}); err == nil {
		t.Error("it was written")
	}
	if s, err := l.ReadOrNone(); err != nil || s.Entries > 0 || s.Damaged > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
