package fold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestSum(t *testing.T) {
	surface := func(host, by, name string, s record.Surface) record.Record {
		return rec(record.KindSurface, host, by, name, s)
	}
	more := append(whole(),
		surface("devbox", "fleet-observe-claude", "claude/listing", record.Surface{OK: true}),
		surface("devbox", "fleet-observe-claude", "claude/jobs", record.Surface{Error: "denied"}),
		closing("devbox", "fleet-observe-claude", 2),
		surface("devbox", "fleet-observe-claude", "claude/jobs@work", record.Surface{OK: true}),
		rec(record.KindSurface, "devbox", "fleet-observe-claude", "fleet-observe-claude@work", record.Surface{OK: true, Records: num(1)}),
		surface("devbox", "fleet-observe-paseo", "paseo/agents", record.Surface{OK: true, Absent: true}),
		closing("devbox", "fleet-observe-paseo", 1),
		surface("devbox", "fleet-observe-gh", "gh/acme/lamp", record.Surface{OK: true}), // its program was cut
		surface("laptop", "fleet-observe-claude", "claude/listing", record.Surface{OK: true}),
		closing("laptop", "fleet-observe-claude", 1),
	)
	counts, read, err := Sum(more.set(t), 13)
	if err != nil || fmt.Sprint(counts) != "map[3:1]" || strings.Join(read, " ") != "claude/jobs@work claude/listing laptop/claude/listing ledger" {
		t.Errorf("%v %q %v", counts, read, err)
	}
	for _, tt := range []struct {
		name string
		s    stream
		tick int
		want string
	}{
		{"another tick", whole(), 12, "it is not of tick 12"},
		{"no tick", whole().without(0), 13, "it is not of tick 13"},
		{"no number", whole().with(0, rec(record.KindTick, "devbox", "fleet-config", "lamp", record.Tick{})), 13, "it is not of tick 13"},
		{"no judge", whole()[:6], 13, "fleet-classify: no closing record"},
		{"the judge was cut", whole().without(6), 13, "fleet-classify: no closing record"},
		{"the judge is not closed", whole().without(7), 13, "fleet-classify: no closing record"},
		{"one of two judges is not closed", append(whole(), rec(record.KindVerdict, "", "fleet-watch", "w", record.Verdict{Class: "1"})), 13, "fleet-watch: no closing record"},
	} {
		counts, read, err := Sum(tt.s.set(t), tt.tick)
		if counts != nil || read != nil || fmt.Sprint(err) != tt.want {
			t.Errorf("%s: %v %v %v", tt.name, counts, read, err)
		}
	}
}

func TestSnapshot(t *testing.T) {
	if counts, read, _, err := Snapshot(strings.NewReader(""), 13); counts != nil || read != nil || err != nil {
		t.Errorf("no snapshot: %v %v %v", counts, read, err)
	}
	if counts, _, _, err := Snapshot(strings.NewReader("\nnothing\n"), 13); counts != nil || fmt.Sprint(err) != "line 2: not a JSON object" {
		t.Errorf("%v %v", counts, err)
	}
	var text strings.Builder
	for _, r := range whole() {
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		text.Write(line)
	}
	if counts, read, _, err := Snapshot(strings.NewReader(text.String()), 13); counts["3"] != 1 || len(read) != 1 || err != nil {
		t.Errorf("%v %v %v", counts, read, err)
	}
	if counts, read, _, err := Snapshot(strings.NewReader(text.String()), 12); counts != nil || read != nil || fmt.Sprint(err) != "it is not of tick 12" {
		t.Errorf("another tick: %v %v %v", counts, read, err)
	}
}
