package github

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Answers that are cut or are no answers: inputs of our own.
func TestOwn(t *testing.T) {
	t.Run("own-list-exactly-full", func(t *testing.T) { // as many as were asked for are perhaps not all
		if prs, _, err := ParsePulls(pulls(200), 200); !errors.Is(err, ErrCut) {
			t.Errorf("%d pull requests, %v", len(prs), err)
		}
		if prs, _, err := ParsePulls(pulls(199), 200); err != nil || len(prs) != 199 {
			t.Errorf("%d pull requests, %v", len(prs), err)
		}
	})
	t.Run("own-list-checks-full", func(t *testing.T) { // 100 checks are shown, all passing; others may fail
		var rows []string
		for i := range shownContexts {
			rows = append(rows, fmt.Sprintf(`{"name":"check %d","status":"COMPLETED","conclusion":"SUCCESS"}`, i))
		}
		if got := rollup([]byte("["+strings.Join(rows, ",")+"]"), words{}); got != ChecksUnknown {
			t.Errorf("%s", got)
		}
		if got := rollup([]byte("["+strings.Join(rows[1:], ",")+"]"), words{}); got != ChecksPassing {
			t.Errorf("one less: %s", got)
		}
	})
	t.Run("own-list-cut-mid-row", func(t *testing.T) {
		out := pulls(3)
		if prs, _, err := ParsePulls(out[:len(out)-20], 200); err == nil || prs != nil {
			t.Errorf("%d pull requests, %v", len(prs), err)
		}
	})
	t.Run("own-list-twice", func(t *testing.T) {
		if prs, _, err := ParsePulls(append(pulls(1), pulls(1)...), 200); err == nil || prs != nil {
			t.Errorf("%d pull requests, %v", len(prs), err)
		}
	})
	t.Run("own-api-captive-portal", func(t *testing.T) { // 200, and a page of somebody else
		f := Fail(1, http("200 OK", "<html>Sign in to the hotel's network</html>"), "invalid character '<' looking for beginning of value", now)
		if f.RateLimited || f.Absent || f.Says == "" || strings.Contains(f.Says, "<html") {
			t.Errorf("%+v", f)
		}
	})
	t.Run("own-api-limit-in-a-title", func(t *testing.T) { // a word of somebody's text is no limit
		f := Fail(1, http("404 Not Found", `{"message":"Not Found","documentation_url":"https://docs.github.com/rest/rate-limit"}`), "gh: Not Found (HTTP 404)", now)
		if f.RateLimited || f.Status != 404 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("own-dup-rerun", func(t *testing.T) { // of reruns the last counts, in whatever order they come
		old := `{"name":"a","workflowName":"w","status":"COMPLETED","conclusion":"FAILURE","startedAt":"2026-11-29T10:00:00Z"}`
		fresh := `{"name":"a","workflowName":"w","status":"COMPLETED","conclusion":"SUCCESS","startedAt":"2026-11-29T11:00:00Z"}`
		for _, list := range []string{old + "," + fresh, fresh + "," + old} {
			if got := rollup([]byte("["+list+"]"), words{}); got != ChecksPassing {
				t.Errorf("%s: %s", list, got)
			}
		}
	})
}
