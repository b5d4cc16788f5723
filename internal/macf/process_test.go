package macf

import (
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/claude"
)

func TestNewProcess(t *testing.T) {
	const server = "/home/ana/.npm/@acme/macf-channel-server"
	for _, tt := range []struct{ exe, argv, kind, server string }{
		{"/usr/bin/node", "node " + server + "/dist/server.js --port 7", KindChannel, server},
		{"/usr/bin/node", "node --import ./otel.mjs ./node_modules/.bin/macf-channel-server", KindChannel, "./node_modules/.bin/macf-channel-server"},
		{server, server, KindChannel, server},
		{"/usr/bin/vim", "vim " + server + "/README.md", "", ""},
		{"/usr/bin/grep", "grep macf-channel-server", "", ""},
		{"/usr/bin/claude", "claude -p macf-channel-server", KindClaude, ""},
		{"/home/ana/.local/share/claude/versions/2.1.280", "claude", KindClaude, ""},
		{"/usr/bin/node", "claude --resume", KindClaude, ""},
		{"/usr/bin/claude", "claude daemon run", "", ""},
		{"/usr/bin/claude", "claude --bg-spare x", "", ""},
		{"/usr/bin/grep", "grep claude", "", ""},
		{"/usr/bin/bash", "bash ./claude.sh", "", ""},
	} {
		p := NewProcess(7, "1", "/w", tt.exe, strings.Fields(tt.argv))
		if p.Kind() != tt.kind || p.Server != tt.server || strings.Contains(p.Args, "macf-channel-server") && tt.kind == KindClaude {
			t.Errorf("%s: kind %q, server %q, args %q", tt.argv, p.Kind(), p.Server, p.Args)
		}
	}
	if p := NewProcess(7, "", "", "/usr/bin/node", []string{"npm exec @acme/macf-channel-server"}); p.Kind() != "" {
		t.Errorf("npm, which waits for the server, is %s", p.Kind())
	}
}

func TestEnviron(t *testing.T) {
	env := Environ([]byte(strings.Join([]string{"HOME=/h", "API_KEY=FAKE", "MACF_PORT=7443", "MACF_PORT=1", "MACF_AGENT_NAME=", "MACF_ROUTING_LABEL=code_agent", "MACF_PORT_X=1",
		"OTEL_RESOURCE_ATTRIBUTES=token=FAKE, gen_ai.agent.name = macf-code ,x", "OTEL_EXPORTER_OTLP_ENDPOINT=http://ana:FAKE@desk:4318/v1?k=FAKE"}, "\x00")))
	if len(env) != 4 || env["MACF_PORT"] != "7443" || env["OTEL_RESOURCE_ATTRIBUTES"] != "gen_ai.agent.name=macf-code" ||
		env["OTEL_EXPORTER_OTLP_ENDPOINT"] != "http://desk:4318" || env["MACF_ROUTING_LABEL"] != "code_agent" {
		t.Errorf("%q", env)
	}
	if env := Environ([]byte("HOME=/h\x00OTEL_EXPORTER_OTLP_ENDPOINT=none\x00OTEL_RESOURCE_ATTRIBUTES=a=b\x00")); env != nil {
		t.Errorf("%q", env)
	}
	for want, env := range map[string]map[string]string{"macf-code": env, "a-b": {"MACF_AGENT_NAME": "A_b", "MACF_ROUTING_LABEL": "c"}, "c": {"MACF_ROUTING_LABEL": "c"}, "": nil} {
		if got := (Running{Process: Process{Env: env}}).record(); got.Agent != want {
			t.Errorf("%q: agent %q, want %q", env, got.Agent, want)
		}
	}
}

// Dead and alive, several in one, and none: what runs is in one record, once.
func TestJoin(t *testing.T) {
	run := func(pid int, cwd, home, exe string) Running {
		return Running{Process: NewProcess(pid, "", cwd, exe, []string{exe}), Home: home}
	}
	c := Config{Project: "lamp", Label: "code", Name: "x", Type: "worker", Pin: "0.2.46"}
	c.Registry.Kind, c.Registry.ID = "local", "/r"
	const server = "/x/macf-channel-server"
	rows := Join([]Space{{Path: "/w/b", Config: c}, {Path: "/w/a", Config: c}, {Path: "/w/crm/c", Config: c}}, []Running{
		run(12, "/w/a/sub", "/w/a", "claude"), run(9, "/w/a", "/w/a", "claude"), run(8, "/w/a", "/w/a", server),
		run(5, "/tmp", "", "claude"), run(4, "/tmp", "", "claude"), run(6, "", "", "claude"), run(3, "", "", server),
		run(2, "/w/bad/sub", "/w/bad", "claude"), // a workspace whose configuration is not understood
	})
	got := []string{}
	n := 0
	for _, r := range rows {
		s := r.Subject + "|" + r.Data.Path + "|" + r.Data.Agent + "|"
		for _, p := range r.Data.Processes {
			s += p.Kind + " "
			n++
		}
		got = append(got, s)
	}
	want := []string{"/w/a|/w/a|code|channel-server claude claude ", "/w/b|/w/b|code|", "h-", "/tmp|/tmp||claude claude ", "/w/bad|/w/bad||claude ", "pid:3|||channel-server ", "pid:6|||claude "}
	got[2] = got[2][:2]
	if !slices.Equal(got, want) || n != 8 {
		t.Errorf("%d processes\n got %q\nwant %q", n, got, want)
	}
	if a := rows[0].Data; a.Processes[1].PID != 9 || a.Processes[2].PID != 12 || a.Session != "lamp@code" || a.Pin != "0.2.46" || a.Registry.ID != "/r" || rows[3].Data.Registry != nil {
		t.Errorf("%+v", a)
	}
}

// A recording keeps of an environment what is read of it.
func TestProcess_clean(t *testing.T) {
	p := Process{Process: claude.Process{PID: 7, Cwd: "/home/ana/crm/x"}, Env: map[string]string{"MACF_PORT": "7", "HOME": "/h"}, Server: "/x"}.Clean()
	if len(p.Env) != 1 || p.Env["MACF_PORT"] != "7" || p.Cwd != "[withheld: crm path]" || p.Server != "/x" {
		t.Errorf("%+v", p)
	}
}

// Law: nothing of an environment is kept but five variables, and of a collector
// no login.
func FuzzEnviron(f *testing.F) {
	f.Add([]byte("A=b\x00MACF_PORT=1\x00OTEL_EXPORTER_OTLP_ENDPOINT=http://u:p@h/x?y#z\x00OTEL_RESOURCE_ATTRIBUTES=gen_ai.agent.name=a,b=c"))
	f.Fuzz(func(t *testing.T, b []byte) {
		env := Environ(b)
		for name, value := range env {
			if !slices.Contains([]string{envAttributes, envName, envLabel, envPort, envEndpoint}, name) || value == "" {
				t.Errorf("%s=%s is kept", name, value)
			}
			if name == envEndpoint && strings.Contains(value, "@") || name == envAttributes && strings.Contains(value, ",") {
				t.Errorf("%s=%s", name, value)
			}
		}
		if again := (Process{Env: env}).Clean().Env; len(again) > len(env) {
			t.Errorf("%q became %q", env, again)
		}
	})
}
