package classify

import "github.com/fleet-tools/fleet/internal/record"

// finding is a finding with what its record bears.
type finding struct {
	host, subject string
	record.Finding
}

func findings(st *stream, sessions []judged) []finding { return nil }
