// Package ghstub is a stub of the part of GitHub's API that gh api and gh pr
// list read, on a unix socket. It lets the real gh run without a network and
// without a login: gh's setting http_unix_socket sends it every request, for
// api.github.com too, with no TLS and the true Host.
package ghstub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Repo is what the stub answers for one repository.
type Repo struct {
	ID         int
	Name       string // owner/name
	Branch     string // default branch
	Admin      bool   // the login has admin rights
	Rules      []json.RawMessage
	Protection json.RawMessage // classic protection of the default branch; nil for none
	Pulls      []Pull
	Faults     map[Endpoint]Fault
}

// An Endpoint is a kind of request.
type Endpoint string

// The endpoints of a repository.
const (
	Metadata   Endpoint = "repo"
	Rules      Endpoint = "rules"
	Protection Endpoint = "protection"
	GraphQL    Endpoint = "graphql"
)

// A Fault takes the place of an answer.
type Fault struct {
	Status  int               // 0 is 200
	Body    string            // JSON, unless Headers says otherwise
	Headers map[string]string //
	Hang    bool              // never answer
	Drop    bool              // close the connection
	Heavy   bool              // only when the query asks for checks
}

// A Request is one call that the stub saw.
type Request struct {
	Method, Host, Path, Query string
	Token                     string
}

// A Stub is the API. Its fields must not change once it serves.
type Stub struct {
	Repos     []*Repo
	RateLimit string // body of rate_limit
	Token     string // when set, a call with another token is refused

	mu     sync.Mutex
	seen   []Request
	writes []string
}

// Requests returns the calls so far.
func (s *Stub) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Writes returns the calls so far that would have changed something. They are
// refused.
func (s *Stub) Writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.writes...)
}

// ServeHTTP answers one call.
func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return
	}
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	s.mu.Lock()
	s.seen = append(s.seen, Request{r.Method, r.Host, r.URL.Path, r.URL.RawQuery, token})
	s.mu.Unlock()
	if s.Token != "" && token != "" && token != s.Token {
		problem(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	w.Header().Set("X-RateLimit-Limit", "5000")
	if token == "" {
		w.Header().Set("X-RateLimit-Limit", "60")
	}
	switch {
	case r.URL.Path == "/graphql":
		s.graphql(w, r, body)
	case r.Method != http.MethodGet:
		s.refuse(w, r.Method+" "+r.URL.Path)
	case r.URL.Path == "/rate_limit":
		answer(w, json.RawMessage(s.RateLimit))
	default:
		s.rest(w, r, token != "")
	}
}

// rest answers /repositories/<id> and what lies below /repos/<owner>/<name>.
func (s *Stub) rest(w http.ResponseWriter, r *http.Request, loggedIn bool) {
	if id, ok := strings.CutPrefix(r.URL.Path, "/repositories/"); ok {
		for _, repo := range s.Repos {
			if strconv.Itoa(repo.ID) == id && repo.Faults[Metadata].Status != http.StatusMovedPermanently {
				answer(w, repo.metadata(loggedIn))
				return
			}
		}
	}
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 4)
	if len(parts) < 3 || parts[0] != "repos" {
		problem(w, http.StatusNotFound, "Not Found")
		return
	}
	repo := s.find(parts[1] + "/" + parts[2])
	rest := ""
	if len(parts) == 4 {
		rest = parts[3]
	}
	branch, isRules := strings.CutPrefix(rest, "rules/branches/")
	switch {
	case repo == nil:
		problem(w, http.StatusNotFound, "Not Found")
	case rest == "" && !repo.fault(w, r, Metadata, false):
		answer(w, repo.metadata(loggedIn))
	case isRules && !repo.fault(w, r, Rules, false):
		repo.rules(w, r, branch)
	case rest == "branches/"+repo.Branch+"/protection" && !repo.fault(w, r, Protection, false):
		repo.protection(w)
	case rest != "" && !isRules && !strings.HasSuffix(rest, "/protection"):
		problem(w, http.StatusNotFound, "Not Found")
	}
}

func (s *Stub) find(name string) *Repo {
	for _, r := range s.Repos {
		if strings.EqualFold(r.Name, name) {
			return r
		}
	}
	return nil
}

func (s *Stub) refuse(w http.ResponseWriter, what string) {
	s.mu.Lock()
	s.writes = append(s.writes, what)
	s.mu.Unlock()
	problem(w, http.StatusInternalServerError, "the stub refuses to write: "+what)
}

// metadata is the repository as GitHub answers it; permissions are left out
// without a login.
func (r *Repo) metadata(loggedIn bool) map[string]any {
	m := map[string]any{"id": r.ID, "full_name": r.Name, "default_branch": r.Branch, "private": false, "archived": false, "fork": false}
	if loggedIn {
		m["permissions"] = map[string]bool{"admin": r.Admin, "push": true, "pull": true}
	}
	return m
}

// rules answers one page: 30 a page unless asked, 100 at most, and a Link header
// while there are more. A branch without rules has [].
func (r *Repo) rules(w http.ResponseWriter, req *http.Request, branch string) {
	all := r.Rules
	if branch != r.Branch {
		all = nil
	}
	q := req.URL.Query()
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(q.Get(name)); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	size, page := min(number("per_page", 30), 100), number("page", 1)
	from := min((page-1)*size, len(all))
	to := min(from+size, len(all))
	if to < len(all) {
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<https://%s%s?%s>; rel="next"`, req.Host, req.URL.Path, q.Encode()))
	}
	answer(w, append([]json.RawMessage{}, all[from:to]...))
}

// protection answers as GitHub does: only an admin is told that there is none.
func (r *Repo) protection(w http.ResponseWriter) {
	switch {
	case !r.Admin:
		problem(w, http.StatusNotFound, "Not Found")
	case r.Protection == nil:
		problem(w, http.StatusNotFound, "Branch not protected")
	default:
		answer(w, r.Protection)
	}
}

// fault plays the repository's fault at an endpoint and tells whether it has
// answered.
func (r *Repo) fault(w http.ResponseWriter, req *http.Request, at Endpoint, checks bool) bool {
	f, ok := r.Faults[at]
	if !ok || f.Heavy && !checks {
		return false
	}
	if f.Hang {
		<-req.Context().Done()
		return true
	}
	if f.Drop {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
			return true
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for k, v := range f.Headers {
		w.Header().Set(k, v)
	}
	w.WriteHeader(max(f.Status, http.StatusOK))
	io.WriteString(w, f.Body)
	return true
}

// answer writes JSON without a newline at its end: gh joins pages by their last
// byte, and GitHub sends none.
func answer(w http.ResponseWriter, v any) { reply(w, http.StatusOK, v) }

func problem(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

func reply(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b)
}

func day(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}
