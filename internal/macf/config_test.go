package macf

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// configOf is a configuration that macf takes, with one text replaced.
func configOf(old, new string) string {
	return strings.Replace(`{"project": "lamp", "agent_name": "macf-dev_ops", "routing_label": "Dev_Ops", "agent_role": "devops", "agent_type": "permanent",
		"registry": {"type": "repo", "owner": "acme", "repo": "lamp"}, "versions": {"cli": "0.2.46", "plugin": "1", "actions": "v3"},
		"github_app": {"app_id": "1", "install_id": "2", "key_path": ".k"}, "future": [1]}`, old, new, 1)
}

func TestParseConfig(t *testing.T) {
	want := Config{Project: "lamp", Label: "Dev_Ops", Name: "macf-dev_ops", Role: "devops", Type: "permanent",
		Registry: record.Registry{Kind: "repo", ID: "acme/lamp"}, Pin: "0.2.46"}
	got, err := ParseConfig([]byte(configOf("", "")))
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, tt := range []struct{ name, old, new, err string }{
		{"no label", `"routing_label": "Dev_Ops", `, ``, ""},
		{"no versions", `"versions": {"cli": "0.2.46", "plugin": "1", "actions": "v3"},`, ``, ""},
		{"a worker", `"permanent"`, `"worker"`, ""},
		{"an organization", `"repo", "owner": "acme", "repo": "lamp"`, `"org", "org": "acme"`, ""},
		{"a profile", `"repo", "owner": "acme", "repo": "lamp"`, `"profile", "user": "ana"`, ""},
		{"a local one", `"repo", "owner": "acme", "repo": "lamp"`, `"local", "path": "/r"`, ""},
		{"no project", `"project": "lamp", `, ``, "project is missing"},
		{"an empty project", `"lamp", "agent`, `"", "agent`, "project is empty"},
		{"another spelling", `"project"`, `"Project"`, "project is missing"},
		{"a name twice", `"project": "lamp"`, `"project": "lamp", "project": "desk"`, "not JSON at byte 20"},
		{"an empty label", `"Dev_Ops"`, `""`, "routing_label is empty"},
		{"a null label", `"Dev_Ops"`, `null`, "routing_label is empty"},
		{"a label of another type", `"Dev_Ops"`, `7`, "routing_label is not a text"},
		{"no role", `"agent_role": "devops", `, ``, "agent_role is missing"},
		{"another type", `"permanent"`, `"guest"`, "agent_type is neither permanent nor worker"},
		{"no registry", `"registry": {"type": "repo", "owner": "acme", "repo": "lamp"}, `, ``, "registry is missing"},
		{"a registry of no object", `{"type": "repo", "owner": "acme", "repo": "lamp"}`, `"acme"`, "registry is not an object"},
		{"another registry", `"repo", "owner"`, `"moon", "owner"`, "registry.type is none of org, profile, repo, local"},
		{"half a registry", `, "repo": "lamp"`, ``, "registry.repo is missing"},
		{"half the versions", `, "actions": "v3"`, ``, "versions.actions is missing"},
		{"null versions", `{"cli": "0.2.46", "plugin": "1", "actions": "v3"}`, `null`, "versions.not a JSON object"},
		{"half an app", `"app_id": "1", `, ``, "github_app.app_id is missing"},
		{"an empty host", `"future": [1]`, `"advertise_host": ""`, "advertise_host is empty"},
		{"a registry without a type", `"type": "repo", `, ``, "registry.type is missing"},
		{"all that is wrong", `"agent_role": "devops", "agent_type": "permanent",
		"registry": {"type": "repo", "owner": "acme", "repo": "lamp"}, "versions": {"cli": "0.2.46", "plugin": "1", "actions": "v3"},
		"github_app": {"app_id": "1", "install_id": "2", "key_path": ".k"}`, `"agent_role": 7, "agent_type": "guest", "registry": {"type": "repo", "owner": ""}, "versions": {"cli": ""},
		"github_app": {}, "tmux_session": ""`, "agent_role is not a text, agent_type is neither permanent nor worker, registry.owner is empty, registry.repo is missing, " +
			"versions.cli is empty, versions.plugin is missing, versions.actions is missing, github_app.app_id is missing, github_app.install_id is missing, github_app.key_path is missing, tmux_session is empty"},
		{"a list", configOf("", ""), `[]`, "not a JSON object"},
		{"nothing", configOf("", ""), ``, "not JSON at byte 0"},
		{"null", configOf("", ""), `null`, "not a JSON object"},
	} {
		c, err := ParseConfig([]byte(configOf(tt.old, tt.new)))
		if got := says(err); got != tt.err {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.err)
		}
		if (c == Config{}) != (tt.err != "") {
			t.Errorf("%s: %+v with the error %v", tt.name, c, err)
		}
	}
}

func says(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ in, canonical, segment, file string }{
		{"devops-agent", "devops-agent", "DEVOPS_AGENT", "devops-agent"},
		{"DEVOPS_AGENT", "devops-agent", "DEVOPS_AGENT", "DEVOPS_AGENT"},
		{" Dev.Ops/é ", "dev.ops/é", " DEV.OPS/É ", "_Dev.Ops___"},
	} {
		if c, s, f := Canonical(tt.in), Segment(tt.in), FileName(tt.in); c != tt.canonical || s != tt.segment || f != tt.file {
			t.Errorf("%q: %q %q %q", tt.in, c, s, f)
		}
	}
	if got := ID("ghp_" + "FAKE" + strings.Repeat("a1B2", 8)); !strings.HasPrefix(got, "h-") {
		t.Errorf("id %q", got)
	}
	if got := SessionName("pro.j", "a:b"); got != "pro_j@a_b" {
		t.Errorf("session %q", got)
	}
}

// Law: what is read of a configuration is written so that it reads the same
// but for what is withheld, and then stays as it is.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(configOf("", "")))
	f.Add([]byte(configOf(`"repo", "owner": "acme", "repo": "lamp"`, `"local", "path": "~/crm/x"`)))
	f.Add([]byte(configOf(`"0.2.46"`, `"^0.2"`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseConfig(b)
		if err != nil {
			if (c != Config{}) {
				t.Errorf("an error, and %+v", c)
			}
			return
		}
		if c.Project == "" || c.Label == "" || c.Registry.Kind == "" || c.Registry.ID == "" {
			t.Fatalf("%+v lacks a name", c)
		}
		once, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseConfig(once)
		if err != nil {
			t.Fatalf("written %s: %v", once, err)
		}
		twice, err := again.Encode()
		if err != nil || !bytes.Equal(once, twice) || again.Type != c.Type || again.Registry.Kind != c.Registry.Kind {
			t.Errorf("written %s, then %s, %v", once, twice, err)
		}
	})
}

// The example of the documentation is one that is taken.
func TestParseConfig_docs(t *testing.T) {
	b, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	if c, err := ParseConfig([]byte(example)); !ok || err != nil || c.Label != "code-agent" || c.Pin != "0.2.46" {
		t.Errorf("%t, %v: %+v", ok, err, c)
	}
}
