package config

import (
	"fmt"
	"strings"
	"testing"
)

// What is wrong with a host is told by its key, and that host is not there.
func TestHosts(t *testing.T) {
	const (
		one  = "fleet.json:1: scopes.lamp.hosts[0]"
		dest = ": want a destination of ssh, such as box, ana@box or ssh://ana@box:2222"
		whom = dest + ", that names the machine; else an object with name and ssh"
		name = ".name: want a name of letters, digits, . _ and -, 64 characters at most, the first no sign"
		prog = ".command: want a program, or a list of texts that begins with one"
		secs = ".timeout_s: want a whole number from 1 to 3600"
	)
	for _, tt := range []struct{ hosts, want string }{
		{`["box"]`, ""},
		{`["ana@box.example.org"]`, ""},
		{`["ssh://ana@box:2222"]`, ""},
		{`[{"name": "six", "ssh": "ana@[fe80::1%eth0]"}]`, ""},
		{`[{"name": "box", "ssh_config": null, "command": "/opt/fleet/bin/fleet-observe-claude"}]`, ""},
		{`["-oProxyCommand=id"]`, one + whom},
		{`["ana@-oProxyCommand=id"]`, one + whom},
		{`["ana@[fe80::1]"]`, one + whom}, // no name
		{`[""]`, one + whom},
		{`["box;id"]`, one + whom},
		{`["box id"]`, one + whom},
		{`["$(id)"]`, one + whom},
		{`["box\nid"]`, one + whom},
		{`[7]`, one + ": want a destination of ssh, or an object"},
		{`[{"ssh": "box"}]`, one + ".name: is missing; want" + strings.TrimPrefix(name, ".name: want")},
		{`[{"name": "a/b"}]`, one + name},
		{`[{"name": "a@b"}]`, one + name},
		{`[{"name": "-a"}]`, one + name},
		{`[{"name": "a b"}]`, one + name},
		{`[{"name": "` + strings.Repeat("a", 65) + `"}]`, one + name},
		{`[{"name": "box", "ssh": "-F/tmp/x"}]`, one + ".ssh" + dest},
		{`[{"name": "box", "ssh": "box` + "`id`" + `"}]`, one + ".ssh" + dest},
		{`[{"name": "box", "ssh": null}]`, one + ".ssh" + dest},
		{`[{"name": "box", "ssh_config": "x"}]`, one + ".ssh_config: want a path that begins with / or ~/, or null"},
		{`[{"name": "box", "command": "fleet observe"}]`, one + prog},
		{`[{"name": "box", "command": "-x"}]`, one + prog},
		{`[{"name": "box", "command": []}]`, one + prog},
		{`[{"name": "box", "command": ["$(id)"]}]`, one + prog},
		{`[{"name": "box", "command": ["f", "a\nb"]}]`, one + prog},
		{`[{"name": "box", "command": ["f", 1]}]`, one + prog},
		{`[{"name": "box", "timeout_s": 0}]`, one + secs},
		{`[{"name": "box", "timeout_s": 3601}]`, one + secs},
		{`[{"name": "box", "timeout_s": "60"}]`, one + secs},
		{`[{"name": "box", "repos": ["/srv/lamp", "/srv/wick.git"]}]`, ""},
		{`[{"name": "box", "repos": ["~/lamp"]}]`, one + ".repos[0]: want a path on that machine, which begins with /"},
		{`[{"name": "box", "repos": "/srv"}]`, one + ".repos: want a list of paths on that machine"},
		{`[{"name": "box", "port": 22}]`, one + ".port: no such key"},
		{`[{"name": "claude", "ssh": "box"}]`, one + ".name: want another name: claude is a product's, which the keys of questions have where they have a machine"},
		{"[{\"ssh\": \"box\",\n\"name\": \"ledger\"}]", "fleet.json:2: scopes.lamp.hosts[0].name: want another name: ledger is a product's, which the keys of questions have where they have a machine"},
		{`["ana@paseo"]`, one + ".name: want another name: paseo is a product's, which the keys of questions have where they have a machine"},
		{`["gh"]`, one + ".name: want another name: gh is a product's, which the keys of questions have where they have a machine"},
		{`["board"]`, one + ".name: want another name: board is a product's, which the keys of questions have where they have a machine"},
		{`["schedule"]`, one + ".name: want another name: schedule is a product's, which the keys of questions have where they have a machine"},
		{`["claude.example.org", {"name": "Claude", "ssh": "claude"}]`, ""},
		{`["box", "ana@box"]`, "fleet.json:1: scopes.lamp.hosts[1].name: want a name that no other host has"},
	} {
		f, err := load(file(`"hosts": `+tt.hosts), "")
		if says(err) != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.hosts, says(err), tt.want)
		}
		s, _ := f.Scope("lamp")
		if (len(s.Hosts) == 0) != (tt.want != "" && !strings.Contains(tt.want, "no other")) {
			t.Errorf("%s: %+v", tt.hosts, s.Hosts)
		}
	}
	many := strings.TrimSuffix(strings.Repeat(`"h%d",`, 65), ",")
	var n []any
	for i := range 65 {
		n = append(n, i)
	}
	if _, err := load(file(`"hosts": [`+fmt.Sprintf(many, n...)+`]`), ""); says(err) != "fleet.json:1: scopes.lamp.hosts[64]: want 64 hosts at most" {
		t.Errorf("65 hosts: %v", err)
	}
}

// A destination alone names its host; a host is found by its name.
func TestHostOf(t *testing.T) {
	for ssh, name := range map[string]string{"box": "box", "ana@box": "box", "ana@box.example.org": "box.example.org", "ssh://box": "box",
		"ssh://ana@box:22": "box", "a@b@box": "box", "box:22": "", "-box": "", "ssh://": "", "box/x": ""} {
		if h, ok := HostOf(ssh); ok != (name != "") || ok && (h.Name != name || h.SSH != ssh || h.TimeoutS == 0 || len(h.Command) != 1) {
			t.Errorf("%s: %+v %t", ssh, h, ok)
		}
	}
	f, err := load(file(`"hosts": ["ana@box", "attic"]`), "")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.Scope("lamp")
	if h, ok := s.Host("box"); !ok || h.SSH != "ana@box" {
		t.Errorf("%+v %t", h, ok)
	}
	if h, ok := s.Host("ana@box"); ok {
		t.Errorf("%+v", h)
	}
}
