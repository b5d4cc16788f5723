package fold

import (
	"strings"
	"testing"
)

// Ledgers that were cut or doubled: inputs of our own.
func TestOwn(t *testing.T) {
	fold := func(text string) *State {
		s := new(State)
		for _, l := range readAll(t, text) {
			s.Add(l)
		}
		return s
	}
	t.Run("own-torn-inside-a-rune", func(t *testing.T) {
		torn := strings.Replace(fire13, "lamp", "l\xe7\x95", 1)
		s := fold(fire12 + "\n" + torn[:strings.Index(torn, "\x95")+1] + "\n" + fire13 + "\n")
		if s.Entries != 2 || s.Damaged != 1 || s.LastTick != 13 {
			t.Errorf("%d entries, %d damaged, tick %d", s.Entries, s.Damaged, s.LastTick)
		}
	})
	t.Run("own-torn-two-in-one", func(t *testing.T) { // a torn line that the next writer went on with
		s := fold(fire12 + "\n" + fire13[:30] + fire13 + "\n")
		if s.Entries != 1 || s.Damaged != 1 || s.LastTick != 12 {
			t.Errorf("%d entries, %d damaged, tick %d", s.Entries, s.Damaged, s.LastTick)
		}
	})
	t.Run("own-disk-hole", func(t *testing.T) { // a machine that lost power left a block of NULs
		s := fold(fire12 + "\n" + strings.Repeat("\x00", 4096) + "\n" + fire13 + "\n")
		if s.Entries != 2 || s.Damaged != 1 || s.LastTick != 13 {
			t.Errorf("%d entries, %d damaged, tick %d", s.Entries, s.Damaged, s.LastTick)
		}
	})
	t.Run("own-disk-old-copy", func(t *testing.T) { // the older half again behind the newer one, as a bad merge leaves it
		s := fold(fire12 + "\n" + fire13 + "\n" + fire12 + "\n")
		if s.MaxTick != 13 || s.Damaged != 0 {
			t.Errorf("highest tick %d, %d damaged", s.MaxTick, s.Damaged)
		}
	})
	t.Run("own-dup-batch", func(t *testing.T) { // one batch written twice asks its questions once
		e := batchOf(12, "k0", "k1")
		e.V, e.Scope, e.TS = 1, "lamp", at(1)
		line := string(Marshal(e))
		once, twice := fold(fire12+"\n"+line+"\n"), fold(fire12+"\n"+line+"\n"+line+"\n")
		if a, b := len(once.Asked()), len(twice.Asked()); a != 2 || b != 2 {
			t.Errorf("%d asked once, %d twice", a, b)
		}
	})
}
