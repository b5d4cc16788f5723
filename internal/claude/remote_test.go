package claude

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

const remoteAt = "2026-11-29T12:00:00.000Z"

// said is a line of fleet-observe-claude on the machine far; change edits it.
func said(kind, subject, data string, change ...string) string {
	line := fmt.Sprintf(`{"v":1,"kind":%q,"at":%q,"host":"far","by":"fleet-observe-claude","subject":%q,"data":%s}`, kind, remoteAt, subject, data)
	return strings.NewReplacer(change...).Replace(line) + "\n"
}

// closes is a closing record.
func closes(n int, change ...string) string {
	return said("surface", Observer, fmt.Sprintf(`{"ok":true,"records":%d}`, n), change...)
}

var (
	farHost    = said("host", "far", `{"os":"linux","zone":"UTC","boot_at":null}`)
	farListing = said("surface", "claude/listing", `{"ok":true,"rows":1}`)
	farSession = said("session", "s1", `{"session_id":"s1","name":"far away"}`)
	farWhole   = farHost + farListing + farSession + closes(3)
)

// An answer is taken whole or not at all, and what is said is by nobody else.
func TestReadAnswer_refused(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"nothing", "", "it is not whole: no closing record"},
		{"only words", "hello\nworld\n", `no record in it; it begins "hello"`},
		{"cut", farHost + farListing + farSession, "it is not whole: no closing record"},
		{"a line less", farHost + farSession + closes(3), "it is not whole: fleet-observe-claude: closing record counts 3, 2 are here"},
		{"a line more", farWhole + said("session", "s2", `{}`), "it is not whole: fleet-observe-claude: closing record counts 3, 4 are here"},
		{"a cut line", farHost + farListing[:40] + "\n" + closes(2), "line 2: not JSON at byte 40"},
		{"a word between", farHost + "Last login: today\n" + farListing + closes(2), "line 2: not a JSON object"},
		{"it failed there", farHost + said("surface", Observer, `{"ok":false,"error":"disk full","records":1}`), "it is not whole: fleet-observe-claude: disk full"},
		{"a newer version", strings.Replace(farWhole, `"v":1`, `"v":2`, 1), "line 1: record version 2, this program reads 1"},
		{"no host", farListing + closes(1), "it does not tell of one machine"},
		{"two hosts", farHost + said("host", "near", `{"os":"linux"}`) + closes(2), "it does not tell of one machine"},
		{"of a second machine", farHost + said("session", "s1", `{}`, `"far"`, `"near"`) + closes(1), `line 2: a record of a second machine, "near"`},
		{"of no machine", said("host", "far", `{}`, `"host":"far"`, `"host":""`), `line 1: a record of no machine`},
		{"a judge", farHost + said("verdict", "s1", `{"class":"8"}`) + closes(2), `line 2: a record of the kind "verdict"`},
		{"an entry", farHost + said("entry", "1-2", `{"id":"1-2","scope":"lamp","ts":"`+remoteAt+`"}`) + closes(2), `line 2: a record of the kind "entry"`},
		{"an ask", farHost + said("asked", "k", `{"key":"k"}`) + closes(2), `line 2: a record of the kind "asked"`},
		{"a tick", said("tick", "lamp", `{"scope":"lamp"}`) + farWhole, `line 1: a record of the kind "tick"`},
		{"an adoption", farHost + said("owned", "session:s1", `{"session_id":"s1"}`) + closes(2), `line 2: a record of the kind "owned"`},
		{"of a kind of later", farHost + said("mood", "s1", `{}`) + closes(2), `line 2: a record of the kind "mood"`},
		{"by another", farHost + said("session", "s1", `{}`, "fleet-observe-claude", "fleet-ledger") + closes(1), `line 2: a record by "fleet-ledger"`},
		{"the close of another", farWhole + said("surface", "fleet-ledger", `{"ok":true,"records":0}`, "observe-claude", "ledger"), `line 5: a record by "fleet-ledger"`},
		{"the close of another, by itself", farHost + said("surface", "fleet-ledger", `{"ok":true,"records":0}`) + closes(2), `line 2: a surface that is none of Claude Code's: "fleet-ledger"`},
		{"a close that counts nothing", farHost + said("surface", Observer, `{"ok":true}`), `line 2: a surface that is none of Claude Code's: "fleet-observe-claude"`},
		{"another's surface", farHost + said("surface", "gh/acme/lamp", `{"ok":true,"rows":0}`) + closes(2), `line 2: a surface that is none of Claude Code's: "gh/acme/lamp"`},
		{"the surface of the look itself", farHost + said("surface", "ssh", `{"ok":true,"rows":0}`) + closes(2), `line 2: a surface that is none of Claude Code's: "ssh"`},
		{"a surface that closes", farHost + said("surface", "claude/jobs", `{"ok":true,"records":1}`) + closes(2), `line 2: a surface that is none of Claude Code's: "claude/jobs"`},
		{"a subject of words", farHost + said("session", "s 1", `{}`) + closes(2), "line 2: a subject that is no name"},
		{"a subject that is a secret", farHost + said("session", "ghp_"+"FAKE0FAKE1FAKE2FAKE3FAKE4FAKE5FAKE67", `{}`) + closes(2), "line 2: a subject that is no name"},
		{"data of another shape", farHost + said("session", "s1", `{"name":7}`) + closes(2), "line 2: session record: data: name is not a string"},
		{"a label that nothing closes", farHost + said("session", "s1@work", `{}`) + closes(1), "it is not whole: fleet-observe-claude: closing record counts 1, 2 are here"},
	} {
		if a, err := ReadAnswer([]byte(tt.answer), "box"); err == nil || err.Error() != tt.want || len(a.Parts) > 0 {
			t.Errorf("%s:\n got %v, %d parts\nwant %s", tt.name, err, len(a.Parts), tt.want)
		}
	}
}

// What is said is of the name that the machine has here, whatever it calls
// itself.
func TestReadAnswer(t *testing.T) {
	work := said("session", "s1@work", `{"session_id":"s1","account":"work"}`) + said("surface", "claude/jobs@work", `{"ok":true}`) +
		said("surface", Observer+"@work", `{"ok":true,"records":2}`)
	noisy := "Welcome to far\r\n\n  no {records} yet\n"
	for _, tt := range []struct {
		name, answer, want string
		skipped            int
	}{
		{"whole", farWhole, "[host box][session s1][surface claude/listing]", 0},
		{"in another order", closes(3) + farSession + farHost + farListing, "[host box][session s1][surface claude/listing]", 0},
		{"with blank lines", "\n" + farHost + "\n" + farListing + farSession + closes(3) + " \n", "[host box][session s1][surface claude/listing]", 0},
		{"twice the same", farWhole + farWhole, "[host box][session s1][surface claude/listing]", 0},
		{"behind a banner", noisy + farWhole, "[host box][session s1][surface claude/listing]", 3},
		{"two accounts", farWhole + work, "[host box][session s1][surface claude/listing] work:[session s1@work][surface claude/jobs@work]", 0},
	} {
		a, err := ReadAnswer([]byte(tt.answer), "box")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := ""
		for _, p := range a.Parts {
			if p.Label != "" {
				got += " " + p.Label + ":"
			}
			for _, r := range p.Records {
				got += fmt.Sprintf("[%s %s]", r.Kind, r.Subject)
				if r.Host != "box" || r.By != Observer || r.At.Format(record.Layout) != remoteAt {
					t.Errorf("%s: %+v", tt.name, r)
				}
			}
		}
		if got != tt.want || a.Skipped != tt.skipped || len(a.Unknown) > 0 {
			t.Errorf("%s: %s, %d skipped, unknown %q", tt.name, got, a.Skipped, a.Unknown)
		}
	}
}

// A field that this release does not know is named, once, and left out.
func TestReadAnswer_unknown(t *testing.T) {
	secret := "ghp_" + "FAKE0FAKE1FAKE2FAKE3FAKE4FAKE5FAKE67"
	a, err := ReadAnswer([]byte(farHost+said("session", "s1", `{"name":"x","mood":"`+secret+`"}`)+said("session", "s2", `{"mood":1}`)+
		said("surface", "claude/jobs", `{"ok":true,"hue":1}`)+closes(4)), "box")
	if err != nil || fmt.Sprint(a.Unknown) != "[session.mood surface.hue]" {
		t.Fatalf("%v %q", err, a.Unknown)
	}
	if lines := string(a.Lines()); strings.Contains(lines, "mood") || strings.Contains(lines, secret) {
		t.Error(lines)
	}
}

// No text of a remote machine comes through unguarded, whatever field it is in.
func TestReadAnswer_guards(t *testing.T) {
	secret := "ghp_" + "FAKE0FAKE1FAKE2FAKE3FAKE4FAKE5FAKE67"
	n := 0
	for kind, data := range map[record.Kind]any{record.KindSession: new(record.Session), record.KindHost: new(record.Host), record.KindSurface: new(record.Surface)} {
		n += fill(reflect.ValueOf(data).Elem(), "\x1b[31m"+secret+" \u202e")
		subject := map[record.Kind]string{record.KindSession: "s1", record.KindHost: "far", record.KindSurface: "claude/jobs"}[kind]
		if s, ok := data.(*record.Surface); ok {
			s.OK, s.Records = true, nil
		}
		at := record.Time{}
		if err := at.UnmarshalJSON([]byte(`"` + remoteAt + `"`)); err != nil {
			t.Fatal(err)
		}
		r, err := record.New(kind, at, "far", Observer, subject, data)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := r.Line()
		answer := farHost + string(line) + closes(2)
		if kind == record.KindHost {
			answer = string(line) + closes(1)
		}
		a, err := ReadAnswer([]byte(answer), "box")
		if err != nil {
			t.Fatal(err)
		}
		if out := string(a.Lines()); strings.Contains(out, secret) || strings.Contains(out, "u001b") || strings.Contains(out, "\u202e") || !strings.Contains(out, "[withheld: ") {
			t.Errorf("%s: %s", kind, out)
		}
	}
	if n < 50 {
		t.Errorf("%d texts", n)
	}
}

// fill puts text into every string below v, and returns how many there were.
func fill(v reflect.Value, text string) int {
	n := 0
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return 1
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[record.Time]() {
			return 0
		}
		for i := range v.NumField() {
			n += fill(v.Field(i), text)
		}
	}
	return n
}

// Whatever comes: an answer is refused, or all of it is of the one program and
// name, guarded, whole, and the same when it is read again.
func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(farWhole))
	f.Add([]byte("banner\n" + farWhole + said("surface", Observer+"@w", `{"ok":true,"records":0}`)))
	f.Add([]byte(farHost + said("session", "s1", `{"cwd":"/a  b","mood":1,"process":{"pid":1}}`) + closes(2)))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ReadAnswer(b, "box")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") || guard.Text(err.Error(), 2000) != err.Error() {
				t.Errorf("error %q", err)
			}
			return
		}
		lines := a.Lines()
		set := new(record.Set)
		for line, err := range record.All(bytes.NewReader(lines)) {
			if err != nil {
				t.Fatal(err)
			}
			if r := line.Record; r.Host != "box" || r.By != Observer {
				t.Errorf("%+v", r)
			}
			set.Add(line)
		}
		for _, name := range set.By("box") {
			if err := set.Closed("box", name); err != nil {
				t.Error(err)
			}
		}
		again, err := ReadAnswer(lines, "box")
		if err != nil || !bytes.Equal(again.Lines(), lines) || len(again.Unknown) > 0 || again.Skipped > 0 {
			t.Errorf("read again: %v\n%s\n%s", err, lines, again.Lines())
		}
	})
}
