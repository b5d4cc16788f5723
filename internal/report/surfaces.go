package report

import (
	"cmp"
	"fmt"

	"github.com/fleet-tools/fleet/internal/record"
)

// How the reading of a surface went.
const (
	SurfaceFailed = "not read"
	SurfacePart   = "read in part"
	SurfaceRead   = "read"
	SurfaceAbsent = "absent" // the product is not installed
)

// Surface is one part that an observer tried to read.
type Surface struct {
	Host  string `json:"host"`
	Name  string `json:"name"`
	State string `json:"state"` // a Surface… word
	Rows  int    `json:"rows"`  // items read
	Says  string `json:"says"`  // why it was not read, or not whole; "" otherwise
}

// surfaces is every part that somebody tried to read, by machine and name.
func surfaces(set *record.Set) []Surface {
	all := []Surface{}
	for _, rec := range set.Of(record.KindSurface) {
		s, ok := record.Payload[record.Surface](rec)
		if !ok || s.Records != nil {
			continue
		}
		out := Surface{Host: rec.Host, Name: rec.Subject, State: SurfaceRead, Rows: s.Rows}
		switch {
		case !s.OK:
			out.State, out.Says = SurfaceFailed, cmp.Or(s.Error, "could not be read")
		case s.Absent:
			out.State = SurfaceAbsent
		case s.Unparsed > 0:
			out.State, out.Says = SurfacePart, fmt.Sprintf("%d of %d could not be understood", s.Unparsed, s.Unparsed+s.Rows)
		}
		all = append(all, out)
	}
	return all
}
