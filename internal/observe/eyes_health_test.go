package observe

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
	"github.com/fleet-tools/fleet/tests/rig/testca"
)

// answering is a home with one workspace whose agent is registered and answers.
func answering(t *testing.T, version string) (e eyed, s record.Seen) {
	t.Helper()
	e = newEyed(t)
	ca, err := testca.New()
	if err != nil {
		t.Fatal(err)
	}
	server, skey, err := ca.Leaf("agent")
	if err != nil {
		t.Fatal(err)
	}
	own, okey, err := ca.Leaf("own")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tls.X509KeyPair(server, skey)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.PEM())
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"agent":"code","status":"online","type":"permanent","uptime_seconds":7,"current_issue":null,"version":%q,"last_notification":null,"instance_id":"i2"}`, version)
	}))
	h.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	h.StartTLS()
	t.Cleanup(h.Close)
	host, port, _ := strings.Cut(h.Listener.Addr().String(), ":")
	e.write("registry/LAMP_AGENT_CODE", fmt.Sprintf(`{"host":%q,"port":%s,"type":"permanent","instance_id":"i1","started":"2026-11-29T14:00:00Z"}`, host, port))
	e.write("registry/LAMP_AGENT_OTHER", fmt.Sprintf(`{"host":%q,"port":%s,"type":"permanent","instance_id":"i1","started":"2026-11-29T14:00:00Z"}`, host, port))
	e.write("registry/LAMP_CA_CERT", string(ca.PEM()))
	e.write("w/.macf/certs/agent-cert.pem", string(own))
	e.write("w/.macf/certs/agent-key.pem", string(okey))
	e.write("w/.macf/macf-agent.json", `{"project":"lamp","agent_name":"code","routing_label":"code","agent_role":"r","agent_type":"permanent","registry":{"type":"local","path":"~/registry"},"versions":{"cli":"0.2.46","plugin":"1","actions":"1"}}`)
	return e, record.Seen{Host: "devbox", Project: "lamp", Workspace: filepath.Join(e.home, "w")}
}

// An agent is asked as its registry lists it now; who is not listed is nobody,
// and a registry that cannot be read is an error.
func TestEyes_Health(t *testing.T) {
	e, s := answering(t, "0.2.47")
	eyes := Eyes{Ask: Health{Binary: "gh", Timeout: 10 * time.Second, GHTimeout: time.Second, Trusting: trusting}}
	h, err := eyes.Health(t.Context(), "code", s)
	if err != nil || h == nil || !h.Online || h.Agent != "code" || h.Version != "0.2.47" || h.Instance != "i2" || h.Listed != "i1" {
		t.Fatalf("%+v %v", h, err)
	}
	if h, err := eyes.Health(t.Context(), "nobody", s); h != nil || err != nil {
		t.Errorf("not listed: %+v %v", h, err)
	}
	if h, err := eyes.Health(t.Context(), "code", record.Seen{Host: s.Host, Workspace: s.Workspace}); h != nil || err != nil {
		t.Errorf("of no list: %+v %v", h, err)
	}
	for dir, says := range map[string]string{e.home + "/none": "macf/workspaces: ", e.home + "/registry": "is no workspace of an agent any more"} {
		h, err := eyes.Health(t.Context(), "code", record.Seen{Host: s.Host, Project: "lamp", Workspace: dir})
		if h != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %+v %v", dir, h, err)
		}
	}
	if err := os.Rename(filepath.Join(e.home, "registry"), filepath.Join(e.home, "gone")); err != nil {
		t.Fatal(err)
	}
	if h, err := eyes.Health(t.Context(), "code", s); h != nil || err == nil || !strings.HasPrefix(err.Error(), "macf/roster:lamp: ") {
		t.Errorf("no registry: %+v %v", h, err)
	}
	t.Setenv("HOME", "")
	if h, err := eyes.Health(t.Context(), "code", s); h != nil || err == nil {
		t.Errorf("no home: %+v %v", h, err)
	}
}

// The stream of one workspace is whole, so that asking its agent is not cut.
func TestOnly(t *testing.T) {
	r, err := record.New(record.KindWorkspace, record.NewTime(hubTime), "devbox", byWorkspaces, "/w", record.Workspace{Path: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	set := Eyes{}.only(r)
	if err := set.Closed("devbox", byWorkspaces); err != nil {
		t.Error(err)
	}
	for _, subject := range []string{surfaceWorkspaces, surfaceAgents} {
		got, ok := set.Get(record.Identity{Host: "devbox", Kind: record.KindSurface, Subject: subject})
		if s, is := record.Payload[record.Surface](got); !ok || !is || !s.OK {
			t.Errorf("%s: %+v", subject, got)
		}
	}
	if got := set.Of(record.KindWorkspace); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

// What is caught is closed with its number; what is no record is an error, and
// ends the look.
func TestCaught(t *testing.T) {
	c := &Caught{By: "fleet-act", Set: new(record.Set)}
	at := record.NewTime(hubTime)
	if err := c.AddData(record.KindFinding, at, "h", "a", record.Finding{Name: "count"}); err != nil {
		t.Fatal(err)
	}
	if err := c.AddData(record.KindFinding, at, "h", "b", math.NaN()); err == nil {
		t.Error("what is no JSON was taken")
	}
	if err := c.Close(at, "h", ""); err != nil {
		t.Fatal(err)
	}
	if err := c.Set.Closed("h", "fleet-act"); err != nil || len(c.Set.All()) != 2 {
		t.Errorf("%v: %+v", err, c.Set.All())
	}
	newEyed(t)
	set, err := Eyes{}.look(func(_ *machine.World, sink Sink) ([]string, error) {
		sink.Warn("heard by nobody")
		return nil, sink.AddData(record.KindFinding, at, "h", "b", math.NaN())
	}, "part")
	if set != nil || err == nil {
		t.Errorf("%+v %v", set, err)
	}
	set, err = Eyes{}.look(func(*machine.World, Sink) ([]string, error) { return []string{"partly: not read"}, nil }, "part")
	if set == nil || err != nil {
		t.Errorf("another part: %+v %v", set, err)
	}
}

// An agent whose workspace has nothing to ask with is asked with what another of its
// project has, as the observer does: of this machine, and of no other project.
func TestEyes_Health_known(t *testing.T) {
	e, s := answering(t, "1.2.3")
	if err := os.Rename(filepath.Join(e.home, "w/.macf/certs"), filepath.Join(e.home, "certs")); err != nil {
		t.Fatal(err)
	}
	e.write("x/.macf/macf-agent.json", `{"project":"lamp","agent_name":"other","agent_role":"r","agent_type":"permanent","registry":{"type":"local","path":"~/registry"}}`)
	if err := os.Rename(filepath.Join(e.home, "certs"), filepath.Join(e.home, "x/.macf/certs")); err != nil {
		t.Fatal(err)
	}
	host := ""
	if w, err := machine.New("", time.Now(), false); err != nil {
		t.Fatal(err)
	} else {
		host = w.Host
	}
	place := record.Workspace{Agent: "other", Project: "lamp", Path: filepath.Join(e.home, "x"), Registry: &record.Registry{Kind: "local", ID: filepath.Join(e.home, "registry")}}
	lost := place
	lost.Agent, lost.Registry = "", nil // one that is not understood
	for name, tt := range map[string]struct {
		host string
		data record.Workspace
		want bool
	}{"of its project": {host, place, true}, "another machine's": {"attic", place, false}, "not understood": {host, lost, false}} {
		r, err := record.New(record.KindWorkspace, record.NewTime(time.Now()), tt.host, "fleet-observe-workspaces", tt.data.Path, tt.data)
		if err != nil {
			t.Fatal(err)
		}
		set := new(record.Set)
		set.Add(record.Line{Record: r})
		h, err := Eyes{Ask: Health{Binary: "gh", Timeout: 10 * time.Second, GHTimeout: time.Second, Trusting: trusting}, Known: set}.Health(t.Context(), "code", s)
		if (err == nil) != tt.want || tt.want && (h == nil || !h.Online) || !tt.want && !strings.Contains(err.Error(), "macf/roster:lamp: not read: its agents cannot be asked: ") {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}
