package gitrepo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/gcfg/v2/scanner"
	"github.com/go-git/gcfg/v2/token"
)

// variables calls each with the variables of a git configuration in their order,
// quotes and escapes undone; those without a value are left out. The error is that
// of each, or names line and column.
//
// gcfg's scanner does the lexical half. gcfg itself links encoding/gob, to copy
// what it sets, which costs every start a millisecond.
func variables(text []byte, each func(section, sub, key, value string) error) error {
	files := token.NewFileSet()
	file, err := files.AddFile("", files.Base(), len(text))
	if err != nil {
		return err
	}
	p := parser{files: files}
	err = p.scan.Init(file, text, func(at token.Position, says string) {
		if p.bad == nil {
			p.bad = fmt.Errorf("%d:%d: %s", at.Line, at.Column, says)
		}
	}, 0)
	if err != nil {
		return err
	}
	for p.next(); p.tok != token.EOF; {
		err := p.line(each)
		if p.bad != nil {
			return p.bad
		}
		if err != nil {
			return err
		}
	}
	return p.bad
}

// parser reads a configuration token by token.
type parser struct {
	scan         scanner.Scanner
	files        *token.FileSet
	pos          token.Pos
	tok          token.Token
	lit          string
	bad          error // the first thing that is wrong
	section, sub string
}

// next goes on to the next token, and to the end of the file when something is
// wrong.
func (p *parser) next() {
	var err error
	p.pos, p.tok, p.lit, err = p.scan.Scan()
	if p.bad == nil {
		p.bad = err
	}
	if p.bad != nil {
		p.tok = token.EOF
	}
}

// want notes what should be here when it isn't.
func (p *parser) want(ok bool, what string) {
	if !ok && p.bad == nil {
		p.bad = fmt.Errorf("%s: expected %s", p.files.Position(p.pos), what)
	}
}

// line reads a section header, a variable or an empty line.
func (p *parser) line(each func(section, sub, key, value string) error) error {
	switch p.tok {
	case token.EOL:
		p.next()
	case token.LBRACK:
		p.header()
	case token.IDENT:
		p.want(p.section != "", "section header")
		key := p.lit
		p.next()
		if p.tok == token.EOF || p.tok == token.EOL {
			return nil
		}
		p.want(p.tok == token.ASSIGN, "'='")
		p.next()
		p.want(p.tok == token.STRING, "value")
		value := p.unquoted()
		p.next()
		p.ends()
		if p.bad == nil {
			return each(p.section, p.sub, key, value)
		}
	default:
		p.want(false, "section header or variable declaration")
	}
	return nil
}

// header reads a section header.
func (p *parser) header() {
	p.next()
	p.want(p.tok == token.IDENT, "section name")
	p.section, p.sub = p.lit, ""
	p.next()
	if p.tok == token.STRING {
		p.sub = p.unquoted()
		p.next()
	}
	p.want(p.tok == token.RBRACK, "right bracket")
	p.next()
	p.ends()
}

func (p *parser) ends() { p.want(p.tok == token.EOL || p.tok == token.EOF, "EOL, EOF, or comment") }

// escapes are what a backslash and the next character stand for.
var escapes = strings.NewReplacer(`\\`, `\`, `\"`, "\x00", `\n`, "\n", `\t`, "\t", `\b`, "\b", "\\\n", "", `"`, "")

// unquoted is the present string without its quotes and escapes. The scanner lets
// only such escapes pass, and no NUL.
func (p *parser) unquoted() string {
	if p.bad == nil && strings.Count(strings.NewReplacer(`\\`, "", `\"`, "").Replace(p.lit), `"`)%2 != 0 {
		p.bad = errors.New("missing end quote")
	}
	return strings.ReplaceAll(escapes.Replace(p.lit), "\x00", `"`)
}
