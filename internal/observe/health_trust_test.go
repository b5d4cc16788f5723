package observe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	asking "github.com/fleet-tools/fleet/internal/observe/agents"
	"github.com/fleet-tools/fleet/internal/record"
)

// What there is to trust, and to be trusted with, is read where macf keeps it.
func TestTrust(t *testing.T) {
	space := func(path string) record.Workspace { return record.Workspace{Path: path} }
	for name, tt := range map[string]struct {
		kind  string
		files map[string]string
		value string // of the variable
		want  string
	}{
		"no variable":           {"org", nil, "", "the registry has no variable LAMP_X_CA_CERT"},
		"an empty one":          {"org", nil, " \n", "the registry has no variable LAMP_X_CA_CERT"},
		"no certificate":        {"org", nil, "x", "the certificate of the project's authority is none"},
		"no file":               {"local", nil, "", "neither the registry nor ~/.macf/certs has the certificate of the project's authority: file does not exist"},
		"a file":                {"local", map[string]string{"home/ana/.macf/certs/lamp-x/ca-cert.pem": "x"}, "", "the certificate of the project's authority is none"},
		"a file spelt as it is": {"local", map[string]string{"home/ana/.macf/certs/lamp_x/ca-cert.pem": "x"}, "", "the certificate of the project's authority is none"},
	} {
		m := fstest.MapFS{}
		for file, text := range tt.files {
			m[file] = &fstest.MapFile{Data: []byte(text)}
		}
		w := &machine.World{Home: "/home/ana", FS: m, Getenv: func(string) string { return "" }}
		var vs []macf.Variable
		if tt.value != "" {
			vs = []macf.Variable{{Name: "lamp_x_ca_cert", Value: tt.value}}
		}
		p := &project{name: "lamp-x", written: "lamp_x", registry: record.Registry{Kind: tt.kind}, spaces: []record.Workspace{space("/w")}}
		got, err := (&rosters{w: w, o: Health{Trusting: trusting}}).trust(p, vs)
		if err == nil || err.Error() != tt.want || got != nil {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		q := &question{of: &project{asker: got, untrusted: err}}
		if body := q.get(context.Background(), w, time.Second); body != nil || q.says.Failure != unasked || q.says.Detail != tt.want {
			t.Errorf("%s: asked all the same: %+v", name, q.says)
		}
	}
	for file, want := range map[string]string{"": "open home/ana/agent-cert.pem: file does not exist", "agent-cert.pem": "open home/ana/agent-key.pem: file does not exist",
		"agent-key.pem": "agent-cert.pem and agent-key.pem are no certificate and its key"} {
		m := fstest.MapFS{}
		for _, name := range []string{"agent-cert.pem", "agent-key.pem"} {
			if file != "" && name <= file {
				m["home/ana/"+name] = &fstest.MapFile{Data: []byte("FAKE KEY")}
			}
		}
		if err := keyPair(&machine.World{FS: m}, "/home/ana", new(asking.TLS)); err == nil || err.Error() != want || strings.Contains(err.Error(), "FAKE") {
			t.Errorf("up to %q: %v", file, err)
		}
	}
}

// What cannot be read, written or recorded is a failure.
func TestHealth_output(t *testing.T) {
	r := newRecording(t)
	r.write("root/reg/LAMP_AGENT_A", entryJSON(1))
	set := spacesOf(t, "lamp a local /reg")
	for _, subject := range []string{"lamp/a", "macf/roster:lamp", surfaceHealth, "closing"} {
		if _, err := (Health{}).Observe(context.Background(), r.world(), set, failingSink{subject}); err != errSink {
			t.Errorf("%s: %v", subject, err)
		}
	}
	w, to := r.world(), filepath.Join(t.TempDir(), "rec")
	if err := errors.Join(w.Record(to), os.RemoveAll(to)); err != nil {
		t.Fatal(err)
	}
	if _, err := (Health{}).Observe(context.Background(), w, set, failingSink{}); err == nil || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := (Health{}).Read(strings.NewReader("x\n"), func([]byte) error { return nil }); err == nil {
		t.Error("what is no record was read")
	}
}

// A recording answers as the registry did, also where that failed.
func TestHealth_record(t *testing.T) {
	r := newRecording(t)
	r.page("orgs/acme", 1, 3, "LAMP_CA_CERT", "-----BEGIN FAKE", "LAMP_AGENT_A", entryJSON(1))
	r.page("orgs/acme", 2, 3, "LAMP_AGENT_B", entryJSON(2))
	r.page("orgs/cut", 1, 3, "LANE_AGENT_A", entryJSON(1))
	r.page("orgs/cut", 2, 3)
	r.api("orgs/limited/actions/variables?per_page=30&page=1", 429, `{"message":"API rate limit exceeded"}`)
	r.write("root/r.json", strings.ReplaceAll(storeJSON, "lamp", "moon"))
	r.write("root/s.json", storeJSON)
	r.write("root/x/y", "")
	set := spacesOf(t, "lamp a org acme", "desk b org limited", "moon c local /r.json", "lampe d local /x/none", "lane e org cut", "sun f local /s.json", "tin g local /x/r.json")
	to := filepath.Join(t.TempDir(), "rec")
	w := r.world()
	if err := w.Record(to); err != nil {
		t.Fatal(err)
	}
	first := observeHealth(t, w, set)
	again, err := machine.New(to, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	second := observeHealth(t, again, set)
	show := func(k *agentSink) string {
		ok, agents := map[string]string{}, map[string]string{}
		for name, s := range k.surfaces {
			ok[name] = fmt.Sprint(s.OK, s.Rows, s.Unparsed, s.Notes)
		}
		for name, h := range k.health {
			agents[name] = fmt.Sprint(h.Address, h.Listed, h.StartedAt, h.Failure, h.Detail)
		}
		return fmt.Sprint(ok, agents)
	}
	if want, got := show(first), show(second); len(first.surfaces) != 8 || len(first.health) != 3 || got != want {
		t.Errorf("observed %s\nrecorded %s", want, got)
	}
	for name, text := range filesBelow(t, to) {
		if strings.Contains(text, "FAKE") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
