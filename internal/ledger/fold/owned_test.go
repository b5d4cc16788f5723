package fold

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestState_owned(t *testing.T) {
	spawn := record.Entry{ID: "1-4", Kind: "intent", Verb: "spawn", Key: "acme/lamp#41", Tick: num(1)}
	dry := spawn
	dry.DryRun = true
	done := func(result string) record.Entry {
		return record.Entry{Kind: "done", Of: "1-4", Verb: "spawn", Key: "acme/lamp#41", Tick: num(1), Result: json.RawMessage(result)}
	}
	of := func(kind string) record.Entry { e := done(`{"session_id":"s1"}`); e.Kind = kind; return e }
	dryDone := of("done")
	dryDone.DryRun = true
	adopt := func(target string) record.Entry { return record.Entry{Kind: "adopt", Target: json.RawMessage(target)} }
	tests := []struct {
		name    string
		entries []record.Entry
		want    string
	}{
		{"a spawn", []record.Entry{spawn, done(`{"session_id":"s1","paseo_agent_id":"g1"}`)}, "session:s1 agent g1 key acme/lamp#41: spawned in tick 1"},
		{"two sessions of one spawn", []record.Entry{spawn, done(`{"session_ids":["s1","s2"]}`)}, "session:s1 key acme/lamp#41: spawned in tick 1; session:s2 key acme/lamp#41: spawned in tick 1"},
		{"the listing lags", []record.Entry{spawn, done(`{"job_id":"0123abcd"}`)}, "job:0123abcd key acme/lamp#41: spawned in tick 1"},
		{"the listing lags, in other words", []record.Entry{spawn, done(`{"id":"0123abcd"}`)}, "job:0123abcd key acme/lamp#41: spawned in tick 1"},
		{"the result is a word", []record.Entry{spawn, done(`"0123abcd"`)}, "job:0123abcd key acme/lamp#41: spawned in tick 1"},
		{"a spawn without a result", []record.Entry{spawn, done(`null`)}, ""},
		{"a spawn without an outcome", []record.Entry{spawn}, ""},
		{"an exercise", []record.Entry{dry, done(`{"session_id":"s1"}`)}, ""},
		{"an exercise by its outcome", []record.Entry{spawn, dryDone}, ""},
		{"a spawn that failed", []record.Entry{spawn, of("failed")}, ""},
		{"a spawn of which nothing is known", []record.Entry{spawn, of("unknown")}, ""},
		{"the first outcome counts", []record.Entry{spawn, of("failed"), done(`{"session_id":"s1"}`)}, ""},
		{"the line of the intent is lost", []record.Entry{done(`{"session_id":"s1"}`)}, "session:s1 key acme/lamp#41: spawned in tick 1"},
		{"another verb", []record.Entry{{ID: "1-4", Kind: "intent", Verb: "mail", Tick: num(1)}, done(`{"session_id":"s1"}`)}, ""},
		{"adoptions", []record.Entry{adopt(`{"session_id":"s1","paseo_agent_id":"g1"}`), adopt(`{"paseo_agent_id":"g2"}`)}, "session:s1 agent g1: adopted; agent:g2 agent g2: adopted"},
		{"an adoption of nothing", []record.Entry{adopt(`{}`), adopt(`[]`), adopt(`null`)}, ""},
		{"an adoption as an exercise", []record.Entry{{Kind: "adopt", DryRun: true, Target: json.RawMessage(`{"session_id":"s1"}`)}}, ""},
		{"twice is once", []record.Entry{adopt(`{"session_id":"s1"}`), spawn, done(`{"session_id":"s1"}`)}, "session:s1: adopted"},
	}
	for _, tt := range tests {
		var got []string
		for _, o := range state(t, tt.entries...).Owned() {
			text := OwnedSubject(o)
			if o.PaseoAgentID != "" {
				text += " agent " + o.PaseoAgentID
			}
			if o.Key != "" {
				text += " key " + o.Key
			}
			got = append(got, text+": "+o.Why)
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, strings.Join(got, "; "), tt.want)
		}
	}
	t.Run("ren-dup-names", func(t *testing.T) {
		name := func(id, name string) record.Entry { return adopt(`{"session_id":"` + id + `","note":"` + name + `"}`) }
		if got := state(t, name("s1", "wick"), name("s2", "wick"), name("s1", "mantle")).Owned(); len(got) != 2 {
			t.Errorf("two sessions of one name are two, a renamed one is one: %+v", got)
		}
	})
}

func TestState_open(t *testing.T) {
	s := state(t, record.Entry{ID: "1-4", Kind: "intent", Verb: "mail", Tick: num(1)}, record.Entry{ID: "1-5", Kind: "intent", Verb: "resume", Tick: num(1)},
		record.Entry{Kind: "done", Of: "1-4", Tick: num(1)}, record.Entry{ID: "1-4", Kind: "intent", Verb: "mail", Tick: num(1)})
	if got := s.Open(); len(got) != 1 || got[0].ID != "1-5" {
		t.Errorf("%+v", got)
	}
}
