package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// withAgents gives a box the workspaces of three agents of macf that are down:
// code is listed in a directory, desk in macf's own file, and far at GitHub.
func (b *box) withAgents() {
	b.t.Helper()
	for agent, registry := range map[string]string{"code": `"local", "path": "~/registry"`, "desk": `"local", "path": "~/shared.json"`, "far": `"org", "org": "acme"`} {
		project := map[string]string{"code": "lamp", "desk": "desk", "far": "far"}[agent]
		b.write("repos/"+agent+"/.git/HEAD", "ref: refs/heads/main\n")
		b.write("repos/"+agent+"/.macf/macf-agent.json", fmt.Sprintf(`{"project": %q, "agent_name": %q, "routing_label": %q, "agent_role": "r", "agent_type": "permanent",
			"registry": {"type": %s}, "versions": {"cli": "0.2.46", "plugin": "1", "actions": "1"}}`, project, agent, agent, registry))
		b.write("repos/"+agent+"/claude.sh", "#!/bin/sh\n")
		if err := os.Chmod(b.path("repos/"+agent+"/claude.sh"), 0o700); err != nil {
			b.t.Fatal(err)
		}
		cert, key := identity(b.t)
		b.write("repos/"+agent+"/.macf/certs/agent-cert.pem", cert)
		b.write("repos/"+agent+"/.macf/certs/agent-key.pem", key)
		b.write("registry/LAMP_CA_CERT", cert)
	}
	const entry = `{"host": "127.0.0.1", "port": 1, "type": "permanent", "instance_id": "i", "started": "2026-11-29T14:00:00Z"}`
	b.write("registry/LAMP_AGENT_CODE", entry)
	b.write("shared.json", `{"schema_version": 1, "project": "desk", "agents": {"desk": `+entry+`}}`)
	b.write(".macf/maintenance-locks/code.lock", fmt.Sprintf(`{"schema_version": 1, "agent": "code", "target_version": "0.2.46", "heartbeat_at": %d}`, time.Now().Unix()-7200))
	b.write(".macf/last-exit/code", "1\n")
	b.write("token", "FAKE\n")
	b.write("desired.json", `[{"agent": "code", "workspace": "`+b.path("repos/code")+`"}]`)
}

var identityOnce = sync.OnceValues(func() ([2]string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return [2]string{}, err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "x"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return [2]string{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	text := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return [2]string{text("CERTIFICATE", der), text("PRIVATE KEY", private)}, err
})

// identity is a certificate that is its own authority, and its key.
func identity(t testing.TB) (cert, key string) {
	t.Helper()
	pair, err := identityOnce()
	if err != nil {
		t.Fatal(err)
	}
	return pair[0], pair[1]
}

// sweepStream is what the last tick of a box saw, and what a sweep adds to it.
func (b *box) sweepStream() string {
	b.t.Helper()
	ticks, err := filepath.Glob(b.path("state/ticks/*/snapshot.ndjson"))
	if err != nil || len(ticks) == 0 {
		b.t.Fatalf("no snapshot: %v", err)
	}
	stream := readFile(b.t, ticks[len(ticks)-1])
	for _, argv := range [][]string{{"fleet-observe-workspaces"}, {"fleet-observe-health"}, {"fleet-reconcile"}} {
		r := b.run(strings.NewReader(stream), argv...)
		if r.status != 0 && r.status != 3 || r.stdout == "" {
			b.t.Fatalf("%q: status %d: %s", argv, r.status, r.stderr)
		}
		if argv[0] == "fleet-observe-workspaces" {
			r.stdout = stream + r.stdout
		}
		stream = r.stdout
	}
	return stream
}

// notes are calls of fleet-ledger that note something, and print nothing.
var notes = map[string][]string{
	"pause":   {"fleet-ledger", "pause", "code"},
	"unpause": {"fleet-ledger", "unpause", "code"},
	"exited":  {"fleet-ledger", "exited", "code", "1"},
	"swept":   {"fleet-ledger", "swept", "--status", "1", "--detail", strings.Repeat("z", 300)},
}

// Whatever is in the place of the ledger or of its lock, a note is there or is
// not, and what was there stays.
func TestNotes_files(t *testing.T) {
	for kind, lay := range kinds {
		for name, argv := range notes {
			for _, path := range []string{"state/ledger.jsonl", "state/ledger.lock"} {
				if name == "unpause" || name == "exited" && !long {
					continue // as pause
				}
				t.Run(strings.ReplaceAll(name+" "+filepath.Base(path)+" "+kind, " ", "-"), func(t *testing.T) {
					t.Parallel()
					b := withScope(t)
					b.write("state/ledger.lock", "")
					os.Remove(b.path(path))
					if err := lay(b, b.path(path)); err != nil {
						t.Fatal(err)
					}
					r := b.run(nil, argv...)
					if r.peak > most {
						t.Errorf("%d MiB", r.peak>>20)
					}
					switch {
					case r.status != 0:
						r.failed(t, b.path(path))
					case kind != "empty file" && kind != "one line of 300 M" && kind != "link to nothing":
						t.Errorf("noted, in a %s", kind)
					default:
						if r := b.run(nil, "fleet-ledger", "cat"); !strings.Contains(r.stdout, `"kind":"`) {
							t.Errorf("status 0, and there is no entry: %.300q %s", r.stdout, r.stderr)
						}
					}
				})
			}
		}
	}
}
