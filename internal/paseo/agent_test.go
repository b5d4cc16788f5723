package paseo

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

const agentID = "3f0c2a5e-9a41-4d0b-8a57-0c1d2e3f4a5b"

// written is a hand-made record: the five fields that every version writes,
// and more.
func written(more string) []byte {
	base := `"id":"` + agentID + `","provider":"claude","cwd":"/home/ana/wt/lamp","createdAt":"2026-08-02T09:14:07.120Z","updatedAt":"2026-08-02T11:40:55.003Z"`
	if more != "" {
		base += "," + more
	}
	return []byte("{" + base + "}")
}

func at(t testing.TB, s string) *record.Time { return record.TimeOf(instant(t, s)) }

func TestParseAgent(t *testing.T) {
	base := record.Agent{ID: agentID, Provider: "claude", Cwd: "/home/ana/wt/lamp", Sessions: []string{}, Status: "closed",
		CreatedAt: at(t, "2026-08-02T09:14:07.120Z"), UpdatedAt: at(t, "2026-08-02T11:40:55.003Z")}
	tests := []struct {
		name, more string
		want       func(*record.Agent)
		drift      []string
	}{
		{"oldest: nothing but the five fields", ``, func(a *record.Agent) {}, nil},
		{"everything null", `"title":null,"labels":null,"lastStatus":null,"internal":null,"archivedAt":null,"requiresAttention":null,"attentionReason":null,"runtimeInfo":null,"persistence":null`,
			func(a *record.Agent) {}, nil},
		{"first turn: runtime has no session yet", `"lastStatus":"running","runtimeInfo":{"provider":"claude","sessionId":null},"persistence":{"sessionId":"s-1","nativeHandle":"s-1"}`,
			func(a *record.Agent) { a.Status, a.Sessions = "running", []string{"s-1"} }, nil},
		{"runtime first, each once", `"runtimeInfo":{"sessionId":"s-2"},"persistence":{"sessionId":"s-1","nativeHandle":"s-2"}`,
			func(a *record.Agent) { a.Sessions = []string{"s-2", "s-1"} }, nil},
		{"three different ones", `"runtimeInfo":{"sessionId":"s-3"},"persistence":{"sessionId":"s-1","nativeHandle":"s-2"}`,
			func(a *record.Agent) { a.Sessions = []string{"s-3", "s-1", "s-2"} }, nil},
		{"a provider that keeps a path or an object for a handle", `"persistence":{"sessionId":"s-1","nativeHandle":"/home/ana/.pi/x y.jsonl"}`,
			func(a *record.Agent) { a.Sessions = []string{"s-1"} }, nil},
		{"a handle that is no string", `"persistence":{"sessionId":null,"nativeHandle":{"token":"FAKE-HANDLE"}}`, func(a *record.Agent) {}, nil},
		{"labels", `"labels":{"paseo.parent-agent-id":"9d7e6c5b-0000-4000-8000-00000000000a","paseo.schedule-id":"0badcafe","paseo.open-agent-tab.x":"1","fleet":"lamp","n":4}`,
			func(a *record.Agent) {
				a.Parent, a.ScheduleID = "9d7e6c5b-0000-4000-8000-00000000000a", "0badcafe"
				a.Labels = map[string]string{"fleet": "lamp", "n": ""}
			}, nil},
		{"archived", `"archivedAt":"2026-08-03T10:00:00.000Z","internal":true`,
			func(a *record.Agent) {
				a.Archived, a.ArchivedAt, a.Internal = true, at(t, "2026-08-03T10:00:00Z"), true
			}, nil},
		{"an empty archiving time", `"archivedAt":""`, func(a *record.Agent) {}, nil},
		{"unarchived is null, not absent", `"archivedAt":null`, func(a *record.Agent) {}, nil},
		{"an archiving time that is none", `"archivedAt":"yes"`, func(a *record.Agent) { a.Archived = true }, []string{"archivedAt is not a time"}},
		{"attention", `"requiresAttention":true,"attentionReason":"finished"`, func(a *record.Agent) { a.Attention = "finished" }, nil},
		{"attention that was seen", `"requiresAttention":false,"attentionReason":"finished"`, func(a *record.Agent) {}, nil},
		{"words of a later release", `"lastStatus":"zombie","requiresAttention":true,"attentionReason":"bored"`,
			func(a *record.Agent) { a.Status, a.Attention = "zombie", "bored" }, []string{"attentionReason bored", "lastStatus zombie"}},
		{"fields of a later release", `"owner":{"x":1},"queuedPrompts":[{"prompt":"FAKE-PROMPT"}],"revision":3`, func(a *record.Agent) {}, nil},
		{"foreign words are cleaned", `"title":"a\n\u001b[31mred\u001b[0m   b"`, func(a *record.Agent) { a.Title = "a red b" }, nil},
	}
	for _, tt := range tests {
		want := base
		tt.want(&want)
		var d Drift
		got, err := ParseAgent(written(tt.more), &d)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := pretty.Diff(got.Record, want); len(diff) > 0 {
			t.Errorf("%s: got, want: %s", tt.name, strings.Join(diff, "; "))
		}
		if !slices.Equal(d.Words(), tt.drift) {
			t.Errorf("%s: drift %q, want %q", tt.name, d.Words(), tt.drift)
		}
	}
}

func TestParseAgent_refuses(t *testing.T) {
	whole := string(written(`"title":"FAKE-TITLE"`))
	for input, want := range map[string]string{
		"":                             "empty file",
		"\x00\x00\x00":                 "not JSON at byte 1",
		whole[:len(whole)-3]:           "not JSON at byte 187",
		whole + "FAKE":                 "not JSON at byte 191",
		`[]`:                           "not an object",
		`null`:                         "no id",
		`{}`:                           "no id",
		string(written(`"title":4`)):   "title is of another type",
		string(written(`"labels":[]`)): "labels is of another type",
		`{"id":"../x","provider":"c","cwd":"/","createdAt":"x","updatedAt":"x"}`: "id is not an id",
		`{"id":"x","provider":"c","cwd":"/","createdAt":"x"}`:                    "no updatedAt",
	} {
		_, err := ParseAgent([]byte(input), new(Drift))
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: error %v, want %s", input, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "FAKE") {
			t.Errorf("error quotes the input: %v", err)
		}
	}
}

func TestNewest(t *testing.T) {
	file := func(id, path string, flat bool, updated string) Agent {
		return Agent{Record: record.Agent{ID: id, UpdatedAt: at(t, updated)}, Path: path, Flat: flat}
	}
	tests := []struct {
		name  string
		files []Agent
		want  string // path of the one that counts
	}{
		{"the later write", []Agent{file("a", "x/a", false, "2026-01-01T00:00:00Z"), file("a", "y/a", false, "2026-01-01T00:00:01Z")}, "y/a"},
		{"equal: the greater path", []Agent{file("a", "y/a", false, "2026-01-01T00:00:00Z"), file("a", "x/a", false, "2026-01-01T00:00:00Z")}, "y/a"},
		// Unarchiving sets updatedAt back: 15:18:41.319 became 15:18:36.621 in one capture.
		{"moved from the flat place while unarchived", []Agent{file("a", "a", true, "2026-11-29T15:18:41.319Z"), file("a", "x/a", false, "2026-11-29T15:18:36.621Z")}, "x/a"},
		{"a flat record that a much older one in a directory does not replace", []Agent{file("a", "x/a", false, "2026-01-01T00:00:00Z"), file("a", "a", true, "2026-01-02T00:00:00Z")}, "a"},
		{"no time at all", []Agent{{Record: record.Agent{ID: "a"}, Path: "x/a"}, file("a", "y/a", false, "2026-01-01T00:00:00Z")}, "y/a"},
	}
	for _, tt := range tests {
		for range 2 {
			got, doubled := Newest(tt.files)
			if len(got) != 1 || got[0].Path != tt.want || doubled != 1 {
				t.Errorf("%s: %+v, %d doubled; want %s", tt.name, got, doubled, tt.want)
			}
			slices.Reverse(tt.files) // the order in which they were found is nothing
		}
	}
	got, doubled := Newest([]Agent{file("b", "b", false, "2026-01-01T00:00:00Z"), file("a", "a", false, "2026-01-02T00:00:00Z")})
	if doubled != 0 || len(got) != 2 || got[0].Record.ID != "a" {
		t.Errorf("two agents: %+v, %d doubled", got, doubled)
	}
}

func TestLeftover(t *testing.T) {
	yes, no := true, false
	start := instant(t, "2026-11-29T15:26:18Z")
	before, after := start.Add(-time.Second), start.Add(time.Second)
	tests := []struct {
		d    Daemon
		t    time.Time
		want *bool
	}{
		{Daemon{Lives: &yes, StartedAt: start}, before, &yes},
		{Daemon{Lives: &yes, StartedAt: start}, after, &no},
		{Daemon{Lives: &no}, after, &yes},
		{Daemon{}, before, nil},            // paseo.pid was not read
		{Daemon{Lives: &yes}, before, nil}, // it does not say since when
		{Daemon{Lives: &yes, StartedAt: start}, time.Time{}, nil},
	}
	for _, tt := range tests {
		if got := tt.d.Leftover(tt.t); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v at %v: %s, want %s", tt.d, tt.t, pretty.Sprint(got), pretty.Sprint(tt.want))
		}
	}
}

func TestParsePID(t *testing.T) {
	d, err := ParsePID([]byte(`{"pid":34,"startedAt":"2026-11-29T15:15:11.499Z","hostname":"devbox","uid":1000,"listen":"127.0.0.1:6767"}`), new(Drift))
	if err != nil || d.PID != 34 || !d.StartedAt.Equal(instant(t, "2026-11-29T15:15:11.499Z")) || d.Lives != nil {
		t.Errorf("%+v, %v", d, err)
	}
	for _, bad := range []string{"", "34", `{"pid":"34"}`, `{"pid":0}`, `{"pid":-1}`, `{}`} { // kill(0, …) and kill(-1, …) mean many processes
		if d, err := ParsePID([]byte(bad), new(Drift)); err == nil {
			t.Errorf("%q: %+v, want an error", bad, d)
		}
	}
}

// planted are fields where secrets lie, as Paseo writes them.
const planted = `{"config":{"mcpServers":{"t":{"url":"http://h/?token=FAKE-U","headers":{"Authorization":"Bearer FAKE-B"}}},"systemPrompt":"FAKE-S","extra":{"env":{"K":"FAKE-E"}}},
"features":[{"value":"FAKE-F"}],"lastError":"FAKE-L","queuedPrompts":[{"prompt":"FAKE-Q"}],"prompt":"FAKE-P","pendingPrompt":"FAKE-PP"}`

// plant returns the object b with secrets planted at every place where Paseo
// keeps some, and the object without; ok is false when b is no object.
func plant(b []byte) (with, without []byte, ok bool) {
	var obj, secrets map[string]any
	if json.Unmarshal(b, &obj) != nil || json.Unmarshal([]byte(planted), &secrets) != nil {
		return nil, nil, false
	}
	without, _ = json.Marshal(obj)
	for k, v := range secrets {
		obj[k] = v
	}
	for _, path := range []string{"persistence.metadata", "runtimeInfo.extra", "target.config.mcpServers", "target.config.systemPrompt"} {
		var in any = obj
		parts := strings.Split(path, ".")
		for _, p := range parts[:len(parts)-1] {
			if m, isMap := in.(map[string]any); isMap {
				in = m[p]
			}
		}
		if m, isMap := in.(map[string]any); isMap {
			m[parts[len(parts)-1]] = "FAKE-" + path
		}
	}
	with, _ = json.Marshal(obj)
	return with, without, true
}

// seeds adds every file of the captured stages below dir.
func seeds(f *testing.F, dir string) {
	files, _ := filepath.Glob(filepath.Join("../../fixtures/paseo-0.1.65/*/root/home/dev/.paseo", dir))
	if len(files) == 0 {
		f.Fatal("no fixtures")
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// FuzzAgent: what is read makes a record that is read again as the same; and a
// secret planted where Paseo keeps secrets changes nothing.
func FuzzAgent(f *testing.F) {
	seeds(f, "agents/*/*.json")
	f.Add(written(`"lastStatus":"zombie","labels":{"a":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Drift
		a, err := ParseAgent(b, &d)
		if err != nil {
			return
		}
		roundTrip(t, record.KindAgent, a.Record.ID, a.Record)
		cut(t, b, a, func(b []byte) (Agent, error) { return ParseAgent(b, new(Drift)) })
		for i, s := range a.Record.Sessions {
			if s == "" || slices.Contains(a.Record.Sessions[:i], s) {
				t.Fatalf("sessions %q", a.Record.Sessions)
			}
		}
		if with, without, ok := plant(b); ok && !bytes.Contains(without, []byte("FAKE")) {
			x, err1 := ParseAgent(with, new(Drift))
			y, err2 := ParseAgent(without, new(Drift))
			if (err1 == nil) != (err2 == nil) || !reflect.DeepEqual(x, y) {
				t.Fatalf("a planted secret shows: %s", strings.Join(pretty.Diff(x, y), "; "))
			}
		}
	})
}

// roundTrip requires that data makes a record which reads back the same.
// cut requires that of a file that is cut nothing else is read than of the
// whole.
func cut[T any](t *testing.T, b []byte, whole T, read func([]byte) (T, error)) {
	t.Helper()
	for _, n := range []int{len(b) / 3, len(b) / 2, len(b) * 7 / 8, len(b) - 1} {
		if got, err := read(b[:n]); err == nil && !reflect.DeepEqual(got, whole) {
			t.Fatalf("of the first %d bytes more is read: %s", n, strings.Join(pretty.Diff(got, whole), "; "))
		}
	}
}

func roundTrip(t *testing.T, kind record.Kind, subject string, data any) {
	t.Helper()
	r, err := record.New(kind, record.NewTime(time.Unix(1795965000, 0)), "h", "test", subject, data)
	if err != nil {
		t.Fatal(err)
	}
	line, err := r.Line()
	if err != nil {
		t.Fatal(err)
	}
	back, err := record.Parse(line)
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	again, err := back.Line()
	if err != nil || !bytes.Equal(line, again) {
		t.Fatalf("written again as %s, was %s", again, line)
	}
}
