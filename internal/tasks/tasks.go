// Package tasks is the only place where the program starts goroutines. Without it, a
// goroutine could use resources that its owner has closed, and a panic in it would end the
// process.
package tasks

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/internal/safely"
)

// Group has the background work of one owner. It is safe for concurrent use.
type Group struct {
	owner  string
	logger *slog.Logger

	mu    sync.Mutex
	ended bool
	// running counts the running tasks by their names.
	running map[string]int
	// idle is closed when the last task has ended. It is nil while no task runs.
	idle chan struct{}
}

// New makes a group. The logger receives the panics of the group's tasks; nil means
// slog.Default.
func New(owner string, logger *slog.Logger) *Group {
	if logger == nil {
		logger = slog.Default()
	}
	return &Group{owner: owner, logger: logger, running: map[string]int{}}
}

// Go runs work in the background. It returns false, without running work, if the group has
// ended. A panic ends only this work, and is logged.
func (g *Group) Go(name string, work func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return false
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	g.running[name]++
	go func() {
		defer g.done(name)
		err := safely.Do(func() error {
			work()
			return nil
		})
		if err != nil {
			g.logger.Error("a task in the background panicked", "owner", g.owner, "task", name, "error", err)
		}
	}()
	return true
}

func (g *Group) done(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[name]--; g.running[name] == 0 {
		delete(g.running, name)
	}
	if len(g.running) == 0 {
		close(g.idle)
		g.idle = nil
	}
}

// Wait waits until no task runs. If the context ends first, the error names the running
// tasks.
func (g *Group) Wait(ctx context.Context) error {
	g.mu.Lock()
	idle := g.idle
	g.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %s still running: %w", g.owner, strings.Join(g.names(), ", "), ctx.Err())
	}
}

// End prevents further tasks, and waits for the running ones as Wait does.
func (g *Group) End(ctx context.Context) error {
	g.mu.Lock()
	g.ended = true
	g.mu.Unlock()
	return g.Wait(ctx)
}

func (g *Group) names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.running))
}
