package screen

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pane returns a captured pane.
func pane(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/panes", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// plain is what capture-pane prints without -e.
func plain(text string) string {
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(text, "")
}

// words is a Screen in one line: what is shown, then what stands there.
func words(s Screen) string {
	var out []string
	for _, w := range []struct {
		is   bool
		word string
	}{{s.Prompt, "prompt"}, {s.Draft, "draft"}, {s.Working, "working"}, {s.Viewer, "viewer"}, {s.Dialog != "", "dialog"}} {
		if w.is {
			out = append(out, w.word)
		}
	}
	return strings.Join(out, " ")
}

// Every pane of testdata, captured from the real Claude Code: what it shows, and
// a word of the text or of the dialog.
func TestRead(t *testing.T) {
	tests := []struct{ name, want, says string }{
		{"new", "prompt", ""}, {"idle", "prompt", ""}, {"named", "prompt", ""}, {"server-error", "prompt", ""}, {"shell", "prompt", ""},
		{"limit-session", "prompt", ""}, {"limit-org", "prompt", ""}, {"classic", "prompt", ""}, {"shortcuts", "prompt", ""},
		{"accept-edits", "prompt", ""}, // case pane-footer-below-prompt
		{"quoted-menu", "prompt", ""},  // case pane-quoted-menu
		{"printed-menu", "prompt working", ""},
		{"busy", "prompt working", ""}, {"toolbusy", "prompt working", ""}, {"classic-busy", "prompt working", ""},
		{"queued", "prompt working", ""}, // a suggestion stands in the prompt
		{"draft", "prompt draft", "also"}, {"draft-new", "prompt draft", "also"}, {"draft-home", "prompt draft", "also"},
		{"draft-lines", "prompt draft", "first\nsecond"}, {"draft-slash", "prompt draft", "/"}, {"draft-bang", "prompt draft", ""},
		{"draft-busy", "prompt draft working", "also"}, {"long-draft", "prompt draft", "many words many words\nmany words"},
		{"permission", "dialog", "Do you want to proceed?"}, {"permission-write", "dialog", "Do you want to create NOTES.md?"},
		{"classic-permission", "dialog", "Do you want to proceed?"},
		{"question", "dialog", "Which database should the migration target?"}, {"plan", "dialog", "Exit plan mode?"},
		{"trust", "dialog", "Yes, I trust this folder"}, {"limit-weekly", "dialog", "What do you want to do?"},
		{"model", "dialog", "Select model"}, {"config", "dialog", "Auto-compact"}, {"search", "dialog", "Search prompts"},
		{"help", "dialog", "Help"}, {"rewind", "dialog", "Rewind"}, {"tasks", "dialog", "Shell details"},
		{"viewer", "viewer", ""}, {"classic-viewer", "viewer", ""}, // case pane-transcript-viewer
		{"classic-slash", "", ""}, // its list hides the prompt: nothing is told
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		seen[tt.name+".txt"] = true
		t.Run(tt.name, func(t *testing.T) {
			got := Read(pane(t, tt.name))
			if words(got) != tt.want {
				t.Errorf("it shows %q, want %q\n%s", words(got), tt.want, plain(pane(t, tt.name)))
			}
			if said := strings.ReplaceAll(got.Text, strings.Repeat("many words ", 11), ""); got.Prompt && tt.name != "long-draft" && said != tt.says {
				t.Errorf("the prompt holds %q, want %q", got.Text, tt.says)
			}
			if got.Dialog != "" && (!strings.Contains(got.Dialog, tt.says) || strings.Contains(got.Dialog, "Do it") && tt.name != "rewind" && tt.name != "search") {
				t.Errorf("the dialog says %q, want %q in it and nothing of the conversation", got.Dialog, tt.says)
			}
			bare := Read(plain(pane(t, tt.name)))
			if bare.Prompt != got.Prompt || bare.Dialog != got.Dialog || bare.Working != got.Working || got.Draft && !bare.Draft {
				t.Errorf("without colours it shows %q", words(bare))
			}
		})
	}
	files, err := os.ReadDir("testdata/panes")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".txt") && !seen[f.Name()] {
			t.Errorf("%s has no row", f.Name())
		}
	}
}

// A suggestion can't be told from a draft without colours, and is taken for one.
func TestRead_suggestion(t *testing.T) {
	if got := Read(plain(pane(t, "queued"))); !got.Draft || got.Text != "Press up to edit queued messages" {
		t.Errorf("%+v", got)
	}
}

// frame is a written pane: rows, and a prompt below.
func frame(above, in, below string) string {
	line := strings.Repeat("─", 60)
	return above + "\n" + line + "\n" + in + "\n" + line + "\n" + below + "\n"
}

// Panes that are written after public reports, and after the shapes of the
// captured ones.
func TestRead_written(t *testing.T) {
	const free, footer = "❯ \x1b[7m \x1b[0m", "  ⏸ manual mode on · ? for shortcuts"
	tests := []struct{ name, text, want string }{
		{"case pane-done-marker", frame("✻ Worked for 2m 05s\n", free, footer), "prompt"},
		{"case pane-old-scrollback", frame("✽ Generating… (48s)"+strings.Repeat("\n", 30), free, footer), "prompt"},
		{"old scrollback with words behind", frame("✽ Generating… (48s)\n● Done.\n\n● More.\n", free, footer), "prompt"},
		{"a spinner", frame("✽ Generating… (48s)\n", free, footer), "prompt working"},
		{"a spinner with a list below", frame("✽ Generating… (48s)\n  ⎿  ☐ Look\n     ☐ Write", free, footer), "prompt working"},
		{"a quoted spinner", frame("● It printed:\n  ✽ Generating… (48s)\n", free, footer), "prompt"},
		{"case pane-footer-below-prompt", frame("● Hi.\n", free, "  ⏵⏵ bypass permissions on (shift+tab to cycle)"), "prompt"},
		{"a suggestion", frame("", "❯ \x1b[7mT\x1b[0;2mry \"edit main.go\"\x1b[0m", footer), "prompt"},
		{"a suggestion without a cursor", frame("", "❯ \x1b[2mTry \"edit main.go\"\x1b[0m", footer), "prompt"},
		{"one character under the cursor", frame("", "❯ \x1b[7mx\x1b[0m", footer), "prompt draft"},
		{"a word with a suggestion behind", frame("", "❯ /mo\x1b[2mdel\x1b[0m", footer), "prompt draft"},
		{"a menu below the prompt", frame("", free, "  ❯ 1. Yes\n    2. No"), "dialog"},
		{"numbers below the prompt", frame("", free, "    1. Yes\n    2. No"), ""},
		{"a prompt that scrolled up", frame("", free, footer) + "\n● More.\n\n$ ls", ""},
		{"a box that is no prompt", frame("", "  words", footer), ""},
		{"a prompt of a shell", "$ claude\nbye\n❯ ls", ""},
		{"nothing", "", ""},
		{"a quoted viewer", frame("Showing detailed transcript · ctrl+o to toggle", free, footer), "prompt"},
		{"numbers that nothing points at", " Steps:\n 1. Look\n 2. Write\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Read(tt.text); words(got) != tt.want {
				t.Errorf("it shows %q, want %q: %+v", words(got), tt.want, got)
			}
		})
	}
}

// A signature is matched next to the prompt, within one row, and nowhere else.
func TestStall(t *testing.T) {
	var sigs Signatures
	for _, s := range [][2]string{{"limit", `hit your session limit`}, {"error", `^● API ERROR`}, {"permission", `requires approval`}} {
		if err := sigs.Add(s[0], s[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := sigs.Add("bad", "("); err == nil || !strings.HasPrefix(err.Error(), "stall signature bad: ") {
		t.Errorf("%v", err)
	}
	const free, footer = "❯ \x1b[7m \x1b[0m", "  ⏸ manual mode on"
	tests := []struct{ name, text, want string }{
		{"captured limit", pane(t, "limit-weekly"), ""}, // the menu hides the line
		{"captured error", pane(t, "server-error"), "error"},
		{"captured dialog", pane(t, "permission"), "permission"},
		{"captured idle", pane(t, "idle"), ""},
		{"under what the user said", frame("❯ Do it\n  ⎿  You've hit your session limit\n\n✻ Baked for 0s\n", free, footer), "limit"},
		{"case pane-soft-wrap", frame("❯ Do it\n  ⎿  You've hit your session\n     limit · resets 3am\n", free, footer), ""},
		{"in what the user said", frame("❯ Why did I\n  hit your session limit?\n", free, footer), ""},
		{"further up", frame("● API Error: 529\n\n● Better now.\n", free, footer), ""},
		{"below the prompt", frame("● Hi.\n", free, "  ⚠ You've hit your session limit"), "limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sigs.Stall(Read(tt.text)); got != tt.want {
				t.Errorf("%q, want %q: %q", got, tt.want, Read(tt.text).Beside)
			}
		})
	}
}

// What is above the last prompt and what is next to it changes nothing, and of
// prompt, dialog and viewer there is one at most.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/panes/*.txt")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b), "● Do you want to proceed?\n ❯ 1. Yes\n   2. No\n")
	}
	f.Add(frame("✽ Generating…", "❯ a", "  x"), "✽ Generating…\n")
	f.Fuzz(func(t *testing.T, text, above string) {
		got := Read(text)
		if got.Prompt && (got.Dialog != "" || got.Viewer) || got.Viewer && got.Dialog != "" || !got.Prompt && (got.Draft || got.Working || got.Text != "") {
			t.Fatalf("%+v", got)
		}
		if bare := Read(plain(text)); !strings.Contains(plain(text), "\x1b") && bare.Prompt == got.Prompt && got.Draft && !bare.Draft {
			t.Fatalf("a draft is none without colours: %+v", bare)
		}
		if !got.Prompt {
			return
		}
		more := Read(above + "\n\x1b[m\n\x1b[m\n" + text)
		if more.Prompt != got.Prompt || more.Draft != got.Draft || more.Text != got.Text || more.Working != got.Working || more.Dialog != "" || more.Viewer {
			t.Fatalf("with more above: %+v, without: %+v", more, got)
		}
		for _, row := range got.Beside {
			if !slices.Contains(more.Beside, row) {
				t.Fatalf("with more above %q is not next to the prompt: %q", row, more.Beside)
			}
		}
	})
}
