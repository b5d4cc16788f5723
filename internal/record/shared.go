package record

import (
	"fmt"
	"strings"
)

// Clash says of a repository that the scope names which scopes do, "" when no other
// does: whose its sessions are then is not known.
func (t *Tick) Clash(commonDir string) string {
	ids := t.Shared[commonDir]
	switch len(ids) {
	case 0:
		return ""
	case 2:
		return "two scopes name it: " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%d scopes name it: %s", len(ids), strings.Join(ids, ", "))
}
