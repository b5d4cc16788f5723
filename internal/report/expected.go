package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/record"
)

// ticksOf is what each tick of a stream must know, the newest first: streams of several
// machines may have one each, and what one of them expects is expected of its own.
func ticksOf(set *record.Set) []*record.Tick {
	rs := slices.Clone(set.Of(record.KindTick))
	slices.SortStableFunc(rs, func(a, b record.Record) int { return b.At.Compare(a.At.Time) })
	var ticks []*record.Tick
	for _, rec := range rs {
		if t, ok := record.Payload[record.Tick](rec); ok {
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// expectedSurfaces tells the products that must be read on a machine: those of its own
// ticks, else of every tick.
func expectedSurfaces(set *record.Set) func(host string) []string {
	ticks := ticksOf(set)
	return func(host string) []string {
		if len(ticks) == 0 {
			return []string{"claude"}
		}
		var own, all []string
		for _, t := range ticks {
			if all = append(all, t.Surfaces...); t.Host == host {
				own = append(own, t.Surfaces...)
			}
		}
		if own != nil {
			return own
		}
		return all
	}
}

// hostsOf is the machines that a tick waits for.
func hostsOf(tick *record.Tick) []string {
	if len(tick.Hosts) == 0 && tick.Host != "" {
		return []string{tick.Host}
	}
	return tick.Hosts
}

// expectedHosts is the machines that any tick waits for, those of the newest first.
func expectedHosts(ticks []*record.Tick) []string {
	var hosts []string
	for _, t := range ticks {
		for _, host := range hostsOf(t) {
			if !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}

// missingRepos is the repositories that are not there, or another scope's too.
func missingRepos(ticks []*record.Tick) []NotRead {
	var ns []NotRead
	for _, t := range ticks {
		says := slices.Clone(t.Unfound)
		for _, dir := range slices.Sorted(maps.Keys(t.Shared)) {
			says = append(says, dir+": "+t.Clash(dir))
		}
		for _, why := range says {
			ns = append(ns, NotRead{Host: t.Host, Name: "repository", Why: WhyFailed, Says: why})
		}
	}
	return ns
}

// missingHosts is the machines that a tick expects and that said nothing.
func missingHosts(set *record.Set, ticks []*record.Tick) []NotRead {
	var ns []NotRead
	for _, host := range expectedHosts(ticks) {
		if !observed(set, host) {
			ns = append(ns, NotRead{Host: host, Name: host, Why: WhyHost, Says: "nothing came from this machine"})
		}
	}
	return ns
}

// observed tells whether an observer's record came from a machine: the tick's
// own record bears a host too and is no look at it.
func observed(set *record.Set, host string) bool {
	for rec := range set.Each() {
		if rec.Host == host && strings.HasPrefix(rec.By, "fleet-observe-") {
			return true
		}
	}
	return false
}

// missingPrograms is the programs that the stream should hold and of which not
// one record is there. Claude Code is looked at on every machine, the rest
// wherever a tick runs: with several ticks, a run on one of their machines is none
// on another.
func missingPrograms(set *record.Set, ticks []*record.Tick) []NotRead {
	if len(ticks) == 0 {
		return neverRun(set, "", judge, observers["claude"])
	}
	anywhere := []string{judge}
	var ns []NotRead
	for _, t := range ticks {
		own := []string{"fleet-config"}
		for _, s := range t.Surfaces {
			if name := observers[s]; name != "" {
				own = append(own, name)
			}
		}
		if t.Tick != nil {
			anywhere, own = append(anywhere, asker), append(own, observers["ledger"])
		}
		where := t.Host
		if len(ticks) == 1 {
			where = ""
		} else if !observed(set, where) { // that nothing came from it is said
			own = slices.DeleteFunc(own, func(name string) bool { return name == observers["claude"] })
		}
		ns = append(ns, neverRun(set, where, own...)...)
		for _, host := range hostsOf(t) {
			if observed(set, host) && slices.Contains(t.Surfaces, "claude") {
				ns = append(ns, neverRun(set, host, observers["claude"])...)
			}
		}
	}
	return append(ns, neverRun(set, "", anywhere...)...)
}

// neverRun is those of the programs of which not one record of a host is here, or, where
// host is empty, of any.
func neverRun(set *record.Set, host string, names ...string) []NotRead {
	ran := map[string]bool{}
	for rec := range set.Each() {
		if host == "" || rec.Host == host {
			ran[rec.By] = true
		}
	}
	var ns []NotRead
	for _, name := range names {
		if !ran[name] {
			ns = append(ns, NotRead{Host: host, Name: name, Why: WhyCut, Says: "not one record of it is here"})
		}
	}
	return ns
}

// once leaves out what stands in a list, which is in order, twice: two scopes of one
// machine may expect the same.
func once(ns []NotRead) []NotRead {
	return slices.CompactFunc(ns, func(a, b NotRead) bool {
		return a.Sessions == nil && cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Why, b.Why), cmp.Compare(a.Says, b.Says)) == 0
	})
}
