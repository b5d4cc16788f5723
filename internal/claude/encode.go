package claude

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/limit"
)

// What follows writes, in Claude Code's own forms, what this package decodes
// and nothing else, every foreign string cleaned: a recording that another
// machine can observe and that holds no prompt whole and no credential.

// EncodeVersion writes the output of claude --version.
func EncodeVersion(version string) []byte {
	return []byte(guard.Text(version, wordWidth) + " (Claude Code)\n")
}

// EncodeListing writes rows as claude agents --json --all does.
func EncodeListing(rows []Row) ([]byte, error) {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{ID: cleanText(r.ID, wordWidth), Cwd: cleanPath(r.Cwd), Kind: cleanWord(r.Kind), StartedAt: msOf(r.StartedAt), SessionID: cleanText(r.SessionID, wordWidth),
			Name: cleanText(r.Name, nameWidth), Status: cleanWord(r.Status), WaitingFor: cleanWord(r.WaitingFor), State: cleanWord(r.State)}
		if r.PID != 0 {
			out[i].PID = &r.PID
		}
	}
	b, err := json.MarshalIndent(out, "", "  ")
	return append(b, '\n'), err
}

// Encode writes the process file.
func (p ProcessFile) Encode() ([]byte, error) {
	f := processFile{PID: &p.PID, SessionID: cleanText(p.SessionID, wordWidth), Cwd: cleanPath(p.Cwd), Kind: cleanWord(p.Kind), Entrypoint: cleanWord(p.Entrypoint),
		Version: cleanText(p.Version, wordWidth), ProcStart: anyText(guard.Text(p.ProcStart, wordWidth)), Status: cleanWord(p.Status), WaitingFor: cleanWord(p.WaitingFor),
		StatusUpdatedAt: msOf(p.StatusSince), StartedAt: msOf(p.StartedAt), UpdatedAt: msOf(p.UpdatedAt), Tmux: cleanText(p.Tmux, nameWidth),
		Name: cleanText(p.Name, nameWidth), JobID: cleanText(p.JobID, wordWidth), HostSessionID: cleanText(p.HostID, wordWidth), Spare: anyBool(p.Spare)}
	if p.Parked {
		f.ParkedJobID = cleanWord("parked")
	}
	return json.Marshal(f)
}

// Encode writes the job file.
func (j JobFile) Encode() ([]byte, error) {
	f := jobFile{State: cleanWord(j.State), Tempo: cleanWord(j.Tempo), Detail: cleanText(j.Detail, textWidth), Needs: cleanText(j.Needs, textWidth),
		SuggestedReply: cleanText(j.SuggestedReply, wordWidth), Intent: cleanText(j.Intent, textWidth), Name: cleanText(j.Name, nameWidth),
		SessionID: cleanText(j.SessionID, wordWidth), ResumeSessionID: cleanText(j.ResumeSessionID, wordWidth), CLIVersion: cleanText(j.Version, wordWidth), Cwd: cleanPath(j.Cwd),
		OriginCwd: cleanPath(j.OriginCwd), WorktreePath: cleanPath(j.WorktreePath), WorktreeBranch: cleanText(j.WorktreeBranch, nameWidth),
		CreatedAt: isoOf(j.CreatedAt), UpdatedAt: isoOf(j.UpdatedAt), LastTerminalAt: isoOf(j.TerminalAt)}
	if j.Exec {
		f.Template = cleanWord("exec")
	}
	if j.Recurring {
		f.Routine = true
	}
	if len(j.Questions) > 0 {
		f.Block = &jobBlock{Questions: cleanAsked(j.Questions)}
	}
	if j.Result != "" {
		f.Output = &output{Result: cleanText(j.Result, textWidth)}
	}
	if j.Tasks != 0 || len(j.TaskKinds) > 0 {
		f.InFlight = &inFlight{Tasks: j.Tasks}
		for _, k := range j.TaskKinds {
			f.InFlight.Kinds = append(f.InFlight.Kinds, word(k))
		}
	}
	return json.MarshalIndent(f, "", "  ")
}

// EncodeHistory writes a history.jsonl that names the sessions and no prompt.
func EncodeHistory(ids map[string]bool) []byte {
	var b bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		line, _ := json.Marshal(map[string]string{"sessionId": guard.Text(id, wordWidth)}) // strings always marshal
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

// Encode writes the lines that were read, oldest first.
func (t *Tail) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range slices.Backward(t.lines) {
		if err := enc.Encode(l.entry.cleaned()); err != nil {
			return nil, err
		}
	}
	newest := t.blind
	if len(t.lines) == 0 {
		newest = t.bad
	}
	b.WriteString(strings.Repeat("?\n", newest))
	return b.Bytes(), nil
}

// cleaned is the entry with its texts cut down and cleaned.
func (e entry) cleaned() entry {
	e.Error = onlyString(word(string(e.Error)))
	e.Type, e.Subtype = word(e.Type), word(e.Subtype)
	e.Timestamp = cleanWord(str(e.Timestamp))
	if q := e.QuotaLimits; q != nil {
		e.QuotaLimits = &quotaLimits{Status: word(q.Status), ResetsAt: q.ResetsAt, RateLimitType: word(q.RateLimitType)}
	}
	if e.Message == nil {
		return e
	}
	m := *e.Message
	m.StopReason = cleanWord(str(m.StopReason))
	m.ID = word(m.ID)
	m.Content.Text = telling(m.Content.Text)
	m.Content.Blocks = slices.Clone(m.Content.Blocks)
	for i, b := range m.Content.Blocks {
		b = b.read()
		b.Text, b.Plan, b.Summary = telling(b.Text), guard.Text(b.Plan, textWidth), guard.Text(b.Summary, nameWidth)
		b.Type, b.ID, b.Name, b.ToolUseID = word(b.Type), word(b.ID), word(b.Name), word(b.ToolUseID)
		b.Asked = cleanAsked(b.Asked)
		m.Content.Blocks[i] = b
	}
	e.Message = &m
	return e
}

// telling keeps of a text what a verdict can rest on: its ARC-STATUS line, else
// the question that ends it, else its beginning.
func telling(s string) string {
	if a := arcStatus(s, time.Time{}); a != nil {
		return guard.Text(a.Line, textWidth)
	}
	if q := proseQuestion(s, time.Time{}); q != nil {
		return guard.Text(q.Text, textWidth)
	}
	clean := guard.Text(s, textWidth)
	if limit.Is(clean) && !limit.Is(s) || arcStatus(clean, time.Time{}) != nil || proseQuestion(clean, time.Time{}) != nil {
		return guard.Text("? "+clean, textWidth-1) + "…" // cleaning made of it what it was not
	}
	return clean
}

func cleanAsked(asked []Asked) []Asked {
	out := slices.Clone(asked)
	for i, a := range out {
		out[i].Question = guard.Text(a.Question, textWidth)
		out[i].Options = slices.Clone(a.Options)
		for k, o := range a.Options {
			out[i].Options[k].Label = guard.Text(o.Label, nameWidth)
		}
	}
	return out
}

// MarshalJSON writes a string, or blocks.
func (c content) MarshalJSON() ([]byte, error) {
	if c.Blocks != nil {
		return json.Marshal(c.Blocks)
	}
	return json.Marshal(c.Text)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (k block) MarshalJSON() ([]byte, error) {
	m := map[string]any{"type": k.Type}
	switch k.Type {
	case "text":
		m["text"] = k.Text
	case "tool_result":
		m["tool_use_id"] = k.ToolUseID
	case "tool_use":
		m["id"], m["name"] = k.ID, k.Name
		input := map[string]any{}
		if k.Asked != nil {
			input["questions"] = k.Asked
		}
		for name, s := range map[string]string{"plan": k.Plan, "command": k.Summary} {
			if s != "" {
				input[name] = s
			}
		}
		m["input"] = input
	}
	return json.Marshal(m)
}

func cleanWord(s string) *string { return cleanText(word(s), wordWidth) }

// word is a word that is compared with others, cleaned. One that cleaning alters
// is marked: it was none that anybody knows, and must not become one.
func word(s string) string {
	if clean := guard.Text(s, wordWidth); clean == s {
		return s
	}
	return guard.Text("?"+s, wordWidth)
}

func cleanText(s string, width int) *string {
	if s = guard.Text(s, width); s == "" {
		return nil
	}
	return &s
}

func cleanPath(s string) *string {
	if s = guard.Path(s); s == "" {
		return nil
	}
	return &s
}

func msOf(t time.Time) *float64 {
	if t.IsZero() {
		return nil
	}
	ms := float64(t.UnixMilli())
	return &ms
}

func isoOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}
