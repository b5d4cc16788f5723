package schedule

import (
	"strings"
	"testing"
)

// The reader of property lists quotes what it cannot read, escaped: then nothing
// tells any more that it is a credential.
func TestParseAgent_quoted(t *testing.T) {
	secret := "WAcb7Ly" + "jzbkq7saFAKE"
	text := `<?xml version="1.0"?><plist version="1.0"><dict><key>StartInterval</key><integer>60 ConvertTo-SecureString "` + secret + `" -AsPlainText -Force</integer></dict></plist>`
	_, err := ParseAgent([]byte(text))
	if err == nil || strings.Contains(err.Error(), secret[:8]) || !strings.HasPrefix(err.Error(), "no property list: ") {
		t.Errorf("%v", err)
	}
}
