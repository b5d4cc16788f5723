package claude

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/guard"
)

// laws are those of a reader of one JSON text: a byte order mark and a field
// that nobody knows change nothing, and of a text that was cut nothing else is
// read than of the whole.
func laws[T any](t *testing.T, b []byte, read func([]byte) (T, error)) {
	t.Helper()
	whole, err := read(b)
	if err != nil {
		return
	}
	same := func(what string, b []byte) {
		if got, err := read(b); err != nil || !reflect.DeepEqual(got, whole) {
			t.Fatalf("%s: %v %v", what, err, pretty.Diff(got, whole))
		}
	}
	if b, ok := bytes.CutPrefix(b, bom); !ok {
		same("a byte order mark", append(bytes.Clone(bom), b...))
	} else if open := bytes.IndexByte(b, '{'); open >= 0 && !bytes.HasPrefix(bytes.TrimSpace(b[open+1:]), []byte("}")) {
		same("a field more", append(append(bytes.Clone(b[:open+1]), `"zz":[{"a":1}],`...), b[open+1:]...))
	}
	for _, n := range []int{len(b) / 3, len(b) / 2, len(b) * 7 / 8, len(b) - 1} {
		if got, err := read(b[:n]); err == nil && !reflect.DeepEqual(got, whole) {
			t.Fatalf("of the first %d bytes more is read: %v", n, pretty.Diff(got, whole))
		}
	}
}

// Laws: every item of an array is a row or counted, what was recorded reads as
// what was recorded, and those of a JSON text.
func FuzzListing(f *testing.F) {
	f.Add([]byte(`[{"pid":1,"sessionId":"s"},null]`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`[{"pid":7,"id":"ab12cd34","cwd":"/w","kind":"background","startedAt":1795962107582,"sessionId":"s","name":"n  n","status":"busy","state":"working"},{"sessionId":"t","status":null}]`))
	f.Fuzz(func(t *testing.T, out []byte) {
		laws(t, out, func(b []byte) ([]Row, error) {
			rows, _, _, err := Listing(b)
			return rows, err
		})
		rows, unparsed, _, err := Listing(out)
		if err != nil {
			if rows != nil {
				t.Error("rows beside an error")
			}
			return
		}
		var items []json.RawMessage
		if json.Unmarshal(bytes.TrimPrefix(out, bom), &items) != nil || len(rows)+unparsed != len(items) {
			t.Fatalf("%d rows and %d unparsed of %d", len(rows), unparsed, len(items))
		}
		written, err := EncodeListing(rows)
		if err != nil {
			t.Fatal(err)
		}
		again, lost, _, err := Listing(written)
		if err != nil || len(again)+lost != len(rows) {
			t.Fatalf("%d rows are recorded, %d and %d are read, %v", len(rows), len(again), lost, err)
		}
		twice, err := EncodeListing(again)
		if err != nil {
			t.Fatal(err)
		}
		if third, _, _, err := Listing(twice); err != nil || !reflect.DeepEqual(third, again) {
			t.Fatalf("recorded %s\nthen %s, %v", written, twice, err)
		}
		for i := range again {
			if r, a := rows[i], again[i]; lost == 0 && (a.PID != r.PID || !a.StartedAt.Equal(r.StartedAt) || jobStates[r.State] != jobStates[a.State] || statuses[r.Status] != statuses[a.Status]) {
				t.Fatalf("recorded %+v, read %+v", r, a)
			}
		}
	})
}

// Laws: a file that was read has what Claude Code requires of it; what was
// recorded reads as what was recorded; and those of a JSON text.
func FuzzReadJobFile(f *testing.F) {
	f.Add([]byte(`{"state":"done","sessionId":"s","cwd":"/w"}`))
	f.Add([]byte(`{"state":null}`))
	f.Add([]byte("\xef\xbb\xbf" + `{"state":"working","tempo":"blocked","needs":"n","block":{"questions":[{"question":"Which?","options":[{"label":"A"}]}]},"inFlight":{"tasks":2,"kinds":["local_bash"]},
		"template":"exec","routine":{},"output":{"result":"r"},"sessionId":"s","cwd":"/w","createdAt":"2026-11-29T14:49:13.857Z","firstTerminalAt":"2026-11-29T14:49:14+01:00"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		read := func(b []byte) (JobFile, error) {
			j, _, err := ReadJobFile(b, "x")
			return j, err
		}
		laws(t, b, read)
		j, err := read(b)
		if err != nil {
			return
		}
		if j.State == "" || j.SessionID == "" || j.Cwd == "" || j.ID != "x" {
			t.Errorf("read %+v", j)
		}
		written, err := j.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := read(written)
		if err != nil {
			if guard.Text(j.State, wordWidth) != "" && guard.Text(j.SessionID, wordWidth) != "" && guard.Path(j.Cwd) != "" {
				t.Fatalf("recorded %s: %v", written, err)
			}
			return
		}
		if again.Exec != j.Exec || again.Recurring != j.Recurring || again.Tasks != j.Tasks || len(again.Questions) != len(j.Questions) || jobStates[j.State] != jobStates[again.State] || jobTempos[j.Tempo] != jobTempos[again.Tempo] ||
			!again.CreatedAt.Equal(j.CreatedAt.Truncate(time.Millisecond)) || !again.TerminalAt.Equal(j.TerminalAt.Truncate(time.Millisecond)) {
			t.Fatalf("recorded %s\nread %+v, from %+v", written, again, j)
		}
		twice, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if third, err := read(twice); err != nil || !reflect.DeepEqual(third, again) {
			t.Fatalf("recorded %s\nthen %s, %v", written, twice, err)
		}
	})
}

// Laws: the pid is that of the name, and what was read names a session or a
// kind; what was recorded reads as what was recorded; and those of a JSON text.
func FuzzReadProcessFile(f *testing.F) {
	f.Add([]byte(`{"pid":7,"sessionId":"s","kind":"bg"}`))
	f.Add([]byte(`{"sessionId":"s","kind":"interactive","procStart":53837,"status":"waiting","waitingFor":"permission prompt","statusUpdatedAt":1795962108543.5,"parkedJobId":"j","spare":0,"tmux":"a:@1.%1"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		read := func(b []byte) (ProcessFile, error) {
			p, _, err := ReadProcessFile(b, 7)
			return p, err
		}
		laws(t, b, read)
		p, err := read(b)
		if err != nil {
			return
		}
		if p.PID != 7 || p.SessionID == "" && p.Kind == "" {
			t.Errorf("read %+v", p)
		}
		written, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := read(written)
		if err != nil {
			if guard.Text(p.SessionID, wordWidth) != "" || guard.Text(p.Kind, wordWidth) != "" {
				t.Fatalf("recorded %s: %v", written, err)
			}
			return
		}
		if again.Spare != p.Spare || again.Parked != p.Parked || rawStatuses[p.Status] != rawStatuses[again.Status] || processKinds[p.Kind] != processKinds[again.Kind] ||
			!again.StatusSince.Equal(p.StatusSince) || !again.StartedAt.Equal(p.StartedAt) {
			t.Fatalf("recorded %s\nread %+v, from %+v", written, again, p)
		}
		if twice, err := again.Encode(); err != nil || !bytes.Equal(twice, written) {
			t.Fatalf("recorded %s\nthen %s, %v", written, twice, err)
		}
	})
}

// Laws: white space around a line changes nothing; of a line that was cut
// nothing is known, and it names no other session; what was recorded names the
// same session.
func FuzzPromptedBy(f *testing.F) {
	f.Add([]byte(`{"display":"Fix the lamp","pastedContents":{},"timestamp":1795962107582,"project":"/w","sessionId":"s1"}`))
	f.Add([]byte(`{"display":" /model opus","sessionId":"s1"}`))
	f.Add([]byte("\xef\xbb\xbf{\"sessionid\":\"s1\"}\r\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		id, ok := PromptedBy(line)
		if id != "" && !ok {
			t.Fatalf("%q of a line that is not understood", id)
		}
		if !bytes.HasPrefix(line, bom) {
			if again, same := PromptedBy([]byte(" \t" + string(line) + "\r\n")); again != id || same != ok {
				t.Fatalf("with white space %q %t, without %q %t", again, same, id, ok)
			}
		}
		for n := range len(line) {
			got, known := PromptedBy(line[:n])
			if blank := len(bytes.TrimSpace(bytes.TrimPrefix(line[:n], bom))) == 0; ok && known && !blank && got != id {
				t.Fatalf("of the first %d bytes %q is known, of all %q", n, got, id)
			}
		}
		if id == "" || guard.Text(id, wordWidth) != id {
			return
		}
		for recorded := range bytes.Lines(EncodeHistory(map[string]bool{id: true})) {
			if again, ok := PromptedBy(recorded); again != id || !ok {
				t.Fatalf("%q is recorded as %s, read %q %t", id, recorded, again, ok)
			}
		}
	})
}
