package classify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// noon is when the worlds of the tests are looked at.
var noon = record.NewTime(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))

// ago is d before noon.
func ago(d time.Duration) *record.Time {
	t := record.NewTime(noon.Add(-d))
	return &t
}

func ptr[T any](v T) *T { return &v }

const (
	devbox = "devbox"
	lamp   = "/w/lamp/.git" // in the scope of every configured world
	stove  = "/w/stove/.git"
	branch = "b1b1b1b1"
)

// world is a stream in the making: what each program says of one machine. A
// part that is null or a name in unread was not read.
type world struct {
	tick     *record.Tick // null: without a configuration
	boot     *record.Time
	awake    *float64 // seconds since boot; null: cannot be told
	past     []*record.Past
	zone     string
	sessions []*record.Session
	boards   []*record.Board
	agents   []*record.Agent
	owned    []*record.Owned
	asked    []*record.Asked
	repos    []*record.Repo
	unread   map[string]string // surface: error
	silent   map[string]bool   // programs that were not run
	at       record.Time
	extra    []record.Record
}

// local is the world of a machine without a configuration.
func local(ss ...*record.Session) *world {
	return &world{boot: ago(48 * time.Hour), zone: "UTC", sessions: ss, unread: map[string]string{}, at: noon,
		silent: map[string]bool{paseo: true, github: true, board: true, ledgers: true}}
}

// scoped is the world of a scope that holds lamp and expects every product.
func scoped(ss ...*record.Session) *world {
	w := local(ss...)
	w.silent = map[string]bool{}
	w.tick = &record.Tick{Tick: ptr(7), Scope: "home", Host: devbox, Repos: []string{lamp}, Others: []string{stove},
		Surfaces: []string{"claude", "paseo", "gh", "board", "ledger"}}
	w.repos = []*record.Repo{{CommonDir: lamp, Slug: "acme/lamp", OK: true, PRs: []record.PullRequest{}}}
	return w
}

// adopt makes sessions ours by the configuration.
func (w *world) adopt(ids ...string) *world {
	for _, id := range ids {
		w.tick.Adopted = append(w.tick.Adopted, record.Adopted{SessionID: id})
	}
	return w
}

// row gives the board a row of a session.
func (w *world) row(b *record.Board) *world {
	w.boards = append(w.boards, b)
	return w
}

// absent marks a surface of a product that is not installed.
const absent = "absent"

// lacks marks a surface as that of a product that is not installed, and leaves
// the product out of the configuration when named is false.
func (w *world) lacks(surface, product string, named bool) *world {
	if w.unread[surface] = absent; !named {
		w.tick.Surfaces = slices.DeleteFunc(w.tick.Surfaces, func(s string) bool { return s == product })
	}
	return w
}

// cannot marks a surface as not read.
func (w *world) cannot(surface string) *world {
	w.unread[surface] = "permission denied"
	return w
}

// forget leaves a program out.
func (w *world) forget(program string) *world {
	w.silent[program] = true
	return w
}

// program collects what one program adds, and ends it with its closing record.
type program struct {
	by string
	at record.Time
	rs []record.Record
}

func (p *program) add(kind record.Kind, subject string, data any) {
	r, err := record.New(kind, p.at, devbox, p.by, subject, data)
	if err != nil {
		panic(err)
	}
	p.rs = append(p.rs, r)
}

func (w *world) surfaces(p *program, names ...string) {
	for _, name := range names {
		if w.unread[name] == absent {
			p.add(record.KindSurface, name, record.Surface{OK: true, Absent: true})
			continue
		}
		p.add(record.KindSurface, name, record.Surface{OK: w.unread[name] == "", Error: w.unread[name]})
	}
}

// records are the lines of the world, program by program.
func (w *world) records() []record.Record {
	var rs []record.Record
	for _, p := range []struct {
		by   string
		says func(*program)
	}{{config, w.ofConfig}, {claude, w.ofClaude}, {paseo, w.ofPaseo}, {github, w.ofGitHub}, {board, w.ofBoard}, {ledgers, w.ofLedger}} {
		if w.silent[p.by] || p.by == config && w.tick == nil {
			continue
		}
		made := program{by: p.by, at: w.at}
		p.says(&made)
		n := len(made.rs)
		made.add(record.KindSurface, p.by, record.Surface{OK: true, Records: &n})
		rs = append(rs, made.rs...)
	}
	return append(rs, w.extra...)
}

func (w *world) ofConfig(p *program) { p.add(record.KindTick, w.tick.Scope, w.tick) }

func (w *world) ofClaude(p *program) {
	p.add(record.KindHost, devbox, record.Host{OS: "linux", Zone: w.zone, BootAt: w.boot, AwakeS: w.awake})
	w.surfaces(p, "claude/version", "claude/listing", "claude/jobs", "claude/sessions", "claude/transcripts", "claude/processes")
	for i, s := range w.sessions {
		p.add(record.KindSession, cmp.Or(s.SessionID, fmt.Sprintf("pid:%d", 900+i)), s)
	}
}

func (w *world) ofPaseo(p *program) {
	w.surfaces(p, "paseo/agents")
	for _, a := range w.agents {
		p.add(record.KindAgent, a.ID, a)
	}
}

func (w *world) ofGitHub(p *program) {
	for _, r := range w.repos {
		w.surfaces(p, "gh/"+r.Slug)
		p.add(record.KindRepo, r.CommonDir, r)
	}
}

func (w *world) ofBoard(p *program) {
	name := "board/" + Local
	if w.tick != nil {
		name = "board/" + w.tick.Scope
	}
	w.surfaces(p, name)
	for _, b := range w.boards {
		p.add(record.KindBoard, b.SessionID, b)
	}
}

func (w *world) ofLedger(p *program) {
	w.surfaces(p, "ledger")
	for _, o := range w.owned {
		p.add(record.KindOwned, "session:"+o.SessionID+o.PaseoAgentID+o.JobID, o)
	}
	for _, a := range w.asked {
		p.add(record.KindAsked, a.Key, a)
	}
	for _, tick := range w.past {
		p.add(record.KindPast, fmt.Sprintf("tick:%d", tick.Tick), tick)
	}
}

// setOf is the stream of records.
func setOf(rs []record.Record) *record.Set {
	set := new(record.Set)
	for _, r := range rs {
		raw, err := r.Line()
		if err != nil {
			panic(err)
		}
		set.Add(record.Line{Raw: raw, Record: r})
	}
	return set
}

// verdicts judges the world: the verdict of each session by subject.
func (w *world) verdicts(j judge) map[string]record.Verdict {
	vs := map[string]record.Verdict{}
	for _, s := range j.sessions(newStream(setOf(w.records()))) {
		vs[s.record.Subject] = s.verdict
	}
	return vs
}

// verdict judges the first session of the world.
func (w *world) verdict(j judge) record.Verdict {
	return w.verdicts(j)[cmp.Or(w.sessions[0].SessionID, "pid:900")]
}

// standard is the table that the program uses.
func standard() judge { return judge{Rules(), Standard} }

// judgeAll is what Judge yields.
func judgeAll(set *record.Set, by string, now record.Time) ([]record.Record, error) {
	var all []record.Record
	for r, err := range Judge(set, by, now) {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// seen is a session as it was judged.
type seen struct {
	record  record.Record
	facts   *Facts
	verdict record.Verdict
}

// sessions judges every session of the stream.
func (j judge) sessions(st *stream) []seen {
	var all []seen
	for _, r := range st.set.Of(record.KindSession) {
		f := st.factsOf(r, sessionOf(r), j.bounds)
		all = append(all, seen{r, f, j.verdict(st, f)})
	}
	return all
}
