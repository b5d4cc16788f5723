// Agentd is a stand-in for an agent of macf: it runs a session in its own
// terminal, announces itself in a local registry, and answers GET /health over
// mutual TLS for as long as the session runs.
//
// Usage:
//
//	agentd WORKSPACE REGISTRY [ARG]...
//
// WORKSPACE holds .macf/macf-agent.json and .macf/certs; its file version is the
// version that it answers with; the session is claude with the ARGs. While a file deaf is there it takes requests
// and answers none. A start removes that file. Its exit status is the session's.
package main

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	status, err := run(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		log.Fatalf("agentd: %v", err)
	}
	os.Exit(status)
}

type agent struct {
	workspace string
	Project   string `json:"project"`
	Name      string `json:"agent_name"`
	instance  string
	started   time.Time
	child     *os.Process
}

func run(workspace, registry string, argv []string) (int, error) {
	a := agent{workspace: workspace, started: time.Now()}
	b, err := os.ReadFile(filepath.Join(workspace, ".macf/macf-agent.json"))
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		return 0, err
	}
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return 0, err
	}
	a.instance = hex.EncodeToString(id)
	if err := os.Remove(a.path("deaf")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	l, err := a.listen(registry)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("claude", argv...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = workspace, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	a.child = cmd.Process
	quiet := log.New(nowhere{}, "", 0) // the terminal is the session's
	go func() {
		_ = (&http.Server{Handler: http.HandlerFunc(a.health), ErrorLog: quiet, ReadHeaderTimeout: 5 * time.Second}).Serve(l)
	}()
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if code := exit.ExitCode(); code >= 0 {
			return code, nil
		}
		return 137, nil
	}
	return 0, err
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

func (a agent) path(name string) string { return filepath.Join(a.workspace, name) }

// listen listens for those who are of the registry's authority, and announces
// where.
func (a agent) listen(registry string) (net.Listener, error) {
	pair, err := tls.LoadX509KeyPair(a.path(".macf/certs/agent-cert.pem"), a.path(".macf/certs/agent-key.pem"))
	if err != nil {
		return nil, err
	}
	project := strings.ToUpper(strings.ReplaceAll(a.Project, "-", "_"))
	ca, err := os.ReadFile(filepath.Join(registry, project+"_CA_CERT"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, errors.New("the authority's certificate is none")
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})
	if err != nil {
		return nil, err
	}
	entry, err := json.Marshal(map[string]any{"host": "127.0.0.1", "port": l.Addr().(*net.TCPAddr).Port, "type": "permanent", "instance_id": a.instance,
		"started": a.started.UTC().Format(time.RFC3339)})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(registry, project+"_AGENT_"+strings.ToUpper(strings.ReplaceAll(a.Name, "-", "_")))
	part := filepath.Join(a.workspace, ".registry.part") // beside the registry it would be read
	if err := os.WriteFile(part, entry, 0o600); err != nil {
		return nil, err
	}
	return l, os.Rename(part, name)
}

func (a agent) health(w http.ResponseWriter, r *http.Request) {
	if _, err := os.Stat(a.path("deaf")); err == nil {
		<-r.Context().Done()
		return
	}
	version := "1.0.0"
	if b, err := os.ReadFile(a.path("version")); err == nil {
		version = strings.TrimSpace(string(b))
	}
	fmt.Fprintf(w, `{"agent": %q, "status": "online", "type": "permanent", "uptime_seconds": %d, "version": %q, "instance_id": %q, "state": {"status": %q, "turn_number": 1}}`,
		a.Name, int(time.Since(a.started).Seconds()), version, a.instance, a.state())
}

// state is what the session's process file says.
func (a agent) state() string {
	b, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".claude/sessions", fmt.Sprintf("%d.json", a.child.Pid)))
	var file struct {
		Status string `json:"status"`
	}
	if err == nil && json.Unmarshal(b, &file) == nil && file.Status == "busy" {
		return "busy"
	}
	return "idle"
}
