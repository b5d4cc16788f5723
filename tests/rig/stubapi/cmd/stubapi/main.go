// Stubapi serves the stub Messages API until it is interrupted.
//
// Usage:
//
//	stubapi [--listen ADDR] [--log FILE]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/fleet-tools/fleet/tests/rig/stubapi"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "stubapi: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	listen := flag.String("listen", "127.0.0.1:0", "loopback address to serve")
	log := flag.String("log", "", "file that gets one JSON line a request")
	flag.Parse()
	server, err := stubapi.Start(*listen)
	if err != nil {
		return err
	}
	defer server.Close()
	if *log != "" {
		f, err := os.OpenFile(*log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		server.Log = f
	}
	fmt.Println(server.URL())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	return nil
}
