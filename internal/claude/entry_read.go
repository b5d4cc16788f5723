package claude

import (
	"bytes"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A reader reads transcript lines in one pass, of which it decodes what an
// entry has. Names are compared as they are.
type reader struct {
	dec *jsontext.Decoder
	in  bytes.Buffer
	err error
	odd []string // fields of another form than they had, which read as absent
	tmp []byte
}

// entry reads one line, which the entry goes on to use. The error says that it
// is not one JSON object.
func (r *reader) entry(line []byte) (e entry, err error) {
	if r.dec == nil {
		r.dec = jsontext.NewDecoder(&r.in)
	}
	r.in, r.err, r.odd = *bytes.NewBuffer(line), nil, nil
	// As encoding/json: a name may come twice, and what is no UTF-8 is replaced.
	r.dec.Reset(&r.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	r.object(func(name []byte) { r.field(&e, name) })
	if r.err == nil {
		if _, err := r.dec.ReadToken(); err != io.EOF {
			return entry{}, io.ErrUnexpectedEOF
		}
	}
	return e, r.err
}

func (r *reader) field(e *entry, name []byte) {
	switch string(name) {
	case `"type"`:
		r.text("type", &e.Type)
	case `"subtype"`:
		r.text("subtype", &e.Subtype)
	case `"timestamp"`:
		r.optional("timestamp", &e.Timestamp)
	case `"isSidechain"`:
		r.flag("isSidechain", &e.IsSidechain)
	case `"isMeta"`:
		r.flag("isMeta", &e.IsMeta)
	case `"isCompactSummary"`:
		r.flag("isCompactSummary", &e.IsCompactSummary)
	case `"isApiErrorMessage"`:
		r.flag("isApiErrorMessage", &e.IsAPIError)
	case `"apiErrorStatus"`:
		if n := r.number("apiErrorStatus"); n != nil {
			var err error
			if e.APIErrorStatus, err = strconv.Atoi(string(n)); err != nil {
				e.APIErrorStatus = 0
				r.odd = append(r.odd, "apiErrorStatus")
			}
		}
	case `"error"`:
		if v := r.value(); v.Kind() == '"' {
			e.Error = onlyString(r.unquote(v))
		}
	case `"quotaLimits"`:
		e.QuotaLimits = r.quota()
	case `"message"`:
		e.Message = r.message()
	default:
		r.skip()
	}
}

func (r *reader) quota() *quotaLimits {
	if r.null() {
		return nil
	}
	q := new(quotaLimits)
	if !r.object(func(name []byte) {
		switch string(name) {
		case `"status"`:
			r.text("quotaLimits.status", &q.Status)
		case `"rateLimitType"`:
			r.text("quotaLimits.rateLimitType", &q.RateLimitType)
		case `"resetsAt"`:
			if n := r.number("quotaLimits.resetsAt"); n != nil {
				if at, err := strconv.ParseFloat(string(n), 64); err == nil {
					q.ResetsAt = &at
				} else {
					r.odd = append(r.odd, "quotaLimits.resetsAt")
				}
			}
		default:
			r.skip()
		}
	}) {
		r.odd = append(r.odd, "quotaLimits")
	}
	return q
}

func (r *reader) message() *message {
	if r.null() {
		return nil
	}
	m := new(message)
	if !r.object(func(name []byte) {
		switch string(name) {
		case `"id"`:
			r.text("message.id", &m.ID)
		case `"stop_reason"`:
			r.optional("message.stop_reason", &m.StopReason)
		case `"content"`:
			m.Content = r.content()
		default:
			r.skip()
		}
	}) {
		r.odd = append(r.odd, "message")
	}
	return m
}

// content reads a string or a list of blocks; anything else is empty.
func (r *reader) content() (c content) {
	switch r.dec.PeekKind() {
	case '"':
		c.Text = r.unquote(r.value())
	case '[':
		c.Blocks = []block{}
		r.token()
		for r.err == nil && r.dec.PeekKind() != ']' {
			c.Blocks = append(c.Blocks, r.block())
		}
		r.token()
	default:
		r.skip()
	}
	return c
}

// block reads one block. The content of a tool result can be megabytes and is
// passed over; so is the input of a call, most of which nobody asks for. A field
// of another form is absent.
func (r *reader) block() (k block) {
	var text jsontext.Value
	r.object(func(name []byte) {
		switch string(name) {
		case `"type"`:
			k.Type = r.word()
		case `"id"`:
			k.ID = r.word()
		case `"name"`:
			k.Name = r.word()
		case `"tool_use_id"`:
			k.ToolUseID = r.word()
		case `"text"`:
			text = r.value()
		case `"input"`:
			k.input = r.value()
		default:
			r.skip()
		}
	})
	if k.Type == "text" && text.Kind() == '"' {
		k.Text = r.unquote(text)
	}
	if k.Type != "tool_use" {
		k.input = nil
	}
	return k
}

// object calls field with each name of an object, quoted; field reads the
// value. Of anything else it reads one value and returns false.
func (r *reader) object(field func(name []byte)) bool {
	if r.dec.PeekKind() != '{' {
		r.skip()
		return false
	}
	r.token()
	for r.err == nil && r.dec.PeekKind() != '}' {
		name := r.value()
		if bytes.IndexByte(name, '\\') >= 0 {
			name = append(append([]byte{'"'}, r.unquote(name)...), '"')
		}
		field(name)
	}
	r.token()
	return true
}

func (r *reader) token() {
	if r.err == nil {
		_, r.err = r.dec.ReadToken()
	}
}

// value returns the next value as it is written; nil after an error.
func (r *reader) value() (v jsontext.Value) {
	if r.err == nil {
		v, r.err = r.dec.ReadValue()
	}
	return v
}

func (r *reader) skip() {
	if r.err == nil {
		r.err = r.dec.SkipValue()
	}
}

// null reads a null and tells whether there was one.
func (r *reader) null() bool {
	if r.dec.PeekKind() != 'n' {
		return false
	}
	r.skip()
	return true
}

// word is a string, "" for anything else.
func (r *reader) word() string {
	if v := r.value(); v.Kind() == '"' {
		return r.unquote(v)
	}
	return ""
}

func (r *reader) text(name string, into *string) {
	switch v := r.value(); v.Kind() {
	case '"':
		*into = r.unquote(v)
	case 'n':
	default:
		r.odd = append(r.odd, name)
	}
}

// optional reads a string of which it counts whether it is there: one of another
// form is there and empty.
func (r *reader) optional(name string, into **string) {
	if r.null() {
		*into = nil
		return
	}
	*into = new(string)
	r.text(name, *into)
}

func (r *reader) flag(name string, into *bool) {
	switch v := r.value(); v.Kind() {
	case 't', 'f':
		*into = v.Kind() == 't'
	case 'n':
	default:
		r.odd = append(r.odd, name)
	}
}

// number returns a number as it is written, nil for anything else.
func (r *reader) number(name string) jsontext.Value {
	v := r.value()
	switch v.Kind() {
	case '0':
		return v
	case 'n':
	default:
		r.odd = append(r.odd, name)
	}
	return nil
}

func (r *reader) unquote(v jsontext.Value) string {
	if len(v) >= 2 && bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
		return string(v[1 : len(v)-1])
	}
	r.tmp, _ = jsontext.AppendUnquote(r.tmp[:0], v) // its error is about what it replaced
	return string(r.tmp)
}
