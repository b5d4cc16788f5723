package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestNotRead(t *testing.T) {
	tick := func(edit func(*record.Tick)) func(*stream) {
		return func(s *stream) {
			one := 7
			k := record.Tick{Tick: &one, Scope: "acme", Host: "devbox", Surfaces: []string{"claude"}}
			if edit != nil {
				edit(&k)
			}
			s.add(record.KindTick, "fleet-config", "acme", k)
		}
	}
	closing := func(by string) func(*stream) { return func(s *stream) { s.wrote[by] = 0 } }
	tests := []struct {
		name string
		make []func(*stream)
		want []string // lines of the report; none: everything was read
	}{
		{"all read", nil, nil},
		{"no gh and no paseo in a local pipe", nil, nil},
		{"a failure says why and until when", []func(*stream){func(s *stream) {
			s.surface("gh/acme/lamp", record.Surface{Error: "rate limited", ResetAt: ago(-30 * time.Minute)})
		}}, []string{"- **gh/acme/lamp** on devbox: rate limited (resets 16:20 CET (15:20 UTC), in 30 min)"}},
		{"absent and not expected", []func(*stream){func(s *stream) { s.surface("paseo/agents", record.Surface{OK: true, Absent: true}) }}, nil},
		{"absent and expected", []func(*stream){func(s *stream) { s.surface("claude/version", record.Surface{OK: true, Absent: true}) }},
			[]string{"- **claude/version** on devbox: not installed on this machine, but expected"}},
		{"absent and expected by the tick", []func(*stream){
			tick(func(k *record.Tick) { k.Tick, k.Surfaces = nil, []string{"claude", "paseo"} }),
			func(s *stream) {
				s.add(record.KindSurface, "fleet-observe-paseo", "paseo/agents", record.Surface{OK: true, Absent: true})
			}}, []string{"- **paseo/agents** on devbox: not installed on this machine, but expected"}},
		{"one of two schedulers is absent", []func(*stream){
			tick(func(k *record.Tick) { k.Tick, k.Surfaces = nil, []string{"claude", "schedule"} }),
			func(s *stream) {
				s.add(record.KindSurface, "fleet-observe-schedule", "schedule/launchd", record.Surface{OK: true, Absent: true})
				s.add(record.KindSurface, "fleet-observe-schedule", "schedule/systemd", record.Surface{OK: true})
			}}, nil},
		{"items not understood", []func(*stream){func(s *stream) { s.surface("claude/jobs", record.Surface{OK: true, Rows: 14, Unparsed: 3}) }},
			[]string{"- **claude/jobs** on devbox: 3 of 17 could not be understood"}},
		{"unknown words", []func(*stream){func(s *stream) {
			s.surface("claude/version", record.Surface{OK: true, Drift: []string{"version 2.2.0", "status napping"}})
		}}, []string{"- **claude/version** on devbox: not known to this release: version 2.2.0, status napping"}},
		{"a program without closing record", []func(*stream){func(s *stream) {
			s.add(record.KindAgent, "fleet-observe-paseo", "a1", record.Agent{ID: "a1"})
			delete(s.wrote, "fleet-observe-paseo")
		}}, []string{"- **fleet-observe-paseo** on devbox: no closing record"}},
		{"a closing record that does not fit", []func(*stream){closing("fleet-observe-claude")},
			[]string{"- **fleet-observe-claude** on devbox: closing record counts 0, 3 are here"}},
		{"a tick whose programs are not here", []func(*stream){tick(func(k *record.Tick) { k.Surfaces = []string{"claude", "gh"} })},
			[]string{"- **fleet-asks**: not one record of it is here", "- **fleet-ledger**: not one record of it is here", "- **fleet-observe-gh**: not one record of it is here"}},
		{"a machine that said nothing", []func(*stream){tick(func(k *record.Tick) { k.Tick, k.Hosts = nil, []string{"devbox", "mac"} })},
			[]string{"- **mac**: nothing came from this machine"}},
		{"the machine of the tick said nothing", []func(*stream){tick(func(k *record.Tick) { k.Tick, k.Host = nil, "mac" })},
			[]string{"- **mac**: nothing came from this machine"}},
		{"a repository that is not there", []func(*stream){tick(func(k *record.Tick) { k.Tick, k.Unfound = nil, []string{"~/code/gone: no such directory"} })},
			[]string{"- **repository** on devbox: ~/code/gone: no such directory"}},
		{"a repository that two scopes name", []func(*stream){tick(func(k *record.Tick) {
			k.Tick, k.Shared = nil, map[string][]string{"/code/lamp/.git": {"acme", "oven"}, "/code/all/.git": {"acme", "bell", "oven"}}
		})}, []string{"- **repository** on devbox: /code/all/.git: 3 scopes name it: acme, bell, oven", "- **repository** on devbox: /code/lamp/.git: two scopes name it: acme, oven"}},
		{"a session that nobody judged", []func(*stream){func(s *stream) {
			s.add(record.KindSession, "fleet-observe-claude", "pid:9", record.Session{Name: "lost"})
		}}, []string{"- **fleet-classify** on devbox: 1 session was seen and not judged: lost `pid:9`"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStream(t)
			s.session("5", nil)
			for _, f := range tt.make {
				f(s)
			}
			md := s.markdown()
			var got []string
			_, list, _ := strings.Cut(md, "\n## Not read ")
			list, _, _ = strings.Cut(list, "\n## ")
			for line := range strings.Lines(list) {
				if strings.HasPrefix(line, "- ") {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("not read:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestAlarm(t *testing.T) {
	tests := []struct {
		name string
		make func(*stream)
		want string // the first line begins so
	}{
		{"sessions", func(s *stream) { s.session("5", nil) }, "# 1 session: 1 running\n"},
		{"truly none", func(s *stream) {}, "# No sessions\n"},
		{"none, and the listing failed", func(s *stream) { s.surface("claude/jobs", record.Surface{Error: "x"}) }, "**BLIND: "},
		{"none, and Claude Code is absent", func(s *stream) { s.surface("claude/version", record.Surface{OK: true, Absent: true}) }, "**BLIND: "},
		{"none, and the judge is cut", func(s *stream) { s.line(record.KindFinding, "", "fleet-classify", "x", record.Finding{}) }, "**BLIND: "},
		{"none, and the listing of a further directory failed", func(s *stream) { s.surface("claude/listing@two", record.Surface{Error: "x"}) }, "**BLIND: "},
		{"none, and the processes were not read", func(s *stream) { s.surface("claude/processes", record.Surface{Error: "x"}) }, "**BLIND: "},
		{"none, and the observer is cut", func(s *stream) { s.wrote["fleet-observe-claude"]++ }, "**BLIND: "},
		{"none, and a machine is silent", func(s *stream) {
			s.add(record.KindTick, "fleet-config", "acme", record.Tick{Scope: "acme", Host: "devbox", Hosts: []string{"devbox", "mac"}, Surfaces: []string{"claude"}})
		}, "**BLIND: "},
		{"none, and which machines there are is cut", func(s *stream) {
			s.add(record.KindTick, "fleet-config", "acme", record.Tick{Scope: "acme", Host: "devbox", Surfaces: []string{"claude"}})
			s.wrote["fleet-config"]++
		}, "**BLIND: "},
		{"truly none, and neither Paseo nor a board is there", func(s *stream) {
			s.add(record.KindTick, "fleet-config", "acme", record.Tick{Scope: "acme", Host: "devbox", Surfaces: []string{"claude", "paseo", "board", "gh"}})
			s.add(record.KindSurface, "fleet-observe-paseo", "paseo/agents", record.Surface{OK: true, Absent: true})
			s.add(record.KindSurface, "fleet-observe-board", "board/acme", record.Surface{OK: true, Absent: true})
		}, "# No sessions\n"},
		{"truly none, and a run log cannot be read", func(s *stream) {
			s.add(record.KindSurface, "fleet-observe-schedule", "schedule/log:x", record.Surface{Error: "permission denied"})
		}, "# No sessions\n"},
		{"truly none, and their transcripts cannot be read", func(s *stream) { s.surface("claude/transcripts", record.Surface{Error: "x"}) }, "# No sessions\n"},
		{"truly none, and a repository is not there", func(s *stream) {
			s.add(record.KindTick, "fleet-config", "acme", record.Tick{Scope: "acme", Host: "devbox", Surfaces: []string{"claude"}, Unfound: []string{"/x: is not there"}})
		}, "# No sessions\n"},
		{"some, and the judge is cut", func(s *stream) {
			s.session("5", nil)
			s.line(record.KindFinding, "", "fleet-classify", "x", record.Finding{})
		}, "**INCOMPLETE: sessions may be missing or wrong below: fleet-classify: "},
		{"some, and the observer is cut", func(s *stream) {
			s.session("5", nil)
			s.line(record.KindSession, "devbox", "fleet-observe-claude", s.subject+"x", record.Session{})
		}, "**INCOMPLETE: sessions may be missing or wrong below: fleet-observe-claude: "},
		{"some, and a further directory's observer is cut", func(s *stream) {
			s.session("5", nil)
			one := 1
			s.line(record.KindSurface, "devbox", "fleet-observe-claude", "fleet-observe-claude@two", record.Surface{OK: true, Records: &one})
		}, "**INCOMPLETE: sessions may be missing or wrong below: fleet-observe-claude@two: "},
		{"all unknown", func(s *stream) { s.session("unknown", nil); s.session("unknown", nil) }, "**BLIND: nothing could be told about any of 2 sessions**"},
		{"one unknown", func(s *stream) { s.session("unknown", nil); s.session("5", nil) }, "# 2 sessions: 1 unknown, 1 running\n"},
		{"a class of another release", func(s *stream) { s.session("12", nil); s.session("5", nil) }, "# 2 sessions: 1 unknown, 1 running\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStream(t)
			tt.make(s)
			md := s.markdown()
			if !strings.HasPrefix(md, tt.want) {
				t.Errorf("want %q, got\n%s", tt.want, md)
			}
			if strings.HasPrefix(md, "**BLIND") && strings.Contains(md, "Nothing needs you") {
				t.Errorf("blind and quiet:\n%s", md)
			}
		})
	}
}

// Nothing that needs the owner is good news only when all was read.
func TestQuiet(t *testing.T) {
	s := newStream(t)
	s.session("5", nil)
	has(t, s.markdown(), "\nNothing needs you.\n")

	s = newStream(t)
	s.session("5", nil)
	s.surface("claude/jobs", record.Surface{Error: "permission denied"})
	has(t, s.markdown(), "\nNothing that was read needs you.\n")
}

// hides tells that not_read has a part in which sessions could be that nobody saw.
func (d document) hides() bool {
	for _, n := range d.NotRead {
		program, _, _ := strings.Cut(n.Name, "@")
		switch program {
		case "claude/version", "claude/listing", "claude/sessions", "claude/jobs", "claude/processes", "fleet-observe-claude", "fleet-classify", "fleet-config":
			if n.Why == WhyCut || n.Why == WhyJudge || n.Why == WhyAbsent || n.Why == WhyFailed && program != "claude/version" {
				return true
			}
		}
		if n.Why == WhyHost {
			return true
		}
	}
	return false
}
