package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// stage runs one built program b.N times over an input, as a whole process.
func stage(b *testing.B, input []byte, argv ...string) {
	b.Helper()
	for b.Loop() {
		cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
		cmd.Stdin = bytes.NewReader(input)
		if out, err := cmd.Output(); err != nil || len(out) == 0 {
			b.Fatal(err)
		}
	}
}

func output(b *testing.B, input []byte, argv ...string) []byte {
	b.Helper()
	cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// What each stage costs as a process; --version is the cost of starting one.
func BenchmarkStages(b *testing.B) {
	cc := filepath.Join(root, "fixtures/cc-2.1.280")
	records := output(b, nil, "fleet-observe-claude", "--fixtures", cc)
	judged := output(b, records, "fleet-classify")
	b.Run("start", func(b *testing.B) { stage(b, nil, "fleet-classify", "--version") })
	b.Run("observe", func(b *testing.B) { stage(b, nil, "fleet-observe-claude", "--fixtures", cc) })
	b.Run("classify", func(b *testing.B) { stage(b, records, "fleet-classify") })
	b.Run("asks", func(b *testing.B) { stage(b, judged, "fleet-asks") })
	b.Run("render", func(b *testing.B) { stage(b, judged, "fleet-render") })
}

// The judge over ten times and a hundred times the captured sessions: the cost
// of a session must not grow with their number.
func BenchmarkClassify_sessions(b *testing.B) {
	records := output(b, nil, "fleet-observe-claude", "--fixtures", filepath.Join(root, "fixtures/cc-2.1.280"))
	for _, times := range []int{1, 10, 100} {
		var in bytes.Buffer
		for i := range times {
			in.Write(bytes.ReplaceAll(records, []byte(`"host":"devbox"`), fmt.Appendf(nil, `"host":"box%d"`, i)))
		}
		b.Run(fmt.Sprintf("hosts=%d", times), func(b *testing.B) { stage(b, in.Bytes(), "fleet-classify") })
	}
}

// A transcript of 300 MB against one of 300 KB: only the end is read.
func BenchmarkObserve_transcript(b *testing.B) {
	for _, size := range []int64{300 << 10, 300 << 20} {
		dir := b.TempDir()
		projects := filepath.Join(dir, "root/home/dev/.claude/projects/-w")
		if err := os.MkdirAll(projects, 0o755); err != nil {
			b.Fatal(err)
		}
		id := "aaaaaaaa-0000-4000-8000-000000000000"
		write := func(name, text string) {
			p := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		write("meta.json", `{"home":"/home/dev","host":"devbox","os":"linux","zone":"UTC","at":"2026-11-29T15:00:00.000Z","processes":[]}`)
		write("commands/claude-7392d61c/stdout", "2.1.280 (Claude Code)\n")
		write("commands/claude-7392d61c/status", "0\n")
		write("commands/claude-ac611fd5/stdout", `[{"pid":7,"cwd":"/w","kind":"interactive","sessionId":"`+id+`","status":"idle"}]`)
		write("commands/claude-ac611fd5/status", "0\n")
		write("root/home/dev/.claude/sessions/7.json", `{"pid":7,"sessionId":"`+id+`","kind":"interactive","status":"idle"}`)
		f, err := os.Create(filepath.Join(projects, id+".jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		end := "\n" + `{"type":"assistant","timestamp":"2026-11-29T14:58:00.000Z","message":{"id":"a","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}` + "\n"
		if _, err := f.WriteAt([]byte(end), size-int64(len(end))); err != nil {
			b.Fatal(err)
		}
		f.Close()
		b.Run(fmt.Sprintf("KB=%d", size>>10), func(b *testing.B) { stage(b, nil, "fleet-observe-claude", "--fixtures", dir) })
	}
}
