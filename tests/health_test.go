package tests

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Every way in which an agent may fail is its own word, and no agent's failure is
// another's.
func TestHealth(t *testing.T) {
	a := newAgents(t)
	good := a.ca.agent(nil)
	body := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); io.WriteString(w, text) }
	}
	fit := `{"agent": "%s", "status": "online", "version": "0.2.46"}`
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	target := a.listen()
	go http.Serve(target, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.redirected.Add(1); says("redirect", "")(w, r) }))

	a.serve("first", a.mutual(good), says("macf-first", `, "instance_id": "i-9", "state": {"status": "busy", "turn_number": 7, "elapsed_ms": 1080000, "phase": "tool",
		"current_tool": "Bash", "current_command": "make test ghp_`+"FAKE"+strings.Repeat("a1B2", 8)+`", "last_turn_duration_ms": null, "tool_use_count": 3, "output_tokens": 4}`))
	a.serve("idle", a.mutual(good), says("IDLE", `, "state": {"status": "idle", "turn_number": 1, "elapsed_ms": 0, "phase": null, "current_tool": null}, "future": [1]`))
	a.serve("member", a.mutual(good), says("lamp-member", ""))
	a.serve("slow", a.mutual(good), func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(150 * time.Millisecond)
		says("slow", "")(w, r)
	})
	a.speak("deaf", func(c net.Conn) { <-hold; c.Close() })
	a.serve("mute", a.mutual(good), func(http.ResponseWriter, *http.Request) { <-hold })
	a.serve("trickle", a.mutual(good), func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"agent": "trickle"`)
		w.(http.Flusher).Flush()
		<-hold
	})
	a.serve("foreign", a.mutual(a.other.agent(nil)), says("foreign", ""))
	a.serve("elsewhere", a.mutual(a.ca.agent(func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 2)} })), says("elsewhere", ""))
	ended := time.Now().Add(-time.Minute).Truncate(time.Second)
	a.serve("expired", a.mutual(a.ca.agent(func(c *x509.Certificate) { c.NotAfter = ended })), says("expired", ""))
	a.serve("early", a.mutual(a.ca.agent(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(30 * time.Minute) })), says("early", ""))
	a.serve("fussy", &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.other.pool()}, says("fussy", ""))
	old := a.mutual(good)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	a.serve("old", old, says("old", ""))
	a.speak("plain", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n{}"); c.Close() })
	a.serve("broken", a.mutual(good), body(500, fmt.Sprintf(fit, "broken")))
	a.serve("redirect", a.mutual(good), func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+target.Addr().String()+"/health", http.StatusFound)
	})
	a.speak("garbage", func(c net.Conn) {
		s := tls.Server(c, a.mutual(good))
		s.Read(make([]byte, 1))
		io.WriteString(s, "\x00\x01 no HTTP at all\r\n\r\n")
		s.Close()
	})
	a.serve("text", a.mutual(good), body(200, "OK"))
	a.serve("degraded", a.mutual(good), body(200, `{"agent": "degraded", "status": "degraded", "version": "0.2.46"}`))
	a.serve("nameless", a.mutual(good), body(200, `{"status": "online", "version": "0.2.46"}`))
	a.serve("huge", a.mutual(good), body(200, fmt.Sprintf(fit, "huge")+strings.Repeat(" ", 64<<10)))
	a.serve("heads", a.mutual(good), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 80<<10))
		says("heads", "")(w, r)
	})
	a.serve("other", a.mutual(good), says("first", ""))
	a.list("gone", closedPort(t))
	a.write("registry/LAMP_AGENT_BAD", "host: here")
	a.write("registry/OTHER_AGENT_X", "not ours")

	got := a.observe()
	for agent, want := range map[string]string{
		"first": "", "idle": "", "member": "", "slow": "",
		"deaf": "timeout: no answer within 700ms", "mute": "timeout: no answer within 700ms", "trickle": "timeout: no answer within 700ms",
		"foreign":   "certificate: x509: certificate signed by unknown authority",
		"elsewhere": "certificate: x509: certificate is valid for 127.0.0.2, not 127.0.0.1",
		"expired":   "expired: its certificate is not valid now", "early": "expired: its certificate is not valid now",
		"fussy": "trust: it refuses our certificate: tls: unknown certificate authority",
		"old":   "certificate: tls: ", "plain": "certificate: it does not speak TLS",
		"broken": "status: HTTP 500", "redirect": "status: HTTP 302",
		"garbage": "body: its answer is no HTTP, or was cut", "text": "body: its answer does not fit: not JSON at byte 0",
		"degraded": `body: its answer does not fit: status is not "online"`, "nameless": "body: its answer does not fit: agent is missing",
		"huge": "body: its answer has more than the 64 KiB that are read", "heads": "body: its answer is no HTTP, or was cut",
		"other": "identity: it answers as first", "gone": "unreachable: connection refused",
		"bad": "unreachable: its entry in the registry is not understood: not JSON at byte 0",
	} {
		h, ok := got[agent]
		delete(got, agent)
		says := strings.TrimSuffix(h.Failure+": "+h.Detail, ": ")
		if !ok || h.Online != (want == "") || !strings.HasPrefix(says, want) || want == "" && says != "" {
			t.Errorf("%s: online %t, %q, want %q", agent, h.Online, says, want)
		}
		if !h.Online && (h.Version != "" || h.Instance != "" || h.Busy != nil) {
			t.Errorf("%s is not online, and tells %+v", agent, h)
		}
		if agent != "bad" && (h.Listed != "i-"+agent || h.StartedAt == nil) {
			t.Errorf("%s: the entry is not told: %+v", agent, h)
		}
		if _, is := map[string]bool{"deaf": true, "plain": true, "gone": true, "bad": true, "old": true}[agent]; is != (h.CertExpires == nil) {
			t.Errorf("%s: the certificate ends at %v", agent, h.CertExpires)
		}
		switch agent {
		case "first":
			if h.Busy == nil || !*h.Busy || h.Version != "0.2.46" || h.Instance != "i-9" || h.UptimeS != 7 ||
				h.Doing != "busy, turn 7, for 18m0s, tool, Bash, make test [withheld: github-token]" && !strings.Contains(h.Doing, "[withheld") {
				t.Errorf("%+v, busy %v", h, h.Busy)
			}
		case "idle":
			if h.Busy == nil || *h.Busy {
				t.Errorf("%+v", h)
			}
		case "member":
			if h.Busy != nil {
				t.Errorf("it does not say whether it works, and is told as %t", *h.Busy)
			}
		case "expired":
			if !h.CertExpires.Equal(ended) {
				t.Errorf("the certificate ended at %v, told %v", ended, h.CertExpires)
			}
		}
	}
	if len(got) > 0 || a.redirected.Load() > 0 {
		t.Errorf("%d redirects were followed; further agents %v", a.redirected.Load(), got)
	}
}

// An upgrade is seen when its new process answers: another version and another
// instance at the same address.
func TestHealth_upgrade(t *testing.T) {
	a := newAgents(t)
	var version atomic.Value
	version.Store("0.2.44")
	a.serve("first", a.mutual(a.ca.agent(nil)), func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"agent": "first", "status": "online", "version": %q, "instance_id": "i-%s"}`, version.Load(), version.Load())
	})
	for _, v := range []string{"0.2.44", "0.2.46"} {
		version.Store(v)
		if h := a.observe()["first"]; !h.Online || h.Version != v || h.Instance != "i-"+v || h.Listed != "i-first" {
			t.Errorf("at %s: %+v", v, h)
		}
	}
}

// Without something to trust, or to be trusted with, nobody is asked, and the roster was
// not read: that nothing is known of an agent is not that it does not answer.
func TestHealth_trust(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(a *agents)
		want   string
	}{
		"no authority":        {func(a *agents) { os.Remove(filepath.Join(a.home, "registry/LAMP_CA_CERT")) }, "neither the registry nor ~/.macf/certs has the certificate"},
		"no certificate":      {func(a *agents) { a.write("registry/LAMP_CA_CERT", "x") }, "the certificate of the project's authority is none"},
		"no certificate here": {func(a *agents) { os.Remove(filepath.Join(a.home, "repos/first/.macf/certs/agent-cert.pem")) }, "/repos/first/.macf/certs: no such file or directory"},
		"no key":              {func(a *agents) { os.Remove(filepath.Join(a.home, "repos/first/.macf/certs/agent-key.pem")) }, "/repos/first/.macf/certs: no such file or directory"},
		"a certificate that has expired": {func(a *agents) {
			a.owns("first", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
		}, "/repos/first/.macf/certs: agent-cert.pem is not valid now"},
		"another's key": {func(a *agents) { a.write("repos/first/.macf/certs/agent-key.pem", "FAKE KEY") },
			"agent-cert.pem and agent-key.pem are no certificate and its key"},
	} {
		a := newAgents(t)
		var asked atomic.Int32
		a.serve("first", a.mutual(a.ca.agent(nil)), func(http.ResponseWriter, *http.Request) { asked.Add(1) })
		tt.change(a)
		if h := a.observed(3)["first"]; h.Online || h.Failure != "unasked" || !strings.Contains(h.Detail, tt.want) || asked.Load() > 0 {
			t.Errorf("%s: %+v, asked %d times", name, h, asked.Load())
		}
	}
}

// What was recorded is observed again as it was, and holds no key.
func TestHealth_record(t *testing.T) {
	a := newAgents(t)
	good := a.mutual(a.ca.agent(nil))
	a.serve("first", good, says("macf-first", `, "instance_id": "i-9", "state": {"status": "busy", "turn_number": 7}`))
	a.serve("other", good, says("somebody", ""))
	a.serve("broken", good, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	a.list("gone", closedPort(t))
	a.write("registry/LAMP_AGENT_BAD", "host: here")
	dir := filepath.Join(a.home, "rec")
	live := a.observe("--record", dir)
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if bytes.Contains(b, []byte("BEGIN ")) || bytes.Contains(b, []byte(a.secret)) {
			t.Errorf("%s holds a key or a certificate", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := a.observe("--fixtures", dir)
	for _, hs := range []map[string]record.Health{live, again} {
		for agent, h := range hs {
			h.TookMS = 0
			if agent == "bad" {
				h.Detail = "" // what is not understood is not recorded, so nor is why
			}
			hs[agent] = h
		}
	}
	for agent, h := range live {
		want, _ := json.Marshal(h)
		if got, _ := json.Marshal(again[agent]); !bytes.Equal(got, want) {
			t.Errorf("observed %s\nrecorded %s", want, got)
		}
	}
	if len(live) != 5 || len(again) != 5 {
		t.Errorf("%d agents, recorded %d", len(live), len(again))
	}
}
