package main

import (
	"slices"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

// The steps that more than one member takes.
var (
	runTests = stubapi.Run("I'll run the tests first.", "./scripts/test.sh", "Run the tests")
	mayTest  = []string{"--allowedTools", "Bash(./scripts/test.sh:*)"}
	maySoak  = []string{"--allowedTools", "Bash(./scripts/soak.sh:*)"}
	planning = []string{"--permission-mode", "plan"}
)

func steps(s ...stubapi.Step) []stubapi.Step { return s }

// members are the fleet, in the order of their start: those that work come last, for they must be
// at work still when the moment is taken.
func members() []member {
	return slices.Concat(
		quietTerminals(), arcTerminals(), limitTerminals(), errorTerminals(), promptTerminals(),
		endedJobs(), blockedJobs(), failedJobs(),
		workingJobs(), busyTerminals(),
	)
}

func arcTerminals() []member {
	return []member{
		{
			key: "new-header", kind: interactive, dir: "storefront", name: "new-header", args: mayTest,
			prompt: "Move the cart button into the new header and update the snapshots.",
			steps: steps(runTests, stubapi.Say(
				"The cart button sits in the header at every width now, and the four snapshots are updated. The pull request is merged.\n\nARC-STATUS: DONE")),
			ready: says("ARC-STATUS: DONE"), situation: "last words ARC-STATUS: DONE, on a branch", class: "8",
		}, {
			key: "partial-refunds", kind: interactive, dir: "checkout-api", name: "partial-refunds", args: mayTest,
			prompt: "Add partial refunds to the orders endpoint.",
			steps: steps(runTests, stubapi.Say(
				"Partial refunds work for orders in one currency. Rounding could be per line or per order, and the two differ by a cent.\n\nARC-STATUS: BLOCKED on the rounding rule")),
			ready: says("ARC-STATUS: BLOCKED"), situation: "last words ARC-STATUS: BLOCKED", class: "7",
		},
	}
}

func limitTerminals() []member {
	return []member{
		{
			key: "invoice-export", kind: interactive, dir: "billing", name: "invoice-export", args: mayTest,
			prompt: "Write the invoice export as a streaming CSV.",
			steps:  steps(runTests, stubapi.Limit("five_hour", 150*time.Minute, nil)),
			ready:  failed, situation: "session limit", class: "2",
		}, {
			key: "vat-tables", kind: interactive, dir: "billing", name: "vat-tables",
			prompt: "Bring the VAT tables up to next year's rates.",
			steps:  steps(stubapi.Limit("seven_day", 83*time.Hour, nil)),
			ready:  all(status("waiting"), transcriptSays(`"isApiErrorMessage":true`)), situation: "weekly limit, its menu open", class: "2",
		}, {
			key: "nightly-load", kind: interactive, dir: "etl", name: "nightly-load",
			prompt: "Find out why the nightly load takes four hours.",
			steps:  steps(orgLimit),
			ready:  failed, situation: "the organisation's monthly spend limit", class: "2",
		},
	}
}

func errorTerminals() []member {
	return []member{
		{
			key: "dns-cutover", kind: interactive, dir: "infra", name: "dns-cutover",
			prompt: "Lower the TTLs before the DNS cutover.",
			steps:  steps(stubapi.Fail(529, "overloaded_error", "Overloaded")),
			ready:  failed, situation: "server error 529", class: "4",
		}, {
			key: "cert-rotation", kind: interactive, dir: "infra", name: "cert-rotation",
			prompt: "Rotate the internal certificates.",
			steps:  steps(stubapi.Fail(401, "authentication_error", "OAuth authentication is currently not supported.")),
			ready:  failed, situation: "login error 401", class: "4",
		}, {
			key: "address-book", kind: interactive, dir: "checkout-api", name: "address-book",
			prompt: "Let customers keep more than one address.",
			steps:  steps(stubapi.Fail(429, "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit")),
			ready:  failed, situation: "rate limited 429, not a usage limit", class: "4",
		},
	}
}

var orgLimit = stubapi.Limit("five_hour", 150*time.Minute,
	map[string]string{"overage-status": "rejected", "overage-disabled-reason": "org_level_disabled_until"})

func promptTerminals() []member {
	return []member{
		{
			key: "image-size", kind: interactive, dir: "checkout-api", name: "image-size",
			prompt: "Make the container image smaller.",
			steps: steps(stubapi.Run("The build cache is in the image. I want to clear it and build again.",
				"rm -rf build/cache && make image", "Clear the cache and build the image")),
			ready: status("waiting"), situation: "permission prompt for Bash", class: "3",
		}, {
			key: "warehouse", kind: interactive, dir: "etl", name: "warehouse",
			prompt: "Load the returns table into the warehouse.",
			steps: steps(stubapi.Ask("One question before I write the loader.", "Load", "Should the returns table be replaced or appended to?",
				"Replace: simple, and the table is small", "Append: keeps the history of each return")),
			ready: status("waiting"), situation: "question with options", class: "3",
		}, {
			key: "search-box", kind: interactive, dir: "storefront", name: "search-box", args: planning,
			prompt: "Plan a search box with suggestions.",
			steps: steps(stubapi.Use("Here is the plan.", "ExitPlanMode", map[string]any{
				"plan": "1. Add a suggestions endpoint with a 50 ms budget\n2. Debounce the input\n3. Test with the keyboard alone"})),
			ready: status("waiting"), situation: "plan approval", class: "3",
		}, {
			key: "old-images", kind: interactive, dir: "infra",
			prompt: "Which hosts still run the old image?",
			steps:  steps(stubapi.Say("Three hosts do: two builders and the mail relay.")),
			ready:  says("Three hosts do"), last: openModelPicker, situation: "a turn, then /model typed, its dialog open", class: "3",
		},
	}
}

func busyTerminals() []member {
	reading := stubapi.Ramble("Next I compare the contrast of the disabled buttons with the background of each theme.")
	return []member{
		{
			key: "contrast", kind: interactive, dir: "storefront-contrast", name: "contrast",
			prompt: "Fix the contrast of every button in the dark theme.",
			steps:  steps(reading),
			ready:  busy, situation: "busy, in a git worktree", class: "5",
		}, {
			key: "terraform", kind: interactive, dir: "infra", name: "terraform", args: maySoak,
			prompt: "Run the soak test of the staging cluster and report.",
			steps: steps(stubapi.Use("", "Bash", map[string]any{
				"command": "./scripts/soak.sh staging", "description": "Soak the staging cluster", "timeout": 600000})),
			ready: all(busy, transcriptSays(`"type":"tool_use"`)), situation: "a tool runs", class: "5",
		}, {
			key: "load-test", kind: interactive, dir: "checkout-api", name: "load-test", args: maySoak,
			prompt: "Start the load test and leave it running.",
			steps: steps(stubapi.RunInBackground("", "./scripts/soak.sh checkout", "Load test of the checkout"),
				stubapi.Say("The load test runs in the background; I'll look at it when it ends.")),
			ready: status("shell"), situation: "turn over, a background shell runs", class: "5",
		}, {
			key: "dead-links", kind: printing, dir: "handbook", name: "dead-links",
			prompt: "Find the dead links in the handbook.",
			steps:  steps(stubapi.Delegate("I'll let a subagent walk the pages.", "Walk the pages", "Walk the onboarding pages and list the dead links.", false)),
			ready:  subagentBusy, situation: "claude -p, waits for a subagent at work", class: "5",
		}, {
			key: "style-pass", kind: interactive, dir: "handbook", name: "style-pass",
			prompt: "Apply the style guide to the release notes.",
			steps: steps(stubapi.Delegate("A subagent can do this on the side.", "Style pass", "Apply the style guide to each release note.", true),
				stubapi.Say("A subagent is on it; you can go on meanwhile.")),
			ready: all(subagentBusy, transcriptSays("you can go on meanwhile")), situation: "turn over, a subagent works in the background", class: "5",
		}, {
			key: "weekly-digest", kind: printing, dir: "handbook",
			prompt: "Write the weekly digest of merged pages.",
			steps:  steps(stubapi.Ramble("The billing pages changed most this week.")),
			ready:  busy, situation: "claude -p at work", class: "5",
		}, {
			key: "backfill", kind: interactive, dir: "etl", name: "backfill", args: mayTest, shift: 3*time.Hour + 10*time.Minute,
			prompt: "Backfill the orders of last year, one month at a time.",
			steps:  steps(runTests, stubapi.Ramble("The month of March is loaded.")),
			ready:  all(busy, transcriptSays(`"type":"tool_result"`)), situation: "busy, silent for over 2 h", class: "6",
		},
	}
}

func quietTerminals() []member {
	return []member{
		{
			key: "thumbnails", kind: interactive, dir: "storefront", name: "thumbnails", args: mayTest, shift: 5*time.Hour + 20*time.Minute,
			prompt: "Serve the thumbnails as AVIF where the browser can read them.",
			steps:  steps(runTests, stubapi.Say("Thumbnails are AVIF with a JPEG fallback. The pages are a third lighter.")),
			ready:  says("a third lighter"), situation: "idle for over an hour", class: "9",
		}, {
			key: "glossary", kind: interactive, dir: "handbook",
			prompt: "Add a glossary of the billing terms.",
			steps:  steps(stubapi.Say("The glossary has 23 terms and is linked from the billing page.")),
			ready:  says("23 terms"), situation: "idle after a turn", class: "9a",
		}, {
			key: "outbox", kind: interactive, dir: "billing", name: "outbox",
			prompt: "Make the reminder mails survive a restart.",
			steps:  steps(stubapi.Say("An outbox table would do it, and so would the job queue that we have. Which one do you prefer?")),
			ready:  says("Which one do you prefer"), situation: "idle, a question in prose", class: "9a",
		}, {
			key: "notes", kind: interactive, dir: "notes",
			ready: status("idle"), situation: "idle, never prompted", class: "9a",
		}, {
			key: "cart-prototype", kind: interactive, dir: "cart-prototype", name: "cart-prototype",
			prompt: "Sketch a cart that needs no account.",
			steps:  steps(stubapi.Say("The sketch keeps the cart in the browser and asks for a mail address only at the end.")),
			ready:  says("The sketch keeps"), last: removeDirectory, situation: "idle, its directory was removed while it ran", class: "9a",
		}, {
			key: "throttling", kind: interactive, dir: "checkout-api", name: "throttling",
			prompt: "Throttle the address lookup per client.",
			steps:  steps(stubapi.Say("Each client gets five lookups a second, with a burst of ten.")),
			ready:  says("five lookups"), last: removeTranscript, situation: "idle, its transcript was removed in the box", class: "unknown",
		},
	}
}
