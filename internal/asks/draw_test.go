package asks

import (
	"slices"
	"sync"

	"github.com/fleet-tools/fleet/internal/record"
)

// small is a world of one machine and fewer products, so that many fit into a
// test.
func small() *world {
	w := newWorld(gone(attic, "s3"), ticked(func(t *record.Tick) {
		t.Hosts, t.Surfaces, t.AskWhen, t.Repos = []string{devbox}, []string{"claude", "gh"}, nil, []string{lamp}
	}))
	for _, p := range []string{"paseo", "board"} {
		silent(devbox + " " + observer + p)(w)
	}
	w.repos = w.repos[:1]
	return w
}

// draw is what a tick meets: how it finds each of the model's conditions.
type draw struct {
	s1, s2, s3   string
	listing      [2]bool // failed, of the first and the further directory
	rules        string
	gh, judgeCut bool // gh was not run; the judge was cut
}

// drawn is a draw made up, and how it finds each key.
func (h *history) drawn() (draw, map[string]string) {
	ways := []string{present, gone_, gone_, unread}
	d := draw{s1: ways[h.IntN(4)], s2: ways[h.IntN(4)], s3: ways[h.IntN(4)], rules: ways[h.IntN(4)], gh: h.IntN(6) == 0, judgeCut: h.IntN(8) == 0}
	for i := range d.listing {
		d.listing[i] = h.IntN(6) == 0
	}
	if d.listing[0] {
		d.s1, d.s3 = unread, unread
	}
	if d.listing[1] {
		d.s2 = unread
	}
	yes := map[bool]string{true: present, false: gone_}
	found := map[string]string{"prompt:s1:" + promptTag: d.s1, "prompt:s2@work:" + promptTag: d.s2, "blocked:s3:" + blockedTag: d.s3,
		"listing": yes[d.listing[0]], "listing@work": yes[d.listing[1]], "rules:acme/lamp:x": d.rules, "repo:acme/lamp": yes[d.rules == unread],
		"surface:gh": yes[d.gh]}
	if d.gh {
		found["rules:acme/lamp:x"], found["repo:acme/lamp"] = unread, unread
	}
	return d, found
}

// streams are the lines of draws, those of tick and ledger left out.
var streams sync.Map

// lines are the stream of a draw without what is of the tick.
func (d draw) lines() []record.Line {
	if ls, ok := streams.Load(d); ok {
		return ls.([]record.Line)
	}
	w := small()
	for _, s := range []struct {
		how, subject string
		asks         func(host, subject string, changes ...func(*seat)) change
	}{{d.s1, "s1", waits}, {d.s2, "s2@work", waits}, {d.s3, "s3", stuck}} {
		switch s.how {
		case present:
			s.asks(devbox, s.subject)(w)
		case unread:
			judged(devbox, s.subject, "unknown", "")(w)
		}
	}
	for i, name := range []string{"devbox claude/listing", "devbox claude/listing@work"} {
		if d.listing[i] {
			failed(name)(w)
		}
	}
	switch d.rules {
	case present:
		w.repos[0].Rules.Flags = []string{"x"}
	case unread:
		w.repos[0].OK, w.repos[0].Rules = false, nil
	}
	if d.gh {
		silent("devbox " + observer + "gh")(w)
	}
	if d.judgeCut {
		cut(" " + judge)(w)
	}
	ls := slices.DeleteFunc(linesOf(w.records()), func(l record.Line) bool { return l.Record.By == config || l.Record.By == ledger })
	streams.Store(d, ls)
	return ls
}
