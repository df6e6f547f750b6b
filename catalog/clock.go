package catalog

import (
	"context"
	"log/slog"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// LogAhead is by how much the newest change of the log is stamped ahead of the
// machine's clock, 0 when it is not, or by no more than
// [graphstore.ClockTolerance]. It goes away by itself: the next changes get the
// machine's time.
func (c *Catalog) LogAhead(ctx context.Context) (time.Duration, error) {
	newest, err := c.store.NewestTime(ctx)
	if err != nil {
		return 0, storeFailure(err)
	}
	now := c.now().UnixMilli()
	if graphstore.NotBefore(now, newest) >= newest {
		return 0, nil
	}
	return time.Duration(newest-now) * time.Millisecond, nil
}

// WarnOfClock says in the log when the newest change is stamped ahead of the
// machine's clock.
func (c *Catalog) WarnOfClock(ctx context.Context) {
	ahead, err := c.LogAhead(ctx)
	if err != nil || ahead == 0 {
		return
	}
	c.logger.LogAttrs(ctx, slog.LevelWarn, "the newest change is stamped ahead of this machine's clock: was a clock wrong?", slog.Duration("ahead", ahead))
}
