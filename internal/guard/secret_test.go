package guard

import (
	"cmp"
	"strings"
	"testing"
)

// fake returns n characters that say that they are no secret, with digits and cases mixed as in one.
func fake(n int) string { return strings.Repeat("FAKE9x", n/6+1)[:n] }

// lot says FAKE, and looks drawn by lot all the same.
const lot = "qX7FAKEz9vKpW3nRtY8mJcB5dHsG2xLf"

const uuid = "fa1e0b2c-fa1e-fa1e-fa1e-fa1e0b2cfa1e"

// pem returns a key in the shape of kind.
func pem(kind string) string {
	line := strings.Repeat("FAKE", 16) + "\n"
	return "-----BEGIN " + kind + "-----\n" + strings.Repeat(line, 20) + "FAKEend=\n-----END " + kind + "-----"
}

// Each is withheld wherever it stands. secret is the part of text that must not be seen; empty: the whole text.
var secrets = []struct{ rule, text, secret string }{
	{"github-token", "ghp_" + strings.Repeat("FAKE", 9), ""},
	{"github-token", "ghs_" + fake(36), ""},
	{"github-token", "gho_" + fake(90), ""}, // longer than any that is issued
	{"github-token", "github_pat_" + fake(22) + "_" + fake(59), ""},
	{"anthropic-key", "sk-ant-" + "api03-" + fake(93) + "AA", ""},
	{"anthropic-key", "sk-ant-" + "oat01-" + fake(20), ""}, // cut before us
	{"sk-key", "sk-" + fake(48), ""},
	{"sk-key", "sk-" + "proj-" + fake(20) + "-" + fake(30), ""},
	{"sk-key", "sk-" + fake(20) + "." + fake(20), ""},
	{"aws-access-key-id", "AKIA" + strings.Repeat("FAKE", 4), ""},
	{"aws-access-key-id", "ASIA" + strings.Repeat("FAKE", 4), ""},
	{"gitlab-token", "glpat-" + fake(20), ""},
	{"slack-token", "xoxb-" + "123456789012-" + fake(24), ""},
	{"google-key", "AIza" + fake(35), ""},
	{"google-key", "ya29." + fake(60), ""},
	{"stripe-key", "sk_live_" + fake(24), ""},
	{"registry-token", "npm_" + fake(36), ""},
	{"jwt", "eyJ" + fake(33) + ".eyJ" + fake(80) + "." + fake(43), ""},
	{"webhook-url", "https://discord.com/api/webhooks/123456789/" + fake(60), fake(60)},
	{"private-key", pem("RSA PRIVATE KEY"), ""},
	{"private-key", pem("OPENSSH PRIVATE KEY"), ""},
	{"private-key", pem("PGP PRIVATE KEY BLOCK"), ""},
	{"private-key", strings.ReplaceAll(pem("PRIVATE KEY"), "\n", `\n`), ""},
	{"private-key", pem("EC PRIVATE KEY")[400:], ""}, // only its end
	{"url-userinfo", "https://dev:hunter2FAKE@example.org/x.git", "hunter2FAKE"},
	{"url-userinfo", "postgres://app:p@ss:FAKE#word@db:5432/x", "p@ss:FAKE#word"},
	{"url-userinfo", "https://" + fake(40) + "@git.example.org/", fake(40)},
	{"authorization", "Authorization: Bearer " + fake(30), fake(30)},
	{"authorization", "Authorization: Basic " + fake(20) + "==", fake(20)},
	{"authorization", "bearer " + fake(30), fake(30)},
	{"authorization", `"authorization": "token ` + fake(40) + `"`, fake(40)},
	{"cookie", "Cookie: sid=" + fake(20) + "; csrf=" + fake(16), fake(20)},
	{"signed-url", "https://x.blob.example.org/a?sv=1&sig=" + fake(40) + "%3D", fake(40)},
	{"password", "machine h login me password FAKEpass", "FAKEpass"},
	{"password", "sshpass -p FAKEpass1 ssh h", "FAKEpass1"},
	{"assignment", "NAME_TOKEN=FAKEvalue", "FAKEvalue"},
	{"assignment", "PASSWORD=FAKE,with;odd&signs", "FAKE,with;odd&signs"},
	{"assignment", "PASSWORD=/FAKEpass1/wordX+", "/FAKEpass1/wordX+"},
	{"assignment", `export DB_PASSWORD="FAKE with \" quote"`, `FAKE with \" quote`},
	{"assignment", `{"client_secret":"FAKE words in it"}`, "FAKE words in it"},
	{"assignment", `{\"apiKey\":\"` + fake(12) + `\",\"x\":1}`, fake(12)},
	{"assignment", "password: FAKEhunter2", "FAKEhunter2"},
	{"assignment", "aws_secret_access_key = /FAKEabc+" + fake(30), "/FAKEabc+" + fake(30)},
	{"assignment", "SECRET_KEY_BASE=" + fake(64), fake(64)},
	{"assignment", "//registry.example.org/:_authToken=" + fake(20), fake(20)},
	{"assignment", "Server=db;Uid=sa;Pwd=FAKEpass1", "FAKEpass1"},
	{"assignment", `os.environ["API_KEY"] = "` + fake(20) + `"`, fake(20)},
	{"assignment", `"TOKEN"="FAKEword"`, "FAKEword"},
	{"assignment", "<password>FAKEpass1</password>", "FAKEpass1"},
	{"assignment", "STRIPE_KEY=" + fake(24), fake(24)},
	{"flag", "mysql --password FAKEpass", "FAKEpass"},
	{"flag", "tool --api-key '" + fake(10) + " x'", fake(10)},
	{"product-token", "figd_" + fake(40), ""},
	{"prefixed-token", "gsk_" + fake(52), ""},
	{"prefixed-token", "key-" + strings.Repeat("fa1e", 8), ""},
	{"suffixed-token", strings.Repeat("fa1e", 9) + "FFFF" + "NRAL", ""},
	{"azure-secret", "FAK8Q~" + fake(34), ""},
	{"airtable-token", "pat" + fake(14) + "." + strings.Repeat("fa1e", 16), ""},
	{"firebase-key", "AAAA" + fake(7) + ":APA91b" + fake(134), ""},
	{"telegram-token", "1234567890:AA" + fake(33), fake(33)},
	{"password-hash", "$6$" + fake(16) + "$" + fake(86), ""},
	{"password", "db.example.org:5432:shop:bob:" + fake(20), fake(20)},
	{"password", "http -u bob:FAKE!pass-1 https://x", "FAKE!pass-1"},
	{"password", `net use Z: /user:bob FAKEpass1`, "FAKEpass1"},
	{"password", `ConvertTo-SecureString "FAKE words" -AsPlainText`, "FAKE words"},
	{"password", "the password is FAKEpass1 for now", "FAKEpass1"},
	{"assignment", `"auth": "` + fake(40) + `"`, fake(40)},
	{"assignment", "setx API_KEY " + fake(20), fake(20)},
	{"assignment", "client-key-data: " + fake(60), fake(60)},
	{"random-token", lot, ""},
	{"random-token", lot[:30] + "/" + lot[5:25] + "+" + lot[:9] + "==", lot[:30]},
	{"stripe-access-token", "rk_prod_" + fake(24), ""}, // gitleaks' own from here
	{"digitalocean-pat", "dop_v1_" + strings.Repeat("fa1e0b2c", 8), ""},
	{"age-secret-key", "AGE-SECRET-KEY-1" + strings.Repeat("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 2)[:58], ""},
	{"shopify-access-token", "shpat_" + strings.Repeat("fa1e0b2c", 4) + "FAKEFAKE", ""}, // longer than any that is issued
	{"microsoft-teams-webhook", "https://fake.webhook.office.com/webhookb2/" + uuid + "@" + uuid + "/IncomingWebhook/" + strings.Repeat("fake", 8) + "/" + uuid, ""},
	{"twilio-api-key", "SK" + strings.Repeat("fa1e0b2c", 4), ""},
}

// sec-report: masked in whatever is shown, and the rest of the text stays.
func TestSecrets(t *testing.T) {
	for _, tt := range secrets {
		got := Text("before "+tt.text+" after", 400)
		if !strings.Contains(got, marker(tt.rule)) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") && tt.rule != "cookie" {
			t.Errorf("%s: %q shows as %q", tt.rule, tt.text, got)
		}
		if leak := seen(got, cmp.Or(tt.secret, tt.text)); leak != "" {
			t.Errorf("%s: %q shows %q", tt.rule, got, leak)
		}
	}
}

// No eight characters of a secret are seen, whatever stands around it and wherever the text is cut.
func TestNothingOfASecretIsSeen(t *testing.T) {
	around := [][2]string{
		{"", ""}, {"say ", " now"}, {"(", ")"}, {`"`, `"`}, {"`", "`"}, {"x=", ";"}, {"a\n", "\nb"}, {"\x1b[31m", "\x1b[0m"}, {"界", "界"},
		{"[", "]"}, {"see:", "."}, {"[withheld: jwt]", "[withheld: jwt]"}, {"[withheld: ", "]"}, {"\\n", "\\n"}, {", ", ", "},
	}
	for _, tt := range secrets {
		secret := cmp.Or(tt.secret, tt.text)
		for i, a := range around {
			if glued(tt.rule) && a[0] == "\\n" {
				continue
			}
			step := 1
			if i > 0 {
				step = 9
			}
			for _, width := range []int{8, 40} {
				for pad := 0; pad < width+3; pad += step {
					text := strings.Repeat("-", pad%2) + strings.Repeat(" w", pad/2) + " " + a[0] + tt.text + a[1] + " and more of the text"
					if leak := seen(Text(text, width), secret); leak != "" {
						t.Fatalf("%s: Text(%q, %d) = %q shows %q", tt.rule, text, width, Text(text, width), leak)
					}
				}
			}
		}
	}
}

// glued reports whether a rule needs something other than a letter before the secret.
func glued(rule string) bool {
	return rule == "stripe-access-token" || strings.Contains(rule, "-pat")
}

// seen returns the first eight characters in a row of secret that text shows.
func seen(text, secret string) string {
	secret = strings.ReplaceAll(secret, "\n", " ")
	for i := 0; i+8 <= len(secret); i++ {
		if part := secret[i : i+8]; strings.Contains(text, part) && !strings.Contains(part, "PRIVATE") {
			return part
		}
	}
	return ""
}

// Nor whatever words stand around it. (A terminal sequence that was cut just before it would take its first letter, and a
// text that has parts of it besides shows those.)
func FuzzNothingOfASecretIsSeen(f *testing.F) {
	for i := range secrets {
		f.Add("the token is ", ", said \"they\" at https://x/?a=", i, 40)
	}
	f.Add("password = \"", "\" -----BEGIN", 0, 80)
	f.Add("https://a:b@c/crm/", "[withheld: jwt]", 20, 60)
	f.Add("TOKEN=$(", ")", 30, 60)
	for i := range secrets {
		f.Add("password=\"", "", i, 200) // a quote that is never closed
	}
	f.Fuzz(func(t *testing.T, before, after string, which, width int) {
		tt := secrets[(which%len(secrets)+len(secrets))%len(secrets)]
		secret := cmp.Or(tt.secret, tt.text)
		if strings.ContainsFunc(before+after, func(r rune) bool { return r == esc || isC1(r) }) {
			return
		}
		if flat, _ := flatten(before+" "+after, 1<<20, true); seen(flat, secret) != "" {
			return
		}
		text := before + " " + tt.text + " " + after
		if leak := seen(Text(text, width%300), secret); leak != "" {
			t.Fatalf("%s: Text(%q) = %q shows %q", tt.rule, text, Text(text, width%300), leak)
		}
	})
}

// A secret after a long text, across the end of what is looked at, and behind another long secret.
func TestSecretsFarBehind(t *testing.T) {
	for _, tt := range secrets[:10] {
		for _, n := range []int{100, window(200) - 40, window(200) - 20, window(200), 1 << 20} {
			for _, filler := range []string{"word ", "\x1b[1m", "x\u200b"} {
				text := strings.Repeat(filler, n/len(filler)) + " " + tt.text + " end"
				if leak := seen(Text(text, 200), tt.text); leak != "" {
					t.Errorf("%s after %d bytes of %q: %q", tt.rule, n, filler, leak)
				}
			}
		}
		long := strings.Repeat(pem("RSA PRIVATE KEY")+" ", 30) + tt.text
		if got := Text(long, 2000); seen(got, tt.text) != "" || seen(got, pem("RSA PRIVATE KEY")) != "" {
			t.Errorf("%s behind keys: %q", tt.rule, got)
		}
	}
}

// So much is withheld that what is left of a long text, up to the end of what is looked at, would fit.
func TestSecretsAtTheEndOfTheWindow(t *testing.T) {
	const width = 1000
	secret := "ghp_" + strings.Repeat("FAKE", 9)
	for at := window(width) - len(secret); at <= window(width); at++ {
		text := ""
		for range 20 { // each shown in 35 columns
			text += "https://me:" + fake(at/20-len("https://me:@h/ ")) + "@h/ "
		}
		text += strings.Repeat(".", at-len(text)) + secret + " and so on"
		got := Text(text, width)
		if leak := seen(got, secret); leak != "" || !strings.HasSuffix(got, "…") || strings.Count(got, markerStart) < 10 {
			t.Fatalf("%d bytes before it: %q shows %q", at, got, leak)
		}
	}
	whole := "-----BEGIN PRIVATE KEY----- "
	whole += strings.Repeat("FAKE", window(width))[:window(width)-len(whole)]
	if got := Text(whole+" \n ", width); got != marker("private-key") {
		t.Errorf("a text that ends with the window shows as %q", got)
	}
}
