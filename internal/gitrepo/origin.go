package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// configLimit bounds a git configuration file, includeDepth a chain of
// includes.
const (
	configLimit  = 1 << 20
	includeDepth = 10
)

// Origins returns the URLs under which the repository with a git common dir
// knows its remote origin: as its configuration has it and, when that differs,
// as the insteadOf of its own and of the global configurations rewrites it.
// There is none without a remote of that name. With an error it returns what
// could be told. A URL may hold a password and must not be shown.
//
// global is the paths of the configurations that git would read before the
// repository's own, in its order; one that is not there is passed over.
// include.path is followed; includeIf, whose conditions hold for one work tree
// and not for another, is not.
func Origins(fsys fs.FS, commonDir, home string, global ...string) ([]string, error) {
	c := config{fsys: fsys, home: home}
	var globalErr error
	for _, p := range global {
		if err := c.read(p, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			globalErr = errors.Join(globalErr, fmt.Errorf("git configuration: %w", err))
		}
	}
	if err := c.read(path.Join(commonDir, "config"), 0); err != nil {
		return nil, fmt.Errorf("git configuration: %w", err)
	}
	if c.url == "" {
		return nil, globalErr
	}
	urls := []string{c.url}
	if r := c.rewrite(c.url); r != c.url {
		urls = append(urls, r)
	}
	return urls, globalErr
}

// config is what is kept of git's configuration, read in git's order.
type config struct {
	fsys     fs.FS
	home     string
	url      string      // the first remote.origin.url, which git fetches from
	rewrites [][2]string // prefix, what takes its place
}

// read reads a configuration file and what it includes, in place.
func (c *config) read(file string, depth int) error {
	if depth > includeDepth {
		return fmt.Errorf("%s: more than %d includes deep", path.Base(file), includeDepth)
	}
	text, err := readConfig(c.fsys, file)
	if err != nil {
		return err
	}
	err = variables(text, func(section, sub, key, value string) error {
		switch section, key = strings.ToLower(section), strings.ToLower(key); {
		case section == "remote" && sub == "origin" && key == "url" && c.url == "":
			c.url = value
		case section == "url" && key == "insteadof" && value != "":
			c.rewrites = append(c.rewrites, [2]string{value, sub})
		case section == "include" && sub == "" && key == "path":
			return c.include(path.Dir(file), value, depth)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path.Base(file), err)
	}
	return nil
}

// include reads an included file, relative to the directory of the file that
// includes it. One that is not there is no error, as in git.
func (c *config) include(dir, p string, depth int) error {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		p = path.Join(c.home, rest)
	}
	err := c.read(resolve(dir, p), depth+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// rewrite applies insteadOf: the longest prefix counts, of equals the first.
func (c *config) rewrite(url string) string {
	best := [2]string{}
	for _, r := range c.rewrites {
		if strings.HasPrefix(url, r[0]) && len(r[0]) > len(best[0]) {
			best = r
		}
	}
	return best[1] + strings.TrimPrefix(url, best[0])
}

// readConfig reads a configuration file that is regular and not larger than
// configLimit, without a byte order mark.
func readConfig(fsys fs.FS, file string) ([]byte, error) {
	info, err := fs.Stat(fsys, rel(file))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path.Base(file))
	case info.Size() > configLimit:
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read", path.Base(file), info.Size(), configLimit)
	}
	text, err := fs.ReadFile(fsys, rel(file))
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}
