package report

import (
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// A source of sessions that is there and not understood is no empty one.
func TestAlarm_notUnderstood(t *testing.T) {
	for _, tt := range []struct {
		surface        string
		rows, unparsed int
		session        bool
		want           string
	}{
		{"claude/listing@work", 0, 7, false, "**BLIND: "},
		{"claude/sessions@work", 0, 7, false, "**BLIND: "},
		{"claude/listing@work", 0, 7, true, "**INCOMPLETE: sessions may be missing or wrong below: claude/listing@work: 7 of 7 could not be understood**"},
		{"claude/listing@work", 1, 6, true, "# 1 session: 1 running\n"},
		{"claude/listing@work", 0, 0, false, "# No sessions\n"},
	} {
		s := newStream(t)
		s.add(record.KindSurface, "fleet-observe-claude", tt.surface, record.Surface{OK: true, Rows: tt.rows, Unparsed: tt.unparsed})
		if tt.session {
			s.session("5", nil)
		}
		if md := s.markdown(); !strings.HasPrefix(md, tt.want) {
			t.Errorf("%+v: begins with\n%.200s", tt, md)
		}
	}
}

// That a part has no rows is said without more only when all of it was read.
func TestReach(t *testing.T) {
	all := []string{"claude", "paseo", "schedule", "gh"}
	tests := []struct {
		name             string
		edit             func(*stream, *record.Tick, map[string]*record.Surface)
		repos, schedules string
	}{
		{"all", func(*stream, *record.Tick, map[string]*record.Surface) {}, "No repository.", "No scheduled work."},
		{"not understood", func(_ *stream, _ *record.Tick, how map[string]*record.Surface) {
			how["schedule/systemd"].Unparsed, how["gh/acme/lamp"].Unparsed = 3, 1
		}, "No repository in what was read; not read whole: GitHub's repositories, rules and pull requests.",
			"No scheduled work in what was read; not read whole: launchd, systemd and run logs."},
		{"absent and expected", func(_ *stream, _ *record.Tick, how map[string]*record.Surface) {
			how["schedule/systemd"].Absent, how["paseo/schedules"].Absent = true, true
		}, "No repository.", "No scheduled work in what was read; not read whole: Paseo's schedules; launchd, systemd and run logs."},
		{"absent and not expected", func(_ *stream, tick *record.Tick, how map[string]*record.Surface) {
			how["schedule/systemd"].Absent, how["paseo/schedules"].Absent, tick.Surfaces = true, true, []string{"claude"}
		}, "No repository.", "No scheduled work."},
		{"another scheduler", func(s *stream, _ *record.Tick, how map[string]*record.Surface) {
			how["schedule/systemd"].Absent = true
			s.add(record.KindSurface, schedule, "schedule/log", record.Surface{OK: true})
		}, "No repository.", "No scheduled work."},
		{"a machine is silent", func(_ *stream, tick *record.Tick, _ map[string]*record.Surface) {
			tick.Hosts = []string{"devbox", "nas"}
		}, "No repository in what was read; not read whole: the machine nas.", "No scheduled work in what was read; not read whole: the machine nas."},
		{"a repository was not found", func(_ *stream, tick *record.Tick, _ map[string]*record.Surface) {
			tick.Unfound = []string{"~/code/gone: no such directory"}
		}, "No repository in what was read; not read whole: 1 repository that was not found.", "No scheduled work."},
		{"two scopes name a repository", func(_ *stream, tick *record.Tick, _ map[string]*record.Surface) {
			tick.Shared = map[string][]string{"/code/lamp/.git": {"lamp", "oven"}}
		}, "No repository in what was read; not read whole: 1 repository that another scope names too.", "No scheduled work."},
	}
	for _, tt := range tests {
		s := newStream(t)
		tick := record.Tick{Scope: "lamp", Host: "devbox", Surfaces: all}
		how := map[string]*record.Surface{"schedule/systemd": {OK: true}, "paseo/schedules": {OK: true}, "gh/acme/lamp": {OK: true}}
		tt.edit(s, &tick, how)
		s.add(record.KindTick, "fleet-config", "lamp", tick)
		for name, by := range map[string]string{"schedule/systemd": schedule, "paseo/schedules": paseo, "gh/acme/lamp": gh} {
			s.add(record.KindSurface, by, name, how[name])
		}
		page := newSheet(Build(setOf(s.bytes()), look))
		if repos, work := page.RepoNone(), page.WorkNone(); repos != tt.repos || work != tt.schedules {
			t.Errorf("%s:\n%s\n%s", tt.name, repos, work)
		}
	}
}
