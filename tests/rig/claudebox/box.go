// Package claudebox runs the real Claude Code in a scratch HOME with a closed environment, in its
// own tmux server, and ends whatever it started. It knows nothing of the machine's own Claude Code:
// outside of the scratch HOME there are only temporary files and sockets, which Close removes.
package claudebox

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// dummy values that Claude Code accepts without asking a server.
const (
	apiKey     = "sk-ant-FAKE-dummy-000000"
	oauthToken = "FAKE-dummy-oauth-token"
)

// marker is the variable by which Close finds the processes that the box started.
const marker = "FLEET_CLAUDEBOX"

// A Config says what a box is.
type Config struct {
	Home       string            // scratch HOME; made when absent
	Binary     string            // the native Claude Code binary
	Version    string            // what the binary says it is; marks the onboarding as seen
	BaseURL    string            // the Messages API, on loopback
	Subscriber bool              // sign in with a subscription token instead of an API key
	Projects   []string          // directories to make and to trust, relative to Home
	Env        map[string]string // more variables, or others in place of the usual ones
}

// A Box is a scratch HOME and the sessions in it.
type Box struct {
	Config
	bin string // the directory that PATH starts with
	tmp string // directory of temporary files and of sockets, whose paths must be short
}

// New lays the HOME. The caller must Close the box.
func New(c Config) (*Box, error) {
	if c.Home == "" || !filepath.IsAbs(c.Home) {
		return nil, fmt.Errorf("laying a box: home %q is not an absolute path", c.Home)
	}
	b := &Box{Config: c, bin: filepath.Join(c.Home, ".local/bin")}
	for _, dir := range []string{b.bin, b.ClaudeDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("laying a box: %w", err)
		}
	}
	link := filepath.Join(b.bin, "claude")
	if err := os.Symlink(c.Binary, link); err != nil && !os.IsExist(err) {
		return nil, fmt.Errorf("laying a box: %w", err)
	}
	err := b.trust()
	if err != nil {
		return nil, fmt.Errorf("laying a box: %w", err)
	}
	if b.tmp, err = os.MkdirTemp("/tmp", "claudebox-"); err != nil {
		return nil, fmt.Errorf("laying a box: %w", err)
	}
	return b, nil
}

// ClaudeDir returns the directory where Claude Code keeps its state.
func (b *Box) ClaudeDir() string { return filepath.Join(b.Home, ".claude") }

// Path returns a path under the HOME.
func (b *Box) Path(elem ...string) string { return filepath.Join(append([]string{b.Home}, elem...)...) }

// trust makes the project directories and writes the answers to every question that Claude Code
// asks a new user.
func (b *Box) trust() error {
	projects := make(map[string]any)
	for _, p := range b.Projects {
		dir := b.Path(p)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		projects[dir] = map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "projectOnboardingSeenCount": 1}
	}
	settings, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true,
		"lastOnboardingVersion":  b.Version,
		"theme":                  "dark",
		"numStartups":            5,
		"autoUpdates":            false,
		"customApiKeyResponses":  map[string]any{"approved": []string{apiKey[len(apiKey)-20:]}, "rejected": []string{}},
		"projects":               projects,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(b.Path(".claude.json"), settings, 0o600)
}

// Env returns the whole environment of the box's processes.
func (b *Box) Env() []string {
	env := map[string]string{
		marker: b.Home,

		"PATH":            b.bin + ":/usr/local/bin:/usr/bin:/bin",
		"HOME":            b.Home,
		"USER":            "dev",
		"SHELL":           "/bin/bash",
		"TERM":            "xterm-256color",
		"LANG":            "C.UTF-8",
		"TZ":              "UTC",
		"TMUX_TMPDIR":     b.tmp,
		"GIT_AUTHOR_NAME": "dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
		"GIT_COMMITTER_NAME": "dev", "GIT_COMMITTER_EMAIL": "dev@example.com",

		"ANTHROPIC_BASE_URL":                       b.BaseURL,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"CLAUDE_CODE_MAX_RETRIES":                  "2",
		"CLAUDE_CODE_TMPDIR":                       b.tmp,
		"DISABLE_AUTOUPDATER":                      "1",
		"DISABLE_ERROR_REPORTING":                  "1",
		"DISABLE_INSTALLATION_CHECKS":              "1",
		"DISABLE_TELEMETRY":                        "1",
	}
	if b.Subscriber {
		env["CLAUDE_CODE_OAUTH_TOKEN"] = oauthToken
	} else {
		env["ANTHROPIC_API_KEY"] = apiKey
	}
	maps.Copy(env, b.Config.Env)
	var list []string
	for _, k := range slices.Sorted(maps.Keys(env)) {
		list = append(list, k+"="+env[k])
	}
	return list
}

// Command returns a command of the box, such as git or claude, that runs in dir.
func (b *Box) Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	if path := filepath.Join(b.bin, name); name == "claude" {
		name = path
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, b.Env()
	return cmd
}

// Output runs a command and returns what it wrote to its standard output.
func (b *Box) Output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := b.Command(ctx, dir, name, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("running %s: %w: %s%s", strings.Join(append([]string{name}, args...), " "), err, out, stderr.String())
	}
	return string(out), nil
}
