package ghstub

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// A Box is a home in which gh reaches nothing but the stub.
type Box struct {
	Home string // holds .config/gh

	dir    string
	server *http.Server
}

// Serve serves the stub on a socket and makes a home whose gh uses it. Close
// ends both. The path of a socket has at most 103 bytes, hence the directory.
func Serve(s *Stub) (*Box, error) {
	dir, err := os.MkdirTemp("", "gh")
	if err != nil {
		return nil, err
	}
	box := &Box{Home: filepath.Join(dir, "home"), dir: dir, server: &http.Server{Handler: s}}
	socket := filepath.Join(dir, "gh.sock")
	if err := box.write(".config/gh/config.yml", "version: \"1\"\nprompt: disabled\nhttp_unix_socket: "+socket+"\n"); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("starting the stub: %w", err)
	}
	go box.server.Serve(listener) // returns when Close is called
	return box, nil
}

// LogIn writes a login into gh's hosts.yml; without a token it is one whose
// token lies in a keyring that does not open.
func (b *Box) LogIn(token string) error {
	text := "github.com:\n    user: ana\n    git_protocol: https\n"
	if token != "" {
		text += "    oauth_token: " + token + "\n"
	}
	return b.write(".config/gh/hosts.yml", text)
}

// Checkout makes a repository below Home whose origin is url, and returns its
// git common dir.
func (b *Box) Checkout(name, url string) (string, error) {
	dir := filepath.Join("src", name, ".git")
	for file, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/.keep": "", "config": "[remote \"origin\"]\n\turl = " + url + "\n"} {
		if err := b.write(filepath.Join(dir, file), text); err != nil {
			return "", err
		}
	}
	return filepath.Join(b.Home, dir), nil
}

// Stop ends the stub: gh then reaches nothing.
func (b *Box) Stop() error { return b.server.Close() }

// Close ends the stub and removes the home.
func (b *Box) Close() error { return errors.Join(b.Stop(), os.RemoveAll(b.dir)) }

func (b *Box) write(name, text string) error {
	name = filepath.Join(b.Home, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o600)
}
