package catalog

import (
	"context"
	"sync"
)

// background is work that goes on after the request that began it was answered.
type background struct {
	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (b *background) start() { b.ctx, b.cancel = context.WithCancel(context.Background()) }

// run runs work until it ends or is stopped, unless it was.
func (b *background) run(work func(ctx context.Context)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return Errorf(Unavailable, "the server is stopping")
	}
	b.running.Go(func() { work(b.ctx) })
	return nil
}

// Stop ends the work in the background and waits for it. What a request then
// asks to be done in the background is refused.
func (c *Catalog) Stop() {
	c.background.mu.Lock()
	c.background.cancel()
	c.background.mu.Unlock()
	c.background.running.Wait()
}
