package asks

import (
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// On another machine than the tick's own nobody looks at a board or at Paseo:
// that they are not there asks nothing, and keeps nothing open.
func TestHosts(t *testing.T) {
	alone := all(silent("attic "+observer+"paseo"), silent("attic "+observer+"board"))
	if f := newWorld(alone).fold(t); len(f.keys()) > 0 {
		t.Errorf("%q", f.keys())
	}
	for _, key := range []string{"blocked:attic/s3:" + blockedTag, "prompt:attic/s3:" + promptTag, "drift:paseo status odd", "records-without-process", "when:odd"} {
		if got := newWorld(alone, asks(key, record.AskOpen)).fold(t).resolved(); !slices.Contains(got, key) {
			t.Errorf("%s stays open", key)
		}
	}
	if f := newWorld(silent("devbox " + observer + "board")).fold(t); !slices.Contains(f.keys(), "new surface:board:home") {
		t.Errorf("%q", f.keys())
	}
}

// A machine that did not answer is asked about once, and nothing of it is over.
func TestHosts_unread(t *testing.T) {
	key := "prompt:attic/s3:" + promptTag
	w := newWorld(asks(key, record.AskOpen), all(silent("attic "+observer+"claude"), silent("attic "+observer+"paseo"), silent("attic "+observer+"board"), gone(attic, "s3")))
	n := 1
	rs := append(w.records(), must(record.New(record.KindSurface, noon, attic, observer+"claude", "ssh", record.Surface{Error: "refused"})),
		must(record.New(record.KindSurface, noon, attic, observer+"claude", observer+"claude", record.Surface{OK: true, Records: &n})))
	f, err := Of(setOf(rs), noon, odd)
	if err != nil || !slices.Equal(f.keys(), []string{"new listing:attic", "unchecked " + key}) {
		t.Errorf("%v %q", err, f.keys())
	}
}

// What was asked of the reading of a machine, a product or a run log that is not expected
// any more is over.
func TestHosts_left(t *testing.T) {
	left := func(w *world) {
		w.tick.Hosts = []string{devbox}
		for _, p := range []string{"claude", "paseo", "board"} {
			silent("attic " + observer + p)(w)
		}
		gone(attic, "s3")(w)
	}
	noGitHub := all(ticked(func(t *record.Tick) {
		t.Surfaces = slices.DeleteFunc(slices.Clone(t.Surfaces), func(s string) bool { return s == "gh" })
	}), silent("devbox "+observer+"gh"))
	schedules := all(ticked(func(t *record.Tick) { t.Surfaces = append(slices.Clone(t.Surfaces), "schedule") }), surface(record.Surface{OK: true}, "devbox schedule/systemd"))
	for _, tt := range []struct {
		key    string
		change change
		want   string
	}{
		{"listing:attic", left, record.AskResolved},
		{"surface:attic/claude/sessions", left, record.AskResolved},
		{"surface:attic/claude/jobs@work", left, record.AskResolved},
		{"surface:attic/jobs-unparsed", left, record.AskResolved},
		{"surface:attic/odd/x", left, record.AskUnchecked}, // of another release
		{"surface:schedule/log:nightly", schedules, record.AskResolved},
		{"surface:schedule/log:nightly", all(schedules, cut("devbox "+observer+"schedule")), record.AskUnchecked},
		{"surface:schedule/log:nightly", all(schedules, failed("devbox schedule/log:nightly")), record.AskOpen},
		{"repo:acme/lamp", noGitHub, record.AskResolved},
		{"rules:acme/lamp:x", noGitHub, record.AskResolved},
		{"repo:acme/lamp", silent("devbox " + observer + "gh"), record.AskUnchecked},
		{"repo:acme/lamp", all(ticked(func(t *record.Tick) { t.Surfaces = []string{"claude"} }), cut("devbox "+observer+"gh")), record.AskUnchecked},
	} {
		if got := newWorld(asks(tt.key, record.AskOpen), tt.change).fold(t).state(tt.key); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.key, got, tt.want)
		}
	}
}
