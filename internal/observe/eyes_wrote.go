package observe

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fleet-tools/fleet/internal/record"
)

// Wrote returns when a session last wrote into its transcript, or one of its subagents
// into theirs, by the files' own time; nil when it has none, or no id. Source:
// projects/*/<session id>.jsonl and <session id>/subagents of Claude Code 2.1.280.
func (e Eyes) Wrote(_ context.Context, s record.Seen) (*record.Time, error) {
	if s.SessionID == "" {
		return nil, nil
	}
	dir, err := e.claudeDir()
	if err != nil {
		return nil, err
	}
	files, err := saidFiles(filepath.Join(dir, "projects"), s.SessionID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var last *record.Time
	for _, file := range files {
		for _, root := range []string{file, filepath.Join(strings.TrimSuffix(file, ".jsonl"), "subagents")} {
			at, err := wroteIn(root)
			if err != nil {
				return nil, err
			}
			if newer(at, last) {
				last = at
			}
		}
	}
	return last, nil
}

// wroteIn is the time of a transcript, or of the newest below a directory.
func wroteIn(root string) (last *record.Time, err error) {
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		if err != nil || e.IsDir() || filepath.Ext(name) != ".jsonl" {
			return err
		}
		info, err := os.Stat(name) // what a link leads to is written
		if err != nil {
			return err
		}
		if at := record.TimeOf(info.ModTime()); newer(at, last) {
			last = at
		}
		return nil
	})
	return last, err
}
