package tests

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// authority signs certificates of agents.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key, _ = a.issue(&x509.Certificate{Subject: pkix.Name{CommonName: "test-ca"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue signs a certificate; the first one by itself.
func (a *authority) issue(c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = c, key
	}
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key, der
}

// agent is the certificate of an agent on loopback.
func (a *authority) agent(change func(*x509.Certificate)) tls.Certificate {
	c := &x509.Certificate{Subject: pkix.Name{CommonName: "agent"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour).Truncate(time.Second),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if change != nil {
		change(c)
	}
	_, key, der := a.issue(c)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// agents is a home with workspaces of one project, a local registry, and a
// server on loopback for each of its agents.
type agents struct {
	t          *testing.T
	home       string
	ca, other  *authority
	redirected atomic.Int32 // requests that came by a redirect
	secret     string       // of the agent's key, what may never come out
}

func newAgents(t *testing.T) *agents {
	t.Helper()
	a := &agents{t: t, home: t.TempDir(), ca: newAuthority(t), other: newAuthority(t)}
	a.write("registry/LAMP_CA_CERT", pemOf("CERTIFICATE", a.ca.cert.Raw))
	a.owns("first", nil)
	a.workspace("first", "first", "macf-first")
	return a
}

// owns gives the workspace of an agent a certificate, as changed, and its key.
func (a *agents) owns(agent string, change func(*x509.Certificate)) {
	a.t.Helper()
	own := a.ca.agent(change)
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		a.t.Fatal(err)
	}
	text := pemOf("PRIVATE KEY", key)
	a.secret = strings.Split(text, "\n")[1]
	a.write("repos/"+agent+"/.macf/certs/agent-cert.pem", pemOf("CERTIFICATE", own.Certificate[0]))
	a.write("repos/"+agent+"/.macf/certs/agent-key.pem", text)
}

func (a *agents) write(name, text string) {
	a.t.Helper()
	name = filepath.Join(a.home, name)
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *agents) workspace(dir, label, name string) {
	a.write("repos/"+dir+"/.macf/macf-agent.json", fmt.Sprintf(`{"project": "lamp", "agent_name": %q, "routing_label": %q, "agent_role": "r", "agent_type": "permanent",
		"registry": {"type": "local", "path": "~/registry"}, "versions": {"cli": "0.2.46", "plugin": "1", "actions": "1"}}`, name, label))
	a.write("repos/"+dir+"/claude.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(a.home, "repos", dir, "claude.sh"), 0o700); err != nil {
		a.t.Fatal(err)
	}
}

// list registers an agent at an address of loopback.
func (a *agents) list(agent, address string) {
	a.t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write("registry/LAMP_AGENT_"+strings.ToUpper(strings.ReplaceAll(agent, "-", "_")),
		fmt.Sprintf(`{"host": %q, "port": %s, "type": "permanent", "instance_id": "i-%s", "started": "2026-11-29T14:00:00Z"}`, host, port, agent))
}

// listen listens on loopback until the test ends.
func (a *agents) listen() net.Listener {
	a.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { l.Close() })
	return l
}

// mutual is how an agent's server speaks: it wants a certificate of ca.
func (a *agents) mutual(cert tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.ca.pool()}
}

// serve registers an agent that answers as h does.
func (a *agents) serve(agent string, config *tls.Config, h http.HandlerFunc) {
	a.t.Helper()
	l := a.listen()
	s := &http.Server{Handler: h, TLSConfig: config.Clone(), ErrorLog: log.New(io.Discard, "", 0)}
	a.t.Cleanup(func() { s.Close() })
	go s.ServeTLS(l, "", "")
	a.list(agent, l.Addr().String())
}

// speak registers an agent whose connections f has.
func (a *agents) speak(agent string, f func(net.Conn)) {
	a.t.Helper()
	l := a.listen()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f(c)
		}
	}()
	a.list(agent, l.Addr().String())
}

// says answers with a body that fits, with further fields.
func says(agent, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"agent": %q, "status": "online", "type": "permanent", "uptime_seconds": 7, "current_issue": null, "version": "0.2.46", "last_notification": null%s}`, agent, more)
	}
}

// observe runs the observers one behind the other and returns the health records
// by agent.
func (a *agents) observe(args ...string) map[string]record.Health { return a.observed(0, args...) }

// observed is that with the status of the observer of health.
func (a *agents) observed(status int, args ...string) map[string]record.Health {
	a.t.Helper()
	out := a.run(a.run(nil, 0, "fleet-observe-workspaces"), status, append([]string{"fleet-observe-health", "--timeout", "700ms"}, args...)...)
	got := map[string]record.Health{}
	set := new(record.Set)
	for line, err := range record.All(bytes.NewReader(out)) {
		if err != nil {
			a.t.Fatal(err)
		}
		set.Add(line)
		if h, ok := record.Payload[record.Health](line.Record); ok {
			got[h.Agent] = *h
			if line.Record.Subject != "lamp/"+h.Agent || h.Project != "lamp" {
				a.t.Errorf("subject %s of %+v", line.Record.Subject, h)
			}
		}
	}
	host := set.Hosts()[0]
	for _, program := range []string{"fleet-observe-workspaces", "fleet-observe-health"} {
		if err := set.Closed(host, program); err != nil {
			a.t.Error(err)
		}
	}
	return got
}

// run runs a program with that status; nothing of a key may be in what it says.
func (a *agents) run(in []byte, status int, argv ...string) []byte {
	a.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + os.Getenv("PATH"), "HTTPS_PROXY=http://127.0.0.1:9", "ALL_PROXY=http://127.0.0.1:9"}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = a.home, bytes.NewReader(in), &out, &errs
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != status {
		a.t.Fatalf("%v: status %d\n%s", argv, got, errs.String())
	}
	for _, text := range []string{out.String(), errs.String()} {
		if strings.Contains(text, a.secret) || strings.Contains(text, "PRIVATE KEY") {
			a.t.Errorf("%v shows a key", argv)
		}
	}
	return out.Bytes()
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
