package app

import (
	"context"

	"github.com/headwater-io/headwater/catalog/services"
)

// countViews stores the numbers of views and searches until the server stops.
func (s *server) countViews(cat *services.Services) {
	s.inBackground("views and searches", func(ctx context.Context) { cat.WhileWritable(ctx, cat.Tracking.Run) })
}
