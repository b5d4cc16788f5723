package report

import "github.com/fleet-tools/fleet/internal/record"

// input is a stream that is asked many times: it is put in order once. Of and
// All answer as the set's do.
type input struct {
	*record.Set
	all []record.Record
	of  map[record.Kind][]record.Record
}

func newInput(set *record.Set) *input {
	in := &input{Set: set, all: set.All(), of: map[record.Kind][]record.Record{}}
	for from := 0; from < len(in.all); {
		kind, to := in.all[from].Kind, from
		for to < len(in.all) && in.all[to].Kind == kind {
			to++
		}
		in.of[kind] = in.all[from:to]
		from = to
	}
	return in
}

func (in *input) All() []record.Record                { return in.all }
func (in *input) Of(kind record.Kind) []record.Record { return in.of[kind] }

// Tick is the set's, which keeps a tick record among few.
func (in *input) Tick() (record.Record, *record.Tick, bool) {
	if len(in.of[record.KindTick]) == 0 {
		return record.Record{}, nil, false
	}
	return in.Set.Tick()
}
