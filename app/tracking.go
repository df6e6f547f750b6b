package app

import (
	"context"
	"sync"

	"github.com/headwater-io/headwater/catalog/services"
)

// countViews stores the numbers of views and searches until the server stops.
func (s *server) countViews(cat *services.Services) {
	ctx, stop := context.WithCancel(context.Background())
	var counting sync.WaitGroup
	counting.Go(func() { cat.WhileWritable(ctx, cat.Tracking.Run) })
	s.atClose("views and searches", func(context.Context) error {
		stop()
		counting.Wait()
		return nil
	})
}
