package main

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
)

// patterns are the files under HOME that an observer may read; "**" stands for any directories.
var patterns = []string{
	".claude/history.jsonl",
	".claude/jobs/*/state.json",
	".claude/jobs/pins.json",
	".claude/sessions/*.json",
	".claude/projects/**/*.jsonl",
	".claude/projects/**/*.meta.json",
	"**/.git",
	"**/.git/HEAD",
	"**/.git/config",
	"**/.git/packed-refs",
	"**/.git/refs/**/*",
	"**/.git/worktrees/*/HEAD",
	"**/.git/worktrees/*/commondir",
	"**/.git/worktrees/*/gitdir",
}

// kept reports whether an observer may read the file, a slash path relative to HOME.
func kept(name string) bool {
	for _, p := range patterns {
		if match(strings.Split(p, "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

func match(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return match(pattern[1:], name) || len(name) > 0 && match(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && match(pattern[1:], name[1:])
}

// stored returns the name of an absolute path in the fixture's root directory: git would not keep
// a file below a ".git".
func stored(abs string) string {
	parts := strings.Split(filepath.ToSlash(abs), "/")
	for i, p := range parts {
		if p == ".git" {
			parts[i] = "dot-git"
		}
	}
	return filepath.Join(parts...)
}

// commandDir returns the name of the directory that holds how a command went.
func commandDir(argv []string) string {
	sum := sha256.Sum256([]byte(strings.Join(argv, "\x00")))
	return filepath.Base(argv[0]) + "-" + hex.EncodeToString(sum[:])[:8]
}
