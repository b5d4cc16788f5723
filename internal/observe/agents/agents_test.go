package agents

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/tests/rig/testca"
)

// Every failure has its word, however deep it lies in what the library says.
func TestBlame(t *testing.T) {
	of := func(err error) error { return &url.Error{Op: "Get", URL: "https://FAKE/health", Err: err} }
	op := func(name string, err error) error { return &net.OpError{Op: name, Net: "tcp", Err: err} }
	ended := time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC)
	verify := func(err error) error {
		return &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{{NotAfter: ended}}, Err: err}
	}
	for name, tt := range map[string]struct {
		err   error
		shown bool // a certificate was taken
		want  string
	}{
		"refused":            {of(op("dial", &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED})), false, "unreachable: connection refused"},
		"no such name":       {of(op("dial", &net.DNSError{Err: "no such host", Name: "FAKE", IsNotFound: true})), false, "unreachable: its name is not known: no such host"},
		"ended":              {of(io.EOF), true, "unreachable: it ended the connection"},
		"reset":              {of(op("read", &os.SyscallError{Syscall: "read", Err: syscall.ECONNRESET})), true, "unreachable: connection reset by peer"},
		"late":               {of(context.DeadlineExceeded), false, "timeout: no answer within 5s"},
		"late in the socket": {of(op("read", os.ErrDeadlineExceeded)), true, "timeout: no answer within 5s"},
		"an old certificate": {of(verify(x509.CertificateInvalidError{Reason: x509.Expired})), false, "expired: its certificate is not valid now"},
		"a bad certificate":  {of(verify(x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign})), false, "certificate: x509: certificate is not authorized to sign other certificates"},
		"another authority":  {of(verify(errors.New("x509: unknown"))), false, "certificate: x509: unknown"},
		"no TLS":             {of(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), false, "certificate: it does not speak TLS"},
		"plain HTTP":         {of(errors.New("http: server gave HTTP response to HTTPS client")), false, "certificate: it does not speak TLS"},
		"ours is refused":    {of(op("remote error", errors.New("tls: bad certificate"))), true, "trust: it refuses our certificate: tls: bad certificate"},
		"no version":         {of(op("remote error", errors.New("tls: protocol version not supported"))), false, "certificate: tls: protocol version not supported"},
		"its old version":    {of(errors.New("tls: server selected unsupported protocol version 302")), false, "certificate: tls: server selected unsupported protocol version 302"},
		"no HTTP":            {of(errors.New("malformed HTTP response FAKE")), true, "body: its answer is no HTTP, or was cut"},
		"before a handshake": {of(errors.New("something else")), false, "unreachable: something else"},
	} {
		says := new(macf.Recorded)
		if tt.shown {
			says.Expires = &ended
		}
		blame(says, tt.err, 5*time.Second)
		if got := says.Failure + ": " + says.Detail; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if _, showed := errors.AsType[*tls.CertificateVerificationError](tt.err); showed != (says.Expires != nil && !tt.shown) {
			t.Errorf("%s: the certificate ends at %v", name, says.Expires)
		}
	}
}

// An answer is that of the address that was asked, and whole.
func TestGet(t *testing.T) {
	for path, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"fits":  {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }, "200 {} "},
		"moved": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "302 "},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			io.WriteString(w, "{}")
		}, "200 {} body: its answer is no HTTP, or was cut"},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat("x", macf.HealthLimit+1))
		},
			"200 body: its answer has more than the 64 KiB that are read"},
		"gone": {nil, "0 unreachable: connection refused"},
	} {
		asked := 0
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			if r.URL.Path != "/health" || r.Method != http.MethodGet {
				t.Errorf("%s: %s %s", path, r.Method, r.URL)
			}
			tt.answer(w, r)
		}))
		address := s.Listener.Addr().String()
		a, err := New(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if tt.answer == nil {
			s.Close()
		}
		says, body := a.Get(t.Context(), address, time.Now(), 10*time.Second)
		s.Close()
		got := fmt.Sprint(says.Status) + " "
		if len(body) < 10 && path != "moved" {
			got += string(body) + " "
		}
		got += strings.TrimSuffix(says.Failure+": "+says.Detail, ": ")
		if got = strings.Replace(got, "0  ", "0 ", 1); got != tt.want || asked > 1 || (says.Expires == nil) != (tt.answer == nil) {
			t.Errorf("%s: %q, want %q; asked %d times", path, got, tt.want, asked)
		}
	}
}

// Without an authority nobody is trusted, and what is no certificate with its
// key is not shown; no error quotes them.
func TestNew(t *testing.T) {
	ca, err := testca.New()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.Leaf("own")
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ca.Leaf("other")
	if err != nil {
		t.Fatal(err)
	}
	for _, pem := range []string{"", "FAKE", string(key)} {
		if a, err := New([]byte(pem), time.Now()); a != nil || err == nil || err.Error() != "the certificate of the project's authority is none" {
			t.Errorf("trusts %q: %+v %v", pem, a, err)
		}
	}
	for _, never := range []time.Time{time.Now().AddDate(-20, 0, 0), time.Now().AddDate(20, 0, 0)} {
		if a, err := New(ca.PEM(), never); a != nil || err == nil || err.Error() != "the certificate of the project's authority is not valid now" {
			t.Errorf("trusts at %v: %+v %v", never, a, err)
		}
	}
	a, err := New(ca.PEM(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Own(cert, key, time.Now().AddDate(20, 0, 0)); err == nil || err.Error() != "agent-cert.pem is not valid now" || a.own != nil {
		t.Errorf("one that is not valid any more: %v", err)
	}
	for name, pair := range map[string][2][]byte{"nothing": {}, "no key": {cert, []byte("FAKE KEY")}, "no certificate": {[]byte("FAKE"), key}, "another's key": {cert, other}} {
		if err := a.Own(pair[0], pair[1], time.Now()); err == nil || err.Error() != "agent-cert.pem and agent-key.pem are no certificate and its key" || a.own != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := a.Own(cert, key, time.Now()); err != nil || len(a.own) != 1 {
		t.Errorf("its own: %v", err)
	}
}

// An agent that asks for a certificate is shown ours, and refuses who has none.
func TestGet_own(t *testing.T) {
	ca, err := testca.New()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.Leaf("agent")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.PEM())
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	a, err := New(ca.PEM(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if says, _ := a.Get(t.Context(), s.Listener.Addr().String(), time.Now(), 10*time.Second); says.Failure != "trust" || says.Expires == nil {
		t.Errorf("without one: %+v", says)
	}
	if err := a.Own(cert, key, time.Now()); err != nil {
		t.Fatal(err)
	}
	if says, body := a.Get(t.Context(), s.Listener.Addr().String(), time.Now(), 10*time.Second); says.Status != 200 || says.Failure != "" || string(body) != "{}" {
		t.Errorf("with ours: %+v %s", says, body)
	}
	if says, _ := a.Get(t.Context(), s.Listener.Addr().String(), time.Now().Add(100*time.Hour), 10*time.Second); says.Failure != "expired" || says.Expires == nil {
		t.Errorf("when it has ended: %+v", says)
	}
}
