package cli

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	flags "github.com/jessevdk/go-flags"
)

// manual is what --docs tells of a program, all of it from its Program and the
// tags of its options: the same program gives the same bytes.
type manual struct {
	Program
	options  []option // in the order of --help; --help itself is the last
	commands []command
}

// option is a flag.
type option struct {
	name    string // without the dashes
	value   string // placeholder of its value; "" of a switch
	kind    string // what its value is: choice, file, dir, program, "" for anything else
	choices []string
	says    string // with its default
	env     string // variable that it is read from when it is not given
	many    bool   // may be repeated
}

// command is a word that a program takes as its first argument.
type command struct{ name, usage, says string }

// docs are the forms of a manual.
var docs = map[string]func(manual) string{"man": man, "bash": bash, "zsh": zsh, "fish": fish}

// newManual reads the options that the parser has.
func newManual(p Program, parser *flags.Parser) manual {
	m := manual{Program: p, commands: commandsOf(p.About)}
	var walk func(*flags.Group)
	walk = func(g *flags.Group) {
		for _, o := range g.Options() {
			if o.LongName != "help" {
				m.options = append(m.options, newOption(o))
			}
		}
		for _, sub := range g.Groups() {
			walk(sub)
		}
	}
	walk(parser.Group)
	m.options = append(m.options, option{name: "help", says: "print the help and exit"})
	return m
}

func newOption(o *flags.Option) option {
	opt := option{name: o.LongName, value: o.ValueName, choices: o.Choices, says: o.Description, env: o.EnvDefaultKey}
	opt.many = o.Field().Type.Kind() == reflect.Slice
	if o.Field().Type.Kind() == reflect.Bool {
		opt.value = ""
	}
	if len(o.Default) > 0 {
		opt.says += " (default " + strings.Join(o.Default, ", ") + ")"
	}
	switch {
	case len(o.Choices) > 0:
		opt.kind = "choice"
	case o.ValueName == "FILE":
		opt.kind = "file"
	case o.ValueName == "DIR", o.ValueName == "PATH":
		opt.kind = "dir"
	case o.ValueName == "BIN":
		opt.kind = "program"
	}
	return opt
}

// runsCommand tells whether the arguments are a command of somebody else's.
func (m manual) runsCommand() bool { return strings.HasPrefix(m.Args, "--") }

func (m manual) has(name string) bool {
	return slices.ContainsFunc(m.options, func(o option) bool { return o.name == name })
}

func (m manual) commandNames() string {
	names := []string{}
	for _, c := range m.commands {
		names = append(names, c.name)
	}
	return strings.Join(names, " ")
}

// sentence finds in an About the beginning of a sentence about a command: the
// words before the colon, such as "get SCOPE KEY", "ack TICK, ack --all".
var sentence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^|\. )([a-z][a-z-]*)\b([^:.\n]*): `) })

// commandsOf reads the commands from an About. A sentence in it that begins
// with small letters and has a colon is about a command; it goes to the next
// such sentence or to the end of the line.
func commandsOf(about string) []command {
	cs := []command{}
	for line := range strings.SplitSeq(about, "\n") {
		found := sentence().FindAllStringSubmatchIndex(line, -1)
		for i, at := range found {
			end := len(line)
			if i+1 < len(found) {
				end = found[i+1][0] + 1 // its full stop
			}
			cs = append(cs, command{name: line[at[2]:at[3]], usage: line[at[2]:at[5]], says: line[at[1]:end]})
		}
	}
	return cs
}

// intro is the About without its commands.
func (m manual) intro() string {
	lines := []string{}
	for line := range strings.SplitSeq(m.About, "\n") {
		if len(commandsOf(line)) == 0 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// summary is the first sentence of the About, without the program's name.
func (m manual) summary() string {
	first, _, _ := strings.Cut(strings.ReplaceAll(m.About, "\n", " "), ". ")
	_, rest, _ := strings.Cut(strings.TrimSuffix(first, "."), " ")
	return rest
}
