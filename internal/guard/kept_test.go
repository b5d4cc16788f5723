package guard

import (
	"fmt"
	"strings"
	"testing"
)

// sec-not-too-much: what looks random for a good reason, and talk about secrets.
func TestNotTooMuch(t *testing.T) {
	for _, s := range []string{
		"0102de27acbd6a8a3b5f4e0ef1a3a3a6c7b8d9e0",
		"commit 0102de27acbd6a8a3b5f4e0ef1a3a3a6c7b8d9e0 on main",
		"session 7c8f6cc3-27d9-4a45-9b19-d9a0defaaa85",
		"sourcegraph indexed 0102de27acbd6a8a3b5f4e0ef1a3a3a6c7b8d9e0",
		"heroku: 7c8f6cc3-27d9-4a45-9b19-d9a0defaaa85",
		"image@sha256:" + strings.Repeat("0123456789abcdef", 4),
		"/home/dev/.claude/projects/-home-dev-my-dir-with-space--/7c8f6cc3-27d9-4a45-9b19-d9a0defaaa85.jsonl",
		"/very/long/path/" + strings.Repeat("component_with_name/", 12) + "file_test.go",
		"https://github.com/fleet-tools/fleet/pull/42#issuecomment-1234567890",
		"git@github.com:fleet-tools/fleet.git and ssh://git@github.com/fleet-tools/fleet",
		"https://example.org:8443/a@b?x=1",
		"npx @anthropic-ai/claude-code@2.1.280",
		"task-force-implementation-of-the-long-branch-name",
		"risk-assessment-of-everything-else and sk-learn-something-with-a-long-name",
		"max_tokens=4096 tokens: 1200 output_tokens=42 token_count=7",
		"the token: expired, so log in again",
		"password: please enter it",
		"use the --token flag or --password to log in, --api-key is optional",
		"PASSWORD=$DB_PASSWORD TOKEN=${GITHUB_TOKEN} SECRET=$(pass show x)",
		"https://dev:${TOKEN}@example.org/x and https://dev:***@example.org/",
		"password=<your password> token={{ .Token }} secret=*** api_key=null",
		`{"token": null, "password": "", "secret": "${SECRET}"}`,
		`{\"token\":\"\",\"secret\":\"null\"}`,
		"if token == nil || secret != other",
		"token := getToken(ctx)",
		"apiKey: process.env.API_KEY",
		"password: string; token?: string",
		"SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.123 PRIVATE_KEY=/home/dev/.ssh/id_ed25519 PWD=/home/dev",
		"--private-key ~/.ssh/id_ed25519 --secret ./secret.txt",
		"PRIMARY_KEY=id CACHE_KEY=v1-linux sort_key: name",
		"bearer authentication-middleware and basic authentication",
		"Authorization: required",
		"The secretary's keyword: monkey",
		"set `GITHUB_TOKEN=` in `.env`, the `apikey` = `ANTHROPIC_API_KEY` mode",
		`env = append(env, "PWD="+dir, "API_TOKEN="+token)`,
		"appending PWD=dir to the environment",
		"approve Bash: rm -rf build/cache && curl https://example.org",
		"[withheld] is what it says, [withheld: something else] too",
		"a crm is a system, foo-crm/bar, crm.go, my.crm/x and crm_import/x",
		"-----BEGIN CERTIFICATE----- and -----BEGIN PUBLIC KEY-----",
		"Which database should the migration target? (Postgres · SQLite)",
		"rate limited — wait and retry · You've hit your session limit · resets 4:59pm (UTC)",
		"the key: internal/guard/guard_test.go:42",
		"2026-11-29T14:29:27.287Z",
	} {
		if got := Text(s, 1000); got != s {
			t.Errorf("%q\nshows as %q", s, got)
		}
	}
}

func TestCRM(t *testing.T) {
	const w = "[withheld: crm path]"
	tests := []struct{ in, want string }{
		{"edit crm/acme.md now", "edit " + w + " now"},
		{"edit /home/dev/crm/acme.md, please", "edit " + w + " please"},
		{"in ~/work/crm.", "in " + w},
		{"(crm/a)", w},
		{`open "crm/Big Client Ltd/a.md" now`, `open "` + w + `" now`},
		{`open crm/Big\ Client/a.md now`, "open " + w + " now"},
		{"open crm/Big Client/a.md now", "open " + w + " now"},
		{"diff crm/a crm/b", "diff " + w},
		{"diff crm/a ./b", "diff " + w + " ./b"},
		{"file:///srv/crm/x?y", w},
		{"CRM/a", w},
		{"a/crm:12: x", w + " x"},
		{"`crm/a`", "`" + w + "`"},
		{"unclosed \"crm/a b", "unclosed \"" + w + " b"},
	}
	for _, tt := range tests {
		if got := Text(tt.in, 200); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func ExampleText() {
	fmt.Println(Text("\x1b[31mdeploying\x1b[0m\nwith API_TOKEN="+"FAKE1234"+" to prod", 60))
	// Output: deploying with API_TOKEN=[withheld: assignment] to prod
}
