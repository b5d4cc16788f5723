package stubapi

import (
	"strings"
	"time"
)

// Forever is longer than any test that waits for a session to stay as it is.
const Forever = 50 * time.Minute

// Library returns the scenarios that tests of the real Claude Code name in their prompts.
func Library() []Scenario {
	return append(append(turns(), prompts()...), failures()...)
}

// Ramble returns a step whose text takes Forever to arrive.
func Ramble(text string) Step {
	return Step{Text: strings.TrimSpace(strings.Repeat(text+" ", 400)), Spread: Forever}
}

// Ask returns a step that puts one question with options to the user.
func Ask(text, header, question string, options ...string) Step {
	var list []map[string]any
	for _, o := range options {
		label, description, _ := strings.Cut(o, ": ")
		list = append(list, map[string]any{"label": label, "description": description})
	}
	return Use(text, "AskUserQuestion", map[string]any{"questions": []map[string]any{{
		"question": question, "header": header, "multiSelect": false, "options": list,
	}}})
}

// RunInBackground returns a step that starts a shell command and doesn't wait for it.
func RunInBackground(text, command, description string) Step {
	return Use(text, "Bash", map[string]any{"command": command, "description": description, "run_in_background": true})
}

// Delegate returns a step that hands prompt to a subagent, which works in the background or is waited for.
func Delegate(text, description, prompt string, background bool) Step {
	return Use(text, "Agent", map[string]any{
		"description": description, "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": background,
	})
}

func turns() []Scenario {
	return []Scenario{
		{Name: "turn", Steps: []Step{Run("I'll run the command.", "echo hi", "Say hi"), Say("The command printed hi.")}},
		{Name: "think", Steps: []Step{{Think: "Let me think.", Text: "42."}}},
		{Name: "busy", Steps: []Step{Ramble("Reading the next file.")}},
		{Name: "toolbusy", Steps: []Step{
			Use("", "Bash", map[string]any{"command": "sleep 3000", "description": "Wait for the build", "timeout": 600000}), Say("Built."),
		}},
		{Name: "bgshell", Verdict: Working("waiting for the build"), Steps: []Step{
			RunInBackground("", "sleep 2000", "Long build"), Say("The build runs in the background."),
		}},
		{Name: "sub", Steps: []Step{
			Delegate("", "Scan the repo", "Scan the repo for TODOs [case:subwork]", false), Say("The subagent found 2 TODOs."),
		}},
		{Name: "subwork", Steps: []Step{Run("", "echo TODO", "Look for TODOs"), Say("Found 2 TODOs.")}},
		{Name: "subbusy", Verdict: Working("a subagent scans the repo"), Steps: []Step{
			Delegate("", "Long scan", "Scan everything [case:busy]", true), Say("The scan runs."),
		}},
		{Name: "subwait", Steps: []Step{Delegate("", "Long scan", "Scan everything [case:busy]", false), Say("Scanned.")}},
		{Name: "arc-done", Steps: []Step{Say("The fix is merged.\n\nARC-STATUS: DONE")}},
		{Name: "arc-blocked", Steps: []Step{Say("I need a decision.\n\nARC-STATUS: BLOCKED on the schema decision")}},
		{Name: "prose-question", Steps: []Step{Say("I found two ways to do this. Should I use the queue or the cron job?")}},
		{Name: "plain", Steps: []Step{Say("I looked at the code. The parser module has three functions.")}},
		{Name: "result", Steps: []Step{Say("All tests pass.\n\nresult: fixed the flaky login test")}},
		{Name: "needs", Steps: []Step{Say("The deploy is ready.\n\nneeds input: the name of the release")}},
		{Name: "failed", Steps: []Step{Say("I tried everything.\n\nfailed: the repository has no tests directory")}},
	}
}

func prompts() []Scenario {
	clean := Run("I need to clean the cache first.", "rm -rf build/cache && make deploy", "Clean and deploy")
	return []Scenario{
		{Name: "perm", Steps: []Step{clean, Say("Cleaned.")}},
		{Name: "permwrite", Steps: []Step{Use("", "Write", map[string]any{"file_path": "NOTES.md", "content": "# Notes\n"}), Say("Written.")}},
		{Name: "ask", Steps: []Step{
			Ask("One question before I start.", "Database", "Which database should the migration target?",
				"Postgres: Use the existing cluster", "SQLite: Keep it local"),
			Say("Thanks."),
		}},
		{Name: "plan", Steps: []Step{Use("", "ExitPlanMode", map[string]any{"plan": "1. Add a test\n2. Fix the bug"}), Say("Going.")}},
		{Name: "subperm", Verdict: Working("a subagent cleans"), Steps: []Step{Delegate("", "Clean", "Clean [case:perm]", false), Say("Cleaned.")}},
	}
}

func failures() []Scenario {
	const perMinute = "Number of request tokens has exceeded your per-minute rate limit"
	noOverage := map[string]string{"overage-status": "rejected", "overage-disabled-reason": "org_level_disabled_until"}
	noCredits := map[string]string{"overage-status": "rejected", "overage-disabled-reason": "out_of_credits"}
	once := Fail(429, "rate_limit_error", perMinute)
	once.Text, once.Failure.Times = "Recovered after one 429.", 1
	return []Scenario{
		{Name: "limit-session", Steps: []Step{Limit("five_hour", 150*time.Minute, nil)}},
		{Name: "limit-weekly", Steps: []Step{Limit("seven_day", 83*time.Hour, nil)}},
		{Name: "limit-opus", Steps: []Step{Limit("seven_day_opus", 83*time.Hour, nil)}},
		{Name: "limit-org", Steps: []Step{Limit("five_hour", 150*time.Minute, noOverage)}},
		{Name: "limit-credits", Steps: []Step{Limit("five_hour", 150*time.Minute, noCredits)}},
		{Name: "429", Steps: []Step{Fail(429, "rate_limit_error", perMinute)}},
		{Name: "429-once", Steps: []Step{once}},
		{Name: "529", Steps: []Step{Fail(529, "overloaded_error", "Overloaded")}},
		{Name: "500", Steps: []Step{Fail(500, "api_error", "Internal server error")}},
		{Name: "400", Steps: []Step{Fail(400, "invalid_request_error", "messages.1: something is wrong")}},
		{Name: "401", Steps: []Step{Fail(401, "authentication_error", "invalid x-api-key")}},
		{Name: "credit", Steps: []Step{Fail(400, "invalid_request_error",
			"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")}},
		{Name: "too-long", Steps: []Step{Fail(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")}},
		{Name: "stream-error", Steps: []Step{{StreamError: "overloaded_error"}}},
		{Name: "refusal", Steps: []Step{{Stop: "refusal"}}},
		{Name: "cut", Steps: []Step{{Text: "A long answer that is cut", Stop: "max_tokens"}}},
	}
}
