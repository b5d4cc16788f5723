package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// decided is a stream of now with records that are written, of which fleet-reconcile
// decides that the agent code is launched, or that a session is resumed.
func (b *box) decided(verb string) string {
	b.t.Helper()
	out := func(in string, argv ...string) string {
		r := b.run(strings.NewReader(in), argv...)
		if r.status != 0 {
			b.t.Fatalf("%q: status %d: %s", argv, r.status, r.stderr)
		}
		return r.stdout
	}
	stream := out("", "fleet-config", "tick")
	var tick struct{ At, Host string }
	if err := json.Unmarshal([]byte(strings.SplitN(stream, "\n", 2)[0]), &tick); err != nil {
		b.t.Fatalf("%v: %s", err, stream)
	}
	processes, health := "[]", ""
	if verb == "resume" {
		processes = `[{"pid":1,"kind":"claude","cwd":"` + b.path("repos/code") + `","start":"2026-11-29T08:00:00.000Z"}]`
		health = `{"agent":"code","project":"lamp","online":true,"version":"0.2.46"}`
	}
	const read = `{"ok":true,"rows":1}`
	for _, program := range []struct {
		name, host string
		records    [][3]string // kind, subject, data
	}{
		{"fleet-observe-workspaces", tick.Host, [][3]string{{"surface", "macf/workspaces", read}, {"surface", "macf/processes", read},
			{"workspace", b.path("repos/code"), fmt.Sprintf(`{"agent":"code","project":"lamp","path":%q,"tmux_session":"lamp@code","processes":%s}`, b.path("repos/code"), processes)}}},
		{"fleet-observe-health", tick.Host, [][3]string{{"surface", "macf/roster:lamp", read}, {"health", "lamp/code", health}}},
		{"fleet-observe-claude", tick.Host, [][3]string{{"surface", "claude/jobs", read}, {"surface", "claude/sessions", read}, {"surface", "claude/transcripts", read}, {"session", session("a"), fmt.Sprintf(`{"session_id":%q,"cwd":%q}`, session("a"), b.path("repos"))}}},
		{"fleet-classify", "", [][3]string{{"verdict", session("a"), `{"class":"2","class_name":"at a limit","reset_at":"2026-11-29T08:00:00.000Z","session":{"ours":true,"job_id":"aaaaaaaa"}}`}}},
	} {
		n := 0
		for _, r := range program.records {
			if r[2] == "" || r[1] == session("a") && verb != "resume" {
				continue
			}
			stream += fmt.Sprintf(`{"v":1,"kind":%q,"at":%q,"host":%q,"by":%q,"subject":%q,"data":%s}`+"\n", r[0], tick.At, tick.Host, program.name, r[1], r[2])
			n++
		}
		stream += fmt.Sprintf(`{"v":1,"kind":"surface","at":%q,"host":%q,"by":%q,"subject":%q,"data":{"ok":true,"rows":%d,"records":%d}}`+"\n", tick.At, program.host, program.name, program.name, n, n)
	}
	stream = out(stream+out("", "fleet-ledger", "observe"), "fleet-reconcile", "--desired", b.path("desired.json"))
	if !strings.Contains(stream, `"verb":"`+verb+`"`) {
		b.t.Fatalf("%s is not decided: %s", verb, stream)
	}
	return stream
}

// outcome is what fleet-act says that became of the decision.
func outcome(t *testing.T, stream string) (result, detail string) {
	t.Helper()
	for _, l := range lines(t, stream) {
		if l.Kind == "outcome" {
			var o struct{ Result, Detail string }
			if err := json.Unmarshal(l.Data, &o); err != nil {
				t.Fatal(err)
			}
			return o.Result, o.Detail
		}
	}
	return "", ""
}

// intends tells whether a ledger has an intent of one of the verbs: that a person is
// told of what is refused is another thing.
func intends(ledger string, verbs ...string) bool {
	for l := range strings.Lines(ledger) {
		var e struct{ Kind, Verb string }
		if json.Unmarshal([]byte(l), &e) == nil && e.Kind == "intent" && slices.Contains(verbs, e.Verb) {
			return true
		}
	}
	return false
}

// Misdeeds of what fleet-act acts through: at its first look nothing was done yet,
// and nothing is; once it is told to begin a session, an intent is there before, an
// outcome behind, and nothing is said to be done.
func TestAct_programs(t *testing.T) {
	for _, a := range []struct{ program, verb, at string }{
		{"tmux", "launch", ""}, {"tmux", "launch", "new-session"}, {"claude", "resume", ""}, {"claude", "resume", "--bg"},
	} {
		for name, do := range misdeeds {
			if !long && (strings.HasPrefix(name, "nests") || strings.Contains(name, "text") || strings.Contains(name, "deaf child") || strings.Contains(name, "NULs")) {
				continue
			}
			if a.program == "claude" && strings.HasPrefix(name, "hangs") && !long {
				continue // it has a minute
			}
			t.Run(strings.ReplaceAll(a.program+" "+a.at+" "+name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				b := withSweep(t)
				b.write(".claude/jobs/aaaaaaaa/state.json", `{"state":"blocked","sessionId":"`+session("a")+`","cwd":"`+b.path("repos/code")+`","createdAt":"2026-11-29T09:00:00.000Z","intent":"x"}`)
				var lines []string
				for _, l := range do {
					lines = append(lines, strings.NewReplacer("PIDS", b.path("pids"), "GOOD", "[]").Replace(l))
				}
				b.stub("misdeed", lines...)
				well := "echo 'no server running on /x' >&2; exit 1"
				if a.program == "claude" {
					well = `echo '[{"id":"aaaaaaaa","kind":"background","state":"blocked","sessionId":"` + session("a") + `","cwd":"` + b.path("repos/code") + `"}]'`
				}
				os.Remove(b.path("bin/" + a.program))
				b.write("bin/"+a.program, "#!/bin/sh\ncase \" $* \" in *' --version '*) echo '2.1.280 (Claude Code)'; exit ;; *' "+a.at+"'*) tail -n 1 '"+b.path("state/ledger.jsonl")+"' >>'"+b.path("begun")+"' 2>/dev/null; exec misdeed ;; esac\n"+well+"\n")
				os.Chmod(b.path("bin/"+a.program), 0o755)
				r := b.run(strings.NewReader(b.decided(a.verb)), "fleet-act", "--execute")
				result, detail := outcome(t, r.stdout)
				if r.status != 0 || r.peak > most || strings.Contains(r.stderr, "rig:") {
					t.Errorf("status %d, %d MiB: %.300s", r.status, r.peak>>20, r.stderr)
				}
				n, open := 0, 0
				if a.at != "" {
					n, open = b.acts()
				}
				ledger := b.read("state/ledger.jsonl")
				switch {
				case result == "done" || result == "dry" || result == "" || detail == "":
					t.Errorf("%q: nothing tells of it", result)
				case a.at == "" && result == "refused" && intends(ledger, "launch", "resume"):
					t.Errorf("refused, with an intent: %s", ledger)
				case a.at != "" && (n < 1 || open > 0 || result == "refused"):
					t.Errorf("%s: %d begun, %d open", result, n, open)
				}
				gone(t, b.path("pids"), 0)
			})
		}
	}
}

// An intent that finds no room on the disk: nothing is done. One that does, and
// whose outcome does not: it stays open, and that is said.
func TestDiskFull_act(t *testing.T) {
	smallDisk(t)
	for room, want := range map[int]string{10: "before", 500: "after", 8000: ""} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			t.Parallel()
			b := withSweep(t)
			text := soundLedger()
			text += strings.Replace(strings.SplitAfter(text, "\n")[0], `"detail":"`, `"detail":"`+strings.Repeat("z", 4096-(len(text)+len(strings.SplitAfter(text, "\n")[0])+room)%4096), 1)
			b.write("state/ledger.jsonl", text)
			b.write("state/act.lock", "a note") // whose page is there
			b.write("state/ledger.lock", "")
			b.write("stream", b.decided("launch"))
			r := b.onDisk("state", room/4096, "/bin/sh", "-c", "exec fleet-act --execute <"+b.path("stream"))
			n, open := b.acts()
			rest, longer := strings.CutPrefix(b.read("state/ledger.jsonl"), text)
			if !longer || rest != "" && !strings.HasSuffix(rest, "}\n") {
				t.Errorf("the ledger is not whole: %q", rest)
			}
			result, _ := outcome(t, r.stdout)
			switch want {
			case "before":
				r.failed(t, "is about to be done", "no space left")
				if n > 0 || rest != "" || result != "" {
					t.Errorf("%d begun, %q", n, rest)
				}
			case "after":
				r.failed(t, "what became of", "no space left")
				if n != 1 || open != 1 || result != "failed" {
					t.Errorf("%d begun, %d open, %s: %s", n, open, result, rest)
				}
			default:
				if r.status != 0 || n != 1 || open != 0 {
					t.Errorf("status %d, %d begun, %d open: %s", r.status, n, open, r.stderr)
				}
			}
		})
	}
}
