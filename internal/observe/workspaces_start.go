package observe

import (
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/macf"
	"github.com/fleet-tools/fleet/internal/machine"
)

// unableWidth is how much is told of why a launcher cannot be started.
const unableWidth = 200

// unable says why the launcher of a workspace cannot be started, "" when nothing is
// known against it. A recording, which keeps no modes and no scripts, has in its place
// what was said of it.
func (h *homes) unable(path string) string {
	file := filepath.Join(path, macf.Launcher)
	if h.w.Recorded() {
		b, err := h.w.ReadFile(file, macfLimit)
		if err != nil {
			return ""
		}
		return guard.Text(strings.TrimSpace(string(b)), unableWidth)
	}
	err := machine.Startable(file, path)
	if err == nil {
		return ""
	}
	says := guard.Text(macf.Launcher+" "+err.Error(), unableWidth)
	h.w.Rec.File(file, []byte(says+"\n"), nil)
	return says
}
