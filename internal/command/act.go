package command

import "context"

// Act is Run of a command that changes what other programs do, and that no table
// lists: its words are sessions, directories and flags of theirs. More output
// than is read ends it. Package driver and what is below it alone call it, and
// only fleet-act links those.
func Act(ctx context.Context, s Spec) (Result, error) {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	return start(ctx, s, enough)
}
