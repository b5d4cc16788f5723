package command

import (
	"context"
	"errors"
)

// Act is Run of a command that changes what other programs do, and that no table
// lists: its words are sessions, directories and flags of theirs. More output
// than is read ends it, and so does the end of ctx, which is ErrEnded. Package driver
// and what is below it alone call it, and only fleet-act links those.
func Act(ctx context.Context, s Spec) (Result, error) {
	limited, enough := context.WithCancel(ctx)
	defer enough()
	res, err := start(limited, s, enough)
	if errors.Is(err, ErrTimeout) && ctx.Err() != nil {
		err = ErrEnded
	}
	return res, err
}
