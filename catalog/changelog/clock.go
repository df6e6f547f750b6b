package changelog

import (
	"context"
	"log/slog"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// LogAhead returns how far the time of the newest change is ahead of the machine's clock, 0 if
// the difference is at most [graphstore.ClockTolerance]. The next change ends the difference,
// because it gets the machine's time.
func (l *Log) LogAhead(ctx context.Context) (time.Duration, error) {
	newest, err := l.store.NewestTime(ctx)
	if err != nil {
		return 0, catalog.StoreFailure(err)
	}
	now := l.now().UnixMilli()
	if graphstore.NotBefore(now, newest) >= newest {
		return 0, nil
	}
	return time.Duration(newest-now) * time.Millisecond, nil
}

// WarnOfClock logs a warning if the time of the newest change is ahead of the machine's clock.
func (l *Log) WarnOfClock(ctx context.Context) {
	ahead, err := l.LogAhead(ctx)
	if err != nil || ahead == 0 {
		return
	}
	l.logger.LogAttrs(ctx, slog.LevelWarn, "the time of the newest change is ahead of this machine's clock: was a clock wrong?", slog.Duration("ahead", ahead))
}
