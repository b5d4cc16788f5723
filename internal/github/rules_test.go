package github

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

const source = `,"ruleset_source_type":"Repository","ruleset_source":"acme/lamp","ruleset_id":11}`

func TestJudge(t *testing.T) {
	const (
		pr      = `{"type":"pull_request","parameters":{"required_approving_review_count":1,"allowed_merge_methods":["squash"]}` + source
		reviews = `{"type":"pull_request","parameters":{"required_approving_review_count":2},"ruleset_source_type":"Organization","ruleset_id":7}`
		force   = `{"type":"non_fast_forward"` + source
		gone    = `{"type":"deletion"` + source
		newer   = `{"type":"a_type_of_2030","parameters":[1]` + source
	)
	checks := func(list string) string {
		return `{"type":"required_status_checks","parameters":{"required_status_checks":[` + list + `]}` + source
	}
	pinned := checks(`{"context":"gate","integration_id":15368}`)
	tests := []struct {
		name     string
		rules    []string
		flags    []string
		eligible bool
	}{
		{"everything", []string{pr, pinned, force, gone}, nil, true},
		{"nothing", nil, []string{FlagNoPullRequest, FlagNoChecks, FlagForcePush}, false},
		{"only deletion", []string{gone}, []string{FlagNoPullRequest, FlagNoChecks, FlagForcePush}, false},
		{"unknown type", []string{newer, pr, pinned, force}, nil, true},
		{"two rulesets", []string{reviews, pr, pinned, force}, nil, true},
		{"no pull request", []string{pinned, force}, []string{FlagNoPullRequest}, false},
		{"any source", []string{pr, checks(`{"context":"a"}`), force}, []string{FlagUnpinned}, false},
		{"null source", []string{pr, checks(`{"context":"a","integration_id":null}`), force}, []string{FlagUnpinned}, false},
		{"other app", []string{pr, checks(`{"context":"a","integration_id":57789}`), force}, []string{FlagUnpinned}, false},
		{"one of two", []string{pr, checks(`{"context":"a","integration_id":15368},{"context":"b"}`), force}, []string{FlagUnpinned}, false},
		{"pinned by another ruleset", []string{pr, checks(`{"context":"gate"}`), pinned, force}, nil, true},
		{"an empty list of checks", []string{pr, checks(``), force}, []string{FlagNoChecks}, false},
		{"no force-push rule", []string{pr, pinned}, []string{FlagForcePush}, true},
	}
	for _, tt := range tests {
		rules, err := ParseRules([]byte("[" + strings.Join(tt.rules, ",") + "]"))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := Judge(rules, Classic{Word: ClassicUnseen}, ActionsApp)
		if !slices.Equal(got.Flags, tt.flags) || got.DriverAllowed != tt.eligible {
			t.Errorf("%s: flags %q, eligible %v; want %q, %v", tt.name, got.Flags, got.DriverAllowed, tt.flags, tt.eligible)
		}
		slices.Reverse(rules)
		for _, d := range pretty.Diff(Judge(rules, Classic{Word: ClassicUnseen}, ActionsApp), got) {
			t.Errorf("%s: in another order: %s", tt.name, d)
		}
	}
}

func TestJudgeWhole(t *testing.T) {
	rules, err := ParseRules([]byte(`[
 {"type":"pull_request","ruleset_source_type":"Organization","parameters":{"required_approving_review_count":2}},
 {"type":"pull_request","ruleset_source_type":"Repository","parameters":{"required_approving_review_count":1}},
 {"type":"required_status_checks","ruleset_source_type":"Repository","parameters":{"required_status_checks":[{"context":"b"},{"context":"a","integration_id":15368}]}},
 {"type":"required_status_checks","ruleset_source_type":"Repository","parameters":{"required_status_checks":[{"context":"b"},{"context":"c"},{"context":"b","integration_id":7}]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	app, other := ActionsApp, 7
	want := &record.Rules{PullRequest: true, Approvals: 2, Checks: []record.RequiredCheck{{Context: "a", AppID: &app, Pinned: true}, {Context: "b"}, {Context: "b", AppID: &other}, {Context: "c"}},
		Classic: "no", Types: []string{"pull_request", "required_status_checks"}, Sources: []string{"Organization", "Repository"},
		Flags: []string{FlagUnpinned, FlagForcePush}}
	for _, d := range pretty.Diff(Judge(rules, Classic{Word: ClassicNo}, app), want) {
		t.Error(d)
	}
	if got := Judge(rules, Classic{Word: ClassicNo}, 1); got.Checks[0].Pinned {
		t.Error("a check of Actions counts as pinned to app 1")
	}
}

func TestParseRulesRefuses(t *testing.T) {
	for _, bad := range []string{"", "null", "{}", `{"message":"Not Found"}`, "[null]", "[{}]", `[{"type":""}]`, `[{"type":1}]`, `[{"type":"deletion"}`, `[{"type":"deletion"}][]`,
		`[{"type":"pull_request","parameters":[1]}]`, `[{"type":"required_status_checks","parameters":{"required_status_checks":[{}]}}]`,
		`[{"type":"required_status_checks","parameters":{"required_status_checks":[{"context":"a","integration_id":"15368"}]}}]`} {
		if got, err := ParseRules([]byte(bad)); err == nil {
			t.Errorf("ParseRules(%s) = %+v", bad, got)
		}
	}
}

// Classic protection counts where it binds everybody.
func TestParseProtection(t *testing.T) {
	const whole = `{"url":"https://api.github.com/x","enforce_admins":{"enabled":true},"allow_force_pushes":{"enabled":false},
 "required_pull_request_reviews":{"required_approving_review_count":1},
 "required_status_checks":{"contexts":["gate","any"],"checks":[{"context":"gate","app_id":15368},{"context":"any","app_id":-1}]}}`
	exempt := strings.Replace(whole, "true", "false", 1)
	old := strings.Replace(whole, `,"checks":[{"context":"gate","app_id":15368},{"context":"any","app_id":-1}]`, "", 1)
	none := []string{FlagNoPullRequest, FlagNoChecks, FlagForcePush}
	tests := []struct {
		name, body, word string
		flags            []string
	}{
		{"whole", whole, ClassicYes, []string{FlagUnpinned}},
		{"pinned", strings.Replace(whole, "-1", "15368", 1), ClassicYes, nil},
		{"admins exempt", exempt, ClassicExempt, none},
		{"contexts alone", old, ClassicYes, []string{FlagUnpinned}},
		{"bare", `{"url":"x","enforce_admins":{"enabled":true},"allow_force_pushes":{"enabled":true}}`, ClassicYes, none},
	}
	for _, tt := range tests {
		c, err := ParseProtection([]byte(tt.body))
		got := Judge(nil, c, ActionsApp)
		if err != nil || c.Word != tt.word || !slices.Equal(got.Flags, tt.flags) || len(got.Types) > 0 || len(got.Sources) > 0 {
			t.Errorf("%s: %+v, %v: %+v", tt.name, c, err, got)
		}
	}
	c, err := ParseProtection([]byte(strings.Replace(whole, `"app_id":15368`, `"app_id":null`, 1)))
	if err != nil || len(c.Rules) != 3 || c.Rules[2].Checks[0].AppID != nil || c.Rules[2].Checks[1].AppID != nil {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"", "null", "[]", "{}", `{"message":"Branch not protected"}`, `{"url":"x","enforce_admins":true}`} {
		if c, err := ParseProtection([]byte(bad)); err == nil {
			t.Errorf("ParseProtection(%s) = %+v", bad, c)
		}
	}
}

func TestUnshown(t *testing.T) {
	got := Unshown("HTTP 404: Not Found")
	if len(got.Flags) > 0 || got.DriverAllowed || got.CannotTell == "" || got.Classic != ClassicUnseen {
		t.Errorf("%+v", got)
	}
}

// More rules never make a branch less protected, except that a further check
// may be one that is not pinned; and what is said of a branch fits together.
func FuzzRules(f *testing.F) {
	f.Add([]byte(`[{"type":"pull_request"}]`), []byte(`[{"type":"required_status_checks","parameters":{"required_status_checks":[{"context":"a","integration_id":15368}]}}]`))
	f.Add([]byte(`[]`), []byte(`[{"type":"non_fast_forward","ruleset_source_type":"Enterprise"}]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		ra, erra := ParseRules(a)
		rb, errb := ParseRules(b)
		if erra != nil || errb != nil {
			return
		}
		for n := range len(a) {
			if cut, err := ParseRules(a[:n]); err == nil && !reflect.DeepEqual(cut, ra) {
				t.Errorf("of the first %d bytes %v is read, of all %v", n, cut, ra)
			}
		}
		one, both := Judge(ra, Classic{}, ActionsApp), Judge(append(ra, rb...), Classic{}, ActionsApp)
		for _, flag := range both.Flags {
			if flag != FlagUnpinned && !slices.Contains(one.Flags, flag) {
				t.Errorf("further rules raise %q", flag)
			}
		}
		if both.DriverAllowed && (slices.Contains(both.Flags, FlagUnpinned) || !both.PullRequest || len(both.Checks) == 0) {
			t.Errorf("eligible in spite of %q", both.Flags)
		}
		if _, err := json.Marshal(both); err != nil {
			t.Error(err)
		}
	})
}
