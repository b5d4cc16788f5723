package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/record"
)

func TestParsePulls(t *testing.T) {
	out := `[{"author":{"is_bot":true,"login":"app/dependabot"},"baseRefName":"main","headRefName":"dependabot/x","isCrossRepository":false,"isDraft":true,"labels":[],` +
		`"mergeStateStatus":"BLOCKED","mergeable":"UNKNOWN","number":40,"statusCheckRollup":[],"title":"Bump deps","updatedAt":"2026-09-28T09:00:00Z","url":"https://github.com/acme/lamp/pull/40"},` +
		`{"author":{"id":"U_1","is_bot":false,"login":"ana","name":"Ana"},"baseRefName":"main","headRefName":"feat/\u202elamp","isCrossRepository":true,"isDraft":false,` +
		`"labels":[{"id":"LA_1","name":"hold","description":"","color":"ededed"}],"mergeStateStatus":"CLEAN","mergeable":"MERGEABLE","number":41,` +
		`"statusCheckRollup":[{"__typename":"StatusContext","context":"c","state":"SUCCESS","startedAt":"2026-09-28T09:00:00Z"}],"title":"Add\nthe ^[[31mlamp","updatedAt":"0001-01-01T00:00:00Z","url":"javascript:alert(1)"}]` + "\n"
	got, drift, err := ParsePulls([]byte(out), 3)
	if err != nil || len(drift) > 0 {
		t.Fatal(drift, err)
	}
	want := []record.PullRequest{
		{Number: 41, Title: "Add the ^[[31mlamp", Head: "feat/lamp", HeadID: gitrepo.BranchID("feat/\u202elamp"), Base: "main", Cross: true, Author: "ana",
			Labels: []string{"hold"}, Hold: true, MergeState: "CLEAN", Mergeable: "MERGEABLE", Checks: ChecksPassing},
		{Number: 40, Title: "Bump deps", Head: "dependabot/x", HeadID: gitrepo.BranchID("dependabot/x"), Base: "main", Draft: true, Author: "app/dependabot",
			Labels: []string{}, URL: "https://github.com/acme/lamp/pull/40", UpdatedAt: record.TimeOf(time.Date(2026, 9, 28, 9, 0, 0, 0, time.UTC)),
			MergeState: "BLOCKED", Mergeable: "UNKNOWN", Checks: ChecksNone},
	}
	for _, d := range pretty.Diff(got, want) {
		t.Error(d)
	}
}

// pulls is a list of n pull requests.
func pulls(n int) []byte {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"number":%d,"headRefName":"b%d","isCrossRepository":false}`, i+1, i+1)
	}
	return []byte("[" + strings.Join(rows, ",") + "]\n")
}

// A list as long as was asked for is not whole.
func TestParsePullsCut(t *testing.T) {
	for _, n := range []int{0, 1, 199, 200, 201} {
		got, _, err := ParsePulls(pulls(n), 200)
		if cut := errors.Is(err, ErrCut); cut != (n >= 200) || !cut && (err != nil || got == nil || len(got) != n) {
			t.Errorf("%d: %d rows, %v", n, len(got), err)
		}
	}
}

func TestParsePullsRefuses(t *testing.T) {
	good := string(pulls(1))
	for _, bad := range []string{"", "\n", "null", "{}", "[null]", "[{}]", "junk", good[:20], good + good, good + "x",
		strings.Replace(good, `"number":1`, `"number":0`, 1), strings.Replace(good, `"number":1`, `"number":"1"`, 1),
		strings.Replace(good, `"b1"`, `""`, 1), strings.Replace(good, `"headRefName"`, `"head"`, 1), strings.Replace(good, `"isCrossRepository":false`, `"x":1`, 1),
		"no open pull requests in acme/lamp\n"} {
		if got, _, err := ParsePulls([]byte(bad), 200); err == nil {
			t.Errorf("ParsePulls(%q) = %+v", bad, got)
		}
	}
}

func TestRollup(t *testing.T) {
	run := func(name, status, conclusion, started string) string {
		return fmt.Sprintf(`{"__typename":"CheckRun","workflowName":"ci","name":%q,"status":%q,"conclusion":%q,"startedAt":%q,"completedAt":"0001-01-01T00:00:00Z"}`, name, status, conclusion, started)
	}
	done := func(name, conclusion string) string {
		return run(name, "COMPLETED", conclusion, "2026-09-30T08:50:00Z")
	}
	state := func(name, state string) string {
		return fmt.Sprintf(`{"__typename":"StatusContext","context":%q,"state":%q,"startedAt":"2026-09-30T08:50:00Z"}`, name, state)
	}
	const early, late, never = "2026-09-30T08:50:00Z", "2026-09-30T09:50:00Z", "0001-01-01T00:00:00Z"
	many := make([]string, 100)
	for i := range many {
		many[i] = done(fmt.Sprint("c", i), "SUCCESS")
	}
	failing := append([]string{done("x", "FAILURE")}, many[1:]...)
	tests := []struct {
		name string
		rows []string
		want string
	}{
		{"none", nil, ChecksNone},
		{"success", []string{done("a", "SUCCESS")}, ChecksPassing},
		{"skipped and neutral", []string{done("a", "SUCCESS"), done("b", "SKIPPED"), done("c", "NEUTRAL")}, ChecksPassing},
		{"all skipped", []string{done("b", "SKIPPED")}, ChecksPassing},
		{"one fails", []string{done("a", "SUCCESS"), done("b", "FAILURE"), run("c", "IN_PROGRESS", "", early)}, ChecksFailing},
		{"cancelled", []string{done("a", "CANCELLED")}, ChecksFailing},
		{"timed out", []string{done("a", "TIMED_OUT")}, ChecksFailing},
		{"action required", []string{done("a", "ACTION_REQUIRED")}, ChecksFailing},
		{"startup failure", []string{done("a", "STARTUP_FAILURE")}, ChecksFailing},
		{"stale", []string{done("a", "STALE")}, ChecksPending},
		{"runs", []string{done("a", "SUCCESS"), run("b", "IN_PROGRESS", "", early)}, ChecksPending},
		{"queued", []string{run("b", "QUEUED", "", never)}, ChecksPending},
		{"expected", []string{state("c", "EXPECTED")}, ChecksPending},
		{"state pending", []string{state("c", "PENDING")}, ChecksPending},
		{"state error", []string{state("c", "ERROR")}, ChecksFailing},
		{"state failure", []string{state("c", "FAILURE")}, ChecksFailing},
		{"state success", []string{state("c", "SUCCESS")}, ChecksPassing},
		{"a rerun passes", []string{run("a", "COMPLETED", "FAILURE", early), run("a", "COMPLETED", "SUCCESS", late)}, ChecksPassing},
		{"listed first", []string{run("a", "COMPLETED", "SUCCESS", late), run("a", "COMPLETED", "FAILURE", early)}, ChecksPassing},
		{"a rerun fails", []string{run("a", "COMPLETED", "SUCCESS", early), run("a", "COMPLETED", "FAILURE", late)}, ChecksFailing},
		{"a rerun waits", []string{run("a", "QUEUED", "", never), run("a", "COMPLETED", "FAILURE", early)}, ChecksPending},
		{"an older run still goes on", []string{run("a", "COMPLETED", "SUCCESS", late), run("a", "IN_PROGRESS", "", early)}, ChecksPassing},
		{"a state without a type", []string{`{"context":"c","state":"EXPECTED"}`}, ChecksPending},
		{"a state without a name", []string{`{"__typename":"StatusContext","state":"SUCCESS"}`}, ChecksPassing},
		{"one name, two workflows", []string{done("a", "SUCCESS"), strings.Replace(done("a", "FAILURE"), `"ci"`, `"cd"`, 1)}, ChecksFailing},
		{"unknown conclusion", []string{done("a", "SUCCESS"), done("b", "SHRUGGED")}, ChecksUnknown},
		{"unknown status", []string{run("a", "PAUSED", "", early)}, ChecksUnknown},
		{"unknown state", []string{state("a", "MAYBE")}, ChecksUnknown},
		{"fails beside unknown", []string{done("a", "FAILURE"), done("b", "SHRUGGED")}, ChecksFailing},
		{"no conclusion", []string{done("a", "")}, ChecksUnknown},
		{"as many as gh shows", many, ChecksUnknown},
		{"as many, one fails", failing, ChecksFailing},
	}
	for _, tt := range tests {
		if got := rollup(json.RawMessage("["+strings.Join(tt.rows, ",")+"]"), words{}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for raw, want := range map[string]string{"": "", "null": ChecksNone, "{}": ChecksUnknown, `[{"startedAt":"x"}]`: ChecksUnknown} {
		if got := rollup(json.RawMessage(raw), words{}); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

// Words that this release doesn't know are named, each once.
func TestDrift(t *testing.T) {
	out := `[{"number":1,"headRefName":"a","isCrossRepository":false,"mergeStateStatus":"SIDEWAYS","statusCheckRollup":[{"name":"x","status":"COMPLETED","conclusion":"SHRUGGED"},{"name":"y","status":"COMPLETED","conclusion":"SHRUGGED"}]}]`
	_, drift, err := ParsePulls([]byte(out), 200)
	if want := "[check conclusion SHRUGGED merge state SIDEWAYS]"; err != nil || fmt.Sprint(drift) != want {
		t.Errorf("%v, %v; want %s", drift, err, want)
	}
}

// A list that is read has as many pull requests as rows, each joined by the
// hash of a name that is there; and a list is never shorter for being odd.
func FuzzPulls(f *testing.F) {
	f.Add(pulls(2))
	f.Add([]byte(`[{"number":1,"headRefName":"a","isCrossRepository":true,"statusCheckRollup":[{"name":"x","status":"QUEUED"}]}]`))
	f.Fuzz(func(t *testing.T, out []byte) {
		prs, _, err := ParsePulls(out, 200)
		if err != nil {
			return
		}
		var rows []struct{ HeadRefName string }
		if json.Unmarshal(out, &rows) != nil || len(rows) != len(prs) {
			t.Fatalf("%d of %d rows", len(prs), len(rows))
		}
		for _, n := range []int{len(out) / 3, len(out) / 2, len(out) - 1} {
			if cut, _, err := ParsePulls(out[:n], 200); err == nil && !reflect.DeepEqual(cut, prs) {
				t.Errorf("of the first %d bytes %d pull requests are read, of all %d", n, len(cut), len(prs))
			}
		}
		ids := map[string]bool{}
		for _, r := range rows {
			ids[gitrepo.BranchID(r.HeadRefName)] = true
		}
		for _, p := range prs {
			if !ids[p.HeadID] || strings.ContainsAny(p.Title+p.Head+p.Author, "\n\x1b\u202e") {
				t.Errorf("%+v", p)
			}
		}
		if _, err := json.Marshal(prs); err != nil {
			t.Error(err)
		}
	})
}
