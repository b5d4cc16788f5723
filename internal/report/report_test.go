package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fleet-tools/fleet/internal/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

// setOf parses a stream, leaving out what is no record.
func setOf(stream []byte) *record.Set {
	set := new(record.Set)
	for line := range bytes.Lines(stream) {
		for l, err := range record.All(bytes.NewReader(line)) {
			if err == nil {
				set.Add(l)
			}
		}
	}
	return set
}

// render makes both formats of a stream.
func render(t testing.TB, stream []byte, now time.Time) (md string, doc []byte) {
	t.Helper()
	set := setOf(stream)
	r := Build(set, set.Now(now))
	var m, j bytes.Buffer
	if err := Markdown(&m, r); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&j, r); err != nil {
		t.Fatal(err)
	}
	return m.String(), j.Bytes()
}

func written(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func streams(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".ndjson")
	}
	return files
}

func TestGolden(t *testing.T) {
	for _, name := range streams(t) {
		t.Run(name, func(t *testing.T) {
			stream := written(t, name)
			md, doc := render(t, stream, time.Time{})
			golden(t, name+".md", []byte(md))
			golden(t, name+".json", doc)
			laws(t, stream, md, doc)
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff(name, want, "got", got); d != nil {
		t.Errorf("%s", d)
	}
}

// The first line of each stream, written by hand from what the stream holds.
func TestFirstLine(t *testing.T) {
	want := map[string]string{
		"allunknown": "**BLIND: nothing could be told about any of 9 sessions**",
		"asks":       "# 31 sessions: 4 need you (1 answered), 4 at a limit (1 reset passed), 3 errors, 1 hung, 1 unknown, 6 running, 2 stalled, 2 idle, 1 closed (1 finished), 7 unmanaged (6 finished); 1 question about another session, 1 question about no session",
		"backlog":    "# 62 sessions: 1 needs you, 3 running, 58 unmanaged (58 finished)",
		"blind":      "**BLIND: no session could be looked at; that none is listed means nothing**",
		"cut":        "**INCOMPLETE: sessions may be missing or wrong below: fleet-classify: closing record counts 5, 3 are here**",
		"empty":      "**BLIND: not one record came in; nothing is known about any session**",
		"hostile":    "# 24 sessions: 3 need you, 3 at a limit, 3 errors, 3 hung, 2 unknown, 2 running, 2 stalled, 2 idle, 2 closed, 2 unmanaged",
		"full":       "# 31 sessions: 4 need you (1 answered), 4 at a limit (1 reset passed), 3 errors, 1 hung, 1 unknown, 6 running, 2 stalled, 2 idle, 1 closed (1 finished), 7 unmanaged (6 finished); 1 question about another session, 1 question about no session",
		"hosts":      "**INCOMPLETE: sessions may be missing or wrong below: nas: nothing came from this machine**",
		"thirty":     "# 31 sessions: 4 need you, 4 at a limit (1 reset passed), 3 errors, 1 hung, 1 unknown, 6 running, 2 stalled, 2 idle, 1 closed (1 finished), 7 unmanaged (6 finished)",
		"three":      "# 3 sessions: 1 needs you, 1 running, 1 idle",
		"unjudged":   "**BLIND: 31 sessions were seen and not one was judged**",
	}
	for _, name := range streams(t) {
		md, _ := render(t, written(t, name), time.Time{})
		first, _, _ := strings.Cut(md, "\n")
		if first != want[name] {
			t.Errorf("%s: first line\n%s\nwant\n%s", name, first, want[name])
		}
	}
}

func TestOrderOfLinesIsIrrelevant(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range streams(t) {
		stream := written(t, name)
		md, doc := render(t, stream, time.Time{})
		lines := slices.Collect(bytes.Lines(stream))
		for range 5 {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			md2, doc2 := render(t, slices.Concat(lines...), time.Time{})
			if md2 != md || !bytes.Equal(doc2, doc) {
				t.Fatalf("%s: another order of lines makes another report", name)
			}
		}
	}
}

// A line that goes missing is always noticed: the report names a program, or
// raises the alarm, that it did not before.
func TestMissingLineIsNoticed(t *testing.T) {
	tried := 0
	for _, name := range []string{"three", "thirty", "asks", "hosts", "full"} {
		stream := written(t, name)
		before := problems(stream)
		lines := slices.Collect(bytes.Lines(stream))
		for i, line := range lines {
			after := problems(slices.Concat(slices.Concat(lines[:i]...), slices.Concat(lines[i+1:]...)))
			if isSubset(after, before) {
				t.Errorf("%s without line %d: nothing new is said to be unread\n%s", name, i+1, line)
			}
			tried++
		}
	}
	if tried < 190 {
		t.Errorf("only %d lines tried", tried)
	}
}

func isSubset(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

func problems(stream []byte) map[string]bool {
	set := setOf(stream)
	r := Build(set, set.Now(time.Time{}))
	all := map[string]bool{}
	for _, n := range r.NotRead {
		all[n.Host+" "+n.Name+" "+n.Why+" "+n.Says] = true
	}
	return all
}

func TestAgeOfThePicture(t *testing.T) {
	stream := written(t, "three") // looked at 14:50:02 UTC
	tests := []struct{ now, want string }{
		{"", "Picture of Sun 29 Nov 2026 15:50 CET (14:50 UTC).\n"},
		{"2026-11-29T14:50:30Z", "(14:50 UTC), under 1 min old.\n"},
		{"2026-11-29T17:05:02Z", "(14:50 UTC), 2 h 15 min old.\n"},
		{"2026-12-09T14:50:02Z", "(14:50 UTC), 10 d old.\n"},
		{"2026-11-29T14:49:00Z", "(14:50 UTC).\n"},
		{"2026-11-29T12:00:00Z", ", which is later than the present it is shown for, Sun 29 Nov 2026 13:00 CET (12:00 UTC).\n"},
	}
	for _, tt := range tests {
		now, _ := time.Parse(time.RFC3339, tt.now)
		md, _ := render(t, stream, now)
		if !strings.Contains(md, tt.want) {
			t.Errorf("--now %q: want %q in\n%.300s", tt.now, tt.want, md)
		}
	}
	if md, _ := render(t, stream, time.Time{}); strings.Contains(md, "next tick") {
		t.Error("a report without a tick says that it is hourly")
	}
}

// The file of a tick's report does not age, so it says from when on it is outdated, and
// no age that would be wrong a minute later.
func TestDue(t *testing.T) {
	stream := written(t, "asks") // tick 214, looked at 14:50:02 UTC
	for now, want := range map[string]string{
		"":                     "Picture of Sun 29 Nov 2026 15:50 CET (14:50 UTC). The next tick is due within the hour: if it is past 17:10 CET (16:10 UTC), ticks have stopped.\n",
		"2026-11-29T14:51:40Z": "(14:50 UTC). The next tick is due within the hour: if it is past 17:11 CET (16:11 UTC), ticks have stopped.\n",
		"2026-11-29T16:10:02Z": "(14:50 UTC), 1 h 20 min old. The next tick is due within the hour: if it is past 18:30 CET (17:30 UTC), ticks have stopped.\n",
		"2026-11-29T22:00:00Z": "if it is past 30 Nov 00:20 CET (23:20 UTC), ticks have stopped.\n",
	} {
		at, _ := time.Parse(time.RFC3339, now)
		md, _ := render(t, stream, at)
		if !strings.Contains(md, want) {
			t.Errorf("--now %q: want %q in\n%.300s", now, want, md)
		}
	}
	longer := bytes.Replace(stream, []byte(`"ask_renotify_h"`), []byte(`"tick_timeout_min": 60, "ask_renotify_h"`), 1)
	if md, _ := render(t, longer, time.Time{}); !strings.Contains(md, "if it is past 17:55 CET (16:55 UTC), ticks have stopped.\n") {
		t.Errorf("a tick that may take an hour: %.300s", md)
	}
	page := htmlOf(t, stream)
	has(t, page, `<time id="age" datetime="2026-11-29T14:50:02Z" hidden=""></time>`, `id="stale"`, `<time id="late" datetime="2026-11-29T16:10:02Z">17:10 CET (16:10 UTC)</time>`)
	page = htmlOf(t, written(t, "three"))
	has(t, page, `<time id="age"`)
	if strings.Contains(page, `id="stale"`) {
		t.Error("the page of no tick can be outdated")
	}
}

// A report after which a tick failed says so in every format.
func TestFailed(t *testing.T) {
	const failed = "OUTDATED: at 2026-11-29T15:50:02Z: no room left; below is the last report that could be made"
	for name, want := range map[string]string{"asks": failed, "blind": failed + ", of which it was said: BLIND: no session could be looked at; that none is listed means nothing"} {
		set := setOf(written(t, name))
		r := Build(set, set.Now(time.Time{}))
		r.Failed("no room left", look.Add(time.Hour))
		var md, doc, page bytes.Buffer
		if err := errors.Join(Markdown(&md, r), JSON(&doc, r), HTML(&page, r)); err != nil {
			t.Fatal(err)
		}
		var d document
		if err := json.Unmarshal(doc.Bytes(), &d); err != nil || d.Alarm != want {
			t.Errorf("%s: alarm %q (%v), want %q", name, d.Alarm, err, want)
		}
		if !strings.HasPrefix(md.String(), "**"+want+"**\n") {
			t.Errorf("%s begins with\n%.300s", name, md.String())
		}
		has(t, page.String(), `<h2 id="alarm">OUTDATED</h2><p>at 2026-11-29T15:50:02Z: no room left; `, "<title>OUTDATED · fleet ")
	}
}
