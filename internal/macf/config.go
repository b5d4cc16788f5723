package macf

import (
	"encoding/json"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Marker is the file that makes a directory a workspace, below it.
const Marker = ".macf/macf-agent.json"

// Launcher is the program of a workspace that starts its agent.
const Launcher = "claude.sh"

// Config is the configuration of an agent, as it is written.
type Config struct {
	Project  string
	Label    string // routing_label, else agent_name: what the registry calls the agent
	Name     string // agent_name, by which it may speak of itself
	Role     string
	Type     string // permanent or worker
	Registry record.Registry
	Pin      string // versions.cli; "" when none is pinned
}

// ParseConfig reads a macf-agent.json. What macf itself would not take is an
// error, and so is an empty name, which addresses nobody. The error names every
// mistake. Fields that are not known are ignored.
func ParseConfig(b []byte) (Config, error) {
	o := newObject(b)
	o.all = true
	c := Config{Project: o.text("project"), Name: o.text("agent_name"), Role: o.text("agent_role"), Type: o.text("agent_type")}
	if c.Label = c.Name; len(o.fields["routing_label"]) > 0 {
		c.Label = o.text("routing_label")
	}
	if c.Type != "" && c.Type != "permanent" && c.Type != "worker" {
		o.fail("agent_type is neither permanent nor worker")
	}
	c.Registry = o.registry()
	if v, ok := o.fields["versions"]; ok {
		p := o.within(v)
		c.Pin = p.text("cli")
		p.text("plugin")
		p.text("actions")
		o.take("versions", p)
	}
	if v, ok := o.fields["github_app"]; ok {
		p := o.within(v)
		for _, name := range []string{"app_id", "install_id", "key_path"} {
			p.text(name)
		}
		p.optional("bot_login")
		o.take("github_app", p)
	}
	for _, name := range []string{"advertise_host", "tmux_session", "tmux_window", "canonicalBranch", "operator_login"} {
		o.optional(name)
	}
	if o.err != nil {
		return Config{}, o.err
	}
	return c, nil
}

// registry reads where the agents of the project meet.
func (o *object) registry() (r record.Registry) {
	p := o.part("registry")
	if p == nil {
		if !o.has("registry") {
			o.fail("registry is missing")
		}
		return r
	}
	switch r.Kind = p.text("type"); r.Kind {
	case "org":
		r.ID = p.text("org")
	case "profile":
		r.ID = p.text("user")
	case "repo":
		r.ID = p.text("owner") + "/" + p.text("repo")
	case "local":
		r.ID = p.text("path")
	case "": // told already
	default:
		p.fail("type is none of org, profile, repo, local")
	}
	o.take("registry", p)
	return r
}

// Encode returns a configuration that reads as c does, cleaned.
func (c Config) Encode() ([]byte, error) {
	at := map[string]string{"type": c.Registry.Kind}
	switch owner, repo, _ := strings.Cut(c.Registry.ID, "/"); c.Registry.Kind {
	case "org":
		at["org"] = guard.ID(c.Registry.ID)
	case "profile":
		at["user"] = guard.ID(c.Registry.ID)
	case "repo":
		at["owner"], at["repo"] = guard.ID(owner), guard.ID(repo)
	default:
		at["path"] = guard.Path(c.Registry.ID)
	}
	m := map[string]any{"project": guard.ID(c.Project), "agent_name": guard.ID(c.Name), "routing_label": guard.ID(c.Label),
		"agent_role": "withheld", "agent_type": c.Type, "registry": at}
	if c.Pin != "" {
		m["versions"] = map[string]string{"cli": guard.Text(c.Pin, textWidth), "plugin": "withheld", "actions": "withheld"}
	}
	return json.Marshal(m)
}
