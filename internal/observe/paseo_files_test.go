package observe

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

// Both layouts are read; temporary files, deeper directories and other files
// are not; of two files of one agent the newer counts.
func TestPaseo_layouts(t *testing.T) {
	k, unread, pauses := observePaseo(t, files(map[string]string{
		"agents/a-flat.json":                                         agentJSON("a-flat", morning, ""),
		"agents/home-ana-wt/a-1.json":                                agentJSON("a-1", morning, `,"title":"new"`),
		"agents/home-ana-old/a-1.json":                               agentJSON("a-1", "2026-11-29T15:05:00.000Z", `,"title":"old"`),
		"agents/home-ana-wt/.agent.tmp-45-1795965955445-56dac50b":    "", // of a daemon that died, 0.1.65
		"agents/home-ana-wt/.a-2.json.45.1795965955445.56dac50b.tmp": agentJSON("a-2", morning, ""),
		"agents/home-ana-wt/.a-3.json":                               "",
		"agents/home-ana-wt/deep/a-4.json":                           agentJSON("a-4", morning, ""),
		"agents/home-ana-wt/notes.txt":                               "x",
		"agents/.config-x/a-5.json":                                  agentJSON("a-5", morning, ""), // of the cwd /.config/x
		"schedules/.0badcafe.json.45.1795965955445.56dac50b.tmp":     "",
		"schedules/0badcafe.json":                                    scheduleJSON("0badcafe", ""),
		"loops/loops.json":                                           "[]",
	}))
	if got := slices.Sorted(maps.Keys(k.agents)); !slices.Equal(got, []string{"a-1", "a-5", "a-flat"}) || k.agents["a-1"].Title != "new" {
		t.Errorf("agents %q, a-1 is %+v", got, k.agents["a-1"])
	}
	s := k.surfaces["paseo/agents"]
	if s.Rows != 3 || s.Unparsed != 0 || !slices.Equal(s.Notes, []string{"agents with several records, of which the newest counts: 1"}) {
		t.Errorf("surface %+v", s)
	}
	if len(k.plans) != 1 || len(unread) > 0 || len(pauses) > 0 {
		t.Errorf("schedules %v, not read %q, waited %v", k.plans, unread, pauses)
	}
}

// An agent that is deleted between listing and reading is no failure; one that
// moves then is found where it went.
func TestPaseo_vanishing(t *testing.T) {
	const wt, moved = "home/ana/.paseo/agents/home-ana-wt/", "home/ana/.paseo/agents/a-home-of-its-own/"
	k, unread, pauses := observePaseo(t, watched{
		MapFS: files(map[string]string{
			"agents/home-ana-wt/a-1.json": agentJSON("a-1", morning, ""), "agents/home-ana-wt/a-2.json": agentJSON("a-2", morning, ""),
			"agents/home-ana-wt/a-3.json": agentJSON("a-3", morning, ""), "agents/a-home-of-its-own/.keep": "",
		}),
		opened: func(name string, m fstest.MapFS) error {
			if name == wt+"a-1.json" {
				delete(m, wt+"a-1.json")
				if f, ok := m[wt+"a-2.json"]; ok {
					m[moved+"a-2.json"] = f
					delete(m, wt+"a-2.json")
				}
			}
			return nil
		},
	})
	if got := slices.Sorted(maps.Keys(k.agents)); !slices.Equal(got, []string{"a-2", "a-3"}) {
		t.Errorf("agents %q", got)
	}
	if s := k.surfaces["paseo/agents"]; !s.OK || s.Unparsed != 0 || s.Rows != 2 || len(unread) > 0 || len(pauses) > 0 {
		t.Errorf("surface %+v, not read %q, waited %v", s, unread, pauses)
	}
}

// A schedule that is being written is empty for a while (0.1.65: up to 90 ms);
// one that stays empty is counted, and does not hide the others.
func TestPaseo_emptySchedule(t *testing.T) {
	const writing, cut = "home/ana/.paseo/schedules/a1.json", "home/ana/.paseo/schedules/c3.json"
	for readings, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 3} { // readings that find it empty → pauses
		left := readings
		k, unread, pauses := observePaseo(t, watched{
			MapFS: files(map[string]string{"schedules/a1.json": scheduleJSON("a1", ""), "schedules/b2.json": scheduleJSON("b2", "")}),
			opened: func(name string, m fstest.MapFS) error {
				if name != writing {
					return nil
				}
				m[writing] = &fstest.MapFile{Data: []byte(scheduleJSON("a1", ""))}
				if left > 0 {
					m[writing] = &fstest.MapFile{}
				}
				left--
				return nil
			},
		})
		if s := k.surfaces["paseo/schedules"]; s.Unparsed != 0 || len(k.plans) != 2 || len(pauses) != want || len(unread) > 0 {
			t.Errorf("empty at %d readings: %+v, waited %v", readings, s, pauses)
		}
	}
	k, unread, pauses := observePaseo(t, files(map[string]string{"schedules/a1.json": "", "schedules/b2.json": scheduleJSON("b2", ""), "schedules/c3.json": scheduleJSON("c3", "")[:200]}))
	s, total := k.surfaces["paseo/schedules"], time.Duration(0)
	for _, p := range pauses {
		total += p
	}
	if len(pauses) != 3 || total != 300*time.Millisecond {
		t.Errorf("waited %v", pauses)
	}
	if !s.OK || s.Unparsed != 2 || s.Rows != 1 || k.plans["b2"] == nil || len(unread) > 0 {
		t.Errorf("%+v, not read %q; cut is %s", s, unread, cut)
	}
	if want := []string{"schedules/a1.json: empty file", "schedules/c3.json: not JSON at byte 200"}; !slices.Equal(s.Notes, want) {
		t.Errorf("notes %q, want %q", s.Notes, want)
	}
}

// Records that do not parse are counted, and what they hold is not shown.
func TestPaseo_unparsed(t *testing.T) {
	content := map[string]string{"agents/x/good.json": agentJSON("good", morning, ""), "agents/x/large.json": agentJSON("large", morning, `,"queuedPrompts":"`+strings.Repeat("FAKE", 2<<20)+`"`)}
	for i, bad := range []string{"", "\x00\x00", "FAKE-GARBAGE", `{"id":"x"}`, agentJSON("cut", morning, `,"title":"FAKE`)} {
		content[fmt.Sprintf("agents/x/bad-%d.json", i)] = bad
	}
	heartbeat := strings.Replace(scheduleJSON("a", ""), `{"type":"new-agent","config":{"cwd":"/home/ana/wt"}}`, `{"type":"agent","agentId":"bad-0"}`, 1)
	content["schedules/a.json"] = heartbeat
	k, unread, _ := observePaseo(t, files(content))
	if d := k.plans["a"].Detail; d != "no daemon lives to run it" {
		t.Errorf("the agent of the schedule may be a record that was not understood: %q", d)
	}
	complete, _, _ := observePaseo(t, files(map[string]string{"schedules/a.json": heartbeat}))
	if d := complete.plans["a"].Detail; d != "the agent that it prompts has no record; no daemon lives to run it" {
		t.Errorf("the agent of the schedule has no record: %q", d)
	}
	s := k.surfaces["paseo/agents"]
	if !s.OK || s.Rows != 1 || s.Unparsed != 6 || len(s.Notes) != badShown+1 || s.Notes[badShown] != "and 3 more that are not understood" || len(unread) > 0 {
		t.Errorf("%s", pretty.Sprint(s))
	}
	if bytes.Contains(k.lines.Bytes(), []byte("FAKE")) {
		t.Errorf("input is quoted: %s", k.lines.Bytes())
	}
}

// Words that this release does not know are named once each.
func TestPaseo_drift(t *testing.T) {
	k, _, _ := observePaseo(t, files(map[string]string{
		"agents/x/a.json": strings.Replace(agentJSON("a", morning, ""), "running", "zombie", 1), "agents/x/b.json": strings.Replace(agentJSON("b", morning, ""), "running", "zombie", 1),
		"schedules/c.json": strings.Replace(scheduleJSON("c", ""), "active", "dormant", 1),
	}))
	if a, s := k.surfaces["paseo/agents"].Drift, k.surfaces["paseo/schedules"].Drift; !slices.Equal(a, []string{"lastStatus zombie"}) || !slices.Equal(s, []string{"schedule status dormant"}) {
		t.Errorf("drift %q and %q", a, s)
	}
}

// Of two schedules with one id the one that bears its name counts.
func TestPaseo_doubledSchedule(t *testing.T) {
	k, _, _ := observePaseo(t, files(map[string]string{
		"schedules/a.json": strings.Replace(scheduleJSON("b", ""), "sweep", "copy", 1), "schedules/b.json": scheduleJSON("b", ""), "schedules/c.json": strings.Replace(scheduleJSON("b", ""), "sweep", "copy", 1),
	}))
	if k.records != 4 || k.plans["b"].Name != "sweep" {
		t.Errorf("%d records, %+v", k.records, k.plans["b"])
	}
}

func TestPaseo_placement(t *testing.T) {
	m := files(map[string]string{})
	for _, name := range []string{"home/ana/lamp/.git/HEAD", "home/ana/lamp/.git/refs/x", "home/ana/lamp/src/x", "home/ana/plain/x"} {
		m[name] = &fstest.MapFile{Data: []byte("ref: refs/heads/main\n")}
	}
	for i, cwd := range []string{"/home/ana/lamp/src", "/home/ana/plain", "/home/ana/gone", "/home/ana/lamp/.claude/worktrees/gone", "relative", "/home/ana/lamp/src/gone/deeper", "/home/ana/plain/gone"} {
		id := fmt.Sprintf("a-%d", i)
		m["home/ana/.paseo/agents/x/"+id+".json"] = &fstest.MapFile{Data: []byte(strings.Replace(agentJSON(id, morning, ""), "/home/ana/wt", cwd, 1))}
		m["home/ana/.paseo/schedules/"+id+".json"] = &fstest.MapFile{Data: []byte(strings.Replace(scheduleJSON(id, ""), "/home/ana/wt", cwd, 1))}
	}
	k, _, _ := observePaseo(t, m)
	for i, want := range []string{record.PlacedByCwd, record.PlacedNone, record.PlacedGone, record.PlacedAbove, record.PlacedUnreadable, record.PlacedAbove, record.PlacedGone} {
		a, s := k.agents[fmt.Sprintf("a-%d", i)], k.plans[fmt.Sprintf("a-%d", i)]
		repo := ""
		if want == record.PlacedByCwd || want == record.PlacedAbove {
			repo = "/home/ana/lamp/.git"
		}
		if a.Placement != want || a.Repo != repo || s.Placement != want || s.Repo != repo || s.Cwd != a.Cwd {
			t.Errorf("%s: agent %s %q, schedule %s %q; want %s %q", a.Cwd, a.Placement, a.Repo, s.Placement, s.Repo, want, repo)
		}
	}
}

// A daemon whose process nobody can look for is not gone.
func TestPaseo_daemonUnknown(t *testing.T) {
	r := newRecording(t) // without a process table
	r.write("root/home/ana/.paseo/paseo.pid", `{"pid":7}`)
	k := &seen{map[string]record.Session{}, map[string]record.Surface{}}
	unread, err := Paseo{}.Observe(r.world(), k)
	if s := k.surfaces["paseo/daemon"]; err != nil || s.OK || s.Error != "whether process 7 lives cannot be told" || len(unread) != 1 {
		t.Errorf("got %+v, unread %q, %v", s, unread, err)
	}
}
