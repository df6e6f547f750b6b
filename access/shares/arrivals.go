package shares

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/headwater-io/headwater/internal/tasks"
)

// Arrivals run functions after the requests that have arrived meanwhile.
//
// While goroutines wait for a processor, Go looks only each 10 ms whether data has arrived at connections. A
// caller whose requests always wait for their turn would so keep the server from noticing the requests of
// others. A function of Arrivals is started by data that arrives itself: in a pipe. Go finds it only when it looks
// at all connections. [Arrivals.Close] ends them.
type Arrivals struct {
	read, write *os.File
	group       *tasks.Group

	mu    sync.Mutex
	later []func()
	ended bool
}

// NewArrivals opens the pipe, and begins to read from it.
func NewArrivals() (*Arrivals, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	a := &Arrivals{read: read, write: write, group: tasks.New("shares", nil)}
	a.group.Go("turns after arrivals", a.run)
	return a, nil
}

// run runs functions until the pipe is closed.
func (a *Arrivals) run() {
	signals := make([]byte, 64)
	for {
		_, err := a.read.Read(signals)
		runtime.Gosched() // the goroutines of requests that Go found together with the signal run first
		for _, do := range a.taken() {
			do()
		}
		if err != nil {
			return
		}
	}
}

func (a *Arrivals) taken() []func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	later := a.later
	a.later = nil
	return later
}

// After runs a function soon, after the requests that have arrived by then were noticed. It does not wait for
// the function.
func (a *Arrivals) After(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		if _, err := a.write.Write([]byte{0}); err == nil {
			a.later = append(a.later, do)
			return
		}
	}
	a.group.Go("a turn", do)
}

// Close runs the functions that are left, and ends the Arrivals.
func (a *Arrivals) Close(ctx context.Context) error {
	a.mu.Lock()
	a.ended = true
	err := a.write.Close()
	a.mu.Unlock()
	if err := a.group.Wait(ctx); err != nil {
		return err
	}
	return errors.Join(err, a.read.Close())
}
