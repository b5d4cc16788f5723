package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A fleet is a home directory with many sessions: those of the captured fleet
// over and over, each with other ids, pids and directories, behind transcripts
// of realistic sizes; and bin/claude, which lists them.
type fleet struct {
	home        string
	transcripts []string
	files       []string // job and process files
	rnd         *rand.Rand
}

// groups is over how many copies of the captured repositories the sessions are
// spread.
const groups = 10

// now is when a generated fleet is to be looked at: when the captured one was.
const now = "2026-11-29T18:08:47.767Z"

// newFleet makes a home directory of n sessions and about size bytes of
// transcripts. transcripts and files in it list them, NUL behind each.
func newFleet(l lab, home string, n int, size int64) error {
	src := filepath.Join(l.root, fixtures)
	f := &fleet{home: home, rnd: rand.New(rand.NewPCG(1, 2))}
	for g := range groups {
		to := fmt.Sprintf("%s/src/%d", f.home, g)
		if err := f.copyTree(filepath.Join(src, "root/home/dev/src"), to, strings.NewReplacer("/home/dev/src/", to+"/")); err != nil {
			return err
		}
	}
	members, err := captured(src)
	if err != nil {
		return err
	}
	var rows []json.RawMessage
	var history bytes.Buffer
	sizes := f.sizes(n, size*int64(len(members))/with(members))
	pasts := make([][]byte, len(members))
	for i := range n {
		m, k := members[i%len(members)], i/len(members)
		as := m.copied(f.home, k)
		if m.row != nil {
			rows = append(rows, json.RawMessage(as.Replace(string(m.row))))
		}
		for _, line := range m.history {
			history.WriteString(as.Replace(line))
		}
		if pasts[i%len(members)] == nil && m.transcript != nil {
			pasts[i%len(members)] = newPast(uint64(i), startOf(m.transcript), 1<<20)
		}
		if err := f.member(m, as, pasts[i%len(members)], sizes[i]); err != nil {
			return err
		}
	}
	if err := f.write(".claude/history.jsonl", history.Bytes()); err != nil {
		return err
	}
	for name, paths := range map[string][]string{"transcripts": f.transcripts, "files": f.files} {
		if err := f.write(name, []byte(strings.Join(paths, "\x00")+"\x00")); err != nil {
			return err
		}
	}
	return f.standIn(rows)
}

// standIn writes what stands in for claude: a script that prints files.
func (f *fleet) standIn(rows []json.RawMessage) error {
	listing, err := json.MarshalIndent(rows, "", "  ")
	if err == nil {
		err = f.write("listing.json", append(listing, '\n'))
	}
	if err == nil {
		err = f.write("bin/claude", fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" != --version ] || { echo '2.1.280 (Claude Code)'; exit; }\nexec cat %s/listing.json\n", f.home))
	}
	return cmp.Or(err, os.Chmod(filepath.Join(f.home, "bin/claude"), 0o755))
}

// with is how many members have a transcript.
func with(members []member) int64 {
	n := int64(0)
	for _, m := range members {
		if m.transcript != nil {
			n++
		}
	}
	return n
}

// sizes are those of n transcripts: three in four of some ten kilobytes, one in
// five of hundreds, one in a thousand of a hundred megabytes; together total.
func (f *fleet) sizes(n int, total int64) []int64 {
	sizes := make([]int64, n)
	sum := 0.0
	for i := range sizes {
		var kb float64
		switch u := f.rnd.Float64(); {
		case u < 0.0008:
			kb = 80_000 + 40_000*f.rnd.Float64()
		case u < 0.005:
			kb = 10_000 + 20_000*f.rnd.Float64()
		case u < 0.04:
			kb = 1_500 + 2_000*f.rnd.Float64()
		case u < 0.25:
			kb = 150 + 500*f.rnd.Float64()
		default:
			kb = 12 + 80*f.rnd.Float64()
		}
		sizes[i] = int64(kb * 1024)
		sum += float64(sizes[i])
	}
	for i := range sizes {
		sizes[i] = int64(float64(sizes[i]) * float64(total) / sum)
	}
	return sizes
}

// member writes the files of one session.
func (f *fleet) member(m member, as *strings.Replacer, past []byte, size int64) error {
	for path, text := range m.files {
		path = as.Replace(path)
		if err := f.write(path, []byte(as.Replace(text))); err != nil {
			return err
		}
		if strings.Contains(path, "/jobs/") || strings.Contains(path, "/sessions/") {
			f.files = append(f.files, filepath.Join(f.home, path))
		}
	}
	if m.transcript == nil {
		return nil
	}
	end := []byte(as.Replace(string(m.transcript)))
	path := filepath.Join(f.home, as.Replace(m.path))
	f.transcripts = append(f.transcripts, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	size -= int64(len(end))
	first := max(size, 0) % int64(len(past)) // of a past that begins in its midst
	_, begin, _ := bytes.Cut(past[int64(len(past))-first:], []byte("\n"))
	_, err = out.Write(begin)
	for size -= first; size > 0 && err == nil; size -= int64(len(past)) {
		_, err = out.Write(past)
	}
	if err == nil {
		_, err = out.Write(end)
	}
	return cmp.Or(err, out.Close())
}

func (f *fleet) write(path string, b []byte) error {
	path = filepath.Join(f.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// copyTree copies a tree of small files; as replaces what is in them.
func (f *fleet) copyTree(from, to string, as *strings.Replacer) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.ReplaceAll(strings.TrimPrefix(path, from), "dot-git", ".git")
		if e.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, []byte(as.Replace(string(b))), 0o600)
	})
}

// A member is a session of the captured fleet.
type member struct {
	id         string
	pids       []string
	row        json.RawMessage   // of the listing
	history    []string          // lines of history.jsonl
	files      map[string]string // by path below the home directory: job, process and subagent files
	path       string            // of its transcript
	transcript []byte
}

// copied replaces what tells copy k of a session from the session.
func (m member) copied(home string, k int) *strings.Replacer {
	pairs := []string{"/home/dev/src/", fmt.Sprintf("%s/src/%d/", home, k%groups)}
	if k > 0 {
		other := idOf(m.id, k)
		pairs = append(pairs, m.id, other, m.id[:8], other[:8])
		for _, pid := range m.pids {
			p, _ := strconv.Atoi(pid)
			other := strconv.Itoa(p + 30000*k)
			pairs = append(pairs, `"pid":`+pid, `"pid":`+other, `"pid": `+pid, `"pid": `+other, "sessions/"+pid+".json", "sessions/"+other+".json")
		}
	}
	return strings.NewReplacer(pairs...)
}

var (
	sessionID = regexp.MustCompile(`"sessionId": ?"([0-9a-f-]{36})"`)
	pidOf     = regexp.MustCompile(`"pid": ?(\d+)`)
)

// captured reads the sessions of the captured fleet.
func captured(src string) ([]member, error) {
	byID := map[string]*member{}
	of := func(text string) *member {
		found := sessionID.FindStringSubmatch(text)
		if found == nil {
			return nil
		}
		if byID[found[1]] == nil {
			byID[found[1]] = &member{id: found[1], files: map[string]string{}}
		}
		m := byID[found[1]]
		if pid := pidOf.FindStringSubmatch(text); pid != nil && !slices.Contains(m.pids, pid[1]) {
			m.pids = append(m.pids, pid[1])
		}
		return m
	}
	var rows []json.RawMessage
	listing, err := os.ReadFile(filepath.Join(src, "commands/claude-ac611fd5/stdout"))
	if err == nil {
		err = json.Unmarshal(listing, &rows)
	}
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if m := of(string(row)); m != nil {
			m.row = row
		}
	}
	home := filepath.Join(src, "root/home/dev")
	err = filepath.WalkDir(filepath.Join(home, ".claude"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(home, path)
		switch m := of(string(b)); {
		case err != nil || m == nil:
		case e.Name() == "history.jsonl":
			for line := range strings.Lines(string(b)) {
				m := of(line)
				m.history = append(m.history, line)
			}
		case strings.HasSuffix(path, m.id+".jsonl"):
			m.path, m.transcript = rel, b
		default:
			m.files[rel] = string(b)
		}
		return err
	})
	var members []member
	for _, m := range byID {
		members = append(members, *m)
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.id, b.id) })
	return members, err
}
