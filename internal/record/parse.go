package record

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// format is encoding/json's, which jq agrees with, but for three things: names
// are compared as they are, a name that comes twice is an error, and HTML is
// not escaped, so that grep and jq see the same text.
var format = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv1.ReportErrorsWithLegacySemantics(false),
	json.MatchCaseInsensitiveNames(false),
	jsontext.AllowDuplicateNames(false),
	jsontext.EscapeForHTML(false),
)

// New returns a record of this version with data, a payload type of its kind,
// as its payload. It fails when data cannot be written as JSON.
func New(kind Kind, at Time, host, by, subject string, data any) (Record, error) {
	b, ok := quickJSON(data)
	if !ok {
		var err error
		if b, err = json.Marshal(data, format); err != nil {
			return Record{}, fmt.Errorf("%s %s: %w", kind, subject, err)
		}
	}
	r := Record{V: Version, Kind: kind, At: at, Host: host, By: by, Subject: subject, Data: b}
	if p := payloadOf(kind); p == nil || reflect.TypeOf(p).Elem() != reflect.TypeOf(data) {
		return r, r.decode()
	}
	r.payload = data
	return r, nil
}

// Line returns the record as it is written: one line with its newline.
func (r Record) Line() ([]byte, error) {
	return r.AppendTo(make([]byte, 0, len(r.Data)+len(r.Host)+len(r.Subject)+150))
}

// AppendTo appends Line to b. The error is that of a time outside the years 0 to
// 9999.
func (r Record) AppendTo(b []byte) ([]byte, error) {
	b = strconv.AppendInt(append(b, `{"v":`...), int64(r.V), 10)
	b, ok := r.At.appendTo(append(appendText(b, `,"kind":`, string(r.Kind)), `,"at":`...))
	if !ok {
		_, err := r.At.MarshalJSON()
		return b, err
	}
	b = appendText(b, `,"host":`, r.Host)
	b = appendText(b, `,"by":`, r.By)
	b = append(appendText(b, `,"subject":`, r.Subject), `,"data":`...)
	if len(r.Data) == 0 {
		b = append(b, "null"...)
	}
	return append(append(b, r.Data...), "}\n"...), nil
}

// appendText appends a name and a text, in which what is no UTF-8 is replaced.
func appendText(b []byte, name, text string) []byte {
	b, _ = jsontext.AppendQuote(append(b, name...), text)
	return b
}

// Payload returns the record's data as a T, and whether it is one. T is the
// payload type of the record's kind.
func Payload[T any](r Record) (*T, bool) {
	if p, ok := r.payload.(*T); ok {
		if p == nil {
			p = new(T)
			ok = Read(r, p)
		}
		return p, ok
	}
	if v, ok := r.payload.(T); ok {
		p := v // the copy alone is on the heap
		return &p, true
	}
	return nil, false
}

// Read is Payload into p, a pointer to the zero value.
func Read[T any](r Record, p *T) bool {
	if kept, ok := r.payload.(*T); ok && kept == nil {
		if (&scan{b: r.Data, kept: true}).whole(p) {
			return true
		}
		*p = *new(T)
		return json.Unmarshal(r.Data, p, format) == nil
	}
	kept, ok := Payload[T](r)
	if ok {
		*p = *kept
	}
	return ok
}

// envelope is a record while it is read: data is decoded as what the kind
// says, in one pass when the kind comes first, as every program writes it.
type envelope struct {
	V       int    `json:"v"`
	Kind    Kind   `json:"kind"`
	At      Time   `json:"at"`
	Host    string `json:"host"`
	By      string `json:"by"`
	Subject string `json:"subject"`
	Data    data   `json:"data"`
}

// data is the payload of an envelope, and where in the line it is.
type data struct {
	kind       *Kind // the envelope's, "" until it was read
	start, end int64 // end is 0 while it was not read whole
	payload    any   // nil until it was decoded
}

// UnmarshalJSONFrom decodes the payload of a known kind and passes over any
// other.
func (d *data) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	d.start, d.end, d.payload = dec.InputOffset(), 0, nil
	var err error
	if p := payloadOf(*d.kind); p != nil && dec.PeekKind() == '{' {
		d.payload = p
		err = json.UnmarshalDecode(dec, p)
	} else {
		err = dec.SkipValue()
	}
	if err == nil {
		d.end = dec.InputOffset()
	}
	return err
}

// Parse reads one line, whose bytes the record and its payload go on to use, so
// that they must not change. The error says
// why the line is no record: not a JSON object, another version, a missing
// kind, at, by or subject, or a known kind whose data does not decode.
func Parse(line []byte) (Record, error) {
	line = bytes.TrimRight(line, "\r\n")
	if r, ok := quickRecord(line); ok {
		return r, nil
	}
	return slowRecord(line)
}

// slowRecord is Parse of a line of any form.
func slowRecord(line []byte) (Record, error) {
	if t := bytes.TrimLeft(line, " \t"); len(t) == 0 || t[0] != '{' {
		return Record{}, errors.New("not a JSON object")
	}
	e := new(envelope)
	e.Data.kind = &e.Kind
	if err := json.Unmarshal(line, e, format); err != nil {
		if e.Data.payload != nil && e.Data.end == 0 {
			return Record{}, fmt.Errorf("%s record: data: %w", e.Kind, jsonError(err, e.Data.payload))
		}
		return Record{}, jsonError(err, e)
	}
	if e.V != Version {
		return Record{}, fmt.Errorf("record version %d, this program reads %d", e.V, Version)
	}
	missing := ""
	switch {
	case e.Kind == "":
		missing = "kind"
	case e.At.IsZero():
		missing = "at"
	case e.By == "":
		missing = "by"
	case e.Subject == "":
		missing = "subject"
	}
	if missing != "" {
		return Record{}, fmt.Errorf("record has no %s", missing)
	}
	raw := bytes.TrimLeft(line[e.Data.start:e.Data.end:e.Data.end], ": \t")
	r := Record{V: e.V, Kind: e.Kind, At: e.At, Host: e.Host, By: e.By, Subject: e.Subject, Data: raw, payload: e.Data.payload}
	if r.payload != nil {
		return r, nil
	}
	return r, r.decode()
}

// decode fills the payload of a known kind.
func (r *Record) decode() error {
	p := payloadOf(r.Kind)
	if p == nil {
		return nil
	}
	if len(r.Data) == 0 || r.Data[0] != '{' {
		return fmt.Errorf("%s record: data is not an object", r.Kind)
	}
	if err := json.Unmarshal(r.Data, p, format); err != nil {
		return fmt.Errorf("%s record: data: %w", r.Kind, jsonError(err, p))
	}
	r.payload = p
	return nil
}
