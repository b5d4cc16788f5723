package report

import (
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Two machines with a tick each, in one stream: what one of them ran says nothing of the
// other, whichever tick is the newer one.
func TestNotRead_everyTick(t *testing.T) {
	for _, newest := range []string{"devbox", "attic"} {
		set := new(record.Set)
		n := map[[2]string]int{}
		add := func(kind record.Kind, at record.Time, host, by, subject string, data any) {
			r, err := record.New(kind, at, host, by, subject, data)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := r.Line()
			if err != nil {
				t.Fatal(err)
			}
			set.Add(record.Line{Raw: raw, Record: r})
			n[[2]string{host, by}]++
		}
		for _, host := range []string{"devbox", "attic"} {
			at := look
			if host != newest {
				at = record.NewTime(look.Add(-time.Minute))
			}
			one := 7
			tick := record.Tick{Tick: &one, Scope: "acme", Host: host, Surfaces: []string{"claude", "gh"}}
			if host == "attic" {
				tick.Hosts, tick.Surfaces, tick.Unfound = []string{"attic", "nas"}, append(tick.Surfaces, "paseo", "board"), []string{"/x: is not there"}
			}
			add(record.KindTick, at, host, "fleet-config", "acme", tick)
			add(record.KindSurface, look, host, "fleet-observe-board", "board/acme", record.Surface{OK: true, Absent: true})
		}
		add(record.KindHost, look, "devbox", "fleet-observe-claude", "devbox", record.Host{OS: "linux"})
		add(record.KindRepo, look, "devbox", "fleet-observe-gh", "/code/lamp/.git", record.Repo{CommonDir: "/code/lamp/.git", NotGitHub: true})
		add(record.KindSurface, look, "devbox", "fleet-observe-paseo", "paseo/agents", record.Surface{OK: true})
		add(record.KindSurface, look, "attic", "fleet-ledger", "ledger", record.Surface{OK: true})
		add(record.KindFinding, look, "", "fleet-classify", "count", record.Finding{})
		add(record.KindAsk, look, "", "fleet-asks", "listing", record.Ask{Key: "listing", State: record.AskOpen})
		for who, rows := range n {
			add(record.KindSurface, look, who[0], who[1], who[1], record.Surface{OK: true, Records: &rows})
		}
		want := []string{"attic cut fleet-observe-claude: not one record of it is here", "attic cut fleet-observe-gh: not one record of it is here",
			"attic cut fleet-observe-paseo: not one record of it is here", "devbox cut fleet-ledger: not one record of it is here",
			"nas host nas: nothing came from this machine", "attic failed repository: /x: is not there",
			"attic absent board/acme: not installed on this machine, but expected"}
		r := Build(set, look)
		var got []string
		for _, n := range r.NotRead {
			got = append(got, n.Host+" "+n.Why+" "+n.Name+": "+n.Says)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is newest: not read\n%q\nwant\n%q", newest, got, want)
		}
		var hosts []string
		for _, m := range r.Machines {
			hosts = append(hosts, m.Host)
		}
		if slices.Sort(hosts); !slices.Equal(hosts, []string{"attic", "devbox", "nas"}) {
			t.Errorf("%s is newest: machines %q", newest, hosts)
		}
	}
}
