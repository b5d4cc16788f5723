package main

import (
	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/desired"
	"github.com/fleet-tools/fleet/internal/reconcile"
	"github.com/fleet-tools/fleet/internal/record"
)

// listed reads the list of a file, nil of none.
func listed(file string) ([]desired.Agent, error) {
	if file == "" {
		return nil, nil
	}
	b, err := cli.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return desired.Parse(file, b)
}

// judge decides what is to be done, or what is upgraded next.
func judge(set *record.Set, o reconcile.Options, upgrade string) reconcile.Judgement {
	if upgrade != "" {
		return reconcile.Upgrade(set, o, upgrade)
	}
	return reconcile.Judge(set, o)
}
