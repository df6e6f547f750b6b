package app

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/services"
)

// fillFeeds fills the feeds until the server stops, unless the setting feed is off. If the
// store already has changes, feeds begin with the changes from now on.
func (s *server) fillFeeds(ctx context.Context, c *services.Services) error {
	if !s.settings.Feed {
		return nil
	}
	logged, err := c.LogLength(ctx)
	if err != nil {
		return fmt.Errorf("feeds: %w", err)
	}
	worker := delivery.Worker{Name: feed.Follower, Wants: c.Feed.Wants, Deliver: c.Feed.Deliver}
	if logged > 0 {
		worker.Start = delivery.Now
	}
	s.inBackground("feeds", func(ctx context.Context) {
		if err := c.Delivery.Run(ctx, worker); err != nil {
			s.logger.WarnContext(ctx, "feeds are not filled until the next start", "reason", err)
		}
	})
	return nil
}
