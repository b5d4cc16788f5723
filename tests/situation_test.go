package tests

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/machine"
)

// situation is a captured session whose situation is known.
type situation struct {
	snapshot, session, kind, what, class string
}

// situations reads the truth table, by the last part of the snapshot's name.
func situations(t *testing.T) map[string][]situation {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "fixtures/situations-2.1.280/truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]situation{}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 {
			continue
		}
		name := filepath.Base(f[0])
		all[name] = append(all[name], situation{name, f[1], f[2], f[3], f[4]})
	}
	return all
}

// right tells whether a class is the one that the table wants.
func (s situation) right(class string) bool {
	for want := range strings.SplitSeq(s.class, "|") {
		if class == want || want == "idle" && (class == "9" || class == "9a" || class == "10") {
			return true
		}
	}
	return false
}

// edit changes the bytes and the names of a captured moment before it is laid
// out.
type edit func(string) string

// layOut writes the root of a captured moment, as --fixtures reads it, to dir.
func layOut(t *testing.T, snapshot, dir string, change edit) {
	t.Helper()
	src := filepath.Join(root, "fixtures/situations-2.1.280", snapshot)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(src, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	at := newest(t, src)
	write := func(name, text string) {
		p := filepath.Join(dir, change(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(change(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(src, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(src, p)
		switch top, _, _ := strings.Cut(rel, "/"); top {
		case "jobs", "sessions", "projects", "history.jsonl":
			write("root/home/dev/.claude/"+rel, cutAt(read(rel), at))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"proj-a", "proj-b", "proj-c", "bg1", "repo/.claude/worktrees/fix-login"} {
		if err := os.MkdirAll(filepath.Join(dir, "root/home/dev", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	layCommand(write, "2.1.280 (Claude Code)\n", "claude", "--version")
	layCommand(write, read("agents-all.json"), "claude", "agents", "--json", "--all")
	meta := machine.Meta{Home: "/home/dev", Host: "devbox", OS: "linux", Zone: "UTC", At: at, BootAt: at.Add(-2 * time.Hour), Processes: processes(t, src, read("ps.txt"))}
	b, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	write("meta.json", string(b))
}

func layCommand(write func(name, text string), stdout string, argv ...string) {
	dir := "commands/" + machine.CommandDir(argv, "") + "/"
	write(dir+"argv", strings.Join(argv, "\n")+"\n")
	write(dir+"stdout", stdout)
	write(dir+"stderr", "")
	write(dir+"status", "0\n")
}

var (
	isoStamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z`)
	msStamp  = regexp.MustCompile(`\b1[789]\d{11}\b`)
	sStamp   = regexp.MustCompile(`("resetsAt":)(1[789]\d{8})\b`)
	uuid     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// newest is the moment of a snapshot: the newest timestamp of its listing, job
// and process files.
func newest(t *testing.T, src string) time.Time {
	var at time.Time
	later := func(u time.Time) {
		if u.After(at) {
			at = u
		}
	}
	for _, pattern := range []string{"agents-all.json", "jobs/*/state.json", "sessions/*.json"} {
		files, _ := filepath.Glob(filepath.Join(src, pattern))
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range isoStamp.FindAllString(string(b), -1) {
				if u, err := time.Parse(time.RFC3339, s); err == nil {
					later(u)
				}
			}
			for _, s := range msStamp.FindAllString(string(b), -1) {
				n, _ := strconv.ParseInt(s, 10, 64)
				later(time.UnixMilli(n).UTC())
			}
		}
	}
	return at
}

// cutAt drops the lines that were written after at.
func cutAt(text string, at time.Time) string {
	if !strings.Contains(text, "\n{") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		var l struct{ Timestamp any }
		if json.Unmarshal([]byte(line), &l) == nil {
			switch v := l.Timestamp.(type) {
			case string:
				if u, err := time.Parse(time.RFC3339, v); err == nil && u.After(at) {
					continue
				}
			case float64:
				if time.UnixMilli(int64(v)).After(at) {
					continue
				}
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// processes reads the process table of a moment. ps did not print start times:
// they are those of the process files.
func processes(t *testing.T, src, ps string) []claude.Process {
	t.Helper()
	list := []claude.Process{}
	sc := bufio.NewScanner(strings.NewReader(ps))
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		if len(f) < 3 || !claude.IsProgram(f[2]) {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		p := claude.Process{PID: pid, Exe: "/opt/claude", Args: claude.Argv(f[2:])}
		if b, err := os.ReadFile(filepath.Join(src, "sessions", f[0]+".json")); err == nil {
			var file struct{ ProcStart, Cwd string }
			if err := json.Unmarshal(b, &file); err != nil {
				t.Fatal(err)
			}
			p.Start, p.Cwd = file.ProcStart, file.Cwd
		}
		list = append(list, p)
	}
	return list
}

// shifted moves every clock by d and renames every session id, in contents and
// in file names. Job ids are the first 8 hex of session ids.
func shifted(d time.Duration) edit {
	short := map[string]string{}
	rename := func(id string) string {
		h := fmt.Sprintf("%x", sha256.Sum256([]byte(id)))
		n := h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
		short[id[:8]] = n[:8]
		return n
	}
	eight := regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	return func(s string) string {
		s = uuid.ReplaceAllStringFunc(s, rename)
		s = eight.ReplaceAllStringFunc(s, func(id string) string {
			if n := short[id]; n != "" {
				return n
			}
			return id
		})
		s = isoStamp.ReplaceAllStringFunc(s, func(m string) string {
			u, err := time.Parse(time.RFC3339, m)
			if err != nil {
				return m
			}
			return u.Add(d).Format("2006-01-02T15:04:05.000Z")
		})
		s = sStamp.ReplaceAllStringFunc(s, func(m string) string {
			p := sStamp.FindStringSubmatch(m)
			n, _ := strconv.ParseInt(p[2], 10, 64)
			return p[1] + strconv.FormatInt(n+int64(d/time.Second), 10)
		})
		return msStamp.ReplaceAllStringFunc(s, func(m string) string {
			n, _ := strconv.ParseInt(m, 10, 64)
			return strconv.FormatInt(n+d.Milliseconds(), 10)
		})
	}
}

func unchanged(s string) string { return s }
