package desired

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/macf"
)

const (
	notYAML = "not one YAML document"
	noText  = "want a text that is not empty"
	noName  = "agent: want a name of letters and digits, with -, _ and . between them"
	noPath  = "workspace: want a path that begins with /"
	noCmd   = "command: want a list of texts, the first a path that begins with /"
)

// Lists that a reader of lines takes otherwise than they are written are here as
// they are written, or an error with its line. want is agent=workspace of each, or
// line: error of each.
func TestParseDesired(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a pair", "agents:\n  - agent: a\n    workspace: /a\n", "a=/a"},
		{"a credential", "- agent: ghp_" + "FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE" + "\n  workspace: /a\n", "1: agent: it looks like a credential"},
		{"no header", "- agent: a\n  workspace: /a\n", "a=/a"},
		{"two, quotes, comments", "# all\nagents: # here\n  - agent: \"a\" # first\n    workspace: '/a b' # there\n  - agent: b\n    workspace: /b\n", "a=/a b b=/b"},
		{"CRLF", "- agent: a\r\n  workspace: /a\r\n", "a=/a"},
		{"a byte order mark", "\ufeff- agent: a\n  workspace: /a\n", "a=/a"},
		{"the end of a document", "- agent: a\n  workspace: /a\n...\n", "a=/a"},
		{"workspace first", "- workspace: /a\n  agent: a\n", "a=/a"},
		{"a flow mapping", "- {agent: a, workspace: /a}\n", "a=/a"},
		{"a flow list", "agents: [{agent: a, workspace: /a}, {agent: b, workspace: /b}]\n", "a=/a b=/b"},
		{"a commented entry", "# - agent: b\n#   workspace: /b\n- agent: a\n  workspace: /a\n", "a=/a"},
		{"written otherwise", "- agent: Code_Agent\n  workspace: /a/../b//c/\n", "code-agent=/b/c"},
		{"project and command", "- agent: a\n  workspace: /a\n  project: P_1\n  command: [/bin/run, --model, '5']\n", "a=/a P_1 [/bin/run --model 5]"},
		{"a word that is no truth", "- agent: yes\n  workspace: /a\n", "yes=/a"},
		{"a tagged number", "- agent: !!str 5\n  workspace: /a\n", "5=/a"},
		{"a text over lines", "- agent: |\n    a\n  workspace: /a\n", "a=/a"},
		{"a blank before the colon", "- agent : a\n  workspace : /a\n", "a=/a"},

		{"empty", "", "1: " + notYAML},
		{"comments alone", "# nothing\n", "1: " + notYAML},
		{"nothing", "null\n", "1: want a list of agents, one at least"},
		{"no agents", "agents:\n", "1: want a list of agents, one at least"},
		{"an empty list", "agents: []\n", "1: want a list of agents, one at least"},
		{"a mapping for the list", "agents:\n  agent: a\n  workspace: /a\n", "2: want a list of agents, one at least"},
		{"another key", "agent: a\nworkspace: /a\n", "1: no such key; want agents / 1: no agents / 2: no such key; want agents"},
		{"the list twice", "agents: [{agent: a, workspace: /a}]\nagents: [{agent: b, workspace: /b}]\n", "2: agents comes twice"},
		{"tabs", "-\tagent: a\n\tworkspace: /a\n", "1: " + notYAML},
		{"no blank after the dash", "-agent: a\n workspace: /a\n", "2: " + notYAML},
		{"no blank after the colon", "- agent:a\n  workspace: /a\n", "2: " + notYAML},
		{"texts", "- a\n- b\n", "1: want an agent: a mapping with agent and workspace / 2: want an agent: a mapping with agent and workspace"},
		{"other keys between", "- agent: a\n  color: red\n  workspace: /a\n", "2: no such key; want agent, workspace, project, command"},
		{"no workspace", "- agent: a\n- agent: b\n  workspace: /b\n", "1: workspace is missing"},
		{"no agent", "- workspace: /a\n", "1: agent is missing"},
		{"an empty agent behind one without a workspace", "- agent: a\n- agent:\n  workspace: /b\n", "1: workspace is missing / 2: agent: " + noText},
		{"blanks for an agent", "- agent:   \n  workspace: /a\n", "1: agent: " + noText},
		{"quoted blanks for an agent", "- agent: '  '\n  workspace: /a\n", "1: agent: " + noText},
		{"a comment for an agent", "- agent: # note\n  workspace: /a\n", "1: agent: " + noText},
		{"a hash in a name", "- agent: a#b\n  workspace: /a\n", "1: " + noName},
		{"a hash in a quoted name", "- agent: \"a #b\"\n  workspace: /a\n", "1: " + noName},
		{"one quote", "- agent: \"a\n  workspace: /a\n", "3: " + notYAML},
		{"quotes that differ", "- agent: 'a\"\n  workspace: /a\n", "3: " + notYAML},
		{"a second workspace", "- agent: a\n  workspace: /a\n  workspace: /b\n", "3: workspace comes twice"},
		{"an empty workspace", "- agent: a\n  workspace:\n", "2: workspace: " + noText},
		{"a quoted empty workspace", "- agent: a\n  workspace: \"\"\n", "2: workspace: " + noText},
		{"a home", "- agent: a\n  workspace: ~/x\n", "2: " + noPath + ", and ~ is not read here"},
		{"a relative path", "- agent: a\n\n  workspace: src/a\n", "3: " + noPath},
		{"a NUL", "- agent: a\n  workspace: \"/a\\0\"\n", "2: " + noPath},
		{"an agent twice", "- agent: a\n  workspace: /a\n- agent: a\n  workspace: /b\n", "3: the agent of line 1 again"},
		{"an agent twice, written otherwise", "- agent: a-b\n  workspace: /a\n- agent: A_B\n  workspace: /b\n", "3: the agent of line 1 again"},
		{"an agent twice, in two projects", "- agent: a\n  workspace: /a\n  project: p\n- agent: a\n  workspace: /b\n  project: q\n", "4: the agent of line 1 again"},
		{"a workspace twice", "- agent: a\n  workspace: /a\n- agent: b\n  workspace: /a/.\n", "3: the workspace of line 1 again"},
		{"a number", "- agent: 5\n  workspace: /a\n", "1: agent: " + noText},
		{"no value", "- agent: null\n  workspace: /a\n", "1: agent: " + noText},
		{"a list for a name", "- agent: [a]\n  workspace: /a\n", "1: agent: " + noText},
		{"a path for a name", "- agent: a/b\n  workspace: /a\n", "1: " + noName},
		{"a flag for a name", "- agent: -x\n  workspace: /a\n", "1: " + noName},
		{"a session for a name", "- agent: session:1\n  workspace: /a\n", "1: " + noName},
		{"a control character in a name", "- agent: \"a\\e[0m\"\n  workspace: /a\n", "1: " + noName},
		{"a long name", "- agent: " + strings.Repeat("a", 201) + "\n  workspace: /a\n", "1: " + noName},
		{"an alias", "- &a {agent: a, workspace: /a}\n- *a\n", "2: want an agent: a mapping with agent and workspace"},
		{"a merge", "- agent: a\n  workspace: /a\n  <<: {project: p}\n", "3: no such key; want agent, workspace, project, command"},
		{"two documents", "- agent: a\n  workspace: /a\n---\n- agent: b\n  workspace: /b\n", "1: " + notYAML},
		{"bytes", "\xff\xfe\x00", "1: " + notYAML},
		{"no end", "agents: [\n", "2: " + notYAML},
		{"an indent that fits nothing", "agents:\n  - agent: a\n    workspace: /a\n   command: [/x]\n", "4: " + notYAML},
		{"an empty command", "- agent: a\n  workspace: /a\n  command: []\n", "3: " + noCmd},
		{"a command of one text", "- agent: a\n  workspace: /a\n  command: /bin/run\n", "3: " + noCmd},
		{"a command on the path", "- agent: a\n  workspace: /a\n  command: [run]\n", "3: " + noCmd},
		{"a number in a command", "- agent: a\n  workspace: /a\n  command: [/bin/run, 5]\n", "3: " + noCmd},
		{"a list in a command", "- agent: a\n  workspace: /a\n  command: [/bin/run, [x]]\n", "3: " + noCmd},
		{"all that is wrong with two", "- agent: a/b\n  workspace: x\n  command: []\n- agent: a/b\n  workspace: x\n  project: 7\n  color: red\n",
			"1: " + noName + " / 2: " + noPath + " / 3: " + noCmd + " / 4: " + noName + " / 4: the agent of line 1 again / 4: the workspace of line 1 again / 5: " + noPath + " / 6: project: " + noText + " / 7: no such key; want agent, workspace, project, command"},
		{"three mistakes", "- agent: a\n  workspace: a\n- agent: b\n- agent: c\n  workspace: c\n", "2: " + noPath + " / 3: workspace is missing / 5: " + noPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := Parse("agents.yaml", []byte(tt.text))
			var got []string
			for _, d := range list {
				got = append(got, d.Agent+"="+d.Workspace)
				if d.Project != "" {
					got = append(got, d.Project)
				}
				if d.Command != nil {
					got = append(got, fmt.Sprint(d.Command))
				}
			}
			all := strings.Join(got, " ")
			if err != nil {
				all = strings.ReplaceAll(strings.ReplaceAll(err.Error(), "agents.yaml:", ""), "\n", " / ")
				if list != nil {
					t.Errorf("an error, and a list: %+v", list)
				}
			}
			if all != tt.want {
				t.Errorf("got  %s\nwant %s", all, tt.want)
			}
		})
	}
}

// The line of an agent is that of its entry.
func TestParseDesired_line(t *testing.T) {
	list, err := Parse("f", []byte("agents:\n\n- agent: a\n  workspace: /a\n# more\n- workspace: /b\n  agent: b\n"))
	if err != nil || len(list) != 2 || list[0].Line != 3 || list[1].Line != 6 {
		t.Errorf("%+v, %v", list, err)
	}
}

var errorLine = regexp.MustCompile(`^list\.yaml:[1-9][0-9]*: [ -~]+$`)

// Whatever the bytes are: a list of agents each of which is canonical, once there,
// with a workspace that is absolute and clean; or no list, and errors that name file
// and line and quote nothing of the bytes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"agents:\n  - agent: a\n    workspace: /a\n", "- {agent: A_b, workspace: /a/../b, project: P, command: [/x, y]}\n", "- agent: Zq9xW\n  workspace: Zq9xW\n  Zq9xW: 1\n",
		"- agent: a\n- agent:\n  workspace: /b\n", "- &a {agent: a, workspace: /a}\n- *a\n", "a: b: c\n", "\xff\xfe", "- agent: \"\\u0130\"\n  workspace: /a\n", "[[[[", "- agent: !Zq9xW x\n", "*Zq9xW"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Parse("list.yaml", b)
		if (err == nil) != (len(list) > 0) {
			t.Fatalf("%d agents, error %v", len(list), err)
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !errorLine.MatchString(line) || strings.Contains(line, "Zq9xW") {
					t.Fatalf("error %q", line)
				}
			}
		}
		agents, places := map[string]bool{}, map[string]bool{}
		for _, d := range list {
			if d.Agent != Name(d.Agent) || d.Agent == "" || strings.ContainsAny(d.Agent, "/: \x00\n") || agents[d.Agent] {
				t.Fatalf("agent %q", d.Agent)
			}
			if !path.IsAbs(d.Workspace) || d.Workspace != path.Clean(d.Workspace) || places[d.Workspace] || strings.ContainsRune(d.Workspace, 0) {
				t.Fatalf("workspace %q", d.Workspace)
			}
			if d.Line < 1 || d.Line > 1+strings.Count(string(b), "\n")+strings.Count(string(b), "\r")+strings.Count(string(b), "\u2028")+strings.Count(string(b), "\u2029")+strings.Count(string(b), "\u0085") {
				t.Fatalf("line %d", d.Line)
			}
			if d.Command != nil && !path.IsAbs(d.Command[0]) {
				t.Fatalf("%+v", d)
			}
			agents[d.Agent], places[d.Workspace] = true, true
		}
	})
}

// What starts an agent is the launcher that fleet-observe-workspaces looks at, or the command of the list.
func TestStart(t *testing.T) {
	if got := (Agent{Workspace: "/w/a"}).Start(); !slices.Equal(got, []string{"/w/a/" + macf.Launcher}) {
		t.Errorf("%q", got)
	}
	if got := (Agent{Workspace: "/w/a", Command: []string{"/bin/run", "-x"}}).Start(); !slices.Equal(got, []string{"/bin/run", "-x"}) {
		t.Errorf("%q", got)
	}
}
