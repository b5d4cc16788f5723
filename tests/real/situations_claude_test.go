//go:build real

package real

// situations are the names of what is brought about.
var situations = []string{
	"idle", "busy", "permission prompt", "question", "plan approval", "session limit", "weekly limit", "spend limit", "server error",
	"login error", "done", "failed", "stopped", "never prompted", "shell job", "background shell", "subagent", "killed with -9",
	"daemon killed",
}

// The first words of what the stub's scenarios ask for.
const (
	deploy   = "approve Bash: rm -rf build/cache && make deploy"
	database = "Which database should the migration target? (Postgres · SQLite)"
)

var maySleep = []string{"--allowedTools", "Bash(sleep:*)"}

func batches() []batch {
	return []batch{
		{name: "terminals", trials: terminals()},
		{name: "limits", subscriber: true, trials: limits()},
		{name: "jobs", trials: jobs()},
		{name: "daemon", trials: []trial{{
			situation: "daemon killed", background: true, scenario: "busy", ready: busy, last: killDaemon,
			want: want{class: "4", cause: "process gone", raw: "busy"},
		}}},
	}
}

// terminals are sessions in a terminal that pay with an API key.
func terminals() []trial {
	return []trial{
		{situation: "idle", scenario: "plain", ready: all(status("idle"), says("three functions")), want: want{class: "9a", raw: "idle"}},
		{situation: "busy", scenario: "busy", ready: busy, want: want{class: "5", raw: "busy"}},
		{situation: "permission prompt", scenario: "perm", ready: prompts, want: want{class: "3", raw: "waiting", question: deploy}},
		{situation: "question", scenario: "ask", ready: prompts, want: want{class: "3", raw: "waiting", question: database}},
		{
			situation: "plan approval", scenario: "plan", args: []string{"--permission-mode", "plan"}, ready: prompts,
			want: want{class: "3", raw: "waiting", question: "approve plan: 1. Add a test"},
		},
		{situation: "server error", scenario: "529", ready: failed, want: want{class: "4", cause: "overloaded", raw: "idle"}},
		{situation: "login error", scenario: "401", ready: failed, want: want{class: "4", cause: "login", raw: "idle"}},
		{situation: "never prompted", ready: status("idle"), want: want{class: "9a", raw: "idle"}},
		{
			situation: "background shell", scenario: "bgshell", args: maySleep, ready: status("shell"),
			want: want{class: "5", raw: "shell", note: "a background shell runs"},
		},
		{situation: "subagent", scenario: "subbusy", ready: all(delegated, says("The scan runs.")), want: want{class: "5", raw: "busy", subagents: 1}},
		{situation: "killed with -9", scenario: "busy", ready: busy, last: kill, want: want{class: "4", cause: "process gone", raw: "busy"}},
	}
}

// limits are sessions that pay with a subscription. Each tells its reset in a machine field.
func limits() []trial {
	return []trial{
		{situation: "session limit", scenario: "limit-session", ready: failed, want: want{class: "2", cause: "session limit", reset: true, raw: "idle"}},
		// Its menu opens at most times, and not at all at others; it is a limit either way.
		{situation: "weekly limit", scenario: "limit-weekly", ready: limited, want: want{class: "2", cause: "weekly limit", reset: true, raw: "waiting|idle"}},
		{situation: "spend limit", scenario: "limit-org", ready: failed, want: want{class: "2", cause: "spend limit", reset: true, raw: "idle"}},
		{
			situation: "session limit", background: true, scenario: "limit-session", ready: all(job("blocked", "blocked"), failed),
			want: want{class: "2", cause: "session limit", reset: true, raw: "idle"},
		},
	}
}

// jobs are sessions in the background that pay with an API key.
func jobs() []trial {
	return []trial{
		{situation: "done", background: true, scenario: "result", ready: job("done", "idle"), want: want{class: "9a", raw: "idle", evidence: "status idle"}},
		{
			situation: "failed", background: true, scenario: "failed", ready: job("failed", "idle"),
			want: want{class: "4", cause: "failed", raw: "idle", evidence: "the repository has no tests directory"},
		},
		{situation: "stopped", background: true, scenario: "busy", ready: busy, last: stop, want: want{class: "10", evidence: "it names no process"}},
		{situation: "shell job", background: true, shell: "sleep 2000", ready: job("working", "idle"), want: want{class: "5", evidence: "a shell job"}},
		{
			situation: "permission prompt", background: true, scenario: "perm", ready: all(job("working", "blocked"), prompts),
			want: want{class: "3", raw: "waiting", question: deploy},
		},
		{situation: "server error", background: true, scenario: "500", ready: all(job("blocked", "blocked"), failed), want: want{class: "4", cause: "server", raw: "idle"}},
		{situation: "never prompted", background: true, ready: job("working", "blocked"), want: want{class: "9a", raw: "idle"}},
	}
}
