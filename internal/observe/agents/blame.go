package agents

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
)

// causeWidth is how many columns of a foreign error are told.
const causeWidth = 300

// blame says why there was no answer.
func blame(says *macf.Recorded, err error, timeout time.Duration) {
	verify, isVerify := errors.AsType[*tls.CertificateVerificationError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	netErr, isNet := errors.AsType[net.Error](err)
	if isVerify && len(verify.UnverifiedCertificates) > 0 {
		says.Expires = &verify.UnverifiedCertificates[0].NotAfter
	}
	why := cause(err)
	failure, detail := "unreachable", why
	switch {
	case isVerify && isInvalid && invalid.Reason == x509.Expired:
		failure, detail = "expired", "its certificate is not valid now"
	case isVerify:
		failure = "certificate"
	case isPlain || strings.HasSuffix(why, "HTTP response to HTTPS client"):
		failure, detail = "certificate", "it does not speak TLS"
	case isOp && op.Op == "remote error" && strings.Contains(why, "certificate"):
		failure, detail = "trust", "it refuses our certificate: "+why
	case isOp && op.Op == "remote error", strings.HasPrefix(why, "tls: "):
		failure = "certificate"
	case errors.Is(err, context.DeadlineExceeded) || isNet && netErr.Timeout():
		failure, detail = "timeout", fmt.Sprintf("no answer within %s", timeout)
	case says.Expires != nil && !errors.Is(err, io.EOF) && !isOp:
		failure, detail = "body", "its answer is no HTTP, or was cut"
	}
	says.Failure, says.Detail = failure, detail
}

// cause is an error without the address that was asked, which its record has.
func cause(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "its name is not known: " + guard.Text(dns.Err, causeWidth)
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
	return guard.Text(err.Error(), causeWidth)
}
