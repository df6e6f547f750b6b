package catalog

import (
	"context"
	"sync"
)

// background is work that continues after the request that started it was
// answered.
type background struct {
	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (b *background) start() { b.ctx, b.cancel = context.WithCancel(context.Background()) }

// run starts work in the background. It fails when the catalog is stopping.
func (b *background) run(work func(ctx context.Context)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return Errorf(Unavailable, "the server is stopping")
	}
	b.running.Go(func() { work(b.ctx) })
	return nil
}

// Stop cancels the work in the background and waits until it has ended. New
// work is refused.
func (c *Catalog) Stop() {
	c.background.mu.Lock()
	c.background.cancel()
	c.background.mu.Unlock()
	c.background.running.Wait()
}
