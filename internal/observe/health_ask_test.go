package observe

import (
	"encoding/pem"
	"net"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
	asking "github.com/fleet-tools/fleet/internal/observe/agents"
	"github.com/fleet-tools/fleet/internal/record"
)

// trusting is what the programs make askers with.
func trusting(pem []byte, now time.Time) (Asker, error) { return asking.New(pem, now) }

// An address is written as the network's package writes it.
func TestAddressOf(t *testing.T) {
	for _, host := range []string{"desk", "127.0.0.1", "::1", "fe80::1%en0", ""} {
		if got, want := addressOf(macf.Entry{Host: host, Port: 8443}), net.JoinHostPort(host, strconv.Itoa(8443)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Without a certificate of a workspace there is nothing to be trusted with.
func TestTrust_ofNoWorkspace(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	p := &project{written: "lamp", spaces: []record.Workspace{{Path: "/w/a"}, {Path: "/w/b"}}}
	got, err := (&rosters{w: &machine.World{FS: fstest.MapFS{}, At: time.Now()}, o: Health{Trusting: trusting}}).trust(p, []macf.Variable{{Name: "LAMP_CA_CERT", Value: text}})
	if err == nil || err.Error() != "/w/a/.macf/certs: file does not exist" || got != nil {
		t.Errorf("%+v %v", got, err)
	}
}
