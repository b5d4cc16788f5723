// Package agents asks agents of macf for their health, over mutual TLS. It is
// apart from internal/observe because what it links, net/http and crypto/tls,
// costs every program a part of its start.
package agents

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
)

// TLS asks the agents of one project, several at once. [New] makes one.
type TLS struct {
	roots *x509.CertPool
	own   []tls.Certificate
}

// New returns one that trusts the certificates of the project's authority, PEM,
// and no others. That none in it is valid at now is an error.
func New(authority []byte, now time.Time) (*TLS, error) {
	a, past := &TLS{roots: x509.NewCertPool()}, false
	for block, rest := pem.Decode(authority); block != nil; block, rest = pem.Decode(rest) {
		switch cert, err := x509.ParseCertificate(block.Bytes); {
		case err != nil || block.Type != "CERTIFICATE":
		case !valid(cert, now):
			past = true
		default:
			a.roots.AddCert(cert)
		}
	}
	switch {
	case !a.roots.Equal(x509.NewCertPool()):
		return a, nil
	case past:
		return nil, errors.New("the certificate of the project's authority is not valid now")
	}
	return nil, errors.New("the certificate of the project's authority is none")
}

func valid(cert *x509.Certificate, now time.Time) bool {
	return !now.Before(cert.NotBefore) && !now.After(cert.NotAfter)
}

// Own takes the certificate that is shown to agents, which must be valid at now, and its
// key, both PEM. No error quotes the key.
func (a *TLS) Own(cert, key []byte, now time.Time) error {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return errors.New("agent-cert.pem and agent-key.pem are no certificate and its key")
	}
	if !valid(pair.Leaf, now) {
		return errors.New("agent-cert.pem is not valid now")
	}
	a.own = []tls.Certificate{pair}
	return nil
}

// Get asks the agent at an address, host:port, and returns what became of it,
// without a body, and the body as it came, macf.HealthLimit bytes and one at
// most. now is when certificates have to be valid. It follows no redirect and
// uses no proxy: what answers elsewhere is not the agent.
func (a *TLS) Get(ctx context.Context, address string, now time.Time, timeout time.Duration) (says macf.Recorded, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var shown atomic.Pointer[x509.Certificate] // a handshake that is given up may go on for a moment
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: a.roots, Certificates: a.own, Time: func() time.Time { return now },
		VerifyConnection: func(s tls.ConnectionState) error { shown.Store(s.PeerCertificates[0]); return nil }}
	transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, MaxResponseHeaderBytes: macf.HealthLimit}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/health", nil)
	var res *http.Response
	if err == nil {
		res, err = client.Do(req)
	}
	if err == nil {
		defer res.Body.Close()
		says.Status = res.StatusCode
		body, err = io.ReadAll(io.LimitReader(res.Body, macf.HealthLimit+1))
	}
	if cert := shown.Load(); cert != nil {
		says.Expires = &cert.NotAfter
	}
	if err == nil && len(body) > macf.HealthLimit {
		says.Failure, says.Detail = "body", fmt.Sprintf("its answer has more than the %d KiB that are read", macf.HealthLimit>>10)
	}
	if err != nil {
		blame(&says, err, timeout)
	}
	return says, body
}
