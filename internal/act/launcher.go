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

// launched notes that what a person was told of what cannot start an agent is over: a
// start of it was begun.
func (a *Actor) launched(o record.Outcome) error {
	if o.Intent == "" || o.Reason == noLauncher || !record.ActVerbs[o.Verb] {
		return nil
	}
	h := a.began[o.Agent]
	for _, severity := range []string{noLauncher, "kept-" + noLauncher} {
		if slices.Contains(h.Alerts, severity) || slices.Contains(h.Unasked, severity) {
			if err := a.over(o.Agent, severity, "can be started by now"); err != nil {
				return err
			}
		}
	}
	return nil
}
