//go:build real

package real

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/screen"
	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// pane is a session that shows what a fixture of the same name does.
type pane struct {
	name       string
	how        string // how it came about
	live       bool   // it is compared in every run; the others only when they are captured
	subscriber bool
	dir        string   // under HOME; project when empty
	prompt     string   // the first prompt; none when empty
	args       []string // of claude
	env        string   // one more variable
	steps      []step
}

// step is waiting for a text on the screen, and keys that are pressed then.
type step struct {
	until string
	keys  []string
}

const (
	ready   = "? for shortcuts"
	busyNow = "esc to interrupt"
	classic = "CLAUDE_CODE_NO_FLICKER=0"
)

// rested are the steps to a session after a turn, and then keys.
func rested(keys ...string) []step { return []step{{"three functions", nil}, {ready, keys}} }

func doing(scenario string) string { return "Do it [case:" + scenario + "]" }

func panes() []pane {
	all := append(append(restedPanes(), dialogPanes()...), draftPanes()...)
	return append(all, otherPanes()...)
}

func restedPanes() []pane {
	menu := "It asked:\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel [case:plain]"
	edits := []string{"--permission-mode", "acceptEdits"}
	return []pane{
		{name: "new", how: "never prompted", live: true, steps: []step{{ready, nil}}},
		{name: "idle", how: "after a turn", prompt: doing("plain"), live: true, steps: rested()},
		{name: "named", how: "it has a name, which the prompt shows", prompt: doing("plain"), args: []string{"--name", "lamp"}, live: true, steps: rested()},
		{name: "accept-edits", how: "in the mode that accepts edits", prompt: doing("plain"), args: edits, steps: []step{{"three functions", nil}, {"accept edits on", nil}}},
		{name: "server-error", how: "the turn ended in 529", prompt: doing("529"), steps: []step{{"API Error", nil}, {ready, nil}}},
		{name: "shell", how: "the turn is over, a background shell runs", prompt: doing("bgshell"), args: maySleep, steps: []step{{"The build runs", nil}}},
		{name: "quoted-menu", how: "the prompt quotes a menu", prompt: menu, live: true, steps: rested()},
		{name: "printed-menu", how: "a shell line of the user printed a menu", steps: []step{{ready, []string{"!", "cat menu.txt", "Enter"}}, {"Do you want", nil}}},
		{name: "classic", how: "with the renderer that keeps to the main screen", prompt: doing("plain"), env: classic, live: true, steps: rested()},
		{name: "limit-session", how: "at the session limit", subscriber: true, prompt: doing("limit-session"), steps: []step{{"session limit", nil}}},
		{name: "limit-org", how: "at a spend limit", subscriber: true, prompt: doing("limit-org"), steps: []step{{"spend limit", nil}}},
	}
}

func dialogPanes() []pane {
	planning := []string{"--permission-mode", "plan"}
	return []pane{
		{name: "permission", how: "a command waits for permission", prompt: doing("perm"), live: true, steps: []step{{"Do you want", nil}}},
		{name: "permission-write", how: "a new file waits for permission", prompt: doing("permwrite"), steps: []step{{"Do you want", nil}}},
		{name: "classic-permission", how: "with the classic renderer, a command waits for permission", prompt: doing("perm"), env: classic, steps: []step{{"Do you want", nil}}},
		{name: "question", how: "a question with options", prompt: doing("ask"), live: true, steps: []step{{"Which database", nil}, {"Postgres", nil}}},
		{name: "plan", how: "a plan waits for approval", prompt: doing("plan"), args: planning, live: true, steps: []step{{"Exit plan mode", nil}}},
		{name: "trust", how: "in a directory that nobody trusted", dir: "other", live: true, steps: []step{{"trust", nil}}},
		{name: "limit-weekly", how: "at the weekly limit, which opens a menu at most times", subscriber: true, prompt: doing("limit-weekly"), steps: []step{{"weekly limit", nil}}},
		{name: "model", how: "/model was submitted", prompt: doing("plain"), live: true, steps: append(rested("/model", "Enter"), step{"elect model", nil})},
		{name: "config", how: "/config was submitted", prompt: doing("plain"), steps: append(rested("/config", "Enter"), step{"Auto-compact", nil})},
		{name: "help", how: "/help was submitted", prompt: doing("plain"), steps: append(rested("/help", "Enter"), step{"For more help", nil})},
		{name: "search", how: "ctrl-r was pressed, which searches the history", prompt: doing("plain"), steps: append(rested("C-r"), step{"earch", nil})},
		{name: "rewind", how: "escape was pressed twice, which lists earlier prompts", prompt: doing("plain"), steps: append(rested("Escape", "Escape"), step{"ewind", nil})},
		{name: "tasks", how: "the list under a running shell was opened", prompt: doing("bgshell"), args: maySleep, steps: []step{{"The build runs", []string{"Down", "Enter"}}}},
	}
}

func draftPanes() []pane {
	return []pane{
		{name: "draft", how: "a word was typed", prompt: doing("plain"), live: true, steps: append(rested("also"), step{"also", nil})},
		{name: "draft-new", how: "a word was typed before the first prompt", steps: []step{{ready, []string{"also"}}, {"also", nil}}},
		{name: "draft-home", how: "a word was typed and the cursor moved to its start", prompt: doing("plain"), steps: append(rested("also", "C-a"), step{"also", nil})},
		{name: "draft-lines", how: "two lines were typed", prompt: doing("plain"), steps: append(rested("first", "M-Enter", "second"), step{"second", nil})},
		{name: "long-draft", how: "more was typed than a line holds", prompt: doing("plain"), steps: append(rested(strings.Repeat("many words ", 40)), step{"many", nil})},
		{name: "draft-slash", how: "a slash was typed, which opens a menu of commands", prompt: doing("plain"), steps: append(rested("/"), step{"/add-dir", nil})},
		{name: "classic-slash", how: "with the classic renderer, a slash was typed", prompt: doing("plain"), env: classic, steps: append(rested("/"), step{"/add-dir", nil})},
		{name: "draft-bang", how: "an exclamation mark was typed, which makes a shell line", prompt: doing("plain"), steps: append(rested("!"), step{"!", nil})},
		{name: "draft-busy", how: "a word was typed while it worked", prompt: doing("busy"), steps: []step{{busyNow, []string{"also"}}, {"also", nil}}},
	}
}

func otherPanes() []pane {
	return []pane{
		{name: "busy", how: "an answer arrives", prompt: doing("busy"), live: true, steps: []step{{busyNow, nil}}},
		{name: "toolbusy", how: "a command runs", prompt: doing("toolbusy"), args: maySleep, steps: []step{{busyNow, nil}, {"sleep 3000", nil}}},
		{name: "classic-busy", how: "with the classic renderer, an answer arrives", prompt: doing("busy"), env: classic, steps: []step{{busyNow, nil}}},
		{name: "queued", how: "a second prompt was submitted while it worked", prompt: doing("busy"), live: true, steps: []step{{busyNow, []string{"and then?", "Enter"}}, {"queued", nil}}},
		{name: "shortcuts", how: "? was typed, which lists the keys", prompt: doing("plain"), steps: append(rested("?"), step{"ctrl + o", nil})},
		{name: "viewer", how: "ctrl-o was pressed, which shows the transcript", prompt: doing("plain"), live: true, steps: append(rested("C-o"), step{"detailed transcript", nil})},
		{name: "classic-viewer", how: "with the classic renderer, ctrl-o was pressed", prompt: doing("plain"), env: classic, steps: append(rested("C-o"), step{"detailed transcript", nil})},
	}
}

// What sessions show now is read as what the fixtures of their names show. With
// FLEET_PANES, the panes are written to that directory instead.
func TestDriverPanes(t *testing.T) {
	t.Parallel()
	binary := installed(t)
	into := os.Getenv("FLEET_PANES")
	for _, subscriber := range []bool{false, true} {
		if subscriber && into == "" {
			continue
		}
		box := newBox(t, binary, subscriber)
		if err := os.MkdirAll(box.Path("other"), 0o755); err != nil {
			t.Fatal(err)
		}
		menu := " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n"
		if err := os.WriteFile(box.Path(project, "menu.txt"), []byte(menu), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := box.Tmux(t.Context(), "new-session", "-d", "-s", "stays", "sleep", "3000"); err != nil {
			t.Fatal(err)
		}
		for _, p := range panes() {
			if p.subscriber == subscriber && (p.live || into != "") {
				t.Run(p.name, func(t *testing.T) { patiently(t, func(ctx context.Context) { p.compare(ctx, t, box, into) }) })
			}
		}
	}
}

// compare reads the pane as the fixture of its name, or writes it.
func (p pane) compare(ctx context.Context, t *testing.T, box *claudebox.Box, into string) {
	text := p.show(ctx, t, box)
	if _, err := box.Tmux(ctx, "kill-session", "-t", "="+p.name); err != nil {
		t.Error(err)
	}
	if into != "" {
		if err := os.WriteFile(filepath.Join(into, p.name+".txt"), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	fixture, err := os.ReadFile(filepath.Join(root, "internal/screen/testdata/panes", p.name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	got, want := screen.Read(text), screen.Read(string(fixture))
	if got.Prompt != want.Prompt || got.Draft != want.Draft || got.Text != want.Text || got.Working != want.Working || got.Viewer != want.Viewer || (got.Dialog == "") != (want.Dialog == "") {
		t.Errorf("%s: %+v, want %+v\n%s", p.how, got, want, text)
	}
}

// show brings the session about and returns what its pane shows.
func (p pane) show(ctx context.Context, t *testing.T, box *claudebox.Box) string {
	t.Helper()
	dir := project
	if p.dir != "" {
		dir = p.dir
	}
	var args []string
	if p.prompt != "" {
		args = append(args, p.prompt)
	}
	if p.env != "" {
		if _, err := box.Tmux(ctx, append([]string{"new-session", "-d", "-s", p.name, "-x", "150", "-y", "45", "-c", box.Path(dir), "-e", p.env, "env", "claude"}, append(args, p.args...)...)...); err != nil {
			t.Fatal(err)
		}
	} else if _, err := box.Interactive(ctx, p.name, box.Path(dir), append(args, p.args...)...); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.steps {
		err := claudebox.Await(ctx, s.until, func() bool {
			text, err := box.Screen(ctx, p.name)
			return err == nil && strings.Contains(text, s.until)
		})
		if err != nil {
			text, _ := box.Screen(context.Background(), p.name)
			t.Fatalf("%v\n%s", err, text)
		}
		for _, k := range s.keys {
			if err := box.Keys(ctx, p.name, k); err != nil {
				t.Fatal(err)
			}
			claudebox.Await(ctx, "a moment", moments(2))
		}
	}
	claudebox.Await(ctx, "the screen to settle", moments(4))
	text, err := box.Styled(ctx, p.name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// moments holds when it was asked n times.
func moments(n int) func() bool { return func() bool { n--; return n < 0 } }
