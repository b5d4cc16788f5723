package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// Observer is the program whose lines another machine's answer is made of.
const Observer = "fleet-observe-claude"

// noise is how many lines may stand before the first record: what a shell's
// start-up files print.
const noise = 100

// Answer is what fleet-observe-claude said on another machine.
type Answer struct {
	Host    string
	Parts   []Part      // one a closing record, the one without a label first
	At      record.Time // when the machine looked, by its own clock
	Skipped int         // lines before the first record
	Unknown []string    // fields that this release does not know, such as session.mood; they are left out
}

// Part is the records of one closing record, which itself is left out.
type Part struct {
	Label   string // "" or that of a further Claude directory
	At      record.Time
	Records []record.Record // by kind, then subject
}

// ReadAnswer reads what fleet-observe-claude printed on another machine, as
// records of the host name, whatever that machine calls itself: nothing that it
// says can be taken for another's. Every text is guarded, also one that the
// machine should have guarded. The error says why the answer is not taken: a
// line that is no record or is by another program, of another kind or of a
// second machine, and closing records that do not fit.
func ReadAnswer(b []byte, name string) (Answer, error) {
	a, err := readAnswer(b, name)
	if err != nil {
		// What is nothing by itself may be, in quotation marks, what looks like a credential.
		return Answer{}, errors.New(guard.Text(err.Error(), textWidth))
	}
	return a, nil
}

func readAnswer(b []byte, name string) (Answer, error) {
	a, set, host := Answer{Host: name}, new(record.Set), ""
	first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	for a.Skipped < noise && !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) {
		_, rest, more := bytes.Cut(b, []byte("\n"))
		if !more {
			break
		}
		b, a.Skipped = rest, a.Skipped+1
	}
	for line, err := range record.All(bytes.NewReader(b)) {
		if err != nil {
			return Answer{}, err
		}
		if line.Blank {
			continue
		}
		r := line.Record
		host = cmp.Or(host, r.Host)
		if err := admit(r, host); err != nil {
			return Answer{}, fmt.Errorf("line %d: %w", a.Skipped+line.N, err)
		}
		set.Add(line)
	}
	if host == "" && len(first) > 0 {
		return Answer{}, fmt.Errorf("no record in it; it begins %s", quoted(string(first)))
	}
	if err := a.split(set, host); err != nil {
		return Answer{}, err
	}
	for _, part := range a.Parts {
		for i, r := range part.Records {
			clean, unknown, err := renew(r, name)
			if err != nil {
				return Answer{}, err
			}
			part.Records[i] = clean
			if unknown != "" && !slices.Contains(a.Unknown, unknown) && len(a.Unknown) < noise {
				a.Unknown = append(a.Unknown, unknown)
			}
		}
	}
	return a, nil
}

// admit refuses a line that fleet-observe-claude never writes.
func admit(r record.Record, host string) error {
	base, _, _ := strings.Cut(r.Subject, "@")
	switch {
	case r.By != Observer:
		return fmt.Errorf("a record by %s", quoted(r.By))
	case r.Kind != record.KindHost && r.Kind != record.KindSession && r.Kind != record.KindSurface:
		return fmt.Errorf("a record of the kind %s", quoted(string(r.Kind)))
	case r.Host == "":
		return errors.New("a record of no machine")
	case r.Host != host:
		return fmt.Errorf("a record of a second machine, %s", quoted(r.Host))
	case guard.ID(r.Subject) != r.Subject:
		return errors.New("a subject that is no name")
	case r.Kind != record.KindSurface:
		return nil
	}
	p, _ := record.Payload[record.Surface](r)
	if closing := base == Observer; closing != (p.Records != nil) || !closing && !strings.HasPrefix(base, "claude/") {
		return fmt.Errorf("a surface that is none of Claude Code's: %s", quoted(r.Subject))
	}
	return nil
}

// split deals the records out to their closing records, all of which must fit.
func (a *Answer) split(set *record.Set, host string) error {
	names := set.By(host)
	if !slices.Contains(names, Observer) {
		return errors.New("it is not whole: no closing record")
	}
	if len(set.Of(record.KindHost)) != 1 {
		return errors.New("it does not tell of one machine")
	}
	a.At = set.Of(record.KindHost)[0].At
	for _, name := range names { // the one without a label sorts first
		if err := set.Closed(host, name); err != nil {
			return fmt.Errorf("it is not whole: %s", guard.Text(err.Error(), textWidth))
		}
		closing, _ := set.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: name})
		a.Parts = append(a.Parts, Part{Label: strings.TrimPrefix(strings.TrimPrefix(name, Observer), "@"), At: closing.At})
	}
	for _, r := range set.All() {
		if slices.Contains(names, r.Subject) && r.Kind == record.KindSurface {
			continue
		}
		i := slices.IndexFunc(a.Parts, func(p Part) bool { return p.Label != "" && strings.HasSuffix(r.Subject, "@"+p.Label) })
		i = max(i, 0)
		a.Parts[i].Records = append(a.Parts[i].Records, r)
	}
	return nil
}

// renew writes a record again as one of the host name, its texts guarded, and
// names a field that this release does not know, "" when there is none.
func renew(r record.Record, name string) (clean record.Record, unknown string, err error) {
	data := map[record.Kind]any{record.KindHost: new(record.Host), record.KindSurface: new(record.Surface), record.KindSession: new(record.Session)}[r.Kind]
	dec := json.NewDecoder(bytes.NewReader(r.Data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(data); err != nil {
		if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
			unknown = guard.Text(string(r.Kind)+"."+strings.Trim(field, `"`), wordWidth)
		}
		if err := json.Unmarshal(r.Data, data); err != nil {
			return clean, "", fmt.Errorf("%s %s: data does not decode", r.Kind, r.Subject)
		}
	}
	guardTexts(reflect.ValueOf(data).Elem(), false)
	subject := r.Subject
	if r.Kind == record.KindHost {
		subject = name
	}
	clean, err = record.New(r.Kind, r.At, name, Observer, subject, data)
	return clean, unknown, err
}

// paths are the fields that hold paths, by their names in JSON.
var paths = []string{"cwd", "cwds", "repo", "worktree", "worktree_path", "exe"}

// guardTexts guards every text of a payload.
func guardTexts(v reflect.Value, path bool) {
	switch v.Kind() {
	case reflect.String:
		if path {
			v.SetString(guard.Path(v.String()))
		} else {
			v.SetString(guard.Text(v.String(), textWidth))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			guardTexts(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			guardTexts(v.Index(i), path)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[record.Time]() {
			return
		}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			guardTexts(v.Field(i), slices.Contains(paths, name))
		}
	}
}

// Lines are the records of an answer as ReadAnswer reads them, closing records
// included.
func (a Answer) Lines() []byte {
	var b []byte
	for _, part := range a.Parts {
		n := len(part.Records)
		name := Observer
		if part.Label != "" {
			name += "@" + part.Label
		}
		for _, r := range part.Records {
			line, _ := r.Line() // of what was read from one
			b = append(b, line...)
		}
		closing, _ := record.New(record.KindSurface, part.At, a.Host, Observer, name, record.Surface{OK: true, Rows: n, Records: &n})
		line, _ := closing.Line()
		b = append(b, line...)
	}
	return b
}

// quoted is a foreign text, cleaned, in quotation marks. It is not escaped: an
// escape makes of plain letters what looks like a token.
func quoted(text string) string { return `"` + guard.Text(text, wordWidth) + `"` }
