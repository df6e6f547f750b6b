package write

import (
	"context"
	"log/slog"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/tasks"
)

// background runs work that continues after the request that started it was answered.
type background struct {
	tasks  *tasks.Group
	ctx    context.Context
	cancel context.CancelFunc
}

func (b *background) start(logger *slog.Logger) {
	b.ctx, b.cancel = context.WithCancel(OwnWork(context.Background()))
	b.tasks = tasks.New("catalog", logger)
}

// run starts work in the background. It fails when the writer is stopping.
func (b *background) run(name string, work func(ctx context.Context)) error {
	if b.ctx.Err() != nil || !b.tasks.Go(name, func() { work(b.ctx) }) {
		return errStopping
	}
	return nil
}

var errStopping = &catalog.Error{Code: catalog.Unavailable, Message: "the server is stopping"}

// Background starts work that runs until it is done or the writer is stopped.
func (w *Writer) Background(name string, work func(ctx context.Context)) error {
	return w.work.run(name, work)
}

// Stop ends the work in the background and waits for its end. Requests that would start more such work are
// refused.
func (w *Writer) Stop() {
	w.work.cancel()
	_ = w.work.tasks.End(context.Background()) // which does not end before the work
}
