package guard

import "strings"

// What a token is made of, after its prefix.
const tok = `[A-Za-z0-9_-]`

// own are the rules that this package adds to gitleaks'. They come first. Where gitleaks wants a token of the exact length
// that is issued today, next to a word boundary and random enough, these take its prefix as proof, so one that was cut,
// glued to something or made up for an example goes too.
var own = []rule{
	{
		name:     "private-key",
		keywords: []string{"-----begin"},
		pattern:  `-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:(?s:.*?)-----END[ A-Z0-9_-]{0,100}-----|(?s:.*))`,
	}, {
		name:     "private-key", // only its end is left
		keywords: []string{"-----end"},
		pattern:  `(?:[A-Za-z0-9+/=]{8,}(?: |\\[rn])*)+(?:[A-Za-z0-9+/=]{1,7}(?: |\\[rn])*)?-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`,
	}, {
		name:     "url-userinfo",
		keywords: []string{"://"},
		pattern:  `://([^\s/"'<>]+)@`,
		value:    userinfo,
	}, {
		name:     "anthropic-key",
		keywords: []string{"sk-ant-"},
		pattern:  `sk-ant-` + tok + `{8,}`,
	}, {
		name:     "sk-key",
		keywords: []string{"sk-"},
		pattern:  `(?:^|[^A-Za-z0-9]|\\[nrt])(sk-` + tok + `{16,})`,
		value:    random,
	}, {
		name:     "github-token",
		keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		pattern:  `(?:gh[pousr]|github_pat)_` + tok + `{16,}`,
	}, {
		name:     "gitlab-token",
		keywords: []string{"glpat-", "glrt-", "gldt-", "glptt-", "gloas-", "glcbt-", "glsoat-", "glagent-"},
		pattern:  `gl(?:pat|rt|dt|ptt|oas|cbt|soat|agent)-` + tok + `{16,}`,
	}, {
		name:     "aws-access-key-id",
		keywords: []string{"akia", "asia", "abia", "acca"},
		pattern:  `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,}`,
	}, {
		name:     "slack-token",
		keywords: []string{"xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"},
		pattern:  `(?:xox[abeoprs]|xapp)[-.]` + tok + `{10,}`,
	}, {
		name:     "google-key",
		keywords: []string{"aiza", "ya29."},
		pattern:  `AIza` + tok + `{30,}|ya29\.` + tok + `{16,}`,
	}, {
		name:     "stripe-key",
		keywords: []string{"_live_", "_test_", "whsec_"},
		pattern:  `(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}`,
	}, {
		name:     "registry-token",
		keywords: []string{"npm_", "pypi-", "dckr_", "hf_"},
		pattern:  `(?:npm_|hf_|pypi-|dckr_[a-z]+_)` + tok + `{24,}`,
	}, {
		name:     "jwt",
		keywords: []string{"eyj"},
		pattern:  `eyJ` + tok + `{8,}\.` + tok + `{8,}(?:\.` + tok + `*)*`,
	}, {
		name:     "webhook-url",
		keywords: []string{"/api/webhooks/"},
		pattern:  `discord(?:app)?\.com/api/webhooks/(\d+/` + tok + `{16,})`,
	}, {
		name:     "authorization",
		keywords: []string{"authorization"},
		pattern:  `(?i)authorization(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?(?:(?:bearer|basic|token|digest|apikey|negotiate|ssws|key)\s+)?([^\s"'\\,;]{8,})`,
		value:    random,
	}, {
		name:     "authorization",
		keywords: []string{"bearer", "basic"},
		pattern:  `(?i)(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})`,
		value:    random,
	}, {
		name:     "cookie",
		keywords: []string{"cookie"},
		pattern:  `(?i)cookie(?:\\*["'])?\s*:\s*(?:\\*["'])?([^\s=;"']+=[^\s"';]+(?:;\s*[^\s=;"']+=[^\s"';]+)*)`,
	}, {
		name:     "signed-url",
		keywords: []string{"sig=", "signature=", "x-amz-", "key=", "auth=", "code=", "session="},
		pattern:  `(?i)[?&](?:sig|[\w-]*signature|x-amz-(?:security-token|credential)|key|auth|code|session)=([^&\s"'<>#]{8,})`,
		value:    random,
	}, {
		name:     "password",
		keywords: []string{"login", "sshpass"},
		pattern:  `login\s+\S+\s+password\s+(\S+)|sshpass\s+-p\s*(\S+)`,
	}, {
		name:     "assignment",
		keywords: secretWords,
		pattern:  `(?i)(` + secretName + `)(?:[_-]?(?:base|data|value|v?\d{1,2}|b64|base64|hex|prod|dev|test|staging))?(?:\\*["'\x60])?\]?(\s*(?::=|[:=>])\s*)`,
		value:    assigned,
	}, {
		name:     "assignment", // a name that says less, so the value has to say more
		keywords: []string{"_key", "_pat", "_pass", "_cred"},
		pattern:  `(?i)[A-Z0-9](_(?:key|pat|pass|creds?))(?:\\*["'\x60])?\]?(\s*(?::=|[:=])\s*)`,
		value:    assigned,
	}, {
		name:     "flag",
		keywords: secretWords,
		pattern:  `(?i)(?:^|[\s"'\x60=])--?(?:[\w-]*[_-])?(` + secretName + `)(\s+)`,
		value:    flagged,
	},
}

const secretName = `token|secret|passw(?:or)?d|passphrase|passcode|pwd|credentials?|_auth|` +
	`(?:api|access|private|secret|signing|encryption|account|shared|auth|master|deploy|client|application|app|license|storage|webhook)[_-]?key(?:[_-]?id)?`

var secretWords = []string{"token", "secret", "passw", "passphrase", "passcode", "pwd", "credential", "_auth", "key"}

// userinfo withholds the part of a URL before the @ when it holds a password, or is too long for a user's name.
func userinfo(text string, m []int) (start, end int) {
	start, end = m[2], m[3]
	_, password, ok := strings.Cut(text[start:end], ":")
	if ok && placeholder(password) || !ok && end-start < 16 {
		return 0, 0
	}
	return start, end
}

// random withholds a token that isn't only words in lower case.
func random(text string, m []int) (start, end int) {
	start, end = whole(text, m[2], m[3])
	if value := text[start:end]; placeholder(value) || !strings.ContainsAny(value, digits+upper) {
		return 0, 0
	}
	return start, end
}

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
)
