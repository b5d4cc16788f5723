package claude

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// disorder returns the lines of a session of half an hour, each at most a Moment
// before its place by its own time.
func disorder(rnd *rand.Rand) []string {
	at := look.Add(-3 * time.Hour)
	message, open := 0, []string{}
	lines := make([]string, 0, 100)
	for len(lines) < cap(lines) {
		at = at.Add(time.Duration(rnd.IntN(40000)) * time.Millisecond)
		ts := at.Add(-time.Duration(rnd.Int64N(int64(Moment)))).Format("2006-01-02T15:04:05.000Z")
		if rnd.IntN(4) == 0 {
			message++
		}
		line := fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":"m%d","stop_reason":%q,"content":[{"type":"text","text":"Shall I %d?"}]}}`,
			ts, message, []string{"tool_use", "end_turn"}[rnd.IntN(2)], len(lines))
		switch rnd.IntN(9) {
		case 0:
			line = prompt(0, "go")
		case 1, 2:
			id := fmt.Sprint("t", len(lines))
			open, line = append(open, id), call(0, fmt.Sprint("m", message), id, "Bash", `{"command":"make"}`)
		case 3, 4, 5:
			if len(open) > 0 {
				line, open = result(0, open[0], "ok"), open[1:]
			}
		case 6:
			line = meta
		case 7:
			line = []string{turnOver(0), apiError(0, "server_error", 529, "x", ""), prompt(0, "[Request interrupted by user]"), prompt(0, "<command-name>/model</command-name>"),
				strings.Replace(says(0, "z", "end_turn", "aside"), "{", `{"isSidechain":true,`, 1)}[rnd.IntN(5)]
		}
		lines = append(lines, strings.Replace(line, stamp(0), ts, 1))
	}
	return lines
}

// Law: where no line is further than a Moment from its place, what is left
// unread changes nothing.
func TestTail_unread(t *testing.T) {
	early, turns := 0, map[string]int{}
	for seed := range uint64(1000) {
		lines := disorder(rand.New(rand.NewPCG(seed, 0)))
		cut, whole := NewTail(look), NewTail(look)
		n := 0
		for _, l := range slices.Backward(lines) {
			if !cut.Done() {
				cut.Add([]byte(l))
				n++
			}
			whole.Add([]byte(l))
		}
		if cut.after < Slack {
			early++
		}
		turns[cut.Result().LastTurn]++
		if got, want := summary(cut), summary(whole); got != want {
			t.Fatalf("seed %d: the last %d lines say %s, all %d %s", seed, n, got, len(lines), want)
		}
	}
	if early < 900 || len(turns) != 4 {
		t.Errorf("%d of 1000 ended within a Moment; last turns %v", early, turns)
	}
}
