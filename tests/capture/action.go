package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// An action is the last change to a session before the moment.
type action struct {
	what string // for the table of the fixture
	do   func(ctx context.Context, b *claudebox.Box, s session) error
}

var (
	removeDirectory = action{"its directory was removed while it ran", func(_ context.Context, b *claudebox.Box, s session) error {
		return os.RemoveAll(b.Path(repositories, s.dir))
	}}
	removeTranscript = action{"its transcript was removed in the box", func(_ context.Context, b *claudebox.Box, s session) error {
		return os.Remove(b.Transcript(s.id))
	}}
	killProcess = action{"its process was killed after it had finished", func(ctx context.Context, b *claudebox.Box, s session) error {
		if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
			return err
		}
		return claudebox.Await(ctx, "the process to end", func() bool { return syscall.Kill(s.pid, 0) != nil })
	}}
	stopJob = action{"stopped with claude stop", func(ctx context.Context, b *claudebox.Box, s session) error {
		if _, err := b.Output(ctx, b.Home, "claude", "stop", s.jobID); err != nil {
			return err
		}
		return claudebox.Await(ctx, "the job to stop", func() bool {
			j, err := b.Job(s.jobID)
			return err == nil && j.State == "stopped"
		})
	}}
	attach = action{"shown in a terminal by claude attach", func(ctx context.Context, b *claudebox.Box, s session) error {
		if _, err := b.Attach(ctx, "desk", s.jobID); err != nil {
			return err
		}
		return claudebox.Await(ctx, "the viewer", func() bool {
			screen, err := b.Screen(ctx, "desk")
			return err == nil && len(screen) > 0 && containsPrompt(screen, s.prompt)
		})
	}}
	openModelPicker = action{"/model typed and left open", func(ctx context.Context, b *claudebox.Box, s session) error {
		if err := b.Keys(ctx, s.key, "/model"); err != nil {
			return err
		}
		for try := 0; ; try++ {
			if err := b.Keys(ctx, s.key, "Enter"); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(ctx, pickerPatience)
			err := claudebox.Await(ctx, "the model picker", func() bool { return status("waiting")(b, s) })
			cancel()
			if err == nil {
				return nil
			}
			if try == 5 {
				return fmt.Errorf("opening the model picker: %w", err)
			}
		}
	}}
)
