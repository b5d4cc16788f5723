package asks

import (
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// writer writes the lines of a world, program by program.
type writer struct {
	*world
	rs []record.Record
	n  int // lines of the program that writes
}

func (w *writer) add(kind record.Kind, host, by, subject string, data any) {
	w.rs, w.n = append(w.rs, must(record.New(kind, noon, host, by, subject, data))), w.n+1
}

func (w *writer) close(host, by, label string) {
	if n := w.n; !w.cut[host+" "+by+label] {
		w.add(record.KindSurface, host, by, by+label, record.Surface{OK: true, Records: &n})
	}
	w.n = 0
}

// parts are the surfaces of a product on a host, of the directory with a label.
func (w *writer) parts(host, by, product, label string) {
	var names []string
	for key := range w.surfaces {
		h, name, _ := strings.Cut(key, " ")
		if base, l, _ := strings.Cut(name, "@"); h == host && productOf(base) == product && l == strings.TrimPrefix(label, "@") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		w.add(record.KindSurface, host, by, name, w.surfaces[host+" "+name])
	}
}

// observer writes what the observer of a product finds on a host.
func (w *writer) observer(host, product string) {
	by := observer + product
	if w.silent[host+" "+by] || product == "gh" && host != devbox || product == "schedule" && w.surfaces[host+" schedule/systemd"] == nil {
		return
	}
	labels := []string{""}
	if product == "claude" && host == devbox {
		labels = append(labels, w.labels...)
	}
	for _, label := range labels {
		for _, s := range w.sessions {
			if _, l, _ := strings.Cut(s.subject, "@"); product == "claude" && s.host == host && l == strings.TrimPrefix(label, "@") {
				w.add(record.KindSession, host, by, s.subject, s.session)
			}
		}
		if product == "paseo" && host == devbox {
			for _, a := range w.agents {
				w.add(record.KindAgent, host, by, a.ID, a)
			}
		}
		if product == "gh" {
			for _, r := range w.repos {
				w.add(record.KindRepo, host, by, r.CommonDir, r)
			}
		}
		w.parts(host, by, product, label)
		w.close(host, by, label)
	}
}

// records are the lines of the world.
func (w *world) records() []record.Record {
	out := &writer{world: w}
	hosts := []string{devbox}
	if w.tick != nil {
		out.add(record.KindTick, devbox, config, w.tick.Scope, w.tick)
		out.close(devbox, config, "")
		if len(w.tick.Hosts) > 0 {
			hosts = w.tick.Hosts
		}
	}
	if !w.silent[devbox+" "+ledger] {
		out.parts(devbox, ledger, "ledger", "")
		for _, a := range w.asked {
			out.add(record.KindAsked, devbox, ledger, a.Key, a)
		}
		for _, h := range w.heals {
			out.add(record.KindHeal, devbox, ledger, h.Agent, h)
		}
		if w.swept != nil {
			out.add(record.KindSwept, devbox, ledger, "sweep", w.swept)
		}
		out.close(devbox, ledger, "")
	}
	for _, host := range hosts {
		for _, product := range []string{"claude", "paseo", "gh", "board", "schedule"} {
			out.observer(host, product)
		}
	}
	for _, s := range w.sessions {
		if s.verdict.Class != "" {
			out.add(record.KindVerdict, s.host, judge, s.subject, s.verdict)
		}
	}
	out.rs, out.n = append(out.rs, w.findings...), out.n+len(w.findings)
	out.close("", judge, "")
	return out.rs
}

func setOf(rs []record.Record) *record.Set { return gather(linesOf(rs)) }

func linesOf(rs []record.Record) []record.Line {
	var lines []record.Line
	for _, r := range rs {
		raw, err := r.Line()
		if err != nil {
			panic(err)
		}
		lines = append(lines, record.Line{Raw: raw, Record: r})
	}
	return lines
}

func gather(lines []record.Line) *record.Set {
	set := new(record.Set)
	for _, l := range lines {
		set.Add(l)
	}
	return set
}
