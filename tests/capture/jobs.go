package main

import (
	"time"

	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

func endedJobs() []member {
	return []member{
		{
			key: "flaky-login", kind: background, dir: "checkout-api", label: "flaky login test", args: mayTest,
			prompt: "Fix the flaky login test.",
			steps:  steps(runTests, stubapi.Say("The test waited for a clock; it has its own now.\n\nresult: fixed the flaky login test")),
			ready:  job("done", "idle"), situation: "finished, its process lives", class: "9a",
		}, {
			key: "changelog", kind: background, dir: "storefront", label: "changelog draft",
			prompt: "Draft the changelog of the next release.",
			steps:  steps(stubapi.Say("The draft has 14 entries in CHANGELOG.md.\n\nresult: drafted the changelog")),
			ready:  job("done", "idle"), last: killProcess, situation: "finished, then its process was killed", class: "10",
		}, {
			key: "unused-css", kind: background, dir: "storefront",
			prompt: "Remove the styles that no page uses.",
			steps:  steps(stubapi.Ramble("The next stylesheet is used by two pages.")),
			ready:  busy, last: stopJob, situation: "stopped with claude stop", class: "10",
		}, {
			key: "empty-job", kind: background, dir: "handbook",
			ready: job("working", "blocked"), situation: "never prompted", class: "9a",
		}, {
			key: "parser-tour", kind: background, dir: "etl", label: "parser tour",
			prompt: "Explain the three stages of the parser.", verdict: stubapi.Working("explained the parser"),
			steps: steps(stubapi.Say("The parser reads, splits and types each row. Typing is the slow stage.")),
			ready: all(job("working", "idle"), says("slow stage")), situation: "turn over, not classified", class: "9a",
		}, {
			key: "api-docs", kind: background, dir: "checkout-api", label: "api reference",
			prompt: "Generate the API reference from the handlers.", verdict: stubapi.Done("generated the API reference"),
			steps: steps(stubapi.Say("The reference covers all 31 handlers and is merged.\n\nARC-STATUS: DONE")),
			ready: all(job("done", "idle"), says("ARC-STATUS")), situation: "last words ARC-STATUS: DONE, on a branch", class: "8",
		},
	}
}

func blockedJobs() []member {
	return []member{
		{
			key: "ledger-table", kind: background, dir: "billing", label: "ledger table",
			prompt: "Split the ledger table by year.",
			steps: steps(stubapi.Run("The migration must run on the copy first.",
				"make migrate DB=ledger_copy", "Run the migration on the copy")),
			ready: jobWaiting, situation: "permission prompt for Bash", class: "3",
		}, {
			key: "cache-plan", kind: background, dir: "infra", label: "cache plan", args: planning,
			prompt: "Plan the move of the cache to its own hosts.",
			steps: steps(stubapi.Use("Here is the plan.", "ExitPlanMode", map[string]any{
				"plan": "1. Start two cache hosts\n2. Write to both\n3. Read from the new ones\n4. Stop the old one"})),
			ready: jobWaiting, situation: "plan approval", class: "3",
		}, {
			key: "retry-policy", kind: background, dir: "checkout-api", label: "retry policy",
			prompt: "Give the payment calls a retry policy.",
			steps: steps(stubapi.Ask("", "Retries", "How often may a payment call be tried again?",
				"Twice: the customer waits at most four seconds", "Never: let the queue do it")),
			ready: jobWaiting, situation: "question with options", class: "7",
		}, {
			key: "invoice-numbers", kind: background, dir: "billing", label: "invoice numbers",
			prompt: "Make the invoice numbers gapless.",
			steps:  steps(stubapi.Say("A sequence leaves gaps when a transaction fails. Should I take a counter row with a lock instead?")),
			ready:  job("blocked", "blocked"), situation: "question in prose", class: "7",
		}, {
			key: "status-page", kind: background, dir: "infra", label: "status page",
			prompt: "Publish the status page.",
			steps:  steps(stubapi.Say("The page is ready to be published.\n\nneeds input: the address that it gets")),
			ready:  job("blocked", "blocked"), situation: "needs input", class: "7",
		}, {
			key: "alert-rules", kind: background, dir: "infra", label: "alert rules",
			prompt: "Cut the alert rules down to what wakes somebody.", verdict: stubapi.Done("cut the alert rules"),
			steps: steps(stubapi.Say("Eleven rules are left. Two of them page the shop team, which has no rota.\n\nARC-STATUS: BLOCKED on a rota for the shop team")),
			ready: all(job("done", "idle"), says("ARC-STATUS")), situation: "last words ARC-STATUS: BLOCKED", class: "7",
		},
	}
}

func failedJobs() []member {
	return []member{
		{
			key: "seed-data", kind: background, dir: "etl", label: "seed data",
			prompt: "Make seed data for the demo shop.",
			steps:  steps(stubapi.Say("The demo shop's schema isn't in this repository.\n\nfailed: no schema to make seed data for")),
			ready:  job("failed", "idle"), situation: "failed", class: "4",
		}, {
			key: "cookie-banner", kind: background, dir: "storefront", label: "cookie banner", args: mayTest,
			prompt: "Replace the cookie banner by our own.",
			steps:  steps(runTests, stubapi.Limit("five_hour", 150*time.Minute, nil)),
			ready:  job("blocked", "blocked"), situation: "session limit", class: "2",
		}, {
			key: "dedupe", kind: background, dir: "etl", name: "dedupe-orders",
			prompt: "Deduplicate the imported orders.",
			steps:  steps(orgLimit),
			ready:  job("blocked", "blocked"), situation: "the organisation's monthly spend limit", class: "2",
		}, {
			key: "spelling", kind: background, dir: "handbook",
			prompt: "Correct the spelling of the whole handbook.",
			steps:  steps(stubapi.Fail(529, "overloaded_error", "Overloaded")),
			ready:  job("blocked", "blocked"), situation: "server error 529", class: "4",
		}, {
			key: "webhooks", kind: background, dir: "checkout-api", name: "webhook-signatures",
			prompt: "Check the signatures of incoming webhooks.",
			steps:  steps(stubapi.Fail(401, "authentication_error", "OAuth authentication is currently not supported.")),
			ready:  job("blocked", "blocked"), situation: "login error 401", class: "4",
		}, {
			key: "bad-link-check", kind: shellJob, dir: "handbook", name: "link check",
			prompt: "./scripts/links.sh", ready: job("failed", "idle"), situation: "shell job, failed", class: "4",
		},
	}
}

func workingJobs() []member {
	return []member{
		{
			key: "fix-login", kind: worktree, dir: "storefront",
			prompt: "Keep the customer signed in across tabs.",
			steps:  steps(stubapi.Ramble("The next tab reads the session from storage.")),
			ready:  busy, situation: "busy, in a worktree of Claude Code's", class: "5",
		}, {
			key: "price-rules", kind: attached, dir: "checkout-api", name: "price-rules",
			prompt: "Move the price rules into a table.",
			steps:  steps(stubapi.Ramble("The next rule is a discount for two of a kind.")),
			ready:  busy, last: attach, situation: "busy, opened in a terminal with claude attach", class: "5",
		}, {
			key: "schema-drift", kind: background, dir: "etl", label: "schema drift",
			prompt: "Find where the schema drifted from the models.",
			steps: steps(stubapi.Delegate("I'll let a subagent compare them.", "Compare schemas", "Compare each model with its table.", true),
				stubapi.Say("A subagent compares the models with their tables.")),
			verdict: stubapi.Working("a subagent compares the models with their tables"),
			ready:   all(subagentBusy, transcriptSays("compares the models")), situation: "turn over, a subagent works in the background", class: "5",
		}, {
			key: "nightly-soak", kind: shellJob, dir: "storefront", name: "nightly soak",
			prompt: "./scripts/soak.sh storefront", ready: job("working", "idle"), situation: "shell job, runs", class: "5",
		}, {
			key: "unit-tests", kind: shellJob, dir: "billing", name: "unit tests",
			prompt: "./scripts/test.sh", ready: job("done", "idle"), situation: "shell job, done", class: "10",
		}, {
			key: "old-soak", kind: shellJob, dir: "billing", name: "soak of the ledger",
			prompt: "./scripts/soak.sh ledger", ready: job("working", "idle"), last: stopJob, situation: "shell job, stopped with claude stop", class: "10",
		},
	}
}

// subagents are the conversations that the fleet's sessions delegate.
func subagents() []stubapi.Scenario {
	return []stubapi.Scenario{
		{Name: "walk-pages", Prompt: "Walk the onboarding pages and list the dead links.", Steps: steps(stubapi.Ramble("The next page has nine links."))},
		{Name: "style-notes", Prompt: "Apply the style guide to each release note.", Steps: steps(stubapi.Ramble("The next note needs a verb."))},
		{Name: "compare-schemas", Prompt: "Compare each model with its table.", Steps: steps(stubapi.Ramble("The next table has a column more."))},
	}
}
