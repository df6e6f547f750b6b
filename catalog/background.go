package catalog

import (
	"context"
	"sync"
	"time"
)

// background is work that continues after the request that started it was
// answered.
type background struct {
	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (b *background) start() { b.ctx, b.cancel = context.WithCancel(OwnWork(context.Background())) }

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

// Background runs work until it ends or the catalog is stopped.
func (c *Catalog) Background(work func(ctx context.Context)) error { return c.work.run(work) }

// Stop ends the work in the background and waits for it. What a request then
// asks to be done in the background is refused.
func (c *Catalog) Stop() {
	c.work.mu.Lock()
	c.work.cancel()
	c.work.mu.Unlock()
	c.work.running.Wait()
}

// RetryFirst and RetryMost are the pauses after failures of work in the
// background.
const (
	RetryFirst = 200 * time.Millisecond
	RetryMost  = 15 * time.Second
)
