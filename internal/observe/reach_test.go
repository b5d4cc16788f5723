package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/attach"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// What leads to a session is in its record as it is, or not at all: a name of which the
// guard takes something is another's. A recording says the same.
func TestReach(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	for _, tt := range []struct{ tmux, job, wantTmux, wantJob, attach string }{
		{"work:@3.%7", "87e639e1", "work:@3.%7", "87e639e1", "claude attach 87e639e1"},
		{token + ":@3.%7", token, "", "?[withheld: github-token]", ""},
		{"new\nline", "\u202eabc", "", "?abc", ""},
		{"two  spaces", "ab\x01c", "", "?abc", ""},
		{strings.Repeat("w", 130), strings.Repeat("a", 130), "", "?" + strings.Repeat("a", 78) + "…", ""},
		{"", "", "", "", ""},
	} {
		text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		files := map[string]string{
			"root/home/dev/.claude/sessions/7.json": `{"pid":7,"sessionId":"` + testID + `","kind":"bg","status":"busy","tmux":` + text(tt.tmux) + `,"jobId":` + text(tt.job) + `}`,
			listed[2]:                               fmt.Sprintf(`[{"pid":7,"cwd":"/home/dev/lamp","kind":"bg","startedAt":1795962443543,"sessionId":%q,"status":"busy","id":%s}]`, testID, text(tt.job)),
		}
		if tt.job != "" {
			files["root/home/dev/.claude/jobs/"+tt.job+"/state.json"] = `{"sessionId":"` + testID + `","state":"working"}`
		}
		dir, _ := written(t, files)
		rec := filepath.Join(t.TempDir(), "rec")
		w, err := machine.New(dir, time.Time{}, false)
		if err == nil {
			err = w.Record(rec)
		}
		if err == nil {
			_, err = Claude{Binary: "claude", ListingCap: 200}.Observe(context.Background(), w, &seen{map[string]record.Session{}, map[string]record.Surface{}})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{dir, rec} {
			sessions := watch(t, from).sessions
			s := sessions[testID]
			if len(sessions) != 1 || s.Process == nil || s.Process.Tmux != tt.wantTmux || s.Process.JobID != tt.wantJob || s.Listing == nil || s.Listing.ID != tt.wantJob || (s.Job == nil) != (tt.job == "") || s.Job != nil && s.Job.ID != tt.wantJob {
				t.Errorf("%s: %q, %q: %d sessions, %+v %+v %+v", filepath.Base(from), tt.tmux, tt.job, len(sessions), s.Process, s.Listing, s.Job)
			}
		}
		if got := attach.Command(record.VerdictSession{JobID: tt.wantJob, SessionID: testID, Cwd: "/x"}, true, ""); got != tt.attach && tt.job != "" {
			t.Errorf("%q: %s", tt.job, got)
		}
	}
}
