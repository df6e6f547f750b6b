package catalog

import (
	"context"
	"log/slog"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// LogAhead returns how far the time of the log's newest change is ahead of the
// machine's clock, 0 when that is no more than [graphstore.ClockTolerance]. The
// next change ends the difference: it gets the machine's time.
func (c *Catalog) LogAhead(ctx context.Context) (time.Duration, error) {
	newest, err := c.store.NewestTime(ctx)
	if err != nil {
		return 0, StoreFailure(err)
	}
	now := c.now().UnixMilli()
	if graphstore.NotBefore(now, newest) >= newest {
		return 0, nil
	}
	return time.Duration(newest-now) * time.Millisecond, nil
}

// WarnOfClock logs a warning when the time of the newest change is ahead of the
// machine's clock.
func (c *Catalog) WarnOfClock(ctx context.Context) {
	ahead, err := c.LogAhead(ctx)
	if err != nil || ahead == 0 {
		return
	}
	c.logger.LogAttrs(ctx, slog.LevelWarn, "the time of the newest change is ahead of this machine's clock: was a clock wrong?", slog.Duration("ahead", ahead))
}
