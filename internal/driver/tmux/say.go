package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/fleet-tools/fleet/internal/driver"
)

// enters is how often Enter is pressed at most: once, and three times again.
const enters = 4

// buffers counts the buffers of this process.
var buffers atomic.Int64

// Say types text and submits it. A text that is empty, holds a control character
// other than a newline or a tab, or begins with a character that makes something
// else of a prompt (! a shell line, / a command) is refused.
func (d *Driver) Say(ctx context.Context, t driver.Target, text string) error {
	err := typable(text)
	if err == nil {
		err = d.say(ctx, t, text)
	}
	if err != nil {
		return fmt.Errorf("%s: saying something to %s: %w", t.Agent, t.Session, err)
	}
	return nil
}

// typable returns why no prompt takes a text as it is.
func typable(text string) error {
	odd := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%w: it is empty", driver.ErrText)
	case !utf8.ValidString(text):
		return fmt.Errorf("%w: it is not UTF-8", driver.ErrText)
	case strings.ContainsFunc(text, odd):
		return fmt.Errorf("%w: it holds control characters", driver.ErrText)
	case strings.ContainsRune("!/", rune(strings.TrimSpace(text)[0])):
		return fmt.Errorf("%w: it begins with %q", driver.ErrText, strings.TrimSpace(text)[:1])
	}
	return nil
}

func (d *Driver) say(ctx context.Context, t driver.Target, text string) error {
	v, err := d.watch(ctx, t)
	if err == nil {
		err = fit(t, v)
	}
	if err != nil {
		return err
	}
	buffer := fmt.Sprintf("fleet-%d-%d", os.Getpid(), buffers.Add(1))
	if _, err := d.run(ctx, t, text, "load-buffer", "-b", buffer, "-"); err != nil {
		return err
	}
	defer d.run(context.WithoutCancel(ctx), t, "", "delete-buffer", "-b", buffer) // gone already when it was pasted
	if v, err = d.peek(ctx, t); err == nil {
		err = fit(t, v)
	}
	if err != nil {
		return err
	}
	// -p: as one paste, where the program asked for that. -r: a newline stays one, and is no Enter.
	if _, err := d.run(ctx, t, "", "paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", v.Place); err != nil {
		return err
	}
	return d.submit(ctx, t, v.Place, text)
}

// submit presses Enter once the prompt shows the text, and looks whether it is
// gone.
func (d *Driver) submit(ctx context.Context, t driver.Target, place, text string) error {
	why := d.await(ctx, t, place, func(v view) bool { return holds(v.shown.Text, text) })
	for n := 0; why == nil && n < enters; n++ {
		if !driver.Pause(ctx, d.Rest) {
			return fmt.Errorf("%w: %w", driver.ErrUnsubmitted, ctx.Err())
		}
		// Each time it is looked at first: a dialog would take the Enter.
		if why = d.await(ctx, t, place, func(v view) bool { return holds(v.shown.Text, text) || !v.Draft }); why != nil {
			break
		}
		if v, err := d.peek(ctx, t); err == nil && v.Prompt && !v.Draft {
			return nil // the last Enter took its time
		}
		if _, err := d.run(ctx, t, "", "send-keys", "-t", place, "C-m"); err != nil {
			return fmt.Errorf("%w: %w", driver.ErrUnsubmitted, err)
		}
		err := d.await(ctx, t, place, func(v view) bool { return !v.Draft })
		if err == nil {
			return nil
		}
		if !errors.Is(err, errSame) {
			why = err
		}
	}
	if why == nil {
		return fmt.Errorf("%w: it is still in the prompt after %d times Enter", driver.ErrUnsubmitted, enters)
	}
	return fmt.Errorf("%w: %w", driver.ErrUnsubmitted, why)
}

// errSame says that the prompt did not come to show what was awaited.
var errSame = errors.New("the prompt does not show it")

// await looks until the prompt of the pane is as wanted. The error is errSame,
// or why Enter must not be pressed.
func (d *Driver) await(ctx context.Context, t driver.Target, place string, wanted func(view) bool) (why error) {
	ok := driver.Until(ctx, d.Settle, func() bool {
		v, err := d.peek(ctx, t)
		switch {
		case err != nil:
			why = err
		case v.Place != place:
			why = driver.ErrChanged
		default:
			if why = obstacle(t, v); why == nil && !wanted(v) {
				why = errSame
			}
		}
		return why == nil
	})
	if !ok && why == nil {
		why = ctx.Err()
	}
	return why
}

// mark is what a prompt shows in the place of one long paste, packed: "[Pasted text #1 +40 lines]".
var mark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[Pastedtext#\d+(\+\d+lines?)?\]$`) })

// holds tells whether a prompt holds the text and nothing else. It breaks the
// text into rows, shows a part of a long one, and a mark in place of a longer.
// What a person typed or pasted beside that is theirs to submit.
func holds(prompt, text string) bool {
	shown, whole := packed(prompt), packed(text)
	return shown != "" && (shown == whole || mark().MatchString(shown) || len(shown) > 200 && strings.Contains(whole, shown))
}

// packed is a text without its blanks.
func packed(s string) string { return strings.Join(strings.Fields(s), "") }

// fit returns why nothing may be typed into a session.
func fit(t driver.Target, v view) error {
	err := obstacle(t, v)
	switch {
	case err != nil:
		return err
	case v.Draft:
		return driver.ErrDraft
	case v.Moving:
		return driver.ErrBusy
	}
	return nil
}

// obstacle returns why no key may be pressed in a session.
func obstacle(t driver.Target, v view) error {
	switch {
	case !v.Alive:
		return driver.ErrAbsent
	case v.process == nil:
		return fmt.Errorf("%w: no Claude Code process runs in it", driver.ErrAbsent)
	case !t.Same(v.process):
		return fmt.Errorf("%w: process %d", driver.ErrChanged, v.PID)
	case v.Attached:
		return driver.ErrAttached
	case v.Mode:
		return driver.ErrMode
	case v.Dialog != "":
		return fmt.Errorf("%w: %s", driver.ErrDialog, v.Dialog)
	case v.Viewer:
		return fmt.Errorf("%w: it shows its transcript", driver.ErrNoPrompt)
	case !v.Prompt:
		return driver.ErrNoPrompt
	}
	return nil
}
