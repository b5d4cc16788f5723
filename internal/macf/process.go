package macf

import (
	"cmp"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// The kinds of an agent's processes.
const (
	KindClaude  = "claude"
	KindChannel = "channel-server"
)

const channelServer = "macf-channel-server"

// Process is a process that may be an agent's.
type Process struct {
	claude.Process
	Server string            `json:"server,omitempty"` // of a channel server: where its command line says that its package is
	Env    map[string]string `json:"env,omitempty"`    // of its environment what Environ keeps
}

// NewProcess is the process of a command line. Of its arguments is kept what
// tells a helper from a session, or where the package of a channel server is.
func NewProcess(pid int, start, cwd, exe string, argv []string) Process {
	p := Process{Process: claude.Process{PID: pid, Start: start, Cwd: cwd, Exe: exe, Args: claude.Argv(argv)}}
	interpreted := interpreters[path.Base(exe)] || interpreters[path.Base(argv[0])]
	for i, word := range argv {
		at := strings.Index(word, channelServer)
		if at < 0 || i > 0 && !interpreted || i == 0 && strings.Contains(word, " ") { // npm calls itself "npm exec …"
			continue
		}
		p.Server, p.Args = word[:at+len(channelServer)], ""
		break
	}
	return p
}

// interpreters run a channel server: an editor or a search that has its name
// among its arguments is none.
var interpreters = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true}

// Kind is claude for a session of Claude Code, channel-server, or "" for
// anything else, the helpers of Claude Code among it.
func (p Process) Kind() string {
	first, _, _ := strings.Cut(p.Args, " ")
	switch {
	case p.Server != "":
		return KindChannel
	case (claude.IsProgram(p.Exe) || claude.IsProgram(p.Args) || claude.IsProgram(first)) && p.Session():
		return KindClaude
	}
	return ""
}

// The variables that are read of a process.
const (
	envAttributes = "OTEL_RESOURCE_ATTRIBUTES"
	envName       = "MACF_AGENT_NAME"
	envLabel      = "MACF_ROUTING_LABEL"
	envPort       = "MACF_PORT"
	envEndpoint   = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

const agentAttribute = "gen_ai.agent.name"

// Environ reads an environment as /proc shows it. It keeps the name and the
// port of an agent and the scheme, host and port of its collector; nothing
// else, nor the rest of a variable that it keeps a part of.
func Environ(b []byte) map[string]string {
	env := map[string]string{}
	for entry := range strings.SplitSeq(string(b), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		if _, twice := env[name]; twice { // the first counts, as for getenv
			continue
		}
		if value = kept(name, value); value != "" {
			env[name] = value
		}
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// kept is what is kept of a variable; "" of one that is not read.
func kept(name, value string) string {
	switch name {
	case envName, envLabel, envPort:
		return value
	case envEndpoint:
		return endpoint(value)
	case envAttributes:
		if value = attribute(value); value != "" {
			return agentAttribute + "=" + value
		}
	}
	return ""
}

func attribute(attributes string) string {
	for pair := range strings.SplitSeq(attributes, ",") {
		if key, value, _ := strings.Cut(pair, "="); strings.TrimSpace(key) == agentAttribute {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// endpoint is an address without what may be a login in it.
func endpoint(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// Running is a process of an agent with what is known of it.
type Running struct {
	Process
	Home    string    // canonical path of its workspace; "" when none holds it
	Boot    time.Time // of the machine; zero when it cannot be told
	Version string    // of a channel server: package.json
	Session string    // of claude: session id of its process file
}

// record is the process as a record tells it.
func (r Running) record() record.AgentProc {
	p := record.AgentProc{PID: r.PID, Start: record.TimeOf(claude.Began(r.Start, r.Boot)), Kind: r.Kind(), Cwd: guard.Path(r.Cwd), Version: r.Version}
	if name := cmp.Or(attribute(r.Env[envAttributes]), r.Env[envName], r.Env[envLabel]); name != "" {
		p.Agent = ID(name)
	}
	if n, err := strconv.ParseUint(r.Env[envPort], 10, 16); err == nil {
		p.Port = int(n)
	}
	p.Endpoint = guard.Text(endpoint(r.Env[envEndpoint]), textWidth)
	if r.Session != "" {
		p.Session = guard.ID(r.Session)
	}
	return p
}

// Clean returns the process as a recording keeps it.
func (p Process) Clean() Process {
	p.Start, p.Exe, p.Cwd, p.Args = guard.Text(p.Start, textWidth), guard.Path(p.Exe), guard.Path(p.Cwd), guard.Text(p.Args, textWidth)
	if p.Server != "" {
		p.Server = guard.Path(p.Server)
	}
	env := map[string]string{}
	for name, value := range p.Env {
		if value = kept(name, value); value != "" {
			env[name] = guard.Text(value, textWidth)
		}
	}
	if p.Env = env; len(env) == 0 {
		p.Env = nil
	}
	return p
}
