// Package github turns what git and gh say of a repository on github.com into
// the payloads of a stream: bytes in, records out. Its words and shapes are
// those of gh 2.23 to 2.60 and of GitHub's REST and GraphQL answers.
package github

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// ErrNotGitHub is returned for an origin that surely leads to no repository on
// github.com.
var ErrNotGitHub = errors.New("no GitHub remote")

var (
	errNoRemote = notGitHub("there is no remote named origin")
	errLocal    = notGitHub("origin is a local path")
	errElse     = notGitHub("origin is on another host")
	errAlias    = errors.New("no GitHub remote that can be told: origin names an ssh host alias")
	errPath     = errors.New("origin is on github.com and names no owner/name")
	errURL      = errors.New("origin is no URL that can be read")
)

// slugShape is what GitHub allows as owner/name. Neither begins with a dash
// that gh could take for a flag.
var slugShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]{1,100}$`) })

// Slug returns the owner/name of the first of urls that leads to github.com:
// the URL of a remote as it is configured, and as insteadOf rewrites it, in
// which a shorthand becomes a GitHub URL or a GitHub URL an ssh host alias. The
// error is about the last, and wraps ErrNotGitHub when that surely leads
// elsewhere, or when there is none; otherwise it cannot be told. No error holds
// any part of a URL, where passwords lie.
func Slug(urls ...string) (string, error) {
	err := error(errNoRemote)
	for _, u := range urls {
		var slug string
		if slug, err = slugOf(u); err == nil {
			return slug, nil
		}
	}
	return "", err
}

func slugOf(s string) (string, error) {
	host, path, ssh := "", "", false
	switch scheme, _, ok := strings.Cut(s, "://"); {
	case !ok:
		if host, path, ok = scpLike(s); !ok {
			return "", errLocal
		}
		ssh = true
	case strings.EqualFold(scheme, "file"):
		return "", errLocal
	default:
		u, err := url.Parse(s)
		if err != nil {
			return "", errURL
		}
		if !overGit[u.Scheme] {
			return "", errElse
		}
		host, path, ssh = u.Hostname(), u.Path, strings.Contains(u.Scheme, "ssh")
	}
	if err := onGitHub(strings.ToLower(host), ssh); err != nil {
		return "", err
	}
	slug := strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if !ValidSlug(slug) {
		return "", errPath
	}
	return slug, nil
}

// overGit is the URL schemes under which git reaches a host.
var overGit = map[string]bool{"https": true, "http": true, "ssh": true, "git": true, "git+ssh": true, "ssh+git": true, "git+https": true}

// onGitHub tells whether a host is github.com. What a host alias of ssh's own
// configuration stands for cannot be told here: a name without a dot, or such
// as github.com-work.
func onGitHub(host string, ssh bool) error {
	switch {
	case host == "github.com", ssh && host == "ssh.github.com", !ssh && host == "www.github.com":
		return nil
	case ssh && (!strings.Contains(host, ".") || strings.HasPrefix(host, "github.com-") || strings.HasPrefix(host, "github.com_")):
		return errAlias
	}
	return errElse
}

// scpLike splits [user@]host:path and [user@host:port]:path. A colon behind a
// slash, or behind a single letter as in C:\lamp, makes no host.
func scpLike(s string) (host, path string, ok bool) {
	if rest, bracket := strings.CutPrefix(s, "["); bracket {
		host, path, ok = strings.Cut(rest, "]:")
		host, _, _ = strings.Cut(host[strings.LastIndexByte(host, '@')+1:], ":")
		return host, path, ok
	}
	host, path, ok = strings.Cut(s, ":")
	if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 || strings.HasPrefix(path, ":") {
		return "", "", false
	}
	return host[strings.LastIndexByte(host, '@')+1:], path, true
}

// ValidSlug tells whether s is an owner/name that GitHub can have.
func ValidSlug(s string) bool {
	return slugShape().MatchString(s) && !strings.HasSuffix(s, "/.") && !strings.HasSuffix(s, "/..")
}

// notGitHub is a reason that wraps ErrNotGitHub.
type notGitHub string

func (e notGitHub) Error() string { return ErrNotGitHub.Error() + ": " + string(e) }
func (e notGitHub) Unwrap() error { return ErrNotGitHub }
