package observe

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// recordPaseo observes fsys as if it were this machine and records it.
func recordPaseo(t *testing.T, fsys fs.FS) (k *kept, dir string) {
	t.Helper()
	w := &machine.World{Home: "/home/ana", Host: "devbox", OS: "linux", Zone: "Europe/Berlin", At: looked, FS: fsys, Getenv: func(string) string { return "" }}
	return recordWorld(t, w)
}

func recordWorld(t *testing.T, w *machine.World) (k *kept, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "rec")
	if err := w.Record(dir); err != nil {
		t.Fatal(err)
	}
	k = &kept{surfaces: map[string]*record.Surface{}, agents: map[string]*record.Agent{}, plans: map[string]*record.Schedule{}}
	if _, err := (Paseo{Pause: func(time.Duration) {}}).Observe(w, k); err != nil {
		t.Fatal(err)
	}
	return k, dir
}

// replayPaseo observes a recording, and records it again.
func replayPaseo(t *testing.T, dir string) (k *kept, again string) {
	t.Helper()
	w, err := machine.New(dir, time.Time{}, false)
	if err != nil {
		t.Fatal(err)
	}
	return recordWorld(t, w)
}

// A recording is observed as the machine was, byte for byte, whatever the files
// are like; a recording of the recording is the same files; and nothing is in it
// that no parser decodes.
func TestPaseoRecord(t *testing.T) {
	worlds := map[string]fstest.MapFS{"installed": files(nil), "absent": {"home/ana/x": {}}}
	everything := map[string]string{}
	for part, odd := range map[string]map[string]string{"agents/x": oddAgents(), "agents": oddAgents(), "schedules": oddSchedules()} {
		for name, text := range odd {
			worlds[part+": "+name] = files(map[string]string{part + "/b.json": text, "agents/x/e.json": oddAgents()["everything"]})
			everything[part+"/"+name+".json"] = text
		}
	}
	worlds["everything"] = files(everything)
	for name, pid := range map[string]string{"gone": `{"pid":4194305,"startedAt":"2026-11-29T15:05:00.000Z","hostname":"FAKE"}`, "not JSON": "FAKE", "group": `{"pid":-1}`,
		"word": `{"pid":"FAKE"}`, "empty": "", "part": `{"pid":4194305.5}`, "lives": fmt.Sprintf(`{"pid":%d,"startedAt":"2026-11-29T15:05:00.000Z"}`, os.Getpid())} {
		worlds["paseo.pid: "+name] = files(map[string]string{"paseo.pid": pid, "agents/x/e.json": oddAgents()["everything"]})
	}
	linked := fstest.MapFS{"home/ana/.paseo": {Data: []byte("../../disk/paseo"), Mode: fs.ModeSymlink}, "disk/paseo/worktrees/w/x": {}, "home/ana/wt/x": {},
		"disk/paseo/agents/x/b.json": {Data: []byte(strings.Replace(agentJSON("b", morning, ""), "/home/ana/wt", "/home/ana/.paseo/worktrees/w", 1))}}
	worlds["behind a link"] = linked
	for name, m := range worlds {
		for _, file := range []string{"home/ana/wt/.git/HEAD", "home/ana/wt/.git/refs/x"} {
			if m["home/ana/.paseo/config.json"] != nil {
				m[file] = &fstest.MapFile{Data: []byte("ref: refs/heads/main\n")}
			}
		}
		want, once := recordPaseo(t, m)
		got, twice := replayPaseo(t, once)
		if !bytes.Equal(got.lines.Bytes(), want.lines.Bytes()) {
			t.Errorf("%s: the recording is observed otherwise:\n%s", name, diff.Diff("machine", want.lines.Bytes(), "recording", got.lines.Bytes()))
		}
		first := recordedFiles(t, once)
		if !maps.Equal(first, recordedFiles(t, twice)) {
			t.Errorf("%s: a recording of the recording differs", name)
		}
		for file, text := range first {
			// The names of zones, of labels and of words that drift are shown, as they are in the records.
			if text = strings.ReplaceAll(text, "Mars/FAKE", ""); strings.Contains(text, "FAKE") {
				t.Errorf("%s: %s holds %s", name, file, text)
			}
		}
	}
	if len(worlds) < 60 {
		t.Errorf("only %d worlds were tried", len(worlds))
	}
}

// recordedFiles are the files of a recording and what is in them, or where a
// link leads.
func recordedFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		read := os.Readlink
		if e.Type().IsRegular() {
			read = func(p string) (string, error) { b, err := os.ReadFile(p); return string(b), err }
		}
		rel, _ := filepath.Rel(dir, p)
		files[rel], err = read(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What could not be read is not read in the recording either, and what lies
// beside it is there.
func TestPaseoRecord_unread(t *testing.T) {
	content := map[string]string{"agents/x/a.json": agentJSON("a", morning, ""), "agents/y/b.json": agentJSON("b", morning, ""), "schedules/c.json": scheduleJSON("c", ""),
		"paseo.pid": `{"pid":4194305}`}
	for denied, want := range map[string]struct {
		failed, unparsed []string
		agents, plans    int
	}{
		".paseo":                  {failed: paseoSurfaces},
		".paseo/agents":           {failed: []string{"paseo/agents"}, plans: 1},
		".paseo/agents/y":         {failed: []string{"paseo/agents"}, plans: 1}, // the agents of x are not kept
		".paseo/schedules":        {failed: []string{"paseo/schedules"}, agents: 2},
		".paseo/agents/x/a.json":  {unparsed: []string{"paseo/agents"}, agents: 1, plans: 1},
		".paseo/schedules/c.json": {unparsed: []string{"paseo/schedules"}, agents: 2},
		".paseo/paseo.pid":        {failed: []string{"paseo/daemon"}, unparsed: []string{"paseo/daemon"}, agents: 2, plans: 1},
	} {
		refuse := func(name string, _ fstest.MapFS) error {
			if name == "home/ana/"+denied {
				return fs.ErrPermission
			}
			return nil
		}
		source, dir := recordPaseo(t, watched{MapFS: files(content), listed: refuse, opened: refuse})
		replayed, _ := replayPaseo(t, dir)
		for who, k := range map[string]*kept{"machine": source, "recording": replayed} {
			var failed, unparsed []string
			for _, name := range paseoSurfaces {
				s := k.surfaces[name]
				if !s.OK {
					failed = append(failed, name)
				}
				if s.Unparsed > 0 {
					unparsed = append(unparsed, name)
				}
			}
			if !slices.Equal(failed, want.failed) || !slices.Equal(unparsed, want.unparsed) {
				t.Errorf("%s: %s: not read %q, not understood %q; want %q and %q", denied, who, failed, unparsed, want.failed, want.unparsed)
			}
		}
		if len(replayed.agents) != want.agents || len(replayed.plans) != want.plans {
			t.Errorf("%s: %d agents and %d schedules recorded, want %d and %d", denied, len(replayed.agents), len(replayed.plans), want.agents, want.plans)
		}
	}
}

// cutOff is a file system whose files end in an error.
type cutOff struct{ fstest.MapFS }

type cutOffFile struct{ fs.File }

func (f cutOffFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	if err != nil {
		err = fs.ErrPermission
	}
	return n, err
}

func (c cutOff) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	return cutOffFile{f}, err
}

// A part of a file is not recorded as the file.
func TestPaseoRecord_cutOff(t *testing.T) {
	_, dir := recordPaseo(t, cutOff{files(map[string]string{"agents/x/a.json": agentJSON("a", morning, "")})})
	replayed, _ := replayPaseo(t, dir)
	if s := replayed.surfaces["paseo/agents"]; s.Unparsed != 1 || len(replayed.agents) > 0 {
		t.Errorf("recorded: %+v, %d agents", s, len(replayed.agents))
	}
}

// Nobody can tell of a daemon whether it lives, nor of the recorded one.
func TestPaseoRecord_processes(t *testing.T) {
	_, dir := recordPaseo(t, files(map[string]string{"paseo.pid": `{"pid":4194305}`}))
	meta := filepath.Join(dir, "meta.json")
	b, err := os.ReadFile(meta)
	if err != nil || !bytes.Contains(b, []byte(`"processes": []`)) {
		t.Fatalf("%s, %v", b, err)
	}
	if err := os.WriteFile(meta, bytes.Replace(b, []byte("[]"), []byte("null"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	blind, again := replayPaseo(t, dir)
	replayed, _ := replayPaseo(t, again)
	if s := blind.surfaces["paseo/daemon"]; s.OK || replayed.surfaces["paseo/daemon"].OK {
		t.Errorf("%+v, recorded %+v", s, replayed.surfaces["paseo/daemon"])
	}
}

// A directory that cannot be listed when it is listed again takes with it what
// was recorded of it.
func TestPaseoRecord_unlistedLater(t *testing.T) {
	lists := 0
	k, dir := recordPaseo(t, watched{
		MapFS: files(map[string]string{"agents/x/a.json": agentJSON("a", morning, ""), "agents/x/b.json": agentJSON("b", morning, "")}),
		opened: func(name string, m fstest.MapFS) error {
			if strings.HasSuffix(name, "/b.json") {
				return fs.ErrNotExist
			}
			return nil
		},
		listed: func(name string, _ fstest.MapFS) error {
			if name != "home/ana/.paseo/agents" {
				return nil
			}
			if lists++; lists > 1 {
				return fs.ErrPermission
			}
			return nil
		},
	})
	replayed, _ := replayPaseo(t, dir)
	if len(k.agents) != 1 || lists != 2 || replayed.surfaces["paseo/agents"].OK || len(replayed.agents) > 0 {
		t.Errorf("%d agents, listed %d times; recorded: %+v, %d agents", len(k.agents), lists, replayed.surfaces["paseo/agents"], len(replayed.agents))
	}
}

// A name with a credential in it is not in the recording, and two of them stay
// two. A path under crm/ is neither, and leads nowhere.
func TestPaseoRecord_names(t *testing.T) {
	token := "ghp_" + strings.Repeat("FAKE", 9)
	crm := strings.Replace(agentJSON("d", morning, ""), "/home/ana/wt", "/home/ana/crm/FAKE", 1)
	k, dir := recordPaseo(t, files(map[string]string{
		"agents/" + token + "/a.json": agentJSON("a", morning, ""), "agents/crm/b.json": agentJSON("b", morning, ""), "agents/crm/c.json": agentJSON("c", morning, ""),
		"agents/x/d.json": crm, "agents/x/e.json": agentJSON(token, morning, ""), "schedules/" + token + ".json": scheduleJSON("f", ""),
	}))
	replayed, _ := replayPaseo(t, dir)
	want := []string{"a", "b", "c", "d", guard.ID(token)}
	if got := slices.Sorted(maps.Keys(replayed.agents)); !slices.Equal(got, want) || !slices.Equal(slices.Sorted(maps.Keys(k.agents)), want) || len(replayed.plans) != 1 {
		t.Errorf("agents %q, want %q; %d schedules", got, want, len(replayed.plans))
	}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if strings.Contains(p, "FAKE") || strings.Contains(p, "crm/") {
			t.Errorf("recorded: %s", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range recordedFiles(t, dir) {
		if strings.Contains(text, "FAKE") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A recording that cannot be written is a failure.
func TestPaseoRecord_full(t *testing.T) {
	w := &machine.World{Home: "/home/ana", At: looked, FS: files(map[string]string{"agents/x/a.json": agentJSON("a", morning, "")}), Getenv: func(string) string { return "" }}
	to := filepath.Join(t.TempDir(), "rec")
	if err := cmp.Or(w.Record(to), os.RemoveAll(to)); err != nil {
		t.Fatal(err)
	}
	k := &kept{surfaces: map[string]*record.Surface{}, agents: map[string]*record.Agent{}, plans: map[string]*record.Schedule{}}
	if _, err := (Paseo{}).Observe(w, k); err == nil || !strings.HasPrefix(err.Error(), "--record: ") {
		t.Errorf("error %v", err)
	}
}
