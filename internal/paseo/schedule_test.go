package paseo

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// plan is a hand-made schedule with the named keys set otherwise.
func plan(set map[string]string) []byte {
	keys := map[string]string{
		"id": `"0badcafe"`, "name": `"nightly sweep"`, "prompt": `"FAKE-PROMPT"`,
		"cadence": `{"type":"cron","expression":"0 9 * * *"}`,
		"target":  `{"type":"new-agent","config":{"provider":"claude","cwd":"/home/ana/lamp","systemPrompt":"FAKE-SYSTEM"}}`,
		"status":  `"active"`, "createdAt": `"2026-07-01T08:00:00.000Z"`, "updatedAt": `"2026-07-02T01:30:01.420Z"`,
		"nextRunAt": `"2026-07-02T09:00:00.000Z"`, "lastRunAt": `null`, "pausedAt": `null`, "expiresAt": `null`, "maxRuns": `null`, "runs": `[]`,
	}
	for k, v := range set {
		keys[k] = v
	}
	var parts []string
	for k, v := range keys {
		if v != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", k, v))
		}
	}
	slices.Sort(parts)
	return []byte("{" + strings.Join(parts, ",") + "}")
}

func runOf(start, end, status, more string) string {
	return `{"id":"r","scheduledFor":` + start + `,"startedAt":` + start + `,"endedAt":` + end + `,"status":"` + status + `","agentId":null` + more + `}`
}

// seen parses a schedule and looks at it.
func seen(t testing.TB, b []byte, l Look) (record.Schedule, []string) {
	t.Helper()
	var d Drift
	s, err := ParseSchedule(b, &d)
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return s.Seen(l), d.Words()
}

// A scheduleCase is a schedule, looked at at a time, and what differs from a
// plan that is due at 09:00 on 2 July.
type scheduleCase struct {
	name   string
	set    map[string]string
	at     string
	daemon Daemon
	want   func(*record.Schedule)
}

func checkSchedules(t *testing.T, cases []scheduleCase) {
	t.Helper()
	for _, tt := range cases {
		want := record.Schedule{Source: "paseo", ID: "0badcafe", Name: "nightly sweep", Cadence: "every day 09:00 UTC", Zone: "UTC", Status: "active",
			NextRun: at(t, "2026-07-02T09:00:00Z")}
		tt.want(&want)
		got, drift := seen(t, plan(tt.set), Look{At: instant(t, tt.at), Zone: "UTC", Daemon: tt.daemon})
		if diff := pretty.Diff(got, want); len(diff) > 0 || drift != nil {
			t.Errorf("%s: got, want: %s; drift %q", tt.name, strings.Join(diff, "; "), drift)
		}
	}
}

// daemons returns one that started on 1 July and one that is dead.
func daemons(t *testing.T) (up, down Daemon) {
	yes, no := true, false
	return Daemon{PID: 34, StartedAt: instant(t, "2026-07-01T00:00:00Z"), Lives: &yes}, Daemon{PID: 34, Lives: &no}
}

const early, late = `"2026-06-30T09:00:00.500Z"`, `"2026-07-02T09:00:00.500Z"`

func TestSchedule_late(t *testing.T) {
	up, down := daemons(t)
	checkSchedules(t, []scheduleCase{
		{"due in half an hour", nil, "2026-07-02T08:30:00Z", up, func(s *record.Schedule) {}},
		{"due for an hour, and not over it", nil, "2026-07-02T10:00:00Z", up, func(s *record.Schedule) {}},
		{"due for over an hour", nil, "2026-07-02T10:00:01Z", up, func(s *record.Schedule) { s.Stale = true }},
		{"due for over an hour, no daemon", nil, "2026-07-02T10:00:01Z", down, func(s *record.Schedule) { s.Stale, s.Detail = true, "no daemon lives to run it" }},
		{"due for hours while a run goes on: 0.1.65 leaves the time in the past", map[string]string{"runs": "[" + runOf(late, "null", "running", "") + "]"},
			"2026-07-02T15:00:00Z", up, func(s *record.Schedule) {
				s.Runs, s.LastRun, s.LastResult = 1, at(t, "2026-07-02T09:00:00.5Z"), "running"
				s.Detail = "a run is open since 2026-07-02 09:00 UTC"
			}},
		{"the run that goes on is of a former daemon", map[string]string{"runs": "[" + runOf(early, "null", "running", "") + "]"},
			"2026-07-02T15:00:00Z", up, func(s *record.Schedule) {
				s.Runs, s.LastRun, s.LastResult, s.Stale = 1, at(t, "2026-06-30T09:00:00.5Z"), "interrupted", true
				s.Detail = "the run of 2026-06-30 09:00 UTC was cut off when the daemon ended"
			}},
		{"a run goes on, whether a daemon lives is not known", map[string]string{"runs": "[" + runOf(late, "null", "running", "") + "]"},
			"2026-07-02T09:10:00Z", Daemon{}, func(s *record.Schedule) {
				s.Runs, s.LastRun, s.LastResult = 1, at(t, "2026-07-02T09:00:00.5Z"), "running"
				s.Detail = "a run is open since 2026-07-02 09:00 UTC; whether a daemon lives is not known"
			}},
	})
}

func TestSchedule_runs(t *testing.T) {
	up, down := daemons(t)
	checkSchedules(t, []scheduleCase{
		{"the last run failed", map[string]string{"lastRunAt": early, "runs": "[" + runOf(early, early, "succeeded", "") + "," + runOf(late, `"2026-07-02T09:20:00Z"`, "failed", `,"error":"no\nluck"`) + "]"},
			"2026-07-02T09:30:00Z", up, func(s *record.Schedule) {
				s.Runs, s.LastRun, s.LastResult, s.Detail = 2, at(t, "2026-07-02T09:20:00Z"), "failed", "error: no luck"
			}},
		{"an API error counts as a success for Paseo", map[string]string{"runs": "[" + runOf(late, late, "succeeded", `,"output":"API Error: 400 FAKE-OUTPUT"`) + "]"},
			"2026-07-02T09:30:00Z", up, func(s *record.Schedule) {
				s.Runs, s.LastRun, s.LastResult = 1, at(t, "2026-07-02T09:00:00.5Z"), "succeeded"
				s.Detail = "the output of the last run is an API error, which Paseo counts as a success"
			}},
		{"paused long ago, its last run later than that", map[string]string{"status": `"paused"`, "nextRunAt": "null", "pausedAt": early, "lastRunAt": late},
			"2026-08-01T00:00:00Z", up, func(s *record.Schedule) {
				s.Status, s.NextRun, s.LastRun = "paused", nil, at(t, "2026-07-02T09:00:00.5Z")
			}},
		{"completed", map[string]string{"status": `"completed"`, "nextRunAt": "null", "maxRuns": "1"}, "2026-08-01T00:00:00Z", up,
			func(s *record.Schedule) { s.Status, s.NextRun, s.MaxRuns = "completed", nil, 1 }},
		{"expired and nobody said so", map[string]string{"expiresAt": `"2026-07-02T08:00:00Z"`}, "2026-08-01T00:00:00Z", down,
			func(s *record.Schedule) {
				s.NextRun, s.ExpiresAt, s.Detail = nil, at(t, "2026-07-02T08:00:00Z"), "it has expired"
			}},
		{"active without a next run", map[string]string{"nextRunAt": "null"}, "2026-07-02T10:00:00Z", up,
			func(s *record.Schedule) {
				s.NextRun, s.Detail = at(t, "2026-07-03T09:00:00Z"), "the next run is computed, the file has none"
			}},
		{"every, without a next run", map[string]string{"nextRunAt": "null", "cadence": `{"type":"every","everyMs":900000}`}, "2026-07-02T10:00:00Z", up,
			func(s *record.Schedule) { s.Cadence, s.Zone, s.NextRun = "every 15 minutes", "", nil }},
		{"no name", map[string]string{"name": "null"}, "2026-07-02T08:30:00Z", up, func(s *record.Schedule) { s.Name = "" }},
	})
}

func TestSchedule_target(t *testing.T) {
	heartbeat := plan(map[string]string{"target": `{"type":"agent","agentId":"` + agentID + `"}`})
	agent := record.Agent{ID: agentID, Cwd: "/home/ana/lamp", Repo: "/home/ana/lamp/.git", Placement: record.PlacedByCwd}
	archived := agent
	archived.Archived = true
	look := Look{At: instant(t, "2026-07-02T08:30:00Z")}
	for _, tt := range []struct {
		name   string
		agents map[string]record.Agent
		all    bool
		cwd    string
		detail string
	}{
		{"its agent", map[string]record.Agent{agentID: agent}, true, "/home/ana/lamp", ""},
		{"archived", map[string]record.Agent{agentID: archived}, true, "/home/ana/lamp", "the agent that it prompts is archived"},
		{"deleted", map[string]record.Agent{}, true, "", "the agent that it prompts has no record"},
		{"not every agent was read", map[string]record.Agent{}, false, "", ""},
	} {
		look.Agents, look.AllAgents = tt.agents, tt.all
		got, drift := seen(t, heartbeat, look)
		if got.AgentID != agentID || got.Cwd != tt.cwd || got.Detail != tt.detail || drift != nil {
			t.Errorf("%s: %+v, drift %q", tt.name, got, drift)
		}
		if placed := got.Placement == record.PlacedByCwd && got.Repo == agent.Repo; placed != (tt.cwd != "") {
			t.Errorf("%s: placed %v in %q", tt.name, got.Placement, got.Repo)
		}
	}
}

func TestSchedule_drift(t *testing.T) {
	for _, tt := range []struct {
		key, value, drift string
		check             func(record.Schedule) bool
	}{
		{"status", `"dormant"`, "schedule status dormant", func(s record.Schedule) bool { return s.Status == "dormant" && !s.Stale }},
		{"cadence", `{"type":"moon"}`, "cadence type moon", func(s record.Schedule) bool { return s.Cadence == "a cadence of an unknown type" }},
		{"cadence", `{"type":"cron","expression":"@daily"}`, "cadence cron is not understood", func(s record.Schedule) bool { return s.Cadence == "cron @daily UTC" }},
		{"cadence", `{"type":"cron","expression":"0 9 * * *","timezone":"Mars/Base"}`, "cadence timezone Mars/Base", func(s record.Schedule) bool { return s.Zone == "Mars/Base" }},
		{"cadence", `{"type":"cron","expression":"0 9 * * *","timezone":"Local"}`, "cadence timezone Local", func(s record.Schedule) bool { return s.Zone == "Local" }},
		{"target", `{"type":"everyone"}`, "target type everyone", func(s record.Schedule) bool { return s.Cwd == "" }},
		{"nextRunAt", `"soon"`, "nextRunAt is not a time", func(s record.Schedule) bool { return s.NextRun != nil }}, // computed
		{"runs", "[" + runOf(`"2026-07-02T09:00:00Z"`, "null", "lost", "") + "]", "run status lost", func(s record.Schedule) bool { return s.LastResult == "lost" }},
	} {
		got, drift := seen(t, plan(map[string]string{tt.key: tt.value}), Look{At: instant(t, "2026-07-05T08:30:00Z")})
		if !slices.Equal(drift, []string{tt.drift}) || !tt.check(got) {
			t.Errorf("%s %s: %+v, drift %q", tt.key, tt.value, got, drift)
		}
	}
}

func TestParseSchedule_refuses(t *testing.T) {
	whole := plan(nil)
	for _, tt := range []struct {
		input []byte
		want  string
	}{
		{nil, "empty file"}, // while 0.1.65 writes it
		{whole[:100], "not JSON at byte 100"},
		{[]byte(`[]`), "not an object"},
		{plan(map[string]string{"id": `""`}), "no id"},
		{plan(map[string]string{"status": ""}), "no status"},
		{plan(map[string]string{"cadence": ""}), "no cadence"},
		{plan(map[string]string{"target": "null"}), "no target"},
		{plan(map[string]string{"maxRuns": `"FAKE"`}), "maxRuns is of another type"},
		{plan(map[string]string{"runs": `[{"startedAt":4}]`}), "runs.startedAt is of another type"},
	} {
		if s, err := ParseSchedule(tt.input, new(Drift)); err == nil || err.Error() != tt.want {
			t.Errorf("%.60s: %+v, error %v, want %s", tt.input, s, err, tt.want)
		}
	}
}

// The reports of others, each with a sibling.
func TestCases(t *testing.T) {
	yes := true
	daemon := Daemon{PID: 34, StartedAt: instant(t, "2026-07-02T06:00:00Z"), Lives: &yes}

	t.Run("paseo-running-gone", func(t *testing.T) {
		for updated, want := range map[string]bool{"2026-07-02T05:59:59.999Z": true, "2026-07-02T06:00:01.000Z": false} {
			a, err := ParseAgent(bytes.Replace(written(`"lastStatus":"running"`), []byte("2026-08-02T11:40:55.003Z"), []byte(updated), 1), new(Drift))
			if err != nil {
				t.Fatal(err)
			}
			left := daemon.Leftover(a.Record.UpdatedAt.Time)
			if a.Record.Status != "running" || left == nil || *left != want {
				t.Errorf("updated %s: status %s, left over %s", updated, a.Record.Status, pretty.Sprint(left))
			}
		}
	})
	t.Run("paseo-cron-utc", func(t *testing.T) {
		for at, stale := range map[string]bool{"2026-07-02T07:30:00Z": false, "2026-07-02T10:30:00Z": true} { // 09:30 and 12:30 at the host
			s, _ := seen(t, plan(nil), Look{At: instant(t, at), Zone: "Europe/Berlin", Daemon: daemon})
			if s.Cadence != "every day 09:00 UTC (11:00 Europe/Berlin)" || s.NextRun.Format(time.RFC3339) != "2026-07-02T09:00:00Z" || s.Stale != stale {
				t.Errorf("at %s: %+v", at, s)
			}
		}
	})
	t.Run("paseo-run-open", func(t *testing.T) {
		for start, want := range map[string]string{`"2026-07-02T05:00:00Z"`: "interrupted", `"2026-07-02T07:00:00Z"`: "running"} {
			s, _ := seen(t, plan(map[string]string{"runs": `[{"startedAt":` + start + `,"status":"running"}]`}), Look{At: instant(t, "2026-07-02T07:30:00Z"), Daemon: daemon})
			if s.LastResult != want {
				t.Errorf("started %s: %s, want %s", start, s.LastResult, want)
			}
		}
	})
	t.Run("paseo-paused-completed", func(t *testing.T) {
		past := `"2026-07-01T00:00:00Z"`
		for name, set := range map[string]map[string]string{
			"paused":               {"status": `"paused"`, "nextRunAt": "null"},
			"completed":            {"status": `"completed"`, "nextRunAt": "null", "expiresAt": past},
			"expired":              {"expiresAt": past},
			"paused with a time":   {"status": `"paused"`, "nextRunAt": past},
			"no dates at all":      {"status": `"paused"`, "nextRunAt": "", "createdAt": "", "updatedAt": "", "lastRunAt": "", "expiresAt": "", "runs": ""},
			"active without dates": {"cadence": `{"type":"every","everyMs":1}`, "nextRunAt": "", "createdAt": "", "lastRunAt": "", "runs": `[{"status":"running"}]`},
		} {
			s, _ := seen(t, plan(set), Look{At: instant(t, "2027-07-02T07:30:00Z"), Daemon: daemon})
			if s.Stale || s.NextRun != nil {
				t.Errorf("%s: %+v", name, s)
			}
		}
	})
}

// FuzzSchedule: what is read makes a record that is read again as the same,
// only an active schedule is late, and a secret planted where Paseo keeps
// secrets changes nothing.
func FuzzSchedule(f *testing.F) {
	seeds(f, "schedules/*.json")
	f.Add(plan(nil))
	f.Add(plan(map[string]string{"cadence": `{"type":"cron","expression":"0 9 * * *","timezone":"Europe/Lisbon"}`, "nextRunAt": "null"}))
	yes := true
	look := Look{At: time.Unix(1795965000, 0), Zone: "Europe/Berlin", Daemon: Daemon{PID: 1, StartedAt: time.Unix(1795960000, 0), Lives: &yes}}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSchedule(b, new(Drift))
		if err != nil {
			return
		}
		r := s.Seen(look)
		cut(t, b, r, func(b []byte) (record.Schedule, error) {
			s, err := ParseSchedule(b, new(Drift))
			return s.Seen(look), err
		})
		roundTrip(t, record.KindSchedule, "paseo/"+r.ID, r)
		if r.Stale && (r.Status != "active" || r.NextRun == nil || r.LastResult == "running") {
			t.Fatalf("late: %+v", r)
		}
		if with, without, ok := plant(b); ok && !bytes.Contains(without, []byte("FAKE")) {
			x, err1 := ParseSchedule(with, new(Drift))
			y, err2 := ParseSchedule(without, new(Drift))
			if (err1 == nil) != (err2 == nil) || err1 == nil && !reflect.DeepEqual(x.Seen(look), y.Seen(look)) {
				t.Fatalf("a planted secret shows: %s", strings.Join(pretty.Diff(x.Seen(look), y.Seen(look)), "; "))
			}
		}
	})
}
