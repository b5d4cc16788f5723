package observe

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
)

// trust is what an agent of a project is asked with.
type trust struct {
	roots *x509.CertPool
	own   []tls.Certificate
}

// trust reads the authority of a project, and the certificate of the first of
// its workspaces that has one.
func (r *rosters) trust(p *project, vs []macf.Variable) (trust, error) {
	if r.w.Recorded() {
		return trust{}, nil
	}
	pem, err := r.authority(p, vs)
	if err != nil {
		return trust{}, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return trust{}, errors.New("the certificate of the project's authority is none")
	}
	var why error // of the first
	for _, s := range p.spaces {
		dir := filepath.Join(s.Path, ".macf/certs")
		own, err := keyPair(r.w, dir)
		if err == nil {
			return trust{roots, []tls.Certificate{own}}, nil
		}
		why = cmp.Or(why, at(guard.Path(dir), err))
	}
	return trust{}, why
}

// keyPair reads the certificate of an agent. No error quotes the key.
func keyPair(w *World, dir string) (tls.Certificate, error) {
	cert, err := w.ReadFile(filepath.Join(dir, "agent-cert.pem"), macfLimit)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := w.ReadFile(filepath.Join(dir, "agent-key.pem"), macfLimit)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, errors.New("agent-cert.pem and agent-key.pem are no certificate and its key")
	}
	return pair, nil
}

func addressOf(e macf.Entry) string { return net.JoinHostPort(e.Host, strconv.Itoa(e.Port)) }

// get asks the agent and returns the body of its answer. It follows no redirect
// and uses no proxy: what answers elsewhere is not the agent.
func (q *question) get(ctx context.Context, w *World, timeout time.Duration) []byte {
	if q.untrusted != nil {
		q.says.Failure, q.says.Detail = "trust", q.untrusted.Error()
		return q.says.Body
	}
	began := time.Now()
	defer func() { q.data.TookMS = int(time.Since(began).Milliseconds()) }()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var shown atomic.Pointer[x509.Certificate] // a handshake that is given up may go on for a moment
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: q.trust.roots, Certificates: q.trust.own, Time: func() time.Time { return w.At },
		VerifyConnection: func(s tls.ConnectionState) error { shown.Store(s.PeerCertificates[0]); return nil }}
	transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, MaxResponseHeaderBytes: macf.HealthLimit}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+addressOf(q.entry)+"/health", nil)
	var res *http.Response
	if err == nil {
		res, err = client.Do(req)
	}
	var body []byte
	if err == nil {
		defer res.Body.Close()
		q.says.Status = res.StatusCode
		body, err = io.ReadAll(io.LimitReader(res.Body, macf.HealthLimit+1))
	}
	if cert := shown.Load(); cert != nil {
		q.says.Expires = &cert.NotAfter
	}
	if err == nil && len(body) > macf.HealthLimit {
		q.says.Failure, q.says.Detail = "body", fmt.Sprintf("its answer has more than the %d KiB that are read", macf.HealthLimit>>10)
	}
	if err != nil {
		q.blame(err, timeout)
	}
	return body
}

// blame says why there was no answer.
func (q *question) blame(err error, timeout time.Duration) {
	verify, isVerify := errors.AsType[*tls.CertificateVerificationError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	netErr, isNet := errors.AsType[net.Error](err)
	if isVerify && len(verify.UnverifiedCertificates) > 0 {
		q.says.Expires = &verify.UnverifiedCertificates[0].NotAfter
	}
	says := cause(err)
	failure, detail := "unreachable", says
	switch {
	case isVerify && isInvalid && invalid.Reason == x509.Expired:
		failure, detail = "expired", "its certificate is not valid now"
	case isVerify:
		failure = "certificate"
	case isPlain || strings.HasSuffix(says, "HTTP response to HTTPS client"):
		failure, detail = "certificate", "it does not speak TLS"
	case isOp && op.Op == "remote error" && strings.Contains(says, "certificate"):
		failure, detail = "trust", "it refuses our certificate: "+says
	case isOp && op.Op == "remote error", strings.HasPrefix(says, "tls: "):
		failure = "certificate"
	case errors.Is(err, context.DeadlineExceeded) || isNet && netErr.Timeout():
		failure, detail = "timeout", fmt.Sprintf("no answer within %s", timeout)
	case q.says.Expires != nil && !errors.Is(err, io.EOF) && !isOp:
		failure, detail = "body", "its answer is no HTTP, or was cut"
	}
	q.says.Failure, q.says.Detail = failure, detail
}

// cause is an error without the address that was asked, which its record has.
func cause(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "its name is not known: " + guard.Text(dns.Err, errorWidth)
	}
	if errors.Is(err, io.EOF) {
		return "it ended the connection"
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if sys, ok := errors.AsType[*os.SyscallError](err); ok {
		err = sys.Err
	}
	if verify, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = verify.Err
	}
	return guard.Text(err.Error(), errorWidth)
}

// replay takes the recorded answer.
func (q *question) replay(w *World) []byte {
	b, err := os.ReadFile(filepath.Join(w.fixtures, "health", macf.FileOf(q.entry.Host, q.entry.Port)))
	if err != nil {
		q.says.Failure, q.says.Detail = "unreachable", "no answer was recorded"
		return q.says.Body
	}
	if err := json.Unmarshal(b, &q.says); err != nil {
		q.says = macf.Recorded{Failure: "unreachable", Detail: "the recorded answer is not understood"}
	}
	return q.says.Body
}

// keep writes the answer into a recording.
func (q *question) keep(r *Recording) {
	if r == nil || q.err != nil {
		return
	}
	says := q.says
	if says.Failure == "" && len(says.Body) == 0 {
		says.Failure, says.Detail = q.data.Failure, q.data.Detail
	}
	says.Detail = guard.Text(says.Detail, errorWidth)
	b, err := json.MarshalIndent(says, "", "  ")
	r.write(filepath.Join("health", macf.FileOf(q.entry.Host, q.entry.Port)), append(b, '\n'), err)
}
