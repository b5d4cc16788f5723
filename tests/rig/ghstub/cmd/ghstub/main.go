// Ghstub serves the stub's library to the real gh until it is interrupted, and
// prints the home whose gh uses it:
//
//	HOME=$(ghstub) GH_TOKEN=x gh pr list -R acme/pinned
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/fleet-tools/fleet/tests/rig/ghstub"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "ghstub: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	box, err := ghstub.Serve(ghstub.Library())
	if err != nil {
		return err
	}
	defer box.Close()
	fmt.Println(box.Home)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	return nil
}
