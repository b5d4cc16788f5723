package notify

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"

	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/record"
)

// dialog is a program that shows a text over the buttons Seen and Later, the
// second the default.
type dialog struct {
	program string
	screen  bool // it needs an X or Wayland display
	patient bool // it does not give up by itself
	argv    func(title, text string) []string
	read    func(command.Result) (_ record.Shown, ok bool) // what its end says; ok is false when it showed nothing
}

// What the end of a dialog can be.
var (
	seen   = record.Shown{Button: "Seen"}
	later  = record.Shown{Button: "Later"} // a closed window too
	gaveUp = record.Shown{Button: "Later", GaveUp: true}
)

// dialogs are in the order in which they are looked for. Only macOS has the
// first. What their ends mean is from the sources of zenity and kdialog and the
// language guide of AppleScript; none of the three was run.
var dialogs = []dialog{
	{
		program: "osascript",
		argv:    func(title, text string) []string { return []string{"-e", command.DialogScript, title, text} },
		read: func(res command.Result) (record.Shown, bool) {
			switch out := strings.TrimSpace(string(res.Stdout)); {
			case res.Status != 0:
			case out == "Seen":
				return seen, true
			case out == "Later":
				return later, true
			case out == "gave up":
				return gaveUp, true
			}
			return record.Shown{}, false
		},
	},
	{
		program: "zenity", screen: true,
		argv: func(title, text string) []string {
			return []string{"--question", "--no-markup", "--default-cancel", "--ok-label=Seen", "--cancel-label=Later", "--timeout=600", "--width=480", "--title", title, "--text", text}
		},
		read: func(res command.Result) (record.Shown, bool) {
			switch {
			case res.Status == 0:
				return seen, true
			case res.Status == 1 && !notShown().Match(res.Stderr):
				return later, true
			case res.Status == 5:
				return gaveUp, true
			}
			return record.Shown{}, false
		},
	},
	{
		// A question box has Yes as its default; a warning has No.
		program: "kdialog", screen: true, patient: true,
		argv: func(title, text string) []string {
			return []string{"--yes-label", "Seen", "--no-label", "Later", "--title", title, "--warningyesno", rich(text)}
		},
		read: func(res command.Result) (record.Shown, bool) {
			switch {
			case res.Status == 0:
				return seen, true
			case res.Status == 1 && !notShown().Match(res.Stderr), res.Status == 2:
				return later, true
			}
			return record.Shown{}, false
		},
	},
}

// notShown is what toolkits say when there is no display, or a flag is none of
// theirs. Some end with status 1 then, which is also that of the button Later.
var notShown = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(open|connect to|unable to init)[^\n]{0,40}(display|server)|unknown option`)
})

// rich is a text for kdialog, which takes \n and \\ in it for escapes, and
// anything that looks like a tag for HTML. So all of it is HTML, and says so.
func rich(text string) string {
	text = strings.ReplaceAll(html.EscapeString(text), "\n", "<br/>")
	return "<qt>" + strings.ReplaceAll(text, `\`, `\\`) + "</qt>"
}

// instead is what an owner without a dialog can do.
const instead = "\nowner_channel can be a command, or none"

var errNoDialog = errors.New("no dialog: none of osascript, zenity and kdialog is on PATH: install zenity or kdialog" + instead)

// showDialog shows a batch in the first dialog program that is on PATH.
func showDialog(ctx context.Context, b Batch) (record.Shown, error) {
	for _, d := range dialogs {
		path, err := exec.LookPath(d.program)
		if err != nil {
			continue
		}
		if d.screen && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return record.Shown{}, errors.New(d.program + ": no display: neither DISPLAY nor WAYLAND_DISPLAY is set" + instead)
		}
		return d.show(ctx, path, b)
	}
	return record.Shown{}, errNoDialog
}

func (d dialog) show(ctx context.Context, path string, b Batch) (record.Shown, error) {
	limit := patience.dialog
	if !d.patient {
		limit += patience.more
	}
	res, err := command.Run(ctx, command.Spec{
		Argv: append([]string{d.program}, d.argv(b.title(), b.text())...), Path: path,
		// A language that no toolkit has a translation for: notShown is English.
		Env: append(environment(), "LANGUAGE=en"), Dir: "/", Timeout: limit, KillAfter: patience.killAfter, MaxOutput: maxOutput,
	})
	switch {
	case errors.Is(err, command.ErrTimeout) && d.patient && ctx.Err() == nil:
		return gaveUp, nil
	case errors.Is(err, command.ErrTimeout):
		return record.Shown{}, ended(ctx, d.program, limit)
	case err != nil:
		return record.Shown{}, fmt.Errorf("%s: %w", d.program, err)
	}
	if shown, ok := d.read(res); ok {
		return shown, nil
	}
	return record.Shown{}, fmt.Errorf("%w%s", failed(d.program, res), instead)
}
