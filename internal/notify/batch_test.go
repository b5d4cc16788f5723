package notify

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/record"
)

func TestOf(t *testing.T) {
	since := record.TimeOf(time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC))
	const sid = "5f0c1d2e-1111-4222-8333-444455556666"
	token := "ghp_" + "FAKE1a2b3c4d5e6f7g8h9i0jklmnopqrst12"
	b := Of("lamp", "", fold.Due{Intent: "12-2", Batch: 12, Open: 4, Asks: []record.Asked{
		{ID: "a1", Class: "3", Key: "prompt:" + sid + ":1a2b3c4d", Question: "Use " + token + " for\ncrm/acme/list.csv?", Since: since},
		{ID: "a2", Class: "7", Key: "blocked:attic/" + sid + "@work:99aa00bb", Question: "<b>\x1b[2J\"&'\u202e"},
		{ID: "a3", Key: "rules:acme/lamp:no required status checks", Question: strings.Repeat("x", 501)},
		{ID: "a4", Key: "prompt:", Question: ""},
		{ID: "a5", Key: "blocked:" + token + ":99aa00bb"},
		{ID: "a6", Class: "6", Key: "heal:session:" + sid + ":unreachable", Go: "tmux attach -t w"},
		{ID: "a7", Key: "heal:code-agent:held", Go: "tmux attach -t " + token},
	}})
	want := Batch{V: 1, Scope: "lamp", Batch: 12, Open: 4, List: "fleet-asks list --scope lamp", Answer: "fleet-asks ack 12 --scope lamp", Asks: []Ask{
		{ID: "a1", Class: "3", Key: "prompt:" + sid + ":1a2b3c4d", Question: "Use [withheld: github-token] for [withheld: crm path]", Since: since, Session: sid},
		{ID: "a2", Class: "7", Key: "blocked:attic/" + sid + "@work:99aa00bb", Question: `<b>"&'`, Session: "attic/" + sid + "@work"},
		{ID: "a3", Key: "rules:acme/lamp:no required status checks", Question: strings.Repeat("x", 499) + "…"},
		{ID: "a4", Key: "prompt:"},
		{ID: "a5", Key: "blocked:[withheld: github-token]:99aa00bb", Session: "[withheld: github-token]"},
		{ID: "a6", Class: "6", Key: "heal:session:" + sid + ":unreachable", Session: sid, Go: "tmux attach -t w"},
		{ID: "a7", Key: "heal:code-agent:held"},
	}}
	for _, d := range pretty.Diff(b, want) {
		t.Error(d)
	}
	if got := string(fold.Marshal(b)); strings.Contains(got, "FAKE") || strings.Contains(got, "\n") || !strings.Contains(got, `<b>\"&'`) {
		t.Error(got)
	}
	if got, want := b.text(), "4 open asks in scope lamp.\n\n12 a1: Use [withheld: github-token] for [withheld: crm path]\n\nAll of them: fleet-asks list --scope lamp\nTo answer these: fleet-asks ack 12 --scope lamp"; got != want {
		t.Errorf("%q", got)
	}
	b.Asks = b.Asks[2:]
	if got := b.text(); !strings.Contains(got, " a3: "+strings.Repeat("x", 299)+"…\n") {
		t.Errorf("a long question is not cut: %q", got)
	}
	if b.title() != "fleet: lamp" {
		t.Error(b.title())
	}
}

// The commands that answer name the configuration as a shell reads it.
func TestOf_config(t *testing.T) {
	for _, file := range []string{"/etc/fleet.json", "/home/o'hara/my $(fleet) \"x\".json", "/a b\\c*", "/~x;y"} {
		b := Of("lamp", file, fold.Due{Batch: 12})
		if strings.HasPrefix(file, "/etc") && b.Answer != "fleet-asks ack 12 --scope lamp --config /etc/fleet.json" {
			t.Error(b.Answer)
		}
		for _, line := range []string{b.List, b.Answer} {
			out, err := exec.Command("sh", "-c", `fleet_asks() { for last; do :; done; printf %s "$last"; }; `+strings.Replace(line, "fleet-asks", "fleet_asks", 1)).Output()
			if err != nil || string(out) != file {
				t.Errorf("%s: %q %v", line, out, err)
			}
		}
	}
}

// What is told at once is one ask that nobody can answer, with the key of the question that
// it will be; what broke has one of its own.
func TestAlertOf(t *testing.T) {
	since := record.TimeOf(time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC))
	for _, tt := range []struct {
		asked record.Asked
		want  Ask
	}{
		{record.Asked{Question: "no disk", Since: since}, Ask{ID: "alert", Key: "alert:held", Question: "no disk", Since: since}},
		{record.Asked{ID: "a9", Class: "6", Key: "heal:session:s1:held", Question: "port: it hangs", Since: since, Go: "tmux attach -t w"},
			Ask{ID: "alert", Class: "6", Key: "heal:session:s1:held", Question: "port: it hangs", Since: since, Session: "s1", Go: "tmux attach -t w"}},
	} {
		const list = "fleet-asks list --scope lamp"
		want := Batch{V: 1, Scope: "lamp", Open: 1, Asks: []Ask{tt.want}, List: list, Answer: list, Alert: "held"}
		for _, d := range pretty.Diff(AlertOf("lamp", "", "held", tt.asked), want) {
			t.Error(d)
		}
	}
}
