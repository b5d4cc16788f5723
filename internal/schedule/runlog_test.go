package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
)

func TestParseLine(t *testing.T) {
	const noon, before = `{"ts":"2026-11-29T12:00:00Z","status":"ok"}`, `{"ts":"2026-11-28T12:00:00Z","status":"failed"}`
	for _, tt := range []struct {
		name, in string
		whole    bool
		want     string // time and result; "-" for none
	}{
		{"one line", noon + "\n", true, "2026-11-29T12:00:00Z succeeded"},
		{"the last counts", before + "\n" + noon + "\n\n", true, "2026-11-29T12:00:00Z succeeded"},
		{"no newline", before + "\n" + noon, true, "2026-11-29T12:00:00Z succeeded"},
		{"a torn end", before + "\n" + noon[:20], true, "2026-11-28T12:00:00Z failed"},
		{"a torn end alone", noon[:20], true, "-"},
		{"two that are none", before + "\nx\ny\n", true, "-"},
		{"an end without a beginning", noon + "\n", false, "-"},
		{"an end and a line", "rest\"}\n" + noon + "\n", false, "2026-11-29T12:00:00Z succeeded"},
		{"an end and a torn line", noon + "\n" + noon[:20], false, "-"},
		{"carriage returns", before + "\r\n" + noon + "\r\n", true, "2026-11-29T12:00:00Z succeeded"},
		{"text", "done\n", true, "-"},
		{"a list", "[1]\n", true, "-"},
		{"empty", "", true, "-"},
		{"NULs", noon + "\n\x00\x00\x00", true, "2026-11-29T12:00:00Z succeeded"},
		{"nothing known in it", `{"a":1,"source_files":["FAKE"]}`, true, "0001-01-01T00:00:00Z"},
		{"an end is later than a start", `{"started_at":"2026-11-29T11:00:00Z","finished_at":"2026-11-29T12:00:00Z"}`, true, "2026-11-29T12:00:00Z"},
		{"only a start", `{"startedAt":"2026-11-29T11:00:00+02:00"}`, true, "2026-11-29T09:00:00Z"},
		{"a time that is none", `{"ts":"noon","time":"2026-11-29"}`, true, "2026-11-29T00:00:00Z"},
		{"seconds", `{"ts":1795960000.5,"exit":0}`, true, "2026-11-29T13:46:40Z succeeded"},
		{"milliseconds", `{"ts":1795960000000,"exit_code":2}`, true, "2026-11-29T13:46:40Z exit 2"},
		{"a number that is no time", `{"ts":12,"exitCode":-1}`, true, "0001-01-01T00:00:00Z exit -1"},
		{"ok", `{"ok":true}`, true, "0001-01-01T00:00:00Z succeeded"},
		{"no success", `{"success":false}`, true, "0001-01-01T00:00:00Z failed"},
		{"an error", `{"error":{"x":1}}`, true, "0001-01-01T00:00:00Z failed"},
		{"no error", `{"error":null}`, true, "0001-01-01T00:00:00Z"},
		{"an empty error", `{"error":""}`, true, "0001-01-01T00:00:00Z"},
		{"a word of its own", `{"result":"3 files","ok":true}`, true, "0001-01-01T00:00:00Z 3 files"},
		{"a result of another type", `{"result":7,"exit":3}`, true, "0001-01-01T00:00:00Z exit 3"},
		{"no exit", `{"exit":null,"exit_code":4}`, true, "0001-01-01T00:00:00Z exit 4"},
		{"a secret", `{"result":"` + "ghp_" + "FAKE" + strings.Repeat("a1B2", 8) + `"}`, true, "0001-01-01T00:00:00Z [withheld: github-token]"},
	} {
		l := ParseLine([]byte(tt.in), tt.whole)
		got := "-"
		if l != nil {
			got = strings.TrimSpace(l.At.Format(time.RFC3339) + " " + l.Result)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLogRecord(t *testing.T) {
	ago := func(d time.Duration) time.Time { return looked.At.Add(-d) }
	for _, tt := range []struct {
		name string
		log  Log
		want string
	}{
		{"on time", Log{There: true, Written: ago(time.Hour), Last: &Line{At: ago(47 * time.Hour), Result: succeeded}}, "on time|succeeded|false|16:10||"},
		{"late", Log{There: true, Written: ago(time.Hour), Last: &Line{At: ago(49 * time.Hour), Result: failed}}, "late|failed|true|14:10||late: it should run at least every 2 days"},
		{"no time in it", Log{There: true, Written: ago(time.Hour), Last: &Line{Result: failed}}, "on time|failed|false|14:10||its last line tells no time: the time is that of the file"},
		{"no JSON", Log{There: true, Written: ago(time.Hour)}, "on time||false|14:10||its last line is no JSON: the time is that of the file"},
		{"not there", Log{}, "never ran||true|||its log is not there: it never ran, or it is written elsewhere"},
		{"the future", Log{There: true, Written: ago(time.Hour), Last: &Line{At: ago(-time.Hour)}}, "late||true|||its log bears a time that has not come yet"},
	} {
		tt.log.Name, tt.log.StaleAfter = "book keeping", 48*time.Hour
		r := tt.log.Record(looked)
		if got := line(r); got != tt.want || r.Cadence != "at least every 2 days" || r.Name != "book keeping" || r.ID != guard.ID("book keeping") || r.Source != "log" {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A line that is read can be written and read again as the same, and holds
// nothing that guard would withhold. What stands before the last two lines
// changes nothing.
func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"ts":"2026-11-29T12:00:00Z","status":"ok","source_files":["FAKE"]}`+"\n"), true)
	f.Add([]byte(`{"ts":1795960000000,"exit":3}`+"\n{"), true)
	f.Add([]byte("x\n{\"finished_at\":\"2026-11-29\",\"error\":7}"), false)
	f.Fuzz(func(t *testing.T, b []byte, whole bool) {
		l := ParseLine(b, whole)
		if more := ParseLine(append([]byte("{}\n{}\n{}\n"), b...), true); whole && l != nil && (more == nil || *more != *l) {
			t.Fatalf("%+v, behind other lines %+v", l, more)
		}
		if l == nil {
			return
		}
		if guard.Text(l.Result, 4000) != l.Result {
			t.Fatalf("%q is not clean", l.Result)
		}
		if y := l.At.Year(); y < 1 || y > 9999 {
			return
		}
		out, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if again := ParseLine(out, true); again == nil || !again.At.Equal(l.At) || again.Result != l.Result {
			t.Fatalf("%+v, then %+v\n%s", l, again, out)
		}
	})
}
