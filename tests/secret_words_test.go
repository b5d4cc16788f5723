package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Of 1,000 ordinary names of sessions, branches, pull requests, directories and
// builds, five at most are changed by the guard.
func TestOrdinaryNamesStay(t *testing.T) {
	names := ordinary(1000)
	var changed []string
	for _, s := range names {
		if strings.HasPrefix(s, "/") && guard.Path(s) != s {
			changed = append(changed, s+" -> "+guard.Path(s))
		} else if got := guard.Text(s, 4000); got != s {
			changed = append(changed, s+" -> "+got)
		}
	}
	t.Logf("%d of %d names are changed, %.1f %%: %q", len(changed), len(names), 100*float64(len(changed))/float64(len(names)), changed)
	if len(changed) > 5 {
		t.Errorf("%d of %d names are changed", len(changed), len(names))
	}
}

var (
	verbs  = strings.Fields("add fix drop move rename refactor speed-up bump revert document test split retry cache validate")
	things = strings.Fields("login checkout cart invoice header footer search upload webhook scheduler importer parser exporter sidebar report ledger settings " +
		"token-refresh password-reset session-cookie api-keys secret-scanning auth-flow credentials-page access-tokens oauth-callback")
	parts    = strings.Fields("page form service handler worker test client server cli docs config migration index job")
	animals  = strings.Fields("otter falcon badger heron lynx marmot newt owl puffin quail raven seal tapir vole wombat yak")
	moods    = strings.Fields("cozy prancing sleepy brave curious gentle jolly nimble quiet rapid silly tidy vivid witty zesty calm")
	camels   = strings.Fields("Abstract Singleton Proxy Factory Bean HTTP2 OAuth2 TLS13 Int64 UTF8 SHA256 XML JSON Reader Writer Handler Controller Provider Context Manager K8s")
	packages = strings.Fields("lodash @types/node react-dom eslint-plugin-import golang.org/x/net serde_json boto3 actions/checkout @anthropic-ai/claude-code")
	titles   = []string{"Fix the token refresh when the session expired", "Password reset page: show why it failed", "Rotate API keys without a restart",
		"docs: how to set GITHUB_TOKEN in CI", "Secret scanning: ignore fixtures", "auth: the bearer header is optional", "Allow --token on the command line",
		"Bump jsonwebtoken from 8.5.1 to 9.0.2", "Key rotation: access_key and secret_key come from the vault", "Don't log the Authorization header",
		"cookie: SameSite=Lax for the login", "The password: prompt comes twice", "basic auth for the preview site", "Login with user:password is gone"}
)

// ordinary returns n names as people and tools give them, the same every time.
func ordinary(n int) []string {
	r := rand.New(rand.NewPCG(7, 7))
	of := func(list []string) string { return list[r.IntN(len(list))] }
	chars := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	const hex, base32, base58 = "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz234567", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	version := func() string { return fmt.Sprintf("%d.%d.%d", r.IntN(30), r.IntN(30), r.IntN(400)) }
	uuid := func() string {
		return chars(hex, 8) + "-" + chars(hex, 4) + "-4" + chars(hex, 3) + "-a" + chars(hex, 3) + "-" + chars(hex, 12)
	}
	makers := []func() string{
		func() string { return "feat/" + of(verbs) + "-" + of(things) + "-" + of(parts) },
		func() string { return fmt.Sprintf("fix/%d-%s-%s", r.IntN(9000), of(things), of(parts)) },
		func() string { return fmt.Sprintf("PROJ-%d/%s_%s", r.IntN(9000), of(verbs), of(things)) },
		func() string { return "dependabot/npm_and_yarn/" + of(packages) + "-" + version() },
		func() string { return "renovate/" + of(packages) + "-" + version() },
		func() string { return "release/v" + version() + "-rc." + fmt.Sprint(r.IntN(9)) },
		func() string { return "worktree-" + of(moods) + "-" + of(moods) + "-" + of(animals) },
		func() string { return "worktree-agent-a" + chars(hex, 16) },
		func() string { return "claude/" + of(verbs) + "-" + of(things) + "-01" + chars(base58, 22) },
		func() string { return of(moods) + "-" + of(animals) + "-" + chars(base32, 8) },
		func() string { return chars(base32, 26) },
		func() string {
			return of(verbs) + " the " + of(things) + " " + of(parts) + " (#" + fmt.Sprint(r.IntN(5000)) + ")"
		},
		func() string { return of(titles) },
		func() string { return "Merge commit " + chars(hex, 40) + " into main" },
		func() string { return "revert-" + fmt.Sprint(r.IntN(5000)) + "-" + chars(hex, 7) },
		uuid,
		func() string { return "ghcr.io/acme/" + of(parts) + ":" + version() + "@sha256:" + chars(hex, 64) },
		func() string {
			return "/home/dev/src/" + of(things) + "/" + of(parts) + "/internal/" + of(things) + "/" + of(moods) + "_" + of(animals) + "_test.go"
		},
		func() string { return "/Users/ana/Library/Caches/com.acme." + of(parts) + "/" + uuid() + "/Data" },
		func() string { return of(camels) + of(camels) + of(camels) + of(camels) + fmt.Sprint(r.IntN(20)) },
		func() string { return "test" + of(camels) + "_" + of(camels) + of(camels) + "_" + of(camels) },
		func() string {
			return "v0.0.0-" + fmt.Sprintf("2026%02d%02d%06d", 1+r.IntN(12), 1+r.IntN(28), r.IntN(240000)) + "-" + chars(hex, 12)
		},
		func() string {
			return "2026-11-" + fmt.Sprint(10+r.IntN(20)) + "T14:29:27.287Z " + of(verbs) + " " + of(things)
		},
		func() string { return "SHA256:" + chars(base58+"+/", 43) + " of the host key" },
		func() string {
			return "https://github.com/acme/" + of(parts) + "/actions/runs/" + chars("0123456789", 11) + "/job/" + chars("0123456789", 11)
		},
	}
	var names []string
	for len(names) < n {
		names = append(names, makers[len(names)%len(makers)]())
	}
	slices.Sort(names)
	return names
}
