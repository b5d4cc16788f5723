// Package stubapi is a stub of the Anthropic Messages API on the loopback interface. It lets the
// real Claude Code run without a network, a login or a model: what "the model" says is a table of
// scenarios, and a prompt chooses its scenario by carrying "[case:NAME]" or the scenario's own
// prompt text. The side calls that Claude Code makes for titles, labels and the state of background
// jobs are answered too.
package stubapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Server is a running stub.
type Server struct {
	// Log, when not nil, gets one JSON line a request. Set it before the first request.
	Log io.Writer

	table    []Scenario
	http     *http.Server
	listener net.Listener
	stop     context.CancelFunc

	mu     sync.Mutex
	failed map[string]int // failures answered, by scenario name
}

// Start serves the scenarios, or Library when there are none, on addr, such as "127.0.0.1:0".
func Start(addr string, scenarios ...Scenario) (*Server, error) {
	if len(scenarios) == 0 {
		scenarios = Library()
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("starting the stub: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{table: scenarios, listener: listener, stop: stop, failed: make(map[string]int)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	mux.HandleFunc("HEAD /", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/", s.notFound)
	s.http = &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	go s.http.Serve(listener) // returns when Close is called
	return s, nil
}

// URL returns the base address for ANTHROPIC_BASE_URL.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the server and every answer under way.
func (s *Server) Close() error {
	s.stop()
	return s.http.Close()
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.note(r, nil, 0, "")
	writeJSON(w, http.StatusNotFound, apiError("not_found_error", "not served by the stub"))
}

func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"input_tokens": max(1, len(body)/4)})
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		writeJSON(w, http.StatusBadRequest, apiError("invalid_request_error", err.Error()))
		return
	}
	scenario, n := find(s.table, req.Messages)
	side := req.side()
	s.note(r, scenario, n, side)
	step := Step{Text: "Done."}
	switch {
	case side != "":
		step = Step{Text: sideAnswer(side, scenario)}
	case scenario != nil && n < len(scenario.Steps):
		step = scenario.Steps[n]
	}
	if !sleep(r.Context(), step.Delay) {
		return
	}
	if s.fails(scenario, step) {
		writeHeaders(w, step.Headers)
		writeJSON(w, step.Failure.Status, apiError(step.Failure.Type, step.Failure.Message))
		return
	}
	if step.Text == "" && len(step.Calls) == 0 && step.Stop == "" {
		step.Text = "Done."
	}
	writeHeaders(w, step.Headers)
	if !req.Stream {
		writeJSON(w, http.StatusOK, newReply(req.Model, step))
		return
	}
	stream(r.Context(), w, newReply(req.Model, step), step)
}

// fails reports whether this request for step is answered by its failure, and counts it.
func (s *Server) fails(scenario *Scenario, step Step) bool {
	if step.Failure == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[scenario.Name]++
	return step.Failure.Times == 0 || s.failed[scenario.Name] <= step.Failure.Times
}

func (s *Server) note(r *http.Request, scenario *Scenario, step int, side string) {
	if s.Log == nil {
		return
	}
	line := struct {
		At     time.Time `json:"at"`
		Method string    `json:"method"`
		Path   string    `json:"path"`
		Case   string    `json:"case,omitempty"`
		Step   int       `json:"step"`
		Side   string    `json:"side,omitempty"`
	}{time.Now().UTC(), r.Method, r.URL.Path, "", step, side}
	if scenario != nil {
		line.Case = scenario.Name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	json.NewEncoder(s.Log).Encode(line) // a log that cannot be written must not change an answer
}

// sleep waits for d and reports whether the wait was completed.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
