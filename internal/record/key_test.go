package record

import "testing"

func TestSessionOf(t *testing.T) {
	const id = "5f0c1d2e-1111-4222-8333-444455556666"
	for key, want := range map[string]string{
		"prompt:" + id + ":1a2b3c4d":                            id,
		"blocked:attic/" + id + "@work:99aa00bb":                "attic/" + id + "@work",
		"prompt:pid:77:1a2b3c4d":                                "pid:77",
		HealKey("session:"+id, "unreachable"):                   id,
		HealKey("session:pid:77", "kept-draft"):                 "pid:77",
		HealKey("session:"+id, StallAlert+"limit"):              id,
		HealKey("session:"+id, "stall-limit"+StallKept+"draft"): id,
		HealKey("session", "stall-limit"+StallKept+"draft"):     "",
		HealKey("session:"+id+"@work", "stuck"):                 id + "@work",
		HealKey("code-agent", "stall-limit/kept-draft"):         "",
		HealKey("code-agent", "restarted"):                      "",
		"heal:sweep":                                            "",
		"heal:session:":                                         "",
		"prompt:":                                               "",
		"listing":                                               "",
		"rules:acme/lamp:no required status checks":             "",
		"": "",
	} {
		if got := SessionOf(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
