package observe

import (
	"testing"

	"github.com/fleet-tools/fleet/tests/mutants"
)

// closed is what fails closed here.
var closed = mutants.Table{
	Errors: []string{"*github.Failure"},
	Fields: []string{"OK", "Error", "Unread", "Unparsed", "err", "failure", "cut", "missing", "unread", "binErr"},
	Calls:  []string{"fail", "refuse", "skip", "note", "Failure", "unlist"},
	Slips: map[string]string{
		"shape.project: return nil, nil": `return []byte("{}"), nil`, // an empty file is none that parses
	},
	Equivalent: map[string]string{
		"claudeProcesses: return syscall.Kill(pid, 0)":                                                 "only a /proc that hides others' processes asks; TestHidden holds what its answer means",
		"paseoReading.agentFiles: return nil":                                                          "no list and an empty one read alike; that it failed is told before",
		"shape.project: return nil, err":                                                               "what is no JSON has returned before",
		"shape.project: err = enc.Encode(s.value(v))":                                                  "what was decoded of JSON can be encoded",
		"shape.project: return out.Bytes(), err":                                                       "what was decoded of JSON can be encoded",
		"scheduleReading.log: b, err = log.Last.Encode()":                                              "a time and two words can be encoded",
		"manager.timers: kept, err = schedule.EncodeTimers(es)":                                        "numbers and names can be encoded",
		"manager.files: kept, err = schedule.EncodeTimerFiles(names)":                                  "names can be encoded",
		"endOf: return nil, err (2)":                                                                   "fstat(2) of an open file does not fail",
		"Eyes.workspaces: return Workspaces{Roots: []string{path}}.Observe(w, sink)":                   "what an observer tells can be encoded, and a set takes it",
		"Eyes.Health: return ask.Observe(ctx, w, e.only(r), sink)":                                     "likewise",
		"Eyes.Owner: unread = err":                                                                     "what cannot be looked at cannot be read either",
		"Eyes.Owner: return nil, err (2)":                                                              "only a workspace that goes between two looks gets there",
		"Eyes.Owner: return nil, fmt.Errorf(\"%s: it could not be told whose workspace it is\", home)": "likewise",
		"Caught.Close: return c.AddData(record.KindSurface, at, host, c.By, record.Surface{OK: true, Rows: n, Records: &n})": "numbers can be encoded",
		"sessionOf: return nil":     "a process file of nothing says nothing of its process",
		"sessionOf: return nil (2)": "a process file of nothing says nothing of its process",
	},
}

// Every row has a site.
func TestReturns(t *testing.T) { closed.Rows(t) }

// Every site that fails closed is held by a test.
func TestMutants(t *testing.T) { closed.Kill(t) }
