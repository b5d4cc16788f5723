package claudebox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// server is the name of the box's tmux server.
const server = "claudebox"

func (b *Box) tmuxRun(ctx context.Context, args ...string) (string, error) {
	return b.Output(ctx, b.Home, "tmux", append([]string{"-L", server, "-f", "/dev/null"}, args...)...)
}

// Interactive starts "claude args..." in dir, in a tmux session called name, and returns its pid.
// A prompt must come first: an option such as --allowedTools would swallow it.
func (b *Box) Interactive(ctx context.Context, name, dir string, args ...string) (int, error) {
	start := []string{"new-session", "-d", "-P", "-F", "#{pane_pid}", "-s", name, "-x", "150", "-y", "45", "-c", dir, "env", "claude"}
	out, err := b.tmuxRun(ctx, append(start, args...)...)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return 0, fmt.Errorf("starting %s in tmux: %w", name, err)
	}
	return pid, nil
}

// Attach opens a background job in a tmux session called name and returns the pid of the viewer.
func (b *Box) Attach(ctx context.Context, name, id string) (int, error) {
	return b.Interactive(ctx, name, b.Home, "attach", id)
}

// Keys types into the tmux session called name; a key is text or a tmux key name such as "Enter".
func (b *Box) Keys(ctx context.Context, name string, keys ...string) error {
	_, err := b.tmuxRun(ctx, append([]string{"send-keys", "-t", "=" + name + ":"}, keys...)...)
	return err
}

// Screen returns the text that the tmux session called name shows.
func (b *Box) Screen(ctx context.Context, name string) (string, error) {
	return b.tmuxRun(ctx, "capture-pane", "-p", "-t", "="+name+":")
}

var backgrounded = regexp.MustCompile(`backgrounded · ([0-9a-f]{8})`)

// Background starts "claude --bg args..." in dir and returns the job's id. A prompt must come
// first; none leaves the job waiting for one. With "--exec" the job is a shell command.
func (b *Box) Background(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := b.Output(ctx, dir, "claude", append([]string{"--bg"}, args...)...)
	if err != nil {
		return "", err
	}
	m := backgrounded.FindStringSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("starting a background job: no id in %q", out)
	}
	return m[1], nil
}

// Styled returns what Screen does, with the sequences that colour it.
func (b *Box) Styled(ctx context.Context, name string) (string, error) {
	return b.tmuxRun(ctx, "capture-pane", "-p", "-e", "-t", "="+name+":")
}

// Tmux runs a command of the box's tmux server and returns what it printed.
func (b *Box) Tmux(ctx context.Context, args ...string) (string, error) {
	return b.tmuxRun(ctx, args...)
}

// Socket returns the path of the socket of the box's tmux server.
func (b *Box) Socket() string {
	return filepath.Join(b.tmp, fmt.Sprintf("tmux-%d", os.Getuid()), server)
}
