package asks

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// noon is when the worlds of the tests are looked at, dawn when their ledger
// was written.
var (
	noon = record.NewTime(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	dawn = record.NewTime(time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC))
)

const (
	devbox = "devbox" // runs the tick
	attic  = "attic"  // the other machine of the scope
	lamp   = "/w/lamp/.git"
	wick   = "/w/wick/.git"
)

func ptr[T any](v T) *T { return &v }

// world is a judged stream in the making.
type world struct {
	tick     *record.Tick // null: without a configuration
	asked    []record.Asked
	heals    []record.Heal
	swept    *record.Swept
	sessions []seat
	surfaces map[string]*record.Surface // by host and name: devbox claude/jobs
	repos    []*record.Repo
	agents   []*record.Agent // of Paseo on devbox
	findings []record.Record
	silent   map[string]bool // programs that were not run, by host and name
	cut      map[string]bool // programs whose closing record is not there
	labels   []string        // further Claude directories of devbox
}

// seat is a session and what the judge makes of it.
type seat struct {
	host, subject string
	session       *record.Session
	verdict       record.Verdict
}

type change func(*world)

// newWorld is the eighth tick of the scope home on two machines, with two
// Claude directories on the first; everything is read and all is well.
func newWorld(changes ...change) *world {
	w := &world{labels: []string{"@work"}, surfaces: map[string]*record.Surface{}, silent: map[string]bool{}, cut: map[string]bool{}}
	w.tick = &record.Tick{Tick: ptr(8), Scope: "home", Host: devbox, Hosts: []string{devbox, attic}, Repos: []string{lamp, wick}, DryRun: true,
		Surfaces: []string{"claude", "paseo", "gh", "board"}, AskWhen: []record.AskWhen{{Key: "odd", When: "odd", Question: "Odd?"}}}
	w.repos = []*record.Repo{{CommonDir: lamp, Slug: "acme/lamp", OK: true, Rules: &record.Rules{}}, {CommonDir: wick, Slug: "acme/wick", OK: true, Rules: &record.Rules{}},
		{CommonDir: "/w/other/.git", Slug: "else/other", OK: true, Rules: &record.Rules{}}}
	for _, host := range []string{devbox, attic} {
		for _, name := range []string{"claude/version", "claude/processes", "claude/listing", "claude/jobs", "claude/sessions", "claude/transcripts",
			"paseo/agents", "paseo/schedules", "paseo/daemon", "board/home"} {
			w.surfaces[host+" "+name] = &record.Surface{OK: true}
		}
	}
	for _, name := range []string{"claude/listing@work", "claude/jobs@work", "claude/sessions@work", "claude/transcripts@work", "gh/acme/lamp", "gh/acme/wick", "ledger"} {
		w.surfaces[devbox+" "+name] = &record.Surface{OK: true}
	}
	w.seat(devbox, "s1", "5", "").seat(devbox, "s2@work", "5", "").seat(attic, "s3", "5", "")
	for _, c := range changes {
		c(w)
	}
	return w
}

// seat adds a session, or another judgement of one; none when class is empty.
func (w *world) seat(host, subject, class, question string, changes ...func(*seat)) *world {
	s := seat{host, subject, &record.Session{Kind: "interactive", Listing: &record.Listing{}, Transcript: &record.Transcript{}},
		record.Verdict{Class: class, ClassName: "class " + class, Question: question, Session: record.VerdictSession{Name: "n-" + subject}}}
	for _, c := range changes {
		c(&s)
	}
	w.sessions = slices.DeleteFunc(w.sessions, func(o seat) bool { return o.host == host && o.subject == subject })
	w.sessions = append(w.sessions, s)
	return w
}

// asks puts a key into the ledger.
func asks(key, state string) change {
	return func(w *world) {
		w.asked = append(w.asked, record.Asked{Key: key, ID: "a1", Batch: 3, Intent: "3-2", State: state, Class: "3", Question: "as it was", FirstTick: 3, Since: &dawn})
	}
}

func judged(host, subject, class, question string, changes ...func(*seat)) change {
	return func(w *world) { w.seat(host, subject, class, question, changes...) }
}

func gone(host, subject string) change {
	return func(w *world) {
		w.sessions = slices.DeleteFunc(w.sessions, func(o seat) bool { return o.host == host && o.subject == subject })
	}
}

// healed puts what fleet-act filed about an agent into the ledger, of a scope that
// keeps agents alive.
func healed(agent string, severities ...string) change {
	return func(w *world) {
		sweeps(-time.Minute, 0)(w)
		w.heals = append(w.heals, record.Heal{Agent: agent, Alerts: severities, Texts: map[string]string{"stuck": "three attempts"}})
	}
}

// sweeps has the last sweep end before noon, or when the time is zero never.
func sweeps(ago time.Duration, exit int) change {
	return func(w *world) {
		rules := record.DefaultHealRules()
		w.tick.Heal, w.swept = &rules, nil
		if ago != 0 {
			w.swept = &record.Swept{At: record.NewTime(noon.Add(ago)), Exit: exit}
		}
	}
}

// undecided has the sweeps since a moment before noon decide nothing about an agent.
func undecided(ago time.Duration) change {
	return func(w *world) {
		w.swept.Undecided, w.swept.Since = "code: macf/roster:p: gone", record.TimeOf(noon.Add(ago))
	}
}

// surface alters surfaces: devbox claude/jobs.
func surface(p record.Surface, names ...string) change {
	return func(w *world) {
		for _, n := range names {
			w.surfaces[n] = &p
		}
	}
}

func failed(names ...string) change {
	return surface(record.Surface{Error: "permission denied"}, names...)
}

func absent(names ...string) change { return surface(record.Surface{OK: true, Absent: true}, names...) }

func cut(program string) change    { return func(w *world) { w.cut[program] = true } }
func silent(program string) change { return func(w *world) { w.silent[program] = true } }

func repo(i int, f func(*record.Repo)) change { return func(w *world) { f(w.repos[i]) } }

func ticked(f func(*record.Tick)) change { return func(w *world) { f(w.tick) } }

func found(name, subject string) change {
	return func(w *world) {
		w.findings = append(w.findings, must(record.New(record.KindFinding, noon, "", judge, subject, record.Finding{Name: name, Says: "found " + name})))
	}
}

func all(changes ...change) change {
	return func(w *world) {
		for _, c := range changes {
			c(w)
		}
	}
}

func must(r record.Record, err error) record.Record {
	if err != nil {
		panic(err)
	}
	return r
}

// odd is the only expression of these tests: a session without a kind meets
// it, a shell fails it.
func odd(expr string) (func(record.Record) (bool, error), error) {
	if expr != "odd" {
		return nil, errors.New("column 1: no such thing")
	}
	return func(r record.Record) (bool, error) {
		p, ok := record.Payload[record.Session](r)
		if ok && p.Kind == "shell" {
			return false, errors.New("a shell is not odd")
		}
		return ok && p.Kind == "", nil
	}, nil
}

func (w *world) fold(t testing.TB) Fold {
	t.Helper()
	f, err := Of(setOf(w.records()), noon, odd)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// state is that of a key, "" when there is no such ask.
func (f Fold) state(key string) string {
	for _, a := range f.Asks {
		if a.Key == key {
			return a.State
		}
	}
	return ""
}

// raised and resolved are the keys of the entries.
func (f Fold) raised() (keys []string) {
	for _, a := range f.Asks {
		if a.State == record.AskNew {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

func (f Fold) resolved() []string {
	for _, e := range f.Entries {
		if e.Resolved {
			return e.Keys
		}
	}
	return nil
}
