package classify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/internal/record"
)

// listingUnread is a world whose listing was not read.
func listingUnread(s *record.Session, more ...func(*world)) *world {
	s.Listing = nil
	w := mine(s, more...)()
	return w.cannot("claude/listing")
}

// unlisted is a situation whose listing was not read.
func unlisted(s *record.Session, more ...func(*world)) func() *world {
	return func() *world { return listingUnread(s, more...) }
}

var password = state("blocked", "blocked", "the password", "the password")

// withoutListing shows that 2, 4 and 7 stand on their own file, and nothing
// else does.
var withoutListing = []situation{
	{"limit in the transcript", unlisted(session("s", limited(hitLimit, nil))), "2"},
	{"limit in the job file", unlisted(job("s", state("blocked", "blocked", "rate limited — wait and retry · "+hitLimit, hitLimit))), "2"},
	{"limit on the board", unlisted(session("s"), died("rate_limit", ago(9*minute))), "2"},
	{"error in the transcript", unlisted(session("s", fails("server_error", 500, "API Error: 500"))), "4"},
	{"error in the job file", unlisted(job("s", state("blocked", "blocked", "API unavailable — retry", ""))), "4"},
	{"failed job", unlisted(job("s", state("failed", "idle", "", "no tests"))), "4"},
	{"death on the board", unlisted(session("s"), died("server_error", ago(9*minute))), "4"},
	{"process gone", unlisted(session("s", status("busy"), killed)), "4"},
	{"question in the job file", unlisted(job("s", password)), "7"},
	{"question in the job file, no process", unlisted(job("s", password, dead)), "7"},
	{"question in the job file, prompt open", unlisted(job("s", status("waiting", "input needed"), state("working", "blocked", "answer: Which?", "Which?"))), "7"},
	{"BLOCKED", unlisted(session("s", word("BLOCKED"))), "7"},
	{"prompt", unlisted(session("s", status("waiting", "permission prompt"))), Unknown},
	{"approval", unlisted(job("s", status("waiting", "permission prompt"), state("working", "blocked", "approve Bash: make", ""))), Unknown},
	{"approval, no process", unlisted(job("s", dead, state("blocked", "blocked", "approve Bash: make", ""))), Unknown},
	{"question in the transcript", unlisted(session("s", asking("question", "Which?"))), Unknown},
	{"busy", unlisted(session("s", status("busy"))), Unknown},
	{"error, and a prompt open", unlisted(session("s", fails("server_error", 500, "API Error: 500"), status("waiting", "dialog open"))), Unknown},
	{"error, and the process file not read", unlisted(session("s", fails("server_error", 500, "API Error: 500")), func(w *world) { w.cannot("claude/sessions") }), Unknown},
	{"busy job whose file says blocked", unlisted(job("s", status("busy"), password)), Unknown},
	{"job without a process that works", unlisted(job("s", dead, state("working", "active", "", ""))), Unknown},
	{"hung", unlisted(session("s", status("busy"), active(3*hour))), Unknown},
	{"DONE", unlisted(session("s", word("DONE"))), Unknown},
	{"idle", unlisted(session("s")), Unknown},
	{"not ours", func() *world { s := session("s"); s.Listing = nil; return scoped(s).cannot("claude/listing") }, Unknown},
	{"error, and the process table not read", unlisted(session("s", fails("server_error", 500, "API Error: 500"), untabled)), Unknown},
	{"idle, and the process table not read, not ours", func() *world {
		s := session("s", untabled)
		s.Listing = nil
		return scoped(s).cannot("claude/listing")
	}, Unknown},
}

// untabled is a session of a machine whose process table was not read.
func untabled(s *record.Session) { s.Process.Alive, s.Process.Start = nil, "cannot tell" }

func TestWithoutListing(t *testing.T) {
	for _, s := range withoutListing {
		t.Run(s.name, func(t *testing.T) { s.world().class(t, s.class) })
	}
}

// cut takes the closing record of a program out.
func cut(rs []record.Record, by string) []record.Record {
	return slices.DeleteFunc(rs, func(r record.Record) bool { return r.Subject == by })
}

// TestClosing checks that a program that was cut was not read.
func TestClosing(t *testing.T) {
	w := mine(session("s"), boardRow(record.Board{}))()
	w.agents, w.owned = []*record.Agent{{ID: "a", Sessions: []string{"x"}}}, []*record.Owned{{PaseoAgentID: "a"}}
	whole := w.records()
	if got := judgedClasses(whole)["s"]; got != "9a" {
		t.Fatalf("class %s", got)
	}
	for by, want := range map[string]string{claude: Unknown, board: Unknown, config: Unknown, paseo: "9a", github: "9a", ledgers: "9a"} {
		if got := judgedClasses(cut(slices.Clone(whole), by))["s"]; got != want {
			t.Errorf("without the closing record of %s: class %s, want %s", by, got, want)
		}
	}
	tickless := slices.DeleteFunc(slices.Clone(whole), func(r record.Record) bool { return r.Kind == record.KindTick })
	for _, s := range standard().sessions(newStream(setOf(tickless))) {
		if v := s.verdict; v.Class != Unknown || !strings.HasPrefix(v.Why, config+": ") || len(v.Matched) > 0 {
			t.Errorf("without the tick: class %s, why %q", v.Class, v.Why)
		}
	}
	hostless := slices.DeleteFunc(slices.Clone(whole), func(r record.Record) bool { return r.Kind == record.KindHost })
	if got := judgedClasses(hostless)["s"]; got != Unknown {
		t.Errorf("without the host: class %s", got)
	}
	if v := standard().sessions(newStream(setOf(hostless)))[0].verdict; v.Why != claude+": closing record counts 8, 7 are here" {
		t.Errorf("why %q", v.Why)
	}
}

// TestHosts checks that each session is judged by what its own machine tells.
func TestHosts(t *testing.T) {
	w := scoped(session("s"), session("r")).adopt("*")
	far := w.records()
	for i := range far {
		far[i].Host = "farbox"
	}
	rs := slices.Concat(w.records(), far)
	got := map[string]string{}
	for _, s := range standard().sessions(newStream(setOf(cut(rs, "")))) {
		got[s.record.Host+" "+s.record.Subject] = s.verdict.Class
	}
	rs = slices.DeleteFunc(rs, func(r record.Record) bool { return r.Host == "farbox" && r.Subject == "claude/listing" })
	for _, s := range standard().sessions(newStream(setOf(rs))) {
		got["cut: "+s.record.Host+" "+s.record.Subject] = s.verdict.Class
	}
	for key, want := range map[string]string{"devbox s": "9a", "farbox s": "9a", "farbox r": "9a", "cut: devbox s": "9a", "cut: farbox s": Unknown} {
		if got[key] != want {
			t.Errorf("%s: class %s, want %s", key, got[key], want)
		}
	}
}

// TestHosts_repos checks that the repositories that a machine has of its own are
// looked for there alone.
func TestHosts_repos(t *testing.T) {
	w := scoped(session("s")).adopt("*")
	near, far := w.records(), w.records()
	for i := range far {
		far[i].Host = "farbox"
	}
	for _, tt := range []struct {
		there map[string][]string
		want  string
	}{
		{nil, "devbox 9a, farbox 9a"},
		{map[string][]string{"farbox": {"/elsewhere/.git"}}, "devbox 9a, farbox 1"},
		{map[string][]string{"farbox": {"/elsewhere/.git", w.sessions[0].Repo}}, "devbox 9a, farbox 9a"},
		{map[string][]string{"attic": {"/elsewhere/.git"}}, "devbox 9a, farbox 9a"},
	} {
		rs := slices.Concat(near, far)
		for i, r := range rs {
			if k, ok := record.Payload[record.Tick](r); ok && r.Host == devbox {
				tick := *k
				tick.There = tt.there
				rs[i], _ = record.New(r.Kind, r.At, r.Host, r.By, r.Subject, tick)
			}
		}
		rs = slices.DeleteFunc(rs, func(r record.Record) bool { return r.By == config && r.Host == "farbox" })
		got := []string{}
		for _, s := range standard().sessions(newStream(setOf(rs))) {
			got = append(got, s.record.Host+" "+s.verdict.Class)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%v: %q, want %s", tt.there, got, tt.want)
		}
	}
}

// TestHosts_board checks that of another machine than the tick's own no board is
// wanted, and that of its own one is.
func TestHosts_board(t *testing.T) {
	w := mine(session("s"), boardRow(record.Board{}))()
	w.tick.Surfaces = append(w.tick.Surfaces, "board")
	near := w.records()
	boardless := slices.DeleteFunc(slices.Clone(near), func(r record.Record) bool { return r.By == board })
	far := slices.DeleteFunc(slices.Clone(boardless), func(r record.Record) bool { return r.By == config })
	for i := range far {
		far[i].Host = "farbox"
	}
	for want, rs := range map[string][]record.Record{"devbox 9a, farbox 9a": slices.Concat(near, far), "devbox unknown, farbox 9a": slices.Concat(boardless, far)} {
		got := []string{}
		for _, s := range standard().sessions(newStream(setOf(rs))) {
			got = append(got, s.record.Host+" "+s.verdict.Class)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// TestAccounts checks that a session of a further Claude directory rests on
// the surfaces of that directory.
func TestAccounts(t *testing.T) {
	w := local(session("s"))
	rs := w.records()
	work := session("w@work")
	work.SessionID, work.Account = "w", "work"
	labelled := local(work).records()
	n := 0
	for _, r := range labelled {
		switch {
		case r.Subject == claude, r.Kind == record.KindHost, r.Subject == "claude/version", r.Subject == "claude/processes":
			continue
		case r.Kind == record.KindSession:
			r.Subject = "w@work"
		default:
			r.Subject += "@work"
		}
		rs, n = append(rs, r), n+1
	}
	closing, err := record.New(record.KindSurface, noon, devbox, claude, claude+"@work", record.Surface{OK: true, Records: &n})
	if err != nil {
		t.Fatal(err)
	}
	rs = append(rs, closing)
	if got := fmt.Sprint(judgedClasses(rs)); got != "map[s:9a w@work:9a]" {
		t.Errorf("classes %s", got)
	}
	for subject, want := range map[string]string{"claude/listing@work": "map[s:9a w@work:unknown]", "claude/listing": "map[s:unknown w@work:9a]"} {
		broken := slices.Clone(rs)
		for i, r := range broken {
			if r.Subject == subject {
				broken[i], err = record.New(record.KindSurface, noon, devbox, claude, subject, record.Surface{Error: "timed out"})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := fmt.Sprint(judgedClasses(broken)); got != want {
			t.Errorf("without %s: classes %s, want %s", subject, got, want)
		}
	}
}

// TestJudge_recordsOfOwn checks subject, host, at and by of what is added.
func TestJudge_recordsOfOwn(t *testing.T) {
	w := local(session("s"), session("r", limited(hitLimit, ago(-hour))))
	later := record.NewTime(noon.Add(time.Hour))
	out, err := judgeAll(setOf(w.records()), "judge", later)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range out {
		got = append(got, fmt.Sprintf("%s %s host=%s by=%s at=%s", r.Kind, r.Subject, r.Host, r.By, r.At.Format("15:04")))
	}
	want := []string{
		"verdict r host=devbox by=judge at=12:00",
		"verdict s host=devbox by=judge at=12:00",
		"finding count host= by=judge at=13:00",
		"finding pause host= by=judge at=13:00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAbsent checks that a product that is not installed hides something only
// when the configuration names it.
func TestAbsent(t *testing.T) {
	through := func() *world {
		w := scoped(session("s"))
		w.owned = []*record.Owned{{PaseoAgentID: "a"}}
		return w
	}
	closed := func() *world {
		w := mine(session("s", word("DONE")))()
		w.repos[0].OK, w.repos[0].PRs, w.repos[0].Error = false, nil, "gh is not installed"
		return w
	}
	tests := []struct {
		world            func() *world
		surface, product string
		unnamed          string
	}{
		{through, "paseo/agents", "paseo", "10"},
		{closed, "gh/acme/lamp", "gh", "8"},
		{mine(session("s")), "board/home", "board", "9a"},
	}
	for _, tt := range tests {
		if got := tt.world().lacks(tt.surface, tt.product, false).verdict(standard()); got.Class != tt.unnamed {
			t.Errorf("%s absent: class %s (%s), want %s", tt.surface, got.Class, got.Why, tt.unnamed)
		}
		if got := tt.world().lacks(tt.surface, tt.product, true).verdict(standard()); got.Class != Unknown {
			t.Errorf("%s absent and named: class %s, want %s", tt.surface, got.Class, Unknown)
		}
	}
}
