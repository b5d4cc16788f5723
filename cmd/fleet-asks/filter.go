package main

import (
	"fmt"

	"github.com/fleet-tools/fleet/internal/asks"
	"github.com/fleet-tools/fleet/internal/cli"
	"github.com/fleet-tools/fleet/internal/jq"
	"github.com/fleet-tools/fleet/internal/record"
)

// filter copies the stream and adds its asks, the entries, and the closing
// record.
func filter(std *cli.Std) error {
	set, err := std.ReadAll()
	if err != nil {
		return err
	}
	now := set.Now(std.Now)
	var asked questions
	defer asked.close()
	fold, err := asks.Of(set, now, asked.when)
	if err != nil {
		return err
	}
	for _, why := range fold.Broken {
		std.Warn("%s", why)
	}
	for _, a := range fold.Asks {
		if err := std.AddData(record.KindAsk, now, a.Host, a.Key, a.Ask); err != nil {
			return err
		}
	}
	for _, e := range fold.Entries {
		if err := std.AddData(record.KindEntry, now, "", e.ID, e); err != nil {
			return err
		}
	}
	return std.Close(now, "", "")
}

// questions are the expressions of ask_when that were compiled.
type questions []*jq.Query

// when compiles an expression of ask_when: its first value tells whether a
// record meets it; no value, null and false do not.
func (qs *questions) when(expr string) (func(record.Record) (bool, error), error) {
	q, err := jq.Compile(expr)
	if err != nil {
		return nil, err
	}
	*qs = append(*qs, q)
	return func(r record.Record) (bool, error) {
		met, err := q.Met(r)
		if err != nil {
			err = fmt.Errorf("%q: %w", expr, err)
		}
		return met, err
	}, nil
}

func (qs *questions) close() {
	for _, q := range *qs {
		_ = q.Close() // what it said counts
	}
}
