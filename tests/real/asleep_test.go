//go:build real

package real

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asleep lays out a Claude directory in which one session is busy and one idle,
// both without a word for three hours, and has a claude that lists them. Their
// processes are those of the script that is run.
const asleep = `
set -eu
cd "$1"
sleep 600 & busy=$!
sleep 600 & idle=$!
trap 'kill $busy $idle' EXIT
start() { sed 's/.*) //' /proc/$1/stat | cut -d ' ' -f 20; }
for kind in busy idle; do
	eval pid=\$$kind
	printf '{"pid":%d,"sessionId":"%s","cwd":"/w","startedAt":%s,"procStart":"%s","version":"2.1.280","kind":"interactive","entrypoint":"cli","status":"%s","updatedAt":%s,"statusUpdatedAt":%s}' \
		$pid $kind-0000 "$STARTED" "$(start $pid)" $kind "$STARTED" "$STARTED" >.claude/sessions/$pid.json
done
cat >bin/claude <<END
#!/bin/sh
[ "\$1" = --version ] && echo '2.1.280 (Claude Code)' && exit
echo '[{"pid":$busy,"cwd":"/w","kind":"interactive","startedAt":$STARTED,"sessionId":"busy-0000","name":"busy","status":"busy"},
{"pid":$idle,"cwd":"/w","kind":"interactive","startedAt":$STARTED,"sessionId":"idle-0000","name":"idle","status":"idle"}]'
END
chmod +x bin/claude
fleet-observe-claude | fleet-classify --jq 'if .kind == "verdict" then "\(.subject) \(.data.class) \([.data.evidence[].says] | join("; "))" elif .data.name == "clock" then .data.says else empty end'
`

// A machine that slept for ten hours of its time since boot, as a time
// namespace makes it look: nobody is hung or stalled because of it. One that was
// awake all that time is made in the same way: this one may have begun a moment ago.
func TestAsleep(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{".claude/sessions", ".claude/projects/-w", ".claude/jobs", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now().Add(-3 * time.Hour).UTC()
	for _, id := range []string{"busy-0000", "idle-0000"} {
		line := fmt.Sprintf(`{"type":"assistant","uuid":"u","sessionId":"%s","timestamp":"%s","message":{"role":"assistant","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}`,
			id, began.Format("2006-01-02T15:04:05.000Z"))
		if err := os.WriteFile(filepath.Join(dir, ".claude/projects/-w", id+".jsonl"), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judge := func(how ...string) string {
		cmd := exec.Command(how[0], append(how[1:], "sh", "-c", asleep, "sh", dir)...)
		cmd.Env = []string{"HOME=" + dir, "PATH=" + filepath.Join(dir, "bin") + ":" + bin + ":" + os.Getenv("PATH"), "TZ=UTC", fmt.Sprintf("STARTED=%d", began.UnixMilli())}
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", how, err)
		}
		return string(out)
	}
	for _, want := range []string{"busy-0000 6 ", "idle-0000 9 ", "last activity 3 h 0 min before"} {
		if got := judge("unshare", "--time", "--boottime", "36000", "--monotonic", "36000", "--fork"); !strings.Contains(got, want) || strings.Contains(got, "awake") {
			t.Errorf("awake all the time:\n%swant %q", got, want)
		}
	}
	got := judge("unshare", "--time", "--boottime", "36000", "--fork")
	for _, want := range []string{"busy-0000 5 ", "idle-0000 9a ", "last activity 3 h 0 min before, at least 0 s of it awake",
		"2 sessions may be hung or stalled: the machine slept 10 h 0 min since it started"} {
		if !strings.Contains(got, want) {
			t.Errorf("asleep for ten hours:\n%swant %q", got, want)
		}
	}
}
