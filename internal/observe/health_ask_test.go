package observe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/record"
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
		q := new(question)
		if tt.shown {
			q.says.Expires = &ended
		}
		q.blame(tt.err, 5*time.Second)
		if got := q.says.Failure + ": " + q.says.Detail; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if _, showed := errors.AsType[*tls.CertificateVerificationError](tt.err); showed != (q.says.Expires != nil && !tt.shown) {
			t.Errorf("%s: the certificate ends at %v", name, q.says.Expires)
		}
	}
}

// Without a certificate of a workspace there is nothing to be trusted with.
func TestTrust_ofNoWorkspace(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	p := &project{written: "lamp", spaces: []record.Workspace{{Path: "/w/a"}, {Path: "/w/b"}}}
	got, err := (&rosters{w: &World{FS: fstest.MapFS{}}}).trust(p, []macf.Variable{{Name: "LAMP_CA_CERT", Value: text}})
	if err == nil || err.Error() != "/w/a/.macf/certs: file does not exist" || got.roots != nil {
		t.Errorf("%+v %v", got, err)
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
		at := s.Listener.Addr().(*net.TCPAddr)
		q := &question{entry: macf.Entry{Host: "127.0.0.1", Port: at.Port}, trust: trust{roots: x509.NewCertPool()}}
		q.trust.roots.AddCert(s.Certificate())
		if tt.answer == nil {
			s.Close()
		}
		body := q.get(context.Background(), &World{At: time.Now()}, 10*time.Second)
		s.Close()
		got := fmt.Sprint(q.says.Status) + " "
		if len(body) < 10 && path != "moved" {
			got += string(body) + " "
		}
		got += strings.TrimSuffix(q.says.Failure+": "+q.says.Detail, ": ")
		if got = strings.Replace(got, "0  ", "0 ", 1); got != tt.want || asked > 1 || (q.says.Expires == nil) != (tt.answer == nil) {
			t.Errorf("%s: %q, want %q; asked %d times", path, got, tt.want, asked)
		}
	}
}
