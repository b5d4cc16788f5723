//go:build real

package real

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// tick makes a tick, and returns its snapshot and its report.
func (r *hostsRig) tick(n int) (*record.Set, hostsReport) {
	r.t.Helper()
	out, stderr, status := r.run("tick.sh")
	r.count.check(fmt.Sprintf("tick %d", n), status == 0 && stderr == "" && strings.HasPrefix(out, fmt.Sprintf("tick %d: ", n)), "status %d: %s%s\n%s", status, stderr, out, r.read("tick.log"))
	set := new(record.Set)
	for line, err := range record.All(strings.NewReader(r.read("ticks", fmt.Sprintf("%05d", n), "snapshot.ndjson"))) {
		if err != nil {
			r.t.Fatal(err)
		}
		set.Add(line)
	}
	var report hostsReport
	if err := json.Unmarshal([]byte(r.read("latest.json")), &report); err != nil {
		r.t.Error(err)
	}
	return set, report
}

type ask struct{ Host, Key, State string }

// hostsReport is what of latest.json is checked.
type hostsReport struct {
	Machines []struct {
		Host, Says string
		Sessions   int
	}
	NotRead []struct{ Host, Name, Why, Says string } `json:"not_read"`
	Asks    []ask
	Notes   []struct{ Host, Name, Says string }
}

// states is the states of the asks of a machine's sessions.
func (h hostsReport) states(host string) []string {
	var states []string
	for _, a := range h.Asks {
		if strings.HasPrefix(a.Key, "prompt:"+host+"/") && !slices.Contains(states, a.State) {
			states = append(states, a.State)
		}
	}
	return states
}

// why is what is said of a machine that was not read.
func (h hostsReport) why(host string) string {
	var all []string
	for _, n := range h.NotRead {
		if n.Host == host {
			all = append(all, n.Why+" "+n.Name+": "+n.Says)
		}
	}
	return strings.Join(all, "; ")
}

// classes is the verdicts of a machine, by subject.
func classesOf(set *record.Set, host string) map[string]string {
	classes := map[string]string{}
	for _, rec := range set.Of(record.KindVerdict) {
		if v, ok := record.Payload[record.Verdict](rec); ok && rec.Host == host {
			classes[rec.Subject] = v.Class
		}
	}
	return classes
}

// farHost is a machine of TestHosts.
type farHost struct {
	name                     string
	port                     int
	alias, identity, program string
	seconds                  int
	why                      string // why it is not read, in part; "" when it is
}

// Real ssh and real sshd under a whole tick: machines that answer, each in its
// own way, and machines that don't, each for its own reason.
func TestHosts(t *testing.T) {
	r := newHostsRig(t)
	box, attic := r.serve("box", ""), r.serve("attic", "")
	r.key(filepath.Join(r.dir, "stranger"))
	r.knows("changed", filepath.Join(r.dir, "stranger.pub"))
	mute, err := net.Listen("tcp", "127.0.0.1:0") // connects, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	verify := "ssh: exit status 255: Host key verification failed."
	hosts := []farHost{
		{"box", box.port, "box", "good", "", 60, ""},
		{"attic", attic.port, "attic", "good", "", 60, ""},
		{"late", box.port, "box", "good", "~/bin/late", 60, ""},
		{"motd", box.port, "box", "good", "~/bin/motd", 60, ""},
		{"refused", box.port, "box", "other", "", 60, "Permission denied (publickey)."},
		{"down", r.port(), "box", "good", "", 60, "ssh: exit status 255: ssh: connect to host 127.0.0.1 port "},
		{"mute", mute.Addr().(*net.TCPAddr).Port, "box", "good", "", 20, "timed out"},
		{"hangs", box.port, "box", "good", "~/bin/hang", 3, "no answer within 3s"},
		{"floods", box.port, "box", "good", "~/bin/flood", 200, "it wrote more than the 32 MiB that are read"},
		{"unknown", box.port, "nobody", "good", "", 60, verify},
		{"changed", box.port, "changed", "good", "", 60, verify},
		{"bare", box.port, "box", "good", "~/bin/bare", 60, "~/bin/bare: exit status 127: "},
		{"liar", box.port, "box", "good", "~/bin/liar", 60, `its answer is not taken: line 58: a record by "fleet-asks"`},
	}
	for _, h := range hosts {
		r.host(h.name, h.port, h.alias, h.identity, h.program, h.seconds)
	}
	r.configure()
	set, report := r.tick(1)
	r.sawHosts(hosts, set, report)
	r.sawText(hosts, report)
	r.goesAndComes(attic)
	fmt.Printf("hosts: %d/%d checks\n", r.count.good, r.count.all)
}

// sawHosts checks what the tick has of each machine: all of it, or the reason.
func (r *hostsRig) sawHosts(hosts []farHost, set *record.Set, report hostsReport) {
	r.t.Helper()
	s, first := &r.count, classesOf(set, "box")
	s.check("sessions", len(first) == 49, "%d of box", len(first))
	scope := 0
	for _, class := range first {
		if class != "1" {
			scope++
		}
	}
	s.check("scope", scope > 20, "%d of box are in the scope", scope)
	for _, h := range hosts {
		got := classesOf(set, h.name)
		if h.why == "" {
			s.check(h.name+": its verdicts", fmt.Sprint(got) == fmt.Sprint(first), "%v, of box %v", got, first)
			s.check(h.name+": read", report.why(h.name) == "", "%s", report.why(h.name))
			continue
		}
		s.check(h.name+": no verdict", len(got) == 0, "%v", got)
		says := report.why(h.name)
		s.check(h.name+": why", strings.HasPrefix(says, "host "+h.name+": ") && strings.Contains(says, h.why) && !strings.Contains(says, "recorded"), "%q, want %q", says, h.why)
		asked := slices.ContainsFunc(report.Asks, func(a ask) bool { return a.Key == "listing:"+h.name && a.State == "new" })
		s.check(h.name+": asked about", asked, "%+v", report.Asks)
	}
	notes := fmt.Sprint(report.Notes)
	// The captured fleet is of another time than this: 3 h more or less make two clocks.
	s.check("clocks", strings.Contains(notes, "the clock of late is ") && strings.Contains(notes, "the clock of box is "), "%s", notes)
	s.check("banner", strings.Contains(notes, "motd prints something before its records"), "%s", notes)
}

// sawText checks the report as a person reads it.
func (r *hostsRig) sawText(hosts []farHost, report hostsReport) {
	r.t.Helper()
	text := r.read("latest.md")
	for _, h := range hosts {
		want := "- **" + h.name + "**: 49 sessions: "
		if h.why != "" {
			want = "- **" + h.name + "**: not read: "
		}
		r.count.check(h.name+": a line", strings.Contains(text, want), "%s", text)
		r.count.check(h.name+": a head", strings.Contains(text, "\n### "+h.name+"\n") == (h.why == ""), "%s", text)
	}
	r.count.check("machines", len(report.Machines) == len(hosts)+1, "%+v", report.Machines)
	r.count.check("nothing is old", !strings.Contains(text, "older than"), "%s", text)
	r.count.check("where to go", strings.Contains(text, "ssh -t -F "+filepath.Join(r.dir, "ssh_config")+" box 'tmux attach -t "), "%s", text)
	r.count.check("asks by machine", strings.Contains(r.read("asks/00001.md"), "\n## attic\n"), "%s", r.read("asks/00001.md"))
}

// goesAndComes lets a machine go and return: its asks are open and unchecked
// meanwhile, and none is asked or resolved.
func (r *hostsRig) goesAndComes(attic *sshd) {
	r.t.Helper()
	s := &r.count
	r.stop(attic)
	_, report := r.tick(2)
	states := report.states("attic")
	s.check("gone: unchecked", slices.Equal(states, []string{"unchecked"}), "%q", states)
	s.check("gone: the others", slices.Equal(report.states("box"), []string{"open"}), "%q", report.states("box"))
	s.check("gone: why", strings.Contains(report.why("attic"), "Connection refused"), "%s", report.why("attic"))
	s.check("gone: not quiet", strings.HasPrefix(r.read("latest.md"), "**INCOMPLETE: "), "%s", r.read("latest.md"))
	r.start(attic)
	_, report = r.tick(3)
	states = report.states("attic")
	s.check("back: open", slices.Equal(states, []string{"open"}), "%q", states)
	s.check("back: read", report.why("attic") == "", "%s", report.why("attic"))
	entries := r.read("ledger.jsonl")
	s.check("asked once", strings.Count(entries, `"verb":"ask"`) == 2, "%s", entries) // and once about the listing
	s.check("resolved", strings.Count(entries, `"resolved":true`) == 1 && strings.Contains(entries, `"keys":["listing:attic"]`), "%s", entries)
	out, stderr, status := r.run("fleet-ledger", "verify")
	s.check("verify", status == 0 && stderr == "", "status %d: %s%s", status, stderr, out)
}
