package claude

import (
	"strings"
	"testing"
	"time"
)

func TestReadProcessFile(t *testing.T) {
	const good = `{"pid":93,"sessionId":"s","cwd":"/w","startedAt":1795962107582,"procStart":"53837","version":"2.1.280","kind":"bg","entrypoint":"cli","name":"n","jobId":"j","status":"idle","updatedAt":1795962108543,"statusUpdatedAt":1795962108543,"tmux":"a:@1.%1"}`
	f, drift, err := ReadProcessFile([]byte(good), 93)
	if err != nil || drift != nil {
		t.Fatal(drift, err)
	}
	want := ProcessFile{PID: 93, SessionID: "s", Cwd: "/w", Kind: "bg", Entrypoint: "cli", Version: "2.1.280", ProcStart: "53837", Status: "idle", JobID: "j", Name: "n", Tmux: "a:@1.%1",
		StatusSince: time.UnixMilli(1795962108543).UTC(), StartedAt: time.UnixMilli(1795962107582).UTC(), UpdatedAt: time.UnixMilli(1795962108543).UTC()}
	if f != want {
		t.Errorf("got %+v\nwant %+v", f, want)
	}
	tests := []struct{ name, in, err, drift string }{
		{"empty", "", "empty", ""},
		{"garbage", "{oops", "not JSON at byte 2", ""},
		{"array", "[]", "not a JSON object", ""},
		{"wrong type", `{"pid":93,"sessionId":7}`, "field sessionId is not a string", ""},
		{"another pid inside", `{"pid":1,"sessionId":"s"}`, "its pid is not that of its name", ""},
		{"nothing in it", `{}`, "it names neither a session nor a kind", ""},
		{"BOM", "\xef\xbb\xbf" + `{"sessionId":"s","kind":"bg"}`, "", ""},
		{"unknown status", `{"sessionId":"s","kind":"bg","status":"dreaming"}`, "", "process file status dreaming"},
		{"unknown field", `{"sessionId":"s","kind":"bg","aura":1}`, "", "process file field aura"},
		{"a number as start", `{"sessionId":"s","kind":"bg","procStart":53837}`, "", ""},
	}
	for _, tt := range tests {
		_, drift, err := ReadProcessFile([]byte(tt.in), 93)
		if errText(err) != tt.err || strings.Join(drift, "|") != tt.drift {
			t.Errorf("%s: drift %q, error %v; want %q, %q", tt.name, drift, err, tt.drift, tt.err)
		}
	}
}

func TestSameStart(t *testing.T) { // case cc-procstart-two-forms
	tests := []struct{ file, live, want string }{
		{"18804412", "18804412", "same"},
		{"18804412", "18804413", "other"},
		{"Tue Sep 08 03:12:45 2026", "Tue Sep  8 03:12:45 2026", "same"}, // padded with 0 in one, with a blank in the other
		{"Tue Sep 08 03:12:45 2026", "Tue Sep  8 12:12:45 2026", "other"},
		{"", "18804412", "cannot tell"},
		{"18804412", "", "cannot tell"},
		{"18804412", "Tue Sep  8 03:12:45 2026", "cannot tell"},
		{"yesterday", "18804412", "cannot tell"},
	}
	for _, tt := range tests {
		if got := SameStart(tt.file, tt.live); got != tt.want {
			t.Errorf("SameStart(%q, %q) = %s, want %s", tt.file, tt.live, got, tt.want)
		}
	}
}

func TestReadJobFile(t *testing.T) {
	const good = `{"state":"working","tempo":"blocked","detail":"Which database?","needs":"answer: Which database? (Postgres · SQLite)",
	 "block":{"questions":[{"question":"Which database?","options":[{"label":"Postgres","description":"x"},{"label":"SQLite"}]}]},
	 "inFlight":{"tasks":1,"queued":0,"kinds":["local_bash"]},"output":{"result":"half"},"template":"bg","providerEnv":{"TOKEN":"FAKE"},"intent":"Plan the migration",
	 "sessionId":"c0bcb022-af37","resumeSessionId":"c0bcb022-af37","cwd":"/w","createdAt":"2026-11-29T14:49:13.857Z","updatedAt":"2026-11-29T14:49:28.674Z","firstTerminalAt":null,"cliVersion":"2.1.280"}`
	j, drift, err := ReadJobFile([]byte(good), "c0bcb022")
	if err != nil || drift != nil {
		t.Fatal(drift, err)
	}
	if j.State != "working" || j.Tempo != "blocked" || j.Needs == "" || len(j.Questions) != 1 || len(j.Questions[0].Options) != 2 || j.Tasks != 1 || j.Result != "half" ||
		j.Exec || !j.TerminalAt.IsZero() || j.CreatedAt.Format(time.TimeOnly) != "14:49:13" {
		t.Errorf("got %+v", j)
	}
	const rest = `"sessionId":"s","cwd":"/w"`
	tests := []struct{ name, in, err, drift string }{
		{"empty", "", "empty", ""},
		{"cut", good[:200], "not JSON at byte 200", ""},
		{"array", "[]", "not a JSON object", ""},
		{"no state", `{` + rest + `}`, "it has no state", ""},
		{"no cwd", `{"state":"done","sessionId":"s"}`, "it has no cwd", ""},
		{"null where a string belongs", `{"state":"done","lastTerminalAt":null,` + rest + `}`, "", ""},
		{"tx-bom", "\xef\xbb\xbf" + `{"state":"done",` + rest + `}`, "", ""},
		{"unknown state and tempo", `{"state":"sleeping","tempo":"zzz",` + rest + `}`, "", "job state sleeping|job tempo zzz"},
		{"unknown field", `{"state":"done","futureField":{"x":1},"bridgeId":1,"forkOf":2,` + rest + `}`, "", "job field futureField"},
	}
	for _, tt := range tests {
		_, drift, err := ReadJobFile([]byte(tt.in), "x")
		if errText(err) != tt.err || strings.Join(drift, "|") != tt.drift {
			t.Errorf("%s: drift %q, error %v; want %q, %q", tt.name, drift, err, tt.drift, tt.err)
		}
	}
}

func TestDetailIsPrompt(t *testing.T) { // case cc-detail-is-brief
	long := strings.Repeat("Refactor the parser and keep its tests green. ", 10)
	for _, tt := range []struct {
		job  JobFile
		want bool
	}{
		{JobFile{Intent: long, Detail: long[:140]}, true},
		{JobFile{Intent: long, Detail: long[:139] + "…"}, true},
		{JobFile{Intent: "Refactor\nthe parser", Detail: "Refactor the parser"}, true},
		{JobFile{Intent: long, Detail: "Running the tests"}, false},
		{JobFile{Intent: "echo hi", Detail: "echo hi", Exec: true}, false}, // the output of a shell job may be its own text
		{JobFile{Intent: long}, false},
	} {
		if got := tt.job.DetailIsPrompt(); got != tt.want {
			t.Errorf("DetailIsPrompt(%q) = %t", tt.job.Detail, got)
		}
	}
}
