package claudebox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newBox(t *testing.T, subscriber bool) *Box {
	t.Helper()
	b, err := New(Config{
		Home: filepath.Join(t.TempDir(), "home"), Binary: "/bin/true", Version: "2.1.280", BaseURL: "http://127.0.0.1:9",
		Subscriber: subscriber, Projects: []string{"src/shop"}, Env: map[string]string{"TZ": "Asia/Tokyo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(b.tmp); err == nil {
			t.Errorf("%s is left behind", b.tmp)
		}
	})
	return b
}

// The environment is closed: it names what a session needs and inherits nothing.
func TestEnv(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "inherited")
	t.Setenv("CLAUDE_CONFIG_DIR", "/inherited")
	for _, subscriber := range []bool{false, true} {
		b := newBox(t, subscriber)
		env := strings.Join(b.Env(), "\n")
		for text, want := range map[string]bool{
			"inherited":                     false,
			"CLAUDE_CONFIG_DIR":             false,
			"HOME=" + b.Home + "\n":         true,
			"TZ=Asia/Tokyo":                 true,
			"TZ=UTC":                        false,
			"ANTHROPIC_BASE_URL=http://127": true,
			"ANTHROPIC_API_KEY=sk-ant-FAKE": !subscriber,
			"CLAUDE_CODE_OAUTH_TOKEN=FAKE":  subscriber,
			"DISABLE_TELEMETRY=1":           true,
		} {
			if got := strings.Contains(env, text); got != want {
				t.Errorf("subscriber %v: %q in the environment: %v, want %v", subscriber, text, got, want)
			}
		}
	}
}

// A new HOME answers the questions of the first start, trusts the projects and holds the program.
func TestNew(t *testing.T) {
	b := newBox(t, false)
	data, err := os.ReadFile(b.Path(".claude.json"))
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		HasCompletedOnboarding bool
		CustomAPIKeyResponses  struct{ Approved []string } `json:"customApiKeyResponses"`
		Projects               map[string]struct{ HasTrustDialogAccepted bool }
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		t.Fatal(err)
	}
	if !settings.HasCompletedOnboarding || !settings.Projects[b.Path("src/shop")].HasTrustDialogAccepted {
		t.Errorf("the onboarding is open: %s", data)
	}
	if !strings.HasSuffix(apiKey, settings.CustomAPIKeyResponses.Approved[0]) {
		t.Errorf("the key is not approved: %s", data)
	}
	if got, err := os.Readlink(b.Path(".local/bin/claude")); err != nil || got != "/bin/true" {
		t.Errorf("claude is %q, %v", got, err)
	}
	if info, err := os.Stat(b.Path("src/shop")); err != nil || !info.IsDir() {
		t.Errorf("no project directory: %v", err)
	}
	if _, err := New(Config{Home: "relative"}); err == nil {
		t.Error("a relative home is taken")
	}
}

// Close ends what the box started, by its marker, and nothing else.
func TestClose(t *testing.T) {
	mine, other := newBox(t, false), newBox(t, false)
	run := func(b *Box) <-chan error {
		cmd := b.Command(t.Context(), b.Home, "sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		return ended
	}
	gone, stays := run(mine), run(other)
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	<-gone
	select {
	case <-stays:
		t.Error("closing a box ended a process of another")
	default:
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	<-stays
}

func TestStartTicks(t *testing.T) {
	tests := []struct {
		stat, want string
	}{
		{"42 (claude) S 1 42 42 0 -1 4194304 1 0 0 0 5 3 0 0 20 0 12 0 77983455 5 6", "77983455"},
		{"42 (a) b (c) S 1 42 42 0 -1 4194304 1 0 0 0 5 3 0 0 20 0 12 0 99 5 6", "99"}, // a name may hold blanks and brackets
		{"42 (claude) S 1", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got, err := startTicks(tt.stat)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("startTicks(%q) = %q, %v; want %q", tt.stat, got, err, tt.want)
		}
	}
}
