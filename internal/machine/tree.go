package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// tree is a file system in which only regular files and directories open. It
// waits for no other end of a named pipe, and starts no device.
type tree struct {
	fs.FS
	open func(name string, flag int, perm fs.FileMode) (*os.File, error)
	any  bool // a name need not be UTF-8
}

// machineTree is the file system of this machine without what has a name that is
// not UTF-8: no record can hold that, so nothing is placed by it.
func machineTree() tree {
	return tree{os.DirFS("/"), func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		return os.OpenFile("/"+name, flag, perm)
	}, false}
}

// Files is the file system that is read: FS, and on this machine also what has a
// name that is not UTF-8, which the system takes and FS refuses.
func (w *World) Files() fs.FS {
	if t, here := w.FS.(tree); here {
		return tree{named{t.FS}, t.open, true}
	}
	return w.FS
}

// named looks at what the system has under a name that FS refuses.
type named struct{ fs.FS }

func (n named) Stat(name string) (fs.FileInfo, error) {
	if utf8.ValidString(name) {
		return fs.Stat(n.FS, name)
	}
	return os.Stat("/" + name)
}

func (n named) ReadDir(name string) ([]fs.DirEntry, error) {
	if utf8.ValidString(name) {
		return fs.ReadDir(n.FS, name)
	}
	return os.ReadDir("/" + name)
}

func (n named) ReadLink(name string) (string, error) {
	if utf8.ValidString(name) {
		return fs.ReadLink(n.FS, name)
	}
	return os.Readlink("/" + name)
}

func (n named) Lstat(name string) (fs.FileInfo, error) {
	if utf8.ValidString(name) {
		return fs.Lstat(n.FS, name)
	}
	return os.Lstat("/" + name)
}

// OpenFile opens a regular file, or a directory, of this machine for reading.
func OpenFile(abs string) (*os.File, error) { return machineTree().file(Path(abs)) }

// Open opens a regular file or a directory for reading.
func (t tree) Open(name string) (fs.File, error) {
	f, err := t.file(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (t tree) file(name string) (*os.File, error) {
	path := name
	if t.any {
		path = strings.ToValidUTF8(name, "?")
	}
	if !fs.ValidPath(path) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := t.open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Stat, ReadDir, ReadLink and Lstat look without opening.
func (t tree) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(t.FS, name) }
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.FS, name) }
func (t tree) ReadLink(name string) (string, error)       { return fs.ReadLink(t.FS, name) }
func (t tree) Lstat(name string) (fs.FileInfo, error)     { return fs.Lstat(t.FS, name) }

// Dangling returns an error when a path is missing because a symbolic link on
// the way to it leads nowhere, as to a disk that is not mounted: then nobody
// can tell what is behind it.
func (w *World) Dangling(abs string) error {
	for p := filepath.Clean(abs); p != "/" && p != "."; p = filepath.Dir(p) {
		info, err := fs.Lstat(w.Files(), Path(p))
		switch {
		case err != nil:
			continue
		case info.Mode()&fs.ModeSymlink == 0:
			return nil
		}
		if _, err := fs.Stat(w.Files(), Path(p)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: a symbolic link that leads nowhere", p)
		}
		return nil
	}
	return nil
}

// IsDir tells whether an entry of dir is a directory, or a symbolic link to
// one or to what cannot be looked at.
func (w *World) IsDir(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := fs.Stat(w.Files(), Path(filepath.Join(dir, e.Name())))
	return err != nil || info.IsDir()
}
