package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// Asker asks the agents of one project for their health, several at once. It is
// an interface so that only programs that ask link net/http: theirs is
// *agents.TLS.
type Asker interface {
	// Own takes the certificate that is shown to agents, which must be valid at now, and
	// its key, both PEM. After an error others may be tried.
	Own(cert, key []byte, now time.Time) error
	// Get asks the agent at host:port, with certificates that are valid at now,
	// and returns what became of it and the body of the answer.
	Get(ctx context.Context, address string, now time.Time, timeout time.Duration) (macf.Recorded, []byte)
}

// trust makes what asks the agents of a project, of its authority and of the
// certificate of the first of its workspaces that has one.
func (r *rosters) trust(p *project, vs []macf.Variable) (Asker, error) {
	pem, err := r.authority(p, vs)
	if err != nil {
		return nil, err
	}
	asker, err := r.o.Trusting(pem, r.w.At)
	if err != nil {
		return nil, err
	}
	var why error // of the first
	for _, s := range p.spaces {
		dir := filepath.Join(s.Path, ".macf/certs")
		err := keyPair(r.w, dir, asker)
		if err == nil {
			return asker, nil
		}
		why = cmp.Or(why, at(guard.Path(dir), err))
	}
	return nil, why
}

// keyPair gives asker the certificate of an agent. No error quotes the key.
func keyPair(w *machine.World, dir string, asker Asker) error {
	cert, err := w.ReadFile(filepath.Join(dir, "agent-cert.pem"), macfLimit)
	if err != nil {
		return err
	}
	key, err := w.ReadFile(filepath.Join(dir, "agent-key.pem"), macfLimit)
	if err != nil {
		return err
	}
	return asker.Own(cert, key, w.At)
}

// addressOf is net.JoinHostPort without package net, which nothing else here
// links.
func addressOf(e macf.Entry) string {
	host := e.Host
	if strings.ContainsRune(host, ':') {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(e.Port)
}

// get asks the agent and returns the body of its answer.
func (q *question) get(ctx context.Context, w *machine.World, timeout time.Duration) (body []byte) {
	if q.of.untrusted != nil {
		q.says.Failure, q.says.Detail = unasked, q.of.untrusted.Error()
		return q.says.Body
	}
	began := time.Now()
	q.says, body = q.of.asker.Get(ctx, addressOf(q.entry), w.At, timeout)
	q.data.TookMS = int(time.Since(began).Milliseconds())
	return body
}

// replay takes the recorded answer.
func (q *question) replay(w *machine.World) []byte {
	b, err := w.ReadRecorded(filepath.Join("health", macf.FileOf(q.entry.Host, q.entry.Port)))
	if err != nil {
		q.says.Failure, q.says.Detail = "unreachable", "no answer was recorded"
		return q.says.Body
	}
	if err := json.Unmarshal(b, &q.says); err != nil || !failures[q.says.Failure] {
		q.says = macf.Recorded{Failure: "unreachable", Detail: "the recorded answer is not understood"}
	}
	return q.says.Body
}

// failures are the words of record.Health.
var failures = map[string]bool{"": true, "unreachable": true, "timeout": true, "certificate": true, "expired": true, "status": true, "body": true, "identity": true, "trust": true, unasked: true}

// unasked is the word of an agent that nobody could ask: there is no certificate to trust
// it by, or to be trusted with.
const unasked = "unasked"

// keep writes the answer into a recording. Of a body that does not fit only that
// is kept: nothing tells what stands in it.
func (q *question) keep(r *machine.Recording) {
	if r == nil || q.err != nil {
		return
	}
	says := q.says
	if q.data.Failure == "body" {
		says = macf.Recorded{Failure: q.data.Failure, Detail: q.data.Detail, Expires: says.Expires}
	}
	if says.Failure == "" && len(says.Body) == 0 {
		says.Failure, says.Detail = q.data.Failure, q.data.Detail
	}
	says.Detail = guard.Text(says.Detail, errorWidth)
	b, err := json.MarshalIndent(says, "", "  ")
	r.Write(filepath.Join("health", macf.FileOf(q.entry.Host, q.entry.Port)), append(b, '\n'), err)
}
