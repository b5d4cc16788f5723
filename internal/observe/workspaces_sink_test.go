package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fleet-tools/fleet/internal/machine"
	"github.com/fleet-tools/fleet/internal/record"
)

// agentSink keeps what an observer of agents writes.
type agentSink struct {
	t        *testing.T
	spaces   map[string]record.Workspace // by subject
	health   map[string]record.Health
	surfaces map[string]record.Surface
}

func newAgentSink(t *testing.T) *agentSink {
	return &agentSink{t, map[string]record.Workspace{}, map[string]record.Health{}, map[string]record.Surface{}}
}

func (k *agentSink) Warn(string, ...any)                     {}
func (k *agentSink) Close(record.Time, string, string) error { return nil }

func (k *agentSink) AddData(_ record.Kind, _ record.Time, _, subject string, data any) error {
	switch d := data.(type) {
	case record.Workspace:
		k.spaces[subject] = d
	case record.Health:
		k.health[subject] = d
	case *record.Surface:
		k.surfaces[subject] = *d
	default:
		k.t.Errorf("%s is a %T", subject, data)
	}
	return nil
}

// told requires that what was not read is among the unread, and nothing else.
func (k *agentSink) told(unread []string) {
	k.t.Helper()
	for name, s := range k.surfaces {
		if slices.Contains(unread, name+": not read: "+s.Error) == s.OK {
			k.t.Errorf("%s: ok %t, unread %q", name, s.OK, unread)
		}
	}
}

func spaceJSON(label string) string {
	return fmt.Sprintf(`{"project":"lamp","agent_name":%q,"agent_role":"r","agent_type":"worker","registry":{"type":"local","path":"~/registry"}}`, label)
}

// space puts a workspace into a recording.
func (r *recording) space(dir, label string) {
	r.write("root"+dir+"/.macf/macf-agent.json", spaceJSON(label))
}

// table gives the recording a process table.
func (r *recording) table(processes string) {
	r.write("meta.json", `{"home":"/home/ana","host":"devbox","os":"linux","at":"2026-11-29T15:10:00Z","boot_at":"2026-11-29T08:00:00Z","processes":[`+processes+`]}`)
}

func observeSpaces(t *testing.T, w *machine.World, o Workspaces) *agentSink {
	t.Helper()
	k := newAgentSink(t)
	unread, err := o.Observe(w, k)
	if err != nil {
		t.Fatal(err)
	}
	k.told(unread)
	return k
}

func (k *agentSink) paths() string {
	paths := []string{}
	for subject, s := range k.spaces {
		if s.Agent != "" {
			paths = append(paths, subject)
		}
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}
