// Package cli binds a fleet program to the process: flags, streams, the clock
// and the exit status. Nothing else reads the clock or decides a status.
//
//	0  done; also: nothing to report
//	1  failed: do not trust the output
//	2  called wrongly: flags, arguments, configuration; no output
//	3  done in part: a surface could not be read; its record says which
//	75 another process holds what it needs; nothing was done
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	flags "github.com/jessevdk/go-flags"
)

// Version is the release that --version prints.
const Version = "0.1.0"

// The exit statuses.
const (
	StatusDone   = 0
	StatusFailed = 1
	StatusUsage  = 2
	StatusPart   = 3
	StatusHeld   = 75
)

// Program names a program and says, for --help, what it does.
type Program struct {
	Name string
	// About is a paragraph that begins with the name. A sentence in it that begins
	// with small letters and has a colon is about a command, the first argument:
	// "get SCOPE KEY: print a value."
	About string
	Args  string // placeholder for arguments in the usage line; "" when it takes none
	// Withhold takes credentials out of a line that is told on stderr, such as a path of the
	// configuration, and what moves a terminal; nil in a program that reads nothing but records.
	Withhold func(string) string
}

// Time is a flag value: RFC 3339, zero when the flag was not given.
type Time struct{ time.Time }

// UnmarshalFlag reads RFC 3339; empty is as if the flag were not given.
func (t *Time) UnmarshalFlag(s string) error {
	if s == "" {
		return nil
	}
	u, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return fmt.Errorf("%q is not RFC 3339, such as 2026-11-29T14:50:02Z", s)
	}
	if y := u.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("%q is outside the years 1 to 9999", s)
	}
	t.Time = u
	return nil
}

// Common is the flags of every program; one that writes records has jq.Common.
type Common struct {
	Now     Time   `long:"now" env:"FLEET_NOW" value-name:"TIME" description:"take TIME (RFC 3339) as the present"`
	Version bool   `long:"version" description:"print the version and exit"`
	Docs    string `long:"docs" value-name:"KIND" choice:"man" choice:"bash" choice:"zsh" choice:"fish" description:"print the man page, or completions for a shell, and exit"`
}

func (c *Common) common() *Common { return c }

// Machine is the further flags of programs that touch the machine.
type Machine struct {
	Scope  string `long:"scope" env:"FLEET_SCOPE" value-name:"ID" description:"work for the scope ID of the configuration"`
	Config string `long:"config" env:"FLEET_CONFIG" value-name:"FILE" description:"read the configuration from FILE (default ~/.config/ctx/fleet.json)"`
}

// Observer is the further flags of observers.
type Observer struct {
	Fixtures string `long:"fixtures" value-name:"DIR" description:"observe the recorded machine in DIR and nothing of this one"`
	Record   string `long:"record" value-name:"DIR" description:"also write to DIR, cleaned, what was read, as --fixtures reads it"`
}

// statusError carries an exit status.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// Usage marks err as the caller's mistake: status 2, no output.
func Usage(err error) error { return &statusError{StatusUsage, err} }

// Partial marks err as a surface that could not be read: the output stands,
// status 3. The record says why; the error's text is not printed when empty.
func Partial(err error) error { return &statusError{StatusPart, err} }

// Held marks err as another process's hold of what is needed: status 75. It may be tried again.
func Held(err error) error { return &statusError{StatusHeld, err} }

// Observed is the end of an observer: err, else the surfaces that could not be
// read, a line each, as Partial.
func Observed(unread []string, err error) error {
	if err == nil && len(unread) > 0 {
		err = Partial(errors.New(strings.Join(unread, "\n")))
	}
	return err
}

// UntilTold returns a context that ends when the process is told to end, so that
// what it started is ended with it. Told again, the process ends at once.
func UntilTold(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Main runs the program on the process's own streams and exits.
func Main[O any](p Program, run func(context.Context, *Std, *O) error) {
	os.Exit(Run(p, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, run))
}

// Run runs the program and returns its exit status. O is a struct that embeds
// Common.
func Run[O any](p Program, args []string, in io.Reader, out, errw io.Writer, run func(context.Context, *Std, *O) error) int {
	signal.Ignore(syscall.SIGXFSZ) // a file that is too large is an error of the write, which is told and taken back
	opts := new(O)
	common := any(opts).(interface{ common() *Common }).common()
	std := &Std{Program: p.Name, In: in, Out: bufio.NewWriterSize(out, 64<<10), Err: errw, withhold: p.Withhold}
	parser, err := parse(p, opts, args, std)
	switch {
	case flags.WroteHelp(err):
		return finish(std, write(std.Out, help(parser)))
	case err != nil:
		return finish(std, Usage(err))
	case common.Version:
		return finish(std, write(std.Out, p.Name+" "+version()+"\n"))
	case common.Docs != "":
		return finish(std, write(std.Out, docs[common.Docs](newManual(p, parser))))
	}
	if std.Now = common.Now.Time; std.Now.IsZero() {
		std.Clock = time.Now().UTC()
	} else {
		std.Clock = std.Now.UTC()
	}
	if of, ok := any(opts).(interface{ Query() (Query, error) }); ok {
		if std.query, err = of.Query(); err != nil {
			return finish(std, err)
		}
	}
	err = run(context.Background(), std, opts)
	if std.query != nil {
		if ended := std.query.Close(); err == nil && ended != nil {
			err = fmt.Errorf("--jq: %w", ended)
		}
	}
	return finish(std, err)
}

// parse fills opts and refuses leftover arguments of programs that take none.
func parse[O any](p Program, opts *O, args []string, std *Std) (*flags.Parser, error) {
	parser := flags.NewNamedParser(p.Name, flags.HelpFlag|flags.PassDoubleDash)
	parser.LongDescription = p.About
	parser.Usage = strings.TrimSpace("[OPTIONS] " + p.Args)
	if _, err := parser.AddGroup("Options", "", opts); err != nil {
		return nil, err
	}
	rest, err := parser.ParseArgs(args)
	if err != nil {
		return parser, err
	}
	if p.Args == "" && len(rest) > 0 {
		return nil, fmt.Errorf("unexpected argument %q\ntry %s --help", rest[0], p.Name)
	}
	std.Args = rest
	return parser, nil
}

// maxChoices is how wide the choices of an option are at most that help names
// beside it: all options are described behind the widest one. The description has
// them as well.
const maxChoices = 30

// help is the text of --help.
func help(parser *flags.Parser) string {
	for _, group := range parser.Groups() {
		for _, o := range group.Options() {
			if len(strings.Join(o.Choices, "|")) > maxChoices {
				o.Choices = nil
			}
		}
	}
	var b strings.Builder
	parser.WriteHelp(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// finish flushes, prints err with the program's name on each of its lines, and
// returns the status. A mistake of the caller writes nothing to stdout.
func finish(std *Std, err error) int {
	status := StatusDone
	if err != nil {
		status = StatusFailed
		if e, ok := errors.AsType[*statusError](err); ok {
			status = e.status
		}
	}
	if status != StatusUsage {
		if ferr := std.Out.Flush(); ferr != nil {
			err, status = fmt.Errorf("writing output: %w", ferr), StatusFailed
		}
	}
	if err != nil && err.Error() != "" {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			std.tell(line)
		}
	}
	return status
}

// version is the release and, when the build knows it, the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return Version + " (" + s.Value[:12] + ")"
		}
	}
	return Version
}

func write(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}
