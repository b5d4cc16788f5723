package observe

import (
	"slices"

	"github.com/fleet-tools/fleet/internal/claude"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// What a record has of the name of a terminal and of the id of a job at most, in columns.
const (
	terminalWidth = 120
	jobWidth      = 80
)

// terminal is the name of a terminal, "" where the guard would change it: by what is left of
// it another session would be reached, or none.
func terminal(name string) string {
	if guard.Text(name, terminalWidth) != name {
		return ""
	}
	return name
}

// job is the id of a job, marked where the guard would change it: then it is no word that a
// command takes, and the id of no other job.
func job(id string) string {
	if guard.Text(id, jobWidth) != id {
		return guard.Text("?"+id, jobWidth)
	}
	return id
}

// reach leaves in a session only what leads to it as the machine has it. Everything else
// of it is joined already.
func reach(s *record.Session) {
	if s.Process != nil {
		s.Process.Tmux, s.Process.JobID = terminal(s.Process.Tmux), job(s.Process.JobID)
	}
	if s.Job != nil {
		s.Job.ID = job(s.Job.ID)
	}
	if s.Listing != nil {
		s.Listing.ID = job(s.Listing.ID)
	}
}

// reached is reach of the rows of a listing, for a recording.
func reached(rows []claude.Row) []claude.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].ID = job(rows[i].ID)
	}
	return rows
}
