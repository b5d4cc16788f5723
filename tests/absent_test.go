package tests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Law 6: a product that is not installed is no blind spot, unless the
// configuration names it.
func TestLaw6_absent(t *testing.T) {
	in := observed(t)
	line := func(kind, by, subject, data string) string {
		return fmt.Sprintf(`{"v":1,"kind":%q,"at":"2026-11-29T18:00:00.000Z","host":"devbox","by":%q,"subject":%q,"data":%s}`+"\n", kind, by, subject, data)
	}
	tick := func(surfaces string) string {
		return line("tick", "fleet-config", "shop", `{"tick":null,"scope":"shop","host":"devbox","hosts":[],"mode":"report","dry_run":true,"repos":["/home/dev/src/billing/.git"],"adopted":[{"session_id":"*"}],"caps":{},"surfaces":[`+surfaces+`]}`) +
			line("surface", "fleet-config", "fleet-config", `{"ok":true,"rows":1,"unparsed":0,"records":1}`)
	}
	absent := line("surface", "fleet-observe-board", "board/shop", `{"ok":true,"absent":true,"rows":0,"unparsed":0}`) +
		line("surface", "fleet-observe-board", "fleet-observe-board", `{"ok":true,"rows":1,"unparsed":0,"records":1}`)
	judged := func(more string) map[string]string {
		return verdicts(t, pipe(t, append(bytes.Clone(in), more...), []string{"fleet-classify"}))
	}
	without, unnamed, named := judged(tick(`"claude"`)), judged(tick(`"claude"`)+absent), judged(tick(`"claude","board"`)+absent)
	if fmt.Sprint(without) != fmt.Sprint(unnamed) {
		t.Errorf("an absent board that nobody expects changes verdicts:\n%v\n%v", without, unnamed)
	}
	worse := 0
	for subject, class := range named {
		if class == "unknown" && without[subject] != "unknown" {
			worse++
		} else if class != without[subject] {
			t.Errorf("%s: %s with the board absent, %s without", subject, class, without[subject])
		}
	}
	if worse == 0 || !strings.Contains(fmt.Sprint(without), ":9") {
		t.Errorf("an absent board that is expected hides nothing: %v", named)
	}
}
