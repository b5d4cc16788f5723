package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
)

// An action is the last change to a session before the moment.
type action struct {
	what string                                                       // for the README of the fixture
	do   func(ctx context.Context, b *claudebox.Box, s session) error // nil: there is no action
	then condition                                                    // holds afterwards; nil: as before
}

var (
	removeDirectory  = action{what: "its directory was removed while it ran", do: doRemoveDirectory}
	removeTranscript = action{what: "its transcript was removed", do: doRemoveTranscript, then: hasNoTranscript}
	killProcess      = action{what: "its process was killed after it had finished", do: doKillProcess, then: hasNoProcess}
	stopJob          = action{what: "it was stopped with claude stop", do: doStopJob, then: isStopped}
	attach           = action{what: "it was opened in a terminal with claude attach", do: doAttach}
	openModelPicker  = action{what: "/model was typed and the dialog left open", do: doOpenModelPicker, then: status("waiting")}
)

func doRemoveDirectory(_ context.Context, b *claudebox.Box, s session) error {
	return os.RemoveAll(b.Path(repositories, s.dir))
}

func doRemoveTranscript(_ context.Context, b *claudebox.Box, s session) error {
	return os.Remove(b.Transcript(s.id))
}

func hasNoTranscript(b *claudebox.Box, s session) bool {
	return b.Transcript(s.id) == "" && status("idle")(b, session{pid: s.pid})
}

func doKillProcess(ctx context.Context, b *claudebox.Box, s session) error {
	if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
		return err
	}
	return claudebox.Await(ctx, "the process to end", func() bool { return hasNoProcess(b, s) })
}

func hasNoProcess(_ *claudebox.Box, s session) bool { return syscall.Kill(s.pid, 0) != nil }

func doStopJob(ctx context.Context, b *claudebox.Box, s session) error {
	if _, err := b.Output(ctx, b.Home, "claude", "stop", s.jobID); err != nil {
		return err
	}
	return claudebox.Await(ctx, "the job to stop", func() bool { return isStopped(b, s) })
}

func isStopped(b *claudebox.Box, s session) bool {
	j, err := b.Job(s.jobID)
	return err == nil && j.State == "stopped"
}

func doAttach(ctx context.Context, b *claudebox.Box, s session) error {
	if _, err := b.Attach(ctx, "desk", s.jobID); err != nil {
		return err
	}
	return awaitScreen(ctx, b, "desk", s.prompt)
}

func doOpenModelPicker(ctx context.Context, b *claudebox.Box, s session) error {
	if err := b.Keys(ctx, s.key, "/model"); err != nil {
		return err
	}
	if err := awaitScreen(ctx, b, s.key, "❯ /model"); err != nil {
		return err
	}
	for { // the completion of the command may take the first key
		if err := b.Keys(ctx, s.key, "Enter"); err != nil {
			return err
		}
		once, cancel := context.WithTimeout(ctx, pickerPatience)
		err := claudebox.Await(once, "the model picker", func() bool { return status("waiting")(b, s) })
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// awaitScreen waits until the terminal shows the first words of text, which it may have wrapped.
func awaitScreen(ctx context.Context, b *claudebox.Box, terminal, text string) error {
	words := strings.Fields(text)
	want := strings.Join(words[:min(3, len(words))], " ")
	return claudebox.Await(ctx, fmt.Sprintf("%q on the screen", want), func() bool {
		screen, err := b.Screen(ctx, terminal)
		return err == nil && strings.Contains(strings.Join(strings.Fields(screen), " "), want)
	})
}
