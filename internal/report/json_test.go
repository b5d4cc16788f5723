package report

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// What waits says how to get there, and no list is null.
func TestJSON_goAndLabels(t *testing.T) {
	s := newStream(t)
	s.session("3", func(v *record.Verdict) { v.Session.Tmux, v.Session.Since = "work:@3.%7", ago(2*time.Hour) })
	s.session("3", nil)
	s.session("5", func(v *record.Verdict) { v.Session.Tmux = "work:@3.%8" })
	s.repo("lamp", func(p *record.Repo, _ *record.Surface) { p.PRs = []record.PullRequest{{Number: 1}} })
	_, doc := render(t, s.bytes(), time.Time{})
	var d struct {
		Sections []struct {
			ID   string
			Rows []struct{ Go *string }
		}
		Repos struct {
			Rows []struct {
				PRs []struct{ Labels []string }
			}
		}
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	var hints []string
	for _, section := range d.Sections {
		for _, row := range section.Rows {
			if row.Go == nil {
				t.Errorf("section %s: no go", section.ID)
			} else if section.ID == needsMe {
				hints = append(hints, *row.Go)
			}
		}
	}
	if want := []string{"tmux attach -t work:@3.%7", ""}; !slices.Equal(hints, want) {
		t.Errorf("go %q, want %q", hints, want)
	}
	if labels := d.Repos.Rows[0].PRs[0].Labels; labels == nil {
		t.Error("labels are null")
	}
}
