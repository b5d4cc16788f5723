package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// That what is asked could not be shown stands above all that needs the owner, in every
// format and in the line that a tick prints; not of what is answered or over.
func TestUnshown(t *testing.T) {
	type ask struct {
		batch int
		state string
		since time.Duration // since when it could not be shown; 0: it could
		why   string
	}
	for _, tt := range []struct {
		name string
		asks []ask
		want string // "": nothing
	}{
		{"all was shown", []ask{{6, record.AskOpen, 0, ""}}, ""},
		{"one batch", []ask{{6, record.AskOpen, time.Hour, "owner-hook: exit status 7"}, {6, record.AskUnchecked, time.Hour, "owner-hook: exit status 7"}},
			"batch 6 could not be shown since 14:50: owner-hook: exit status 7"},
		{"the newest says why, the first since when", []ask{{7, record.AskOpen, time.Hour, "no display"}, {6, record.AskOpen, 3 * time.Hour, "exit status 7"}, {9, record.AskOpen, 0, ""}},
			"batches 6 and 7 could not be shown since 12:50: no display"},
		{"many", []ask{{1, record.AskOpen, 30 * time.Hour, "x"}, {2, record.AskOpen, time.Hour, "x"}, {3, record.AskOpen, time.Hour, "x"}, {4, record.AskOpen, time.Hour, "x"},
			{5, record.AskOpen, time.Hour, "x"}, {6, record.AskOpen, time.Hour, "x"}, {7, record.AskOpen, time.Hour, "x"}},
			"batches 3, 4, 5, 6, 7 and 2 older could not be shown since 28 Nov 09:50: x"},
		{"answered or over", []ask{{6, record.AskAcked, time.Hour, "x"}, {7, record.AskResolved, time.Hour, "x"}}, ""},
		{"text of a program is text", []ask{{6, record.AskOpen, time.Hour, "<b>\x1b[31m*no*"}}, "batch 6 could not be shown since 14:50: <b>*no*"},
	} {
		s := newStream(t)
		s.session("3", nil)
		for i, a := range tt.asks {
			p := record.Ask{Key: string(rune('a' + i)), ID: "a1", Batch: a.batch, State: a.state, Question: "what?", Since: ago(time.Hour)}
			if a.since != 0 {
				p.Unshown = &record.Unshown{Since: *ago(a.since), Why: a.why}
			}
			s.add(record.KindAsk, "fleet-asks", p.Key, p)
		}
		r := Build(setOf(s.bytes()), look)
		var doc, page bytes.Buffer
		if err := JSON(&doc, r); err != nil {
			t.Fatal(err)
		}
		if err := HTML(&page, r); err != nil {
			t.Fatal(err)
		}
		var read struct{ Unshown *NotShown }
		if err := json.Unmarshal(doc.Bytes(), &read); err != nil {
			t.Fatal(err)
		}
		md, line := s.markdown(), Line(r)
		if tt.want == "" {
			hasNot(t, md+page.String()+line, "could not be shown")
			if read.Unshown != nil {
				t.Errorf("%s: %+v", tt.name, read.Unshown)
			}
			continue
		}
		if u := read.Unshown; u == nil || u.Says != tt.want || u.Why == "" || !slices.IsSorted(u.Batches) || u.Since.IsZero() {
			t.Errorf("%s: %+v", tt.name, u)
		}
		says := "B" + tt.want[1:] + "."
		has(t, md, "\n**"+inert(says)+"**\n")
		if strings.Index(md, inert(says)) > strings.Index(md, "## Needs me") {
			t.Errorf("%s: it stands below what needs the owner", tt.name)
		}
		escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(says)
		if i := strings.Index(page.String(), escaped); i < 0 || i > strings.Index(page.String(), `id="needs"`) {
			t.Errorf("%s: %d on the page", tt.name, i)
		}
		if !strings.HasPrefix(line, inert(tt.want)+"; 1 session") {
			t.Errorf("%s: the line %q", tt.name, line)
		}
	}
}
