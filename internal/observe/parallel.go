package observe

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fleet-tools/fleet/internal/machine"
)

// batch is how many items one of several workers takes at a time.
const batch = 16

// inOrder does n things, as many at a time as there are processors, and yields
// their numbers in order, each when it and all before it are done. begin makes a
// worker, a function that does what has a number. A loop that is left waits
// for what is not done yet.
func inOrder(n, workers int, begin func() func(i int)) iter.Seq[int] {
	return func(yield func(int) bool) {
		done := make([]chan struct{}, (n+batch-1)/batch)
		for i := range done {
			done[i] = make(chan struct{})
		}
		var next atomic.Int64
		var running sync.WaitGroup
		for range min(workers, len(done)) {
			running.Go(func() {
				do := begin()
				for b := int(next.Add(1)) - 1; b < len(done); b = int(next.Add(1)) - 1 {
					for i := b * batch; i < min((b+1)*batch, n); i++ {
						do(i)
					}
					close(done[b])
				}
			})
		}
		for i := range n {
			<-done[i/batch]
			if !yield(i) {
				break
			}
		}
		running.Wait()
	}
}

// workers is how many of them read at a time. A recording is written by one.
func workers(w *machine.World) int {
	if w.Rec != nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}
