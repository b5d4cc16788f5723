package github

import (
	"errors"
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	const elsewhere, untold = "no GitHub remote", "cannot be told"
	tests := []struct {
		url, want string // want: a slug, or elsewhere, or untold
	}{
		{"https://github.com/acme/lamp", "acme/lamp"},
		{"https://github.com/acme/lamp.git", "acme/lamp"},
		{"https://github.com/acme/lamp/", "acme/lamp"},
		{"https://github.com/acme/lamp.git/", "acme/lamp"},
		{"https://www.github.com/acme/lamp", "acme/lamp"},
		{"HTTPS://GitHub.com/Acme/Lamp", "Acme/Lamp"},
		{"http://github.com/acme/lamp", "acme/lamp"},
		{"git://github.com/acme/lamp.git", "acme/lamp"},
		{"https://ana@github.com/acme/lamp.git", "acme/lamp"},
		{"https://x-access-token:hunter2@github.com/acme/lamp.git", "acme/lamp"},
		{"https://github.com:443/acme/lamp", "acme/lamp"},
		{"git@github.com:acme/lamp.git", "acme/lamp"},
		{"github.com:acme/lamp", "acme/lamp"},
		{"git@github.com:/acme/lamp.git", "acme/lamp"},
		{"[git@github.com:22]:acme/lamp.git", "acme/lamp"},
		{"ssh://git@github.com/acme/lamp.git", "acme/lamp"},
		{"ssh://git@github.com:22/acme/lamp.git", "acme/lamp"},
		{"ssh://git@ssh.github.com:443/acme/lamp.git", "acme/lamp"},
		{"git+ssh://git@github.com/acme/lamp", "acme/lamp"},
		{"git@github.com:acme/lamp.js.git", "acme/lamp.js"},
		{"git@github.com:ana_corp/.github", "ana_corp/.github"},

		{"git@gitlab.com:repo.git", elsewhere},
		{"https://gitlab.com/acme/lamp", elsewhere},
		{"https://github.example.com/acme/lamp", elsewhere},         // an enterprise server
		{"git@github.example.com:acme/lamp", elsewhere},             //
		{"https://github.com.example.com/acme/lamp", elsewhere},     //
		{"https://github.com@example.com/acme/lamp", elsewhere},     // github.com is a user here
		{"https://example.com/github.com/acme/lamp", elsewhere},     //
		{"https://gist.github.com/0123456789abcdef.git", elsewhere}, //
		{"/srv/git/x.git", elsewhere},
		{"../lamp", elsewhere},
		{"lamp", elsewhere},
		{"./acme:lamp", elsewhere}, // a colon behind a slash
		{"file:///x", elsewhere},
		{"", elsewhere},
		{`C:\lamp`, elsewhere},
		{"../lamp", elsewhere},
		{"lamp", elsewhere},
		{"ftp://github.com/acme/lamp", elsewhere},
		{"gcrypt::git@github.com:acme/lamp", elsewhere}, // a remote helper, whose content GitHub can't show

		{"git@host:/foo/bar.git", untold}, // perhaps an alias of ssh's configuration
		{"git@github-work:acme/lamp.git", untold},
		{"git@github.com-work:acme/lamp.git", untold},
		{"ssh://work/acme/lamp", untold},
		{"https://github.com/acme", untold},
		{"https://github.com/acme/lamp/tree/main", untold},
		{"https://github.com/acme/..", untold},
		{"https://github.com/-R/lamp", untold},
		{"https://github.com/acme/la%20mp", untold},
		{"ssh://git@github.com:acme/lamp.git", untold}, // no port
		{"https://github.com/acme/lamp\n", untold},
	}
	for _, tt := range tests {
		got, err := Slug(tt.url)
		if errors.Is(err, ErrNotGitHub) {
			got = elsewhere
		} else if err != nil {
			got = untold
		}
		if got != tt.want {
			t.Errorf("Slug(%q) = %q, %v; want %q", tt.url, got, err, tt.want)
		}
	}
}

// A remote is known by its own URL and by what insteadOf makes of it.
func TestSlugOfSeveral(t *testing.T) {
	tests := []struct {
		urls []string
		want string
	}{
		{[]string{"gh:acme/lamp", "https://github.com/acme/lamp"}, "acme/lamp"},
		{[]string{"https://github.com/acme/lamp", "git@github-work:acme/lamp"}, "acme/lamp"},
		{[]string{"gh:acme/lamp", "https://gitlab.com/acme/lamp"}, ""},
	}
	for _, tt := range tests {
		got, err := Slug(tt.urls...)
		if got != tt.want || got == "" && !errors.Is(err, ErrNotGitHub) {
			t.Errorf("Slug(%q) = %q, %v; want %q", tt.urls, got, err, tt.want)
		}
	}
	if _, err := Slug(); !errors.Is(err, ErrNotGitHub) {
		t.Errorf("Slug() = %v, want no GitHub remote", err)
	}
}

// A URL may hold a password: neither a slug nor an error shows any of it.
func TestSlugShowsNoUserinfo(t *testing.T) {
	const secret = "hunter2"
	for _, user := range []string{secret, "ana:" + secret, secret + ":x", "%68unter2:" + secret, secret + "@" + secret, "a:" + secret + "/" + secret} {
		for _, rest := range []string{"github.com/acme/lamp", "github.com:acme/lamp", "example.com/x", "host:22/x", "host:x/y", "host:port/x", "[::1]/x", "", "%zz/x", "\n"} {
			for _, scheme := range []string{"https://", "http://", "ssh://", "git://", "file://", "odd://", "", "["} {
				url := scheme + user + "@" + rest
				slug, err := Slug(url)
				if strings.Contains(slug, secret) || err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("Slug(%q) = %q, %v shows the secret", url, slug, err)
				}
			}
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"https://a:b@github.com/acme/lamp.git", "git@github.com:acme/lamp", "ssh://git@ssh.github.com:443/acme/lamp", "[git@github.com:22]:a/b", "C:\\x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, url string) {
		slug, err := Slug(url)
		switch {
		case err == nil && !ValidSlug(slug):
			t.Errorf("Slug(%q) = %q, which is no slug", url, slug)
		case err == nil && !strings.Contains(strings.ToLower(url), "github.com"):
			t.Errorf("Slug(%q) = %q out of nothing", url, slug)
		case err != nil && slug != "":
			t.Errorf("Slug(%q) = %q and %v", url, slug, err)
		}
		if err == nil {
			if again, err := Slug("https://github.com/" + slug); err != nil || again != slug {
				t.Errorf("Slug(%q) = %q, which reads as %q, %v", url, slug, again, err)
			}
		}
	})
}
