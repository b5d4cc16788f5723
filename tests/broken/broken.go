// Package broken makes what a machine does fail. It is for tests only.
package broken

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// FS is a file system on which what is named fails: "open x", "stat x",
// "list x", or "info x" of a directory's entry, and of an open file "fstat x"
// and "read x".
type FS struct {
	fs.FS
	By map[string]error
}

// fails is the error of an operation, nil when it doesn't fail.
func (b FS) fails(op, name string) error {
	if err := b.By[op+" "+name]; err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (b FS) Open(name string) (fs.File, error) {
	if err := b.fails("open", name); err != nil {
		return nil, err
	}
	f, err := b.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return file{f, b, name}, nil
}

func (b FS) Stat(name string) (fs.FileInfo, error) {
	if err := b.fails("stat", name); err != nil {
		return nil, err
	}
	return fs.Stat(b.FS, name)
}

func (b FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := b.fails("list", name); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(b.FS, name)
	for i, e := range entries {
		entries[i] = entry{e, b, name + "/" + e.Name()}
	}
	return entries, err
}

type entry struct {
	fs.DirEntry
	of   FS
	name string
}

func (e entry) Info() (fs.FileInfo, error) {
	if err := e.of.fails("info", e.name); err != nil {
		return nil, err
	}
	return e.DirEntry.Info()
}

type file struct {
	fs.File
	of   FS
	name string
}

func (f file) Stat() (fs.FileInfo, error) {
	if err := f.of.fails("fstat", f.name); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f file) Read(p []byte) (int, error) {
	if err := f.of.fails("read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.of.fails("read", f.name); err != nil {
		return 0, err
	}
	return f.File.(io.ReaderAt).ReadAt(p, off)
}

// Without runs f while this process can open no more than n files.
func Without(t testing.TB, n int, f func()) {
	t.Helper()
	next, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	free := next.Fd() // the lowest number that is free
	next.Close()
	var was syscall.Rlimit
	if err = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(free) + uint64(n), Max: was.Max})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}
