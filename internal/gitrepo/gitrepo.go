// Package gitrepo reads from a file system, without running git, in which
// repository and work tree a directory is and which branch it is on.
package gitrepo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Place is where a directory stands. Paths are absolute, symbolic links
// resolved.
type Place struct {
	CommonDir string // the git common dir, which work trees of one repository share
	Worktree  string // top of the work tree; "" in a bare repository
	Branch    string // short name; detached@<12 hex> without a branch; "" when it cannot be read
	BranchID  string // hash of the raw branch name; "" when detached or not readable
}

// ErrNoRepository is returned for a directory that is in no repository.
var ErrNoRepository = errors.New("in no git repository")

// headLimit bounds the small files of a git directory that are read.
const headLimit = 4096

// BranchID is the hash under which a branch is compared: the first 16 hex of
// the SHA-256 of its raw name. Shown forms are cleaned and must not be joined.
func BranchID(raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return hex.EncodeToString(sum[:])[:16]
}

// Locate places the directory dir, an absolute path, in fsys, which is rooted
// at /. The error is fs.ErrNotExist when dir is gone, ErrNoRepository when no
// parent holds a repository, and anything else when it could not be looked at.
func Locate(fsys fs.FS, dir string) (Place, error) {
	real, err := RealPath(fsys, dir)
	if err != nil {
		return Place{}, err
	}
	if info, err := fs.Stat(fsys, rel(real)); err != nil {
		return Place{}, err
	} else if !info.IsDir() {
		return Place{}, fmt.Errorf("%s: not a directory", dir)
	}
	for d := real; ; d = path.Dir(d) {
		gitDir, found, err := gitDirOf(fsys, d)
		if err != nil {
			return Place{}, err
		}
		if found {
			return place(fsys, d, gitDir)
		}
		if isGitDir(fsys, d) {
			return place(fsys, "", d)
		}
		if d == "/" {
			return Place{}, ErrNoRepository
		}
	}
}

// gitDirOf returns the git directory that d/.git is or points to.
func gitDirOf(fsys fs.FS, d string) (dir string, found bool, err error) {
	dot := path.Join(d, ".git")
	info, err := fs.Stat(fsys, rel(dot))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return dot, isGitDir(fsys, dot), nil
	}
	text, err := readSmall(fsys, dot)
	if err != nil {
		return "", false, err
	}
	target, ok := strings.CutPrefix(text, "gitdir:")
	if !ok {
		return "", false, fmt.Errorf("%s: no gitdir line", dot)
	}
	return resolve(d, strings.TrimSpace(target)), true, nil
}

// isGitDir tells a git directory as git does: HEAD, and either refs of its own
// or a commondir.
func isGitDir(fsys fs.FS, dir string) bool {
	return exists(fsys, path.Join(dir, "HEAD")) &&
		(exists(fsys, path.Join(dir, "refs")) || exists(fsys, path.Join(dir, "commondir")))
}

// place reads commondir and HEAD of a git directory. Of a work tree whose own is gone,
// as after git worktree prune, the repository that had it is known, and its branch is not.
func place(fsys fs.FS, worktree, gitDir string) (Place, error) {
	common := gitDir
	if !exists(fsys, gitDir) {
		if common = path.Dir(path.Dir(gitDir)); path.Base(path.Dir(gitDir)) != "worktrees" || !isGitDir(fsys, common) {
			return Place{}, fmt.Errorf("%s leads to %s, which is not there", path.Join(worktree, ".git"), gitDir)
		}
	}
	text, err := readSmall(fsys, path.Join(gitDir, "commondir"))
	switch {
	case err == nil:
		common = resolve(gitDir, strings.TrimSpace(text))
	case !errors.Is(err, fs.ErrNotExist):
		return Place{}, err
	}
	if common, err = RealPath(fsys, common); err != nil {
		return Place{}, fmt.Errorf("git common dir: %v", err) // that one is gone is not that the directory is
	}
	p := Place{CommonDir: common, Worktree: worktree}
	p.Branch, p.BranchID = head(fsys, gitDir)
	return p, nil
}

// head reads the branch of a git directory's own HEAD. A reftable repository
// keeps a placeholder there; its branch cannot be told without git.
func head(fsys fs.FS, gitDir string) (branch, id string) {
	text, err := readSmall(fsys, path.Join(gitDir, "HEAD"))
	if err != nil {
		return "", ""
	}
	text = strings.TrimSpace(text)
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		name, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
		if !ok || name == ".invalid" {
			return "", ""
		}
		return name, BranchID(name)
	}
	if len(text) < 40 || strings.Trim(text, "0123456789abcdef") != "" {
		return "", ""
	}
	return "detached@" + text[:12], ""
}

// RealPath resolves the symbolic links of an absolute path within fsys, also
// absolute ones, which are taken from the root of fsys.
func RealPath(fsys fs.FS, p string) (string, error) {
	if !path.IsAbs(p) {
		return "", fmt.Errorf("%q is not an absolute path", p)
	}
	todo := strings.Split(p, "/") // not cleaned: the parent of a link is that of its target
	done := "/"
	for hops := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		info, err := fs.Lstat(fsys, rel(next))
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if hops++; hops > 40 {
			return "", fmt.Errorf("%s: too many symbolic links", p)
		}
		target, err := fs.ReadLink(fsys, rel(next))
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			done = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return done, nil
}

func resolve(base, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(base, p)
}

func exists(fsys fs.FS, p string) bool {
	_, err := fs.Stat(fsys, rel(p))
	return err == nil
}

func readSmall(fsys fs.FS, p string) (string, error) {
	f, err := fsys.Open(rel(p))
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, headLimit))
	return string(b), err
}

// rel is an absolute path as an fs.FS rooted at / takes it.
func rel(p string) string {
	if p = strings.Trim(p, "/"); p == "" {
		return "."
	}
	return p
}
