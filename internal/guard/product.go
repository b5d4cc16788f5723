package guard

// products are rules of ours for shapes that neither gitleaks nor the rules of own.go find, each found missing by the
// shapes in tests/secrets.
var products = []rule{
	{
		name: "product-token", // the prefix is proof
		keywords: []string{"gocspx-", "figd_", "sntryu_", "sntrys_", "nrak-", "nfp_", "sq0", "_token$", "tskey-", "sbp_", "bkua_", "ccipat_",
			"atatt3", "atctt3", "ntn_", "cmvmdgtuoj", "xoxe-1-", "pscale_", "lin_api_", "lin_oauth_", "sk.eyj"},
		pattern: `(?:GOCSPX-|figd_|sntry[us]_|NRAK-|nfp_|sq0[a-z]{3}-|access_token\$[a-z]+\$[0-9a-z]+\$|tskey-[a-z]+-|sbp_|bkua_|CCIPAT_|` +
			`AT[AC]TT3xFfG|ntn_|cmVmdGtuOj|xoxe-1-|pscale_[a-z]+_|lin_(?:api|oauth)_|sk\.eyJ)[A-Za-z0-9_+/=-]{16,}`,
	}, {
		name:     "prefixed-token", // the prefix is short, so a letter before it makes it a part of a word
		keywords: []string{"gsk_", "xai-", "r8_", "cio", "oy2", "atbb", "dp.", "secret_", "1//0", "squ_", "sqp_", "sqa_", "sdk-"},
		pattern: `(?:^|[^A-Za-z0-9]|\\[nrt])(gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43}|ATBB[A-Za-z0-9=]{24,}|` +
			`dp\.[a-z]+\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,}|1//0[A-Za-z0-9_-]{40,}|sq[upa]_[0-9a-f]{40}|` +
			`sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`,
		value: random,
	}, {
		name:     "prefixed-token", // "cache-key-…" is none
		keywords: []string{"key-"},
		pattern:  `(?:^|[^A-Za-z0-9_-]|\\[nrt])(key-[0-9a-f]{32})`,
	}, {
		name:     "suffixed-token",
		keywords: []string{"ffffnral", "-us"},
		pattern:  `[0-9a-fA-F]{36}FFFFNRAL|[0-9a-f]{32}-us[0-9]{1,2}`,
	}, {
		name:     "azure-secret",
		keywords: []string{"q~"},
		pattern:  `[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}`,
	}, {
		name:     "airtable-token",
		keywords: []string{"pat"},
		pattern:  `pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`,
	}, {
		name:     "firebase-key",
		keywords: []string{":apa91b"},
		pattern:  `AAAA` + tok + `{7}:APA91b` + tok + `{30,}`,
	}, {
		name:     "telegram-token",
		keywords: []string{":aa"},
		pattern:  `[0-9]{6,12}:AA` + tok + `{30,}`,
	}, {
		name:     "password-hash", // crypt(5)
		keywords: []string{"$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$argon2"},
		pattern:  `\$(?:[156y]|2[aby]|argon2[a-z]+)\$[A-Za-z0-9./$=,+]{20,}`,
	}, {
		name:     "password", // .pgpass
		keywords: []string{":5432:", ":5433:", ":6432:", ":*:"},
		pattern:  `[^\s:]:(?:\d{4}|\*):[^\s:]+:[^\s:]+:(\S+)`,
	}, {
		name:     "password", // the flags of curl, mysql and net use; a user, or a name and its value
		keywords: []string{"-u", "mysql", "mariadb", "/user:"},
		pattern:  `(?:\s|^)(?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"']+)|(?:mysql|mariadb)[^|;&]*?\s-p([^\s"']+)|(?i:/user:)\S+\s+(\S+)`,
		value:    told,
	}, {
		name:     "password",
		keywords: []string{"convertto-securestring"},
		pattern:  `(?i)ConvertTo-SecureString\s+(?:-String\s+)?["']([^"'$][^"']*)`,
	}, {
		name:     "password", // in a sentence
		keywords: []string{"passw", "passphrase", "passcode"},
		pattern:  `(?i)(?:passw(?:or)?d|passphrase|passcode)\s+(?:is|was|to|as)\s*:?\s+["'\x60]?([^\s"'\x60]+)`,
		value:    told,
	}, {
		name:     "assignment", // Docker's config.json
		keywords: []string{`auth"`, `auth\`},
		pattern:  `"auth\\*"\s*:\s*\\*"([A-Za-z0-9+/=]{16,})`,
		value:    random,
	}, {
		name:     "assignment", // cmd.exe
		keywords: []string{"setx"},
		pattern:  `(?i)setx\s+(?:\S*[_-])?(` + secretName + `)(\s+)`,
		value:    flagged,
	},
}

// told withholds the group of a match that is there, when it looks like a password.
func told(text string, m []int) (start, end int) {
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		if value := text[m[g]:m[g+1]]; !placeholder(value) && !pathLike(value) && looksSecret(value, true) {
			return m[g], m[g+1]
		}
	}
	return 0, 0
}
