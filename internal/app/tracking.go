package app

import (
	"context"
	"sync"

	"github.com/headwater-io/headwater/catalog/services"
)

// countViews stores the views of entities until the server stops.
func (s *server) countViews(cat *services.Services) {
	ctx, stop := context.WithCancel(context.Background())
	var counting sync.WaitGroup
	counting.Go(func() { cat.WhileWritable(ctx, cat.Tracking.Run) })
	s.atClose("views of entities", func(context.Context) error {
		stop()
		counting.Wait()
		return nil
	})
}
