package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/driver"
	"github.com/fleet-tools/fleet/internal/ledger/fold"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

func decodeTarget(t *testing.T, e record.Entry, into *record.ActTarget) {
	t.Helper()
	if err := json.Unmarshal(e.Target, into); err != nil {
		t.Fatal(err)
	}
}

// stream is what the observers and the judge of sessions say of the town. blind
// names what is not read.
func (w *town) stream(blind string) *record.Set {
	set, at := new(record.Set), record.NewTime(w.now)
	count := map[string]int{}
	add := func(by string, kind record.Kind, host, subject string, data any) {
		r, err := record.New(kind, at, host, by, subject, data)
		if err != nil {
			w.t.Fatal(err)
		}
		count[by]++
		set.Add(record.Line{Record: r})
	}
	surface := func(by, name string) {
		s := record.Surface{OK: blind != name}
		if !s.OK {
			s.Error = "not read"
		}
		add(by, record.KindSurface, "devbox", name, s)
	}
	add("fleet-config", record.KindTick, "devbox", "lamp", record.Tick{Scope: "lamp", Host: "devbox", Mode: "act", Heal: &w.rules, Caps: record.Caps{FleetSessions: 8}})
	surface("fleet-observe-workspaces", "macf/workspaces")
	surface("fleet-observe-workspaces", "macf/processes")
	surface("fleet-observe-health", "macf/roster:p")
	surface("fleet-ledger", "ledger")
	for i, r := range w.agents {
		p := record.Workspace{Agent: r.name, Project: "p", Registry: &record.Registry{Kind: "local", ID: "/r"}, Path: fmt.Sprint("/w/", i), Session: "p@" + r.name, Processes: []record.AgentProc{}}
		if r.closed && w.rnd.IntN(4) > 0 { // it may have been closed since
			p.Unstartable = "claude.sh is not there"
		}
		alive := true
		if proc := r.process(); proc != nil {
			p.Processes = append(p.Processes, *proc)
			class := "9"
			switch {
			case r.busy:
				class = "5"
			case r.dialog:
				class = "3"
			}
			if w.rnd.IntN(10) == 0 { // what was seen is not what is now
				class = []string{"5", "9", "unknown"}[w.rnd.IntN(3)]
			}
			add("fleet-observe-claude", record.KindSession, "devbox", "s"+r.name, record.Session{SessionID: "s" + r.name, Process: &record.Process{PID: r.pid, Alive: &alive}})
			add("fleet-classify", record.KindVerdict, "devbox", "s"+r.name, record.Verdict{Class: class})
		}
		add("fleet-observe-workspaces", record.KindWorkspace, "devbox", p.Path, p)
		if h := r.health(); h != nil {
			add("fleet-observe-health", record.KindHealth, "devbox", "p/"+r.name, h)
		}
	}
	for _, h := range w.state.Heals(w.now) {
		add("fleet-ledger", record.KindHeal, "devbox", h.Agent, h)
	}
	for _, name := range []string{"claude/jobs", "claude/sessions", "claude/transcripts"} {
		add("fleet-observe-claude", record.KindSurface, "devbox", name, record.Surface{OK: true})
	}
	for _, by := range []string{"fleet-config", "fleet-observe-workspaces", "fleet-observe-health", "fleet-ledger", "fleet-classify", "fleet-observe-claude"} {
		if by == blind {
			continue
		}
		n, host := count[by], "devbox"
		if by == "fleet-classify" {
			host = ""
		}
		add(by, record.KindSurface, host, by, record.Surface{OK: true, Rows: n, Records: &n})
	}
	return set
}

// sweep is one run of the pipe. It may be killed, blind or dry.
func (w *town) sweep() {
	blind := ""
	if w.rnd.IntN(12) == 0 {
		blind = []string{"macf/roster:p", "macf/processes", "ledger", "fleet-observe-health", "fleet-ledger", "fleet-observe-workspaces"}[w.rnd.IntN(6)]
	}
	w.judged = true
	j := reconcile.Judge(w.stream(blind), reconcile.Options{})
	var ds []record.Decision
	for _, d := range j.Decisions {
		if blind != "" && (d.Decision.Action != nil || d.Decision.Reason != "blind") {
			w.t.Fatalf("blind (%s), and yet: %+v", blind, d.Decision)
		}
		ds = append(ds, d.Decision)
	}
	w.live(time.Second, 80) // between the look and the act
	w.kill = 0
	if w.rnd.IntN(6) == 0 {
		w.kill = 1 + w.rnd.IntN(12)
	}
	dry := ""
	if w.rnd.IntN(8) == 0 {
		dry = "dry"
	}
	wrote, acts := w.wrote, w.actor(dry)
	acts.SeenAt = record.TimeOf(j.At.Time)
	defer func() {
		if k := recover(); k != nil {
			if _, ok := k.(killed); !ok {
				panic(k)
			}
		}
	}()
	if err := acts.Do(context.Background(), ds); err != nil {
		w.t.Fatal(err)
	}
	if dry != "" && w.wrote != wrote {
		w.t.Fatal("a dry run wrote")
	}
}

func (w *town) actor(dry string) *Actor {
	var drivers map[string]driver.Driver
	if dry == "" {
		drivers = map[string]driver.Driver{"tmux": w}
	}
	return &Actor{Book: w, Eyes: w, Drivers: drivers, Rules: w.rules, Dry: dry, Host: "devbox", Command: starts, Lets: w.lets, Updates: idle, Startable: w.startable, Now: func() time.Time { return w.now },
		Sleep: func(_ context.Context, d time.Duration) { w.live(d, 400) }, Warn: func(string, ...any) {},
		Emit: func(_ string, o record.Outcome) error {
			w.acts[o.Verb+" "+o.Result+" "+o.Reason]++
			return nil
		}, Patient: Patience{Said: 3 * time.Second, Process: 3 * time.Second, Green: 5 * time.Second, Every: time.Second}}
}

// lets is what the configuration lets be done by now: a restart where the rules do.
func (w *town) lets(verb string) error {
	if verb == "restart" && !w.rules.AllowRestart {
		return errors.New("heal.allow_restart is 0")
	}
	return nil
}

// idle is that no update works.
func idle() error { return nil }

// startable is that what starts an agent is there, where it is.
func (w *town) startable(_, dir string) error {
	if w.agents[index(dir)].closed {
		return errors.New("is not there")
	}
	return nil
}

// starts is what starts an agent of the town.
func starts(_, workspace string) []string { return []string{workspace + "/claude.sh"} }

func newTown(t *testing.T, seed uint64) *town {
	w := &town{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), state: new(fold.State), acts: map[string]int{}, rules: record.DefaultHealRules()}
	w.rules.AllowRestart, w.rules.StaggerS = true, 1
	for i := range 4 {
		r := &resident{name: fmt.Sprint("agent-", i), told: map[string]bool{}}
		w.runs(r)
		r.answers = true
		w.agents = append(w.agents, r)
	}
	return w
}

// Whatever happens to agents, sweeps never touch one that works, is paused, shows a
// dialog or has its owner before it; never start what runs; keep the windows between
// starts; tell a person of one thing once; and write nothing when they are dry.
func TestModel(t *testing.T) {
	towns, sweeps := uint64(20), 500
	if os.Getenv("FLEET_LONG") != "" {
		towns = 200
	}
	acts := map[string]int{}
	for seed := range towns {
		w := newTown(t, seed)
		for range sweeps {
			w.live(time.Duration(60+w.rnd.IntN(1200))*time.Second, 60)
			w.sweep()
		}
		for what, n := range w.acts {
			acts[what] += n
		}
	}
	t.Logf("%d sweeps: %v", int(towns)*sweeps, acts)
	for _, what := range []string{"inject done ", "inject failed unread", "inject refused dialog", "inject refused attached", "launch done ", "launch failed gone", "launch failed deaf",
		"restart done ", "restart refused busy", "restart refused dialog", "restart refused attached", "restart dry dry", "launch refused unknown", "launch refused no-launcher", "restart refused no-launcher"} {
		if acts[what] == 0 {
			t.Errorf("no %q: the model does not get there", what)
		}
	}
	if !slices.ContainsFunc(keys(acts), func(k string) bool { return strings.HasPrefix(k, "restart failed") }) {
		t.Error("no restart ever failed")
	}
}

func keys(m map[string]int) (ks []string) {
	for k := range m {
		ks = append(ks, k)
	}
	return ks
}
