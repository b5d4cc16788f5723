package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// parseJSON reads one JSON value. The error is a *LineError.
func parseJSON(b []byte) (*Node, error) {
	if at := badUTF8(b); at >= 0 {
		return nil, &LineError{1 + bytes.Count(b[:at], []byte("\n")), "not UTF-8"}
	}
	p := &jsonParser{src: b, dec: json.NewDecoder(bytes.NewReader(b))}
	p.dec.UseNumber()
	n, err := p.value(0)
	if err == nil {
		if _, err = p.dec.Token(); err == io.EOF {
			return n, nil
		} else if err == nil {
			err = errors.New("more than one JSON value")
		}
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := e.Offset
		if strings.Contains(e.Error(), `'\n'`) {
			at-- // the newline itself is what does not fit
		}
		return nil, &LineError{p.lineAt(at), "not JSON at this place"}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, &LineError{p.lineAt(int64(len(b))), "the JSON ends too early"}
	}
	return nil, &LineError{p.lineAt(p.dec.InputOffset()), err.Error()}
}

func badUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

type jsonParser struct {
	src []byte
	dec *json.Decoder
}

func (p *jsonParser) lineAt(offset int64) int {
	return 1 + bytes.Count(p.src[:min(max(offset, 0), int64(len(p.src)))], []byte("\n"))
}

// value reads the next value from the decoder's tokens.
func (p *jsonParser) value(depth int) (*Node, error) {
	t, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &Node{line: p.lineAt(p.dec.InputOffset())}
	switch t := t.(type) {
	case json.Delim:
		if depth == MaxDepth {
			return nil, errors.New(TooDeep)
		}
		if t == '{' {
			n.kind = "object"
			return n, p.object(n, depth)
		}
		n.kind = "list"
		return n, p.list(n, depth)
	case string:
		n.kind, n.text = "string", t
	case json.Number:
		n.kind, n.text = "number", t.String()
	case bool:
		n.kind, n.text = "boolean", fmt.Sprint(t)
	default:
		n.kind = "null"
	}
	return n, nil
}

func (p *jsonParser) object(n *Node, depth int) error {
	for p.dec.More() {
		key, err := p.dec.Token()
		if err != nil {
			return err
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Put(key.(string), v)
	}
	_, err := p.dec.Token()
	return err
}

func (p *jsonParser) list(n *Node, depth int) error {
	for p.dec.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	_, err := p.dec.Token()
	return err
}
