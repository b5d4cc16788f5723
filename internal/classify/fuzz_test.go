package classify

import (
	"bytes"
	"testing"

	"github.com/fleet-tools/fleet/internal/record"
)

// FuzzJudge checks that any stream of records gets one verdict a session, of a
// class of the table, and that what Judge adds can be read again.
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
		f.Add(stream)
	}
	f.Add([]byte(`{"v":1,"kind":"session","at":"2026-11-29T12:00:00Z","host":"h","by":"x","subject":"s","data":{}}`))
	f.Add([]byte(`{"v":1,"kind":"tick","at":"2026-11-29T12:00:00Z","host":"h","by":"fleet-config","subject":"s","data":{"scope":"s"}}`))
	classes := map[string]bool{Unknown: true}
	for _, r := range Rules() {
		classes[r.ID] = true
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		set := new(record.Set)
		for line, err := range record.All(bytes.NewReader(stream)) {
			if err != nil {
				break
			}
			set.Add(line)
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
	})
}
