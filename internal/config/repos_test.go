package config

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/kr/pretty"

	"github.com/fleet-tools/fleet/internal/record"
)

func TestPlace(t *testing.T) {
	dirs := map[string]string{"/home/ana/src/lamp": "/home/ana/src/lamp/.git", "/wt/lamp-1": "/home/ana/src/lamp/.git",
		"/src/mantle": "/src/mantle/.git", "/src/shared": "/src/shared/.git", "/src/both": "/src/both/.git", "/src/wick": "/src/wick/.git"}
	locate := func(dir string) (string, error) {
		if common, ok := dirs[dir]; ok {
			return common, nil
		}
		return "", errors.New("in no git repository")
	}
	f, err := load(`{"v": 1, "scopes": {"lamp": {}, "wick": {"repos": ["/src/wick", "/src/shared/", "/src/gone", "/src/both"]}}}`,
		`{"version": 1, "scopes": {"lamp": ["~/src/lamp", "/src/both", "/wt/lamp-1"], "mantle": ["/src/mantle/.git", "/src/nowhere", "/src/shared"], "wick": ["/ignored"]}}`)
	if err != nil {
		t.Fatal(err)
	}
	lamp, _ := f.Scope("lamp")
	shared := "/src/shared/.git is in several scopes and belongs to none: mantle, wick"
	both := "/src/both/.git is in several scopes and belongs to none: lamp, wick"
	want := Placement{Repos: []string{"/home/ana/src/lamp/.git"}, Others: []string{"/src/mantle/.git", "/src/shared/.git", "/src/wick/.git"},
		Shared: map[string][]string{"/src/both/.git": {"lamp", "wick"}}, Notes: []string{both, shared}}
	for _, d := range pretty.Diff(f.Place(lamp, locate), want) {
		t.Error("lamp:", d)
	}
	wick, _ := f.Scope("wick")
	want = Placement{Repos: []string{"/src/wick/.git"}, Others: []string{"/home/ana/src/lamp/.git", "/src/mantle/.git"},
		Shared:  map[string][]string{"/src/both/.git": {"lamp", "wick"}, "/src/shared/.git": {"mantle", "wick"}},
		Unfound: []string{"/src/gone: in no git repository"}, Notes: []string{both, shared}}
	p := f.Place(wick, locate)
	for _, d := range pretty.Diff(p, want) {
		t.Error("wick:", d)
	}
	n := 7
	tick := f.Tick(wick, "devbox", &n, false, p)
	wantTick := record.Tick{Tick: &n, Scope: "wick", Host: "devbox", Hosts: []string{}, Mode: "report", DryRun: true, Repos: p.Repos, Others: p.Others,
		Adopted: []record.Adopted{}, Caps: record.Caps{FleetSessions: 8, ActiveSessions: 12, ActiveWindowMin: 30, ResearchPerDay: 4, MailIntervalHour: 6},
		Surfaces: []string{"claude", "paseo", "gh", "board", "ledger"}, AskWhen: []record.AskWhen{}, Actions: 15368, PRCap: 200, Timeout: 15, Renotify: 6, Raise: 50,
		Unfound: p.Unfound, Shared: p.Shared, Verbose: []string{both, shared}}
	for _, d := range pretty.Diff(tick, wantTick) {
		t.Error("tick:", d)
	}
}

func TestTick_hostsAndDry(t *testing.T) {
	f, err := load(file(`"dry_run": 0, "hosts": ["ana@laptop", {"name": "devbox"}, {"name": "nas", "ssh_config": "/it's", "repos": ["/srv/lamp/", "/srv/wick.git", "/srv/a/.git"]}]`), "")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.Scope("lamp")
	for _, dry := range []bool{false, true} {
		tick := f.Tick(s, "devbox", nil, dry, Placement{})
		if fmt.Sprint(tick.Hosts, tick.SSH, tick.There) != `[devbox laptop nas] map[laptop:ana@laptop nas:-F '/it'\''s' nas] map[nas:[/srv/lamp/.git /srv/wick.git /srv/a/.git]]` || tick.DryRun != dry || tick.Repos == nil {
			t.Errorf("%+v", tick)
		}
	}
	f, _ = load(file(""), "")
	s, _ = f.Scope("lamp")
	if tick := f.Tick(s, "devbox", nil, false, Placement{}); !tick.DryRun || len(tick.Hosts) > 0 {
		t.Errorf("%+v", tick)
	}
}

func TestTokenFile(t *testing.T) {
	fsys := fstest.MapFS{"t/good": {Data: []byte("x"), Mode: 0o600}, "t/strict": {Data: []byte("x"), Mode: 0o400},
		"t/open": {Data: []byte("x"), Mode: 0o640}, "t/empty": {Mode: 0o600}}
	for name, want := range map[string]string{"": "false keyring", "/t/good": "true token file", "/t/strict": "true token file",
		"/t/open":  "false keyring (open has mode 0640, not 0600 or 0400)",
		"/t/empty": "false keyring (empty is empty)", "/t/gone": "false keyring (gone cannot be read)"} {
		ok, why := (&Scope{Token: name}).TokenFile(fsys)
		if got := fmt.Sprint(ok, " ", why); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
