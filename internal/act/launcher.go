package act

import (
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// noLauncher is the reason of what is not begun since nothing could start the agent.
const noLauncher = "no-launcher"

// startable says why what starts the agent cannot be started: then none is begun, and
// none is ended that could not be begun again.
func (a *Actor) startable(d record.Decision) error {
	verb := d.Action.Verb
	if verb != "launch" && !ends(verb) || len(d.Action.Argv) == 0 {
		return nil
	}
	again := ""
	if ends(verb) {
		again = ", so it could not be started again"
	}
	if err := a.Startable(d.Action.Argv[0], d.Seen.Workspace); err != nil {
		return refused(noLauncher, "%s %v%s", d.Action.Argv[0], err, again)
	}
	return nil
}

// mended notes that what a person was told of what cannot start an agent is over: it can.
func (a *Actor) mended(d record.Decision) error {
	h := a.began[d.Agent]
	told := slices.DeleteFunc([]string{noLauncher, "kept-" + noLauncher}, func(severity string) bool {
		return !slices.Contains(h.Alerts, severity) && !slices.Contains(h.Unasked, severity)
	})
	if len(told) == 0 || d.Seen == nil {
		return nil
	}
	command := a.Command(d.Agent, d.Seen.Workspace)
	if len(command) == 0 || a.Startable(command[0], d.Seen.Workspace) != nil {
		return nil
	}
	for _, severity := range told {
		if err := a.over(d.Agent, severity, "can be started by now"); err != nil {
			return err
		}
	}
	return nil
}

// mistakes are the reasons to leave an agent alone that a person must mend, in the order
// in which the judge looks for them; before is what it looks at first.
var (
	mistakes = []string{"secret", "no-workspace", "mislabelled", "ambiguous", "elsewhere"}
	before   = []string{"blind", "paused", "maintenance", record.Unlisted}
)

// rectified notes that a mistake that a person was told of is mended: a sweep decides about
// the agent by what comes after it.
func (a *Actor) rectified(d record.Decision) error {
	if a.Dry != "" || a.forged(d) != nil || slices.Contains(before, d.Reason) {
		return nil
	}
	for i, severity := range mistakes {
		if at := slices.Index(mistakes, d.Reason); at >= 0 && at <= i {
			break
		}
		if h := a.began[d.Agent]; slices.Contains(h.Alerts, severity) || slices.Contains(h.Unasked, severity) {
			if err := a.over(d.Agent, severity, "is right by now"); err != nil {
				return err
			}
		}
	}
	return nil
}
