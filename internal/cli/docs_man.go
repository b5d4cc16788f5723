package cli

import (
	"fmt"
	"strings"
)

// usual are the exit statuses of a program that does not run somebody else's.
var usual = []command{
	{name: "0", says: "Done; also: nothing to report."},
	{name: "1", says: "Failed: do not trust the output."},
	{name: "2", says: "Called wrongly: flags, arguments or configuration. There is no output."},
	{name: "3", says: "Done in part: a surface could not be read; its record says which. The output stands."},
}

// pipe are the programs that a page refers to.
var pipe = []string{"fleet-config", "fleet-observe-claude", "fleet-classify", "fleet-asks", "fleet-ledger", "fleet-render"}

// man is the page for man(1). It bears no date: the version says enough.
func man(m manual) string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	item := func(head, text string) { fmt.Fprintf(&b, ".TP\n%s\n%s\n", head, roff(text)) }

	fmt.Fprintf(&b, ".TH %s 1 \"\" \"fleet %s\" \"fleet\"\n", roff(strings.ToUpper(m.Name)), Version)
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(m.Name), roff(m.summary()))
	section("SYNOPSIS")
	fmt.Fprintf(&b, ".B %s\n%s\n", roff(m.Name), roff(strings.TrimSpace("[OPTIONS] "+m.Args)))
	section("DESCRIPTION")
	b.WriteString(roff(m.intro()) + "\n")
	for _, c := range m.commands {
		item("\\fB"+roff(c.usage)+"\\fR", c.says)
	}
	section("OPTIONS")
	for _, o := range m.options {
		head := "\\fB" + roff("--"+o.name) + "\\fR"
		if o.value != "" {
			head += "=\\fI" + roff(o.value) + "\\fR"
		}
		says := o.says
		if len(o.choices) > 0 {
			says += "; " + o.value + " is one of " + strings.Join(o.choices, ", ")
		}
		item(head, says)
	}
	if !m.runsCommand() {
		section("EXIT STATUS")
		for _, s := range usual {
			item("\\fB"+s.name+"\\fR", s.says)
		}
	}
	section("ENVIRONMENT")
	for _, o := range m.options {
		if o.env != "" {
			item("\\fB"+roff(o.env)+"\\fR", "The same as --"+o.name+", which goes before it.")
		}
	}
	if m.has("config") {
		section("FILES")
		item("\\fI"+roff("~/.config/ctx/fleet.json")+"\\fR", "The configuration.")
		item("\\fI"+roff("~/.local/state/fleet-reconcile/SCOPE")+"\\fR", "The ledger and the reports of a scope, unless its state_dir says otherwise.")
	}
	section("SEE ALSO")
	also := []string{}
	for _, name := range pipe {
		if name != m.Name {
			also = append(also, "\\fB"+roff(name)+"\\fR(1)")
		}
	}
	b.WriteString(strings.Join(also, ",\n") + "\n")
	return b.String()
}

// roff escapes a text, which may have several lines. What is not ASCII goes by
// its number: a formatter need not know our encoding.
func roff(s string) string {
	var b strings.Builder
	for i, r := range s {
		first := i == 0 || s[i-1] == '\n'
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '.' && first:
			b.WriteString(`\&.`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
