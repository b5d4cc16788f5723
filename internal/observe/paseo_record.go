package observe

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/guard"
)

// What a recording of Paseo's directory does not hold: why a file or a
// directory could not be read (an empty file stands for the one and a file for
// the other, so what was not read is not read there either); the agents, when one of their directories
// could not be listed; a file's name with something withheld in it, and where
// a path with something withheld in it leads; for what a cron expression with
// something hidden or withheld in it was not understood; and a name that stands
// twice in one object.

// keep records what is decoded of a file.
func (r *paseoReading) keep(name string, b []byte, k kind) {
	if r.w.Rec == nil || k.unlisted {
		return
	}
	out, err := k.shape.project(b)
	r.w.Rec.File(r.recorded(name), out, err)
}

// unlist notes that a directory of the part could not be listed. In a
// recording a file stands in its place, which cannot be listed either.
func (r *paseoReading) unlist(p *part, dir, part string, err error) {
	fail(&p.Surface, at(dir, err))
	p.unlisted = true
	r.w.Rec.Replace(part, []byte("not listed\n"))
}

// recorded is a file's path, with a hash for each name below agents or
// schedules when something in it would be withheld: two of them stay two.
func (r *paseoReading) recorded(name string) string {
	if guard.Path(name) == name {
		return name
	}
	parts := strings.Split(r.short(name), "/")
	for i := 1; i < len(parts); i++ {
		sum := sha256.Sum256([]byte(parts[i]))
		parts[i] = "h-" + hex.EncodeToString(sum[:6])
	}
	return filepath.Join(r.dir, filepath.Join(parts...)+".json")
}

// machine records the rest of the machine: of its processes that of the
// daemon, if it lives.
func (r *paseoReading) machine() {
	switch {
	case r.daemon.PID == 0 || r.alive != nil && !*r.alive:
		recordTable(r.w, nil)
	case r.alive == nil:
		r.w.Rec.Meta(r.w, nil)
	default:
		recordTable(r.w, []claude.Process{{PID: r.daemon.PID}})
	}
}
