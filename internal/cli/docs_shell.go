package cli

import (
	"fmt"
	"strings"

	"github.com/fleet-tools/fleet/internal/shell"
)

// bash is a completion script for bash 3.2 and later.
func bash(m manual) string {
	var b, names strings.Builder
	for _, o := range m.options {
		names.WriteString(" --" + o.name)
	}
	f := "_" + strings.ReplaceAll(m.Name, "-", "_")
	fmt.Fprintf(&b, "# bash completion of %s: %s --docs bash\n%s() {\n", m.Name, m.Name, f)
	b.WriteString(`	local IFS=$'\n' cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" word i
	COMPREPLY=()
	# --name=value is three words to bash.
	if [ "$cur" = "=" ]; then
		cur=""
	elif [ "$prev" = "=" ]; then
		prev="${COMP_WORDS[COMP_CWORD-2]}"
	fi
`)
	if m.runsCommand() {
		b.WriteString(`	for ((i = 1; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = "--" ] || continue
		compopt -o filenames 2>/dev/null
		if ((i + 1 == COMP_CWORD)); then
			COMPREPLY=($(compgen -c -- "$cur"))
		else
			COMPREPLY=($(compgen -f -- "$cur"))
		fi
		return
	done
`)
	}
	b.WriteString("	case \"$prev\" in\n")
	for _, o := range m.options {
		if o.value != "" {
			fmt.Fprintf(&b, "	--%s) %sreturn ;;\n", o.name, bashValue(o))
		}
	}
	b.WriteString("	esac\n	case \"$cur\" in\n")
	fmt.Fprintf(&b, "	-*) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n	esac\n", lines(names.String()))
	if len(m.commands) > 0 {
		fmt.Fprintf(&b, "	for ((i = 1; i < COMP_CWORD; i++)); do\n		for word in %s; do\n", m.commandNames())
		b.WriteString("			[ \"${COMP_WORDS[i]}\" != \"$word\" ] || return\n		done\n	done\n")
		fmt.Fprintf(&b, "	COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))\n", lines(m.commandNames()))
	}
	fmt.Fprintf(&b, "}\ncomplete -F %s %s\n", f, m.Name)
	return b.String()
}

// lines puts words one a line: the script's IFS is the line end.
func lines(s string) string { return strings.Join(strings.Fields(s), "\n") }

func bashValue(o option) string {
	switch o.kind {
	case "choice":
		return fmt.Sprintf("COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); ", strings.Join(o.choices, "\n"))
	case "file":
		return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); `
	case "dir":
		return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")); `
	case "program":
		return `COMPREPLY=($(compgen -c -- "$cur")); `
	}
	return ""
}

// zsh is a completion function for zsh; its file is called _NAME.
func zsh(m manual) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n# zsh completion of %s: %s --docs zsh\n", m.Name, m.Name, m.Name)
	specs := []string{}
	for _, o := range m.options {
		spec := "--" + o.name
		if o.many {
			spec = "*" + spec
		}
		if o.value != "" {
			spec += "="
		}
		spec += "[" + zshText(o.says) + "]"
		if o.value != "" {
			spec += ":" + o.value + ":" + zshValue(o)
		}
		specs = append(specs, spec)
	}
	switch {
	case m.runsCommand():
		specs = append(specs, "*:::command:_normal")
	case len(m.commands) > 0:
		words := []string{}
		for _, c := range m.commands {
			words = append(words, c.name+`\:"`+strings.NewReplacer(`"`, ``, `\`, ``, "$", "", "`", "").Replace(zshText(brief(c.says)))+`"`)
		}
		specs = append(specs, "1:command:(("+strings.Join(words, " ")+"))", "*:argument: ")
	}
	b.WriteString("_arguments")
	for _, spec := range specs {
		b.WriteString(" \\\n	" + shell.Quote(spec))
	}
	return b.String() + "\n"
}

// brief is the first sentence, without its full stop: menus have little room.
func brief(s string) string {
	first, _, _ := strings.Cut(s, ". ")
	return strings.TrimSuffix(first, ".")
}

// zshText escapes what ends a part of a specification.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
}

func zshValue(o option) string {
	switch o.kind {
	case "choice":
		return "(" + strings.Join(o.choices, " ") + ")"
	case "file":
		return "_files"
	case "dir":
		return "_files -/"
	case "program":
		return "_command_names -e"
	}
	return " "
}

// fish is a completion script for fish.
func fish(m manual) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion of %s: %s --docs fish\n", m.Name, m.Name)
	switch {
	case m.runsCommand():
		fmt.Fprintf(&b, "complete -c %s -x -a '(__fish_complete_subcommand)'\n", m.Name)
	default:
		fmt.Fprintf(&b, "complete -c %s -f\n", m.Name)
	}
	for _, c := range m.commands {
		fmt.Fprintf(&b, "complete -c %s -n 'not __fish_seen_subcommand_from %s' -a %s -d %s\n", m.Name, m.commandNames(), c.name, fishText(brief(c.says)))
	}
	for _, o := range m.options {
		fmt.Fprintf(&b, "complete -c %s -l %s%s -d %s\n", m.Name, o.name, fishValue(o), fishText(o.says))
	}
	return b.String()
}

func fishText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func fishValue(o option) string {
	switch {
	case o.kind == "choice":
		return " -x -a " + fishText(strings.Join(o.choices, " "))
	case o.kind == "file":
		return " -r -F"
	case o.kind == "dir":
		return " -x -a '(__fish_complete_directories)'"
	case o.kind == "program":
		return " -x -a '(__fish_complete_command)'"
	case o.value != "":
		return " -x"
	}
	return ""
}
