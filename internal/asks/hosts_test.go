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
