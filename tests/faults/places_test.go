package faults

import (
	"strings"
	"testing"
)

// place is where an observer looks for a file or a directory.
type place struct {
	name, path string
	argv       []string
	told       func(r result, ss map[string]surface) bool // that it could not be read
}

func notRead(name string) func(result, map[string]surface) bool {
	return func(r result, ss map[string]surface) bool {
		s := ss[name]
		return r.status == 3 && !s.OK && !s.Absent && s.Error != "" && strings.Contains(r.stderr, name+": not read: ")
	}
}

func unparsed(name string) func(result, map[string]surface) bool {
	return func(r result, ss map[string]surface) bool { return ss[name].Unparsed > 0 || notRead(name)(r, ss) }
}

func says(words ...string) func(result, map[string]surface) bool {
	return func(r result, _ map[string]surface) bool { return hasAny(r.stdout, words) }
}

func calledWith(file string) func(result, map[string]surface) bool {
	return func(r result, _ map[string]surface) bool { return r.status == 2 && strings.Contains(r.stderr, file) }
}

var usage = calledWith("fleet.json")

var (
	claudeArgv   = []string{"fleet-observe-claude"}
	paseoArgv    = []string{"fleet-observe-paseo"}
	boardArgv    = []string{"fleet-observe-board", "--scope", "lamp"}
	ghArgv       = []string{"fleet-observe-gh", "--repo", "src"}
	scheduleArgv = []string{"fleet-observe-schedule", "--scope", "lamp"}
	ledgerArgv   = []string{"fleet-ledger", "observe"}
	configArgv   = []string{"fleet-config", "tick"}

	workspacesArgv = []string{"fleet-observe-workspaces"}
	healthArgv     = []string{"/bin/sh", "-c", `fleet-observe-workspaces 2>/dev/null | exec fleet-observe-health "$@"`, "sh"}
	tokenArgv      = []string{"fleet-observe-gh", "--repo", "src", "--token-file", "token"}
	reconcileArgv  = []string{"fleet-reconcile", "--desired", "desired.json"}
	actArgv        = []string{"fleet-act", "--desired", "desired.json"}
)

// The files that are read, and what tells that one was not.
var filePlaces = []place{
	{"job", ".claude/jobs/aaaaaaaa/state.json", claudeArgv, unparsed("claude/jobs")},
	{"process", ".claude/sessions/99999999.json", claudeArgv, unparsed("claude/sessions")},
	{"transcript", ".claude/projects/-src/" + session("a") + ".jsonl", claudeArgv, says(`"unread":"`)},
	{"subagent", ".claude/projects/-src/" + session("a") + "/subagents/agent-1.jsonl", claudeArgv, says(`"unread":"a subagent`)},
	{"history", ".claude/history.jsonl", claudeArgv, says(`"prompted":null`)},
	{"agent", ".paseo/agents/-src/11111111-1111-4111-8111-111111111111.json", paseoArgv, unparsed("paseo/agents")},
	{"paseo schedule", ".paseo/schedules/22222222.json", paseoArgv, unparsed("paseo/schedules")},
	{"paseo pid", ".paseo/paseo.pid", paseoArgv, notRead("paseo/daemon")},
	{"board", ".local/state/ctx/lamp/events.jsonl", boardArgv, notRead("board/lamp")},
	{"git config", "src/.git/config", ghArgv, notRead("gh/GIT")},
	{"run log", "nightly.log", scheduleArgv, notRead("schedule/log:nightly")},
	{"ledger", "state/ledger.jsonl", ledgerArgv, notRead("ledger")},
	{"configuration", ".config/ctx/fleet.json", configArgv, usage},
	{"workspace", "repos/code/.macf/macf-agent.json", workspacesArgv, unparsed("macf/workspaces")},
	{"maintenance", ".macf/maintenance-locks/code.lock", workspacesArgv, unparsed("macf/workspaces")},
	{"last exit", ".macf/last-exit/code", workspacesArgv, unparsed("macf/workspaces")},
	{"listed agent", "registry/LAMP_AGENT_CODE", healthArgv, unparsed("macf/roster:lamp")},
	{"authority", "registry/LAMP_CA_CERT", healthArgv, says(`"failure":"unasked"`, `"subject":"macf/roster:lamp","data":{"ok":false`)},
	{"registry", "shared.json", healthArgv, notRead("macf/roster:desk")},
	{"certificate", "repos/code/.macf/certs/agent-cert.pem", healthArgv, says(`"failure":"unasked"`)},
	{"key", "repos/code/.macf/certs/agent-key.pem", healthArgv, says(`"failure":"unasked"`)},
	{"token", "token", tokenArgv, says("token file not used: ")},
	{"list for reconcile", "desired.json", reconcileArgv, calledWith("desired.json")},
	{"list for act", "desired.json", actArgv, calledWith("desired.json")},
}

// The directories that are listed.
var directoryPlaces = []place{
	{"claude", ".claude", claudeArgv, notRead("claude/jobs")},
	{"jobs", ".claude/jobs", claudeArgv, notRead("claude/jobs")},
	{"a job", ".claude/jobs/aaaaaaaa", claudeArgv, unparsed("claude/jobs")},
	{"sessions", ".claude/sessions", claudeArgv, notRead("claude/sessions")},
	{"projects", ".claude/projects", claudeArgv, notRead("claude/transcripts")},
	{"a project", ".claude/projects/-src", claudeArgv, notRead("claude/transcripts")},
	{"subagents", ".claude/projects/-src/" + session("a") + "/subagents", claudeArgv, says(`"unread":"a subagent`)},
	{"paseo", ".paseo", paseoArgv, notRead("paseo/agents")},
	{"agents", ".paseo/agents", paseoArgv, notRead("paseo/agents")},
	{"agents of one", ".paseo/agents/-src", paseoArgv, notRead("paseo/agents")},
	{"schedules", ".paseo/schedules", paseoArgv, notRead("paseo/schedules")},
	{"boards", ".local/state/ctx", boardArgv, notRead("board/lamp")},
	{"a board", ".local/state/ctx/lamp", boardArgv, notRead("board/lamp")},
	{"git", "src/.git", []string{"fleet-observe-gh", "--repo", "src"}, notRead("gh/SRC")},
	{"work tree", "src", claudeArgv, says(`"placement":"unreadable"`)},
	{"state", "state", ledgerArgv, notRead("ledger")},
	{"configurations", ".config/ctx", configArgv, usage},
	{"macf", ".macf", workspacesArgv, notRead("macf/workspaces")},
	{"root of workspaces", "repos", workspacesArgv, notRead("macf/workspaces")},
	{"a workspace", "repos/code", workspacesArgv, notRead("macf/workspaces")},
	{"a workspace's own", "repos/code/.macf", workspacesArgv, unparsed("macf/workspaces")},
	{"certificates", "repos/code/.macf/certs", healthArgv, says(`"failure":"unasked"`)},
	{"registry of files", "registry", healthArgv, notRead("macf/roster:lamp")},
}

// look runs a place's observer and requires that what it could not read is told.
func (p place) look(t *testing.T, b *box) result {
	t.Helper()
	r := b.run(nil, p.argv...)
	stdout := strings.NewReplacer("gh/"+b.path("src/.git"), "gh/GIT", "gh/"+b.path("src"), "gh/SRC").Replace(r.stdout)
	r.stderr = strings.NewReplacer("gh/"+b.path("src/.git"), "gh/GIT", "gh/"+b.path("src"), "gh/SRC").Replace(r.stderr)
	if r.status == 1 || r.status > 3 || r.peak > most {
		t.Errorf("status %d, %d MiB: %.300s", r.status, r.peak>>20, r.stderr)
		return r
	}
	if !p.told(result{stdout: stdout, stderr: r.stderr, status: r.status}, surfaces(t, stdout)) {
		t.Errorf("nothing tells that %s was not read: status %d, %.300s\n%.1500s", p.path, r.status, r.stderr, stdout)
	}
	return r
}
