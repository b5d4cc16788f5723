package github

import (
	"encoding/json"
	"slices"
	"testing"
)

// Laws: the checks of a pull request are summed up as a word of ours; a check
// more never makes them better, one that failed makes them failing; and none is
// passing while one of another name runs.
func FuzzRollup(f *testing.F) {
	f.Add([]byte(`[{"__typename":"CheckRun","name":"a","workflowName":"w","status":"COMPLETED","conclusion":"SUCCESS","startedAt":"2026-09-28T09:00:00Z"}]`), []byte(`{"name":"b","status":"QUEUED"}`))
	f.Add([]byte(`[{"__typename":"StatusContext","context":"c","state":"EXPECTED"},{"name":"a","status":"COMPLETED","conclusion":"SKIPPED"}]`), []byte(`{"context":"d","state":"FAILURE"}`))
	f.Add([]byte(`[]`), []byte(`{"name":"b","status":"COMPLETED","conclusion":"NEUTRAL","startedAt":null}`))
	worse := []string{ChecksNone, ChecksPassing, ChecksPending, ChecksUnknown, ChecksFailing}
	f.Fuzz(func(t *testing.T, list, row []byte) {
		var rows []json.RawMessage
		var more map[string]any
		if json.Unmarshal(list, &rows) != nil || rows == nil || json.Unmarshal(row, &more) != nil || more == nil {
			return
		}
		before := slices.Index(worse, rollup(list, words{}))
		if before < 0 {
			t.Fatalf("%s is %q", list, rollup(list, words{}))
		}
		with := func(changes map[string]any) int {
			one := map[string]any{}
			for k, v := range more {
				one[k] = v
			}
			for k, v := range changes {
				one[k] = v
			}
			one["name"], one["context"], one["workflowName"] = "a name of its own", "", ""
			b, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			all, err := json.Marshal(append(slices.Clone(rows), b))
			if err != nil {
				t.Fatal(err)
			}
			return slices.Index(worse, rollup(all, words{}))
		}
		if got := with(nil); got < before {
			t.Errorf("%s is %s; with %s more %s", list, worse[before], row, worse[got])
		}
		if got := worse[with(map[string]any{"__typename": "CheckRun", "status": "COMPLETED", "conclusion": "FAILURE", "startedAt": nil})]; got != ChecksFailing && before != slices.Index(worse, ChecksUnknown) {
			t.Errorf("%s with a failure is %s", list, got)
		}
		if got := worse[with(map[string]any{"__typename": "CheckRun", "status": "IN_PROGRESS", "conclusion": "", "startedAt": nil})]; got == ChecksPassing || got == ChecksNone {
			t.Errorf("%s with a run is %s", list, got)
		}
	})
}
