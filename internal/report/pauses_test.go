package report

import (
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// Until when nothing new is started is said first, an account each.
func TestPauses(t *testing.T) {
	s := newStream(t)
	for subject, says := range map[string]string{"pause": "start nothing before noon", "pause@work": "été", "pause@empty": "", "pause@\x1b[31m": "\x1b]0;x\a<b>*"} {
		s.add(record.KindFinding, "fleet-classify", subject, record.Finding{Name: "pause", Says: says})
	}
	s.add(record.KindFinding, "fleet-classify", "boot", record.Finding{Name: "boot", Says: "another"})
	set := setOf(s.bytes())
	r := Build(set, set.Now(time.Time{}))
	got := r.Pauses()
	slices.Sort(got)
	if want := []string{"<b>*", "Start nothing before noon", "Work: été"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
