package observe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/command"
	"github.com/fleet-tools/fleet/internal/config"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// Remote says how Claude Code is observed on another machine.
type Remote struct {
	config.Host
	Binary     string   // as of Claude, there
	Dirs       []string // likewise
	ListingCap int      // likewise
}

// answerLimit is how many bytes of an answer are read: that of thousands of
// sessions is a tenth of it.
const answerLimit = 32 << 20

// skewed is from which on a difference of two clocks is told.
const skewed = 120 * time.Second

// RemoteSurface is the surface that says whether another machine answered.
const RemoteSurface = "ssh"

// Observe writes the records of the machine, as records of its name, or the one
// that says why it could not be read.
func (r Remote) Observe(ctx context.Context, w *machine.World, sink Sink) (unread []string, err error) {
	at, surface := record.NewTime(w.At), &record.Surface{OK: true, Via: r.Via()}
	emit := emitter{sink: sink, at: at, host: r.Name}
	w.Rec.Meta(w, nil)
	answer, err := r.ask(ctx, w)
	if err != nil {
		fail(surface, err)
	} else {
		r.tell(surface, answer, w)
	}
	emit.surface(RemoteSurface, "", surface)
	if err != nil {
		emit.close("")
		return []string{fmt.Sprintf("%s: not read: %s", r.Name, surface.Error)}, cmp.Or(emit.err, w.Rec.Failed())
	}
	for _, part := range answer.Parts {
		for _, rec := range part.Records {
			emit.at = rec.At
			if s, ok := record.Payload[record.Surface](rec); ok && !s.OK {
				emit.unread = append(emit.unread, fmt.Sprintf("%s: %s: not read: %s", r.Name, rec.Subject, s.Error))
			}
			emit.add(rec.Kind, rec.Subject, rec.Data)
		}
		emit.at = part.At
		emit.close(part.Label)
	}
	return emit.unread, cmp.Or(emit.err, w.Rec.Failed())
}

// tell fills what is known of an answer as such.
func (r Remote) tell(s *record.Surface, a claude.Answer, w *machine.World) {
	for _, part := range a.Parts {
		s.Rows += len(part.Records)
	}
	for _, field := range a.Unknown {
		s.Drift = append(s.Drift, "field "+field)
	}
	if a.Skipped > 0 {
		s.Notes = append(s.Notes, r.Name+" prints something before its records: does a start-up file of the shell there?")
	}
	switch off := a.At.Sub(w.At); {
	case off > skewed:
		s.Notes = append(s.Notes, fmt.Sprintf("the clock of %s is %s ahead of that of %s", r.Name, hours(off), w.Host))
	case off < -skewed:
		s.Notes = append(s.Notes, fmt.Sprintf("the clock of %s is %s behind that of %s", r.Name, hours(-off), w.Host))
	}
}

// ask runs the observer there and reads what it prints.
func (r Remote) ask(ctx context.Context, w *machine.World) (claude.Answer, error) {
	spec, err := r.spec(w)
	if err != nil {
		return claude.Answer{}, err
	}
	res, err := w.Run(ctx, spec)
	if err != nil || res.Status != 0 && res.Status != 3 {
		w.Rec.Failure(spec, res, err)
	}
	switch {
	case errors.Is(err, command.ErrTimeout):
		return claude.Answer{}, fmt.Errorf("no answer within %s", spec.Timeout)
	case errors.Is(err, command.ErrOutput):
		return claude.Answer{}, fmt.Errorf("it wrote more than the %d MiB that are read", answerLimit>>20)
	case err != nil:
		return claude.Answer{}, err
	case res.Status == 255:
		return claude.Answer{}, fmt.Errorf("ssh: exit status 255: %s", lastLine(res.Stderr))
	case res.Status != 0 && res.Status != 3:
		return claude.Answer{}, fmt.Errorf("%s: %s", r.Command[0], command.Exit(res.Status, lastLine(res.Stderr)))
	}
	answer, err := claude.ReadAnswer(res.Stdout, r.Name)
	if err != nil {
		return answer, fmt.Errorf("its answer is not taken: %w", err)
	}
	w.Rec.Command(spec, answer.Lines(), strconv.Itoa(res.Status), nil)
	return answer, nil
}

// spec is the command that asks. What runs there ends before ssh does, so that
// it can say what took its time.
func (r Remote) spec(w *machine.World) (command.Spec, error) {
	timeout := time.Duration(r.TimeoutS) * time.Second
	words := append(slices.Clone(r.Command), "--timeout", strconv.Itoa(max(r.TimeoutS/3, 1))+"s", "--listing-cap", strconv.Itoa(r.ListingCap))
	if r.Binary != "claude" {
		words = append(words, "--claude", r.Binary)
	}
	for _, dir := range r.Dirs {
		words = append(words, "--claude-dir", dir)
	}
	s := command.Spec{Argv: command.SSH(r.SSH, r.SSHConfig, max(r.TimeoutS/2, 1), words), Timeout: timeout, KillAfter: 2 * time.Second, MaxOutput: answerLimit, Dir: "/"}
	for _, name := range []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LC_ALL", "SSH_AUTH_SOCK"} {
		if v := w.Getenv(name); v != "" {
			s.Env = append(s.Env, name+"="+v)
		}
	}
	var err error
	s.Path, err = w.FindProgram("ssh")
	return s, err
}

// lastLine is the last line of what was said on stderr that is not blank: the
// cause stands behind what leads to it.
func lastLine(stderr []byte) string {
	lines := bytes.Split(bytes.TrimSpace(stderr), []byte("\n"))
	return cmp.Or(guard.Text(strings.ToValidUTF8(string(lines[len(lines)-1]), ""), errorWidth), "it says nothing")
}

// hours is a span in hours and minutes.
func hours(d time.Duration) string {
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
