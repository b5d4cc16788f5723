package classify

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// Laws: any stream of records gets one verdict a session, of a class of the
// table, that can be read again; the order of the lines matters nothing; and
// to leave a line out makes no verdict another one, only unknown.
func FuzzJudge(f *testing.F) {
	for i, s := range table {
		var stream []byte
		if i%8 > 0 {
			continue
		}
		for _, r := range s.world().records() {
			line, err := r.Line()
			if err != nil {
				f.Fatal(err)
			}
			stream = append(stream, line...)
		}
		f.Add(stream, uint8(i))
	}
	f.Add([]byte(`{"v":1,"kind":"session","at":"2026-11-29T12:00:00Z","host":"h","by":"x","subject":"s","data":{}}`), uint8(0))
	f.Add([]byte(`{"v":1,"kind":"tick","at":"2026-11-29T12:00:00Z","host":"h","by":"fleet-config","subject":"s","data":{"scope":"s"}}`), uint8(1))
	classes := map[string]bool{Unknown: true}
	for _, r := range Rules() {
		classes[r.ID] = true
	}
	f.Fuzz(func(t *testing.T, stream []byte, drop uint8) {
		set := new(record.Set)
		var lines []record.Line
		for line, err := range record.All(bytes.NewReader(stream)) {
			if err != nil {
				break
			}
			set.Add(line)
			if !line.Blank {
				lines = append(lines, line)
			}
		}
		out, err := judgeAll(set, "fleet-classify", set.Now(noon.Time))
		if err != nil {
			t.Fatal(err)
		}
		verdicts := map[record.Identity]int{}
		for _, r := range out {
			line, err := r.Line()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := record.Parse(line); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if v, ok := record.Payload[record.Verdict](r); ok {
				verdicts[record.Identity{Host: r.Host, Subject: r.Subject}]++
				if !classes[v.Class] || v.Class == Unknown && v.Why == "" {
					t.Fatalf("class %q, why %q", v.Class, v.Why)
				}
			}
		}
		for _, s := range set.Of(record.KindSession) {
			if n := verdicts[record.Identity{Host: s.Host, Subject: s.Subject}]; n != 1 {
				t.Fatalf("session %s: %d verdicts", s.Subject, n)
			}
		}
		if all := set.Of(record.KindSession); len(all) > 0 {
			Explain(set, all[0].Subject)
		}
		orderless(t, lines, out)
		if len(lines) > 0 {
			lessCertain(t, lines, int(drop)%len(lines), classesOf(out))
		}
	})
}

func classesOf(out []record.Record) map[record.Identity]string {
	classes := map[record.Identity]string{}
	for _, r := range out {
		if v, ok := record.Payload[record.Verdict](r); ok {
			classes[r.Identity()] = v.Class
		}
	}
	return classes
}

// orderless requires of lines in another order the same verdicts in the same
// order.
func orderless(t *testing.T, lines []record.Line, want []record.Record) {
	t.Helper()
	set := new(record.Set)
	for _, l := range slices.Backward(lines) {
		set.Add(l)
	}
	got, err := judgeAll(set, "fleet-classify", set.Now(noon.Time))
	if err != nil || len(got) != len(want) {
		t.Fatalf("the other way round %d records of %d, %v", len(got), len(want), err)
	}
	for i := range got {
		if a, b := string(got[i].Data), string(want[i].Data); got[i].Identity() != want[i].Identity() || a != b {
			t.Fatalf("the other way round %s\nand not %s", a, b)
		}
	}
}

// lessCertain requires that without a line each verdict is what it was, or
// unknown. The tick stays, and so does the last line of a program on a machine:
// which programs are expected is given. Of lines of one identity none is left out:
// the one that stays would then count.
func lessCertain(t *testing.T, lines []record.Line, i int, want map[record.Identity]string) {
	t.Helper()
	set, alike, program := new(record.Set), 0, 0
	gone := lines[i].Record
	for k, l := range lines {
		if l.Record.Identity() == gone.Identity() {
			alike++
		}
		if l.Record.By == gone.By && l.Record.Host == gone.Host {
			program++
		}
		if k != i {
			set.Add(l)
		}
	}
	if gone.Kind == record.KindTick || alike > 1 || program == 1 {
		return
	}
	out, err := judgeAll(set, "fleet-classify", set.Now(noon.Time))
	if err != nil {
		t.Fatal(err)
	}
	for id, class := range classesOf(out) {
		if class != Unknown && class != want[id] {
			t.Errorf("without %s\n%s is %s, with it %s", lines[i].Raw, id.Subject, class, want[id])
		}
	}
}
