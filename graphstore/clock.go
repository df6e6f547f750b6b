package graphstore

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// ClockTolerance is how far a stamp may be ahead of the machine's clock so that
// the clock still does not go back behind it. A stamp further ahead was made by a
// clock that was wrong, and is not followed.
const ClockTolerance = 5 * time.Minute

// Clock provides the times of a change log, for backends. It follows the machine's
// clock, and does not go back by [ClockTolerance] or less. If the machine's clock
// was ahead by more and was corrected, it goes back too and logs a warning: the
// log is ordered by its numbers, not by its times.
//
// Times that come from outside (the stamps of an import, audit stamps, timestamps
// of values) are data and never affect the clock.
// The reasons are in docs/decisions/0032-the-logs-clock.md.
type Clock struct {
	now    func() time.Time
	logger *slog.Logger

	mu   sync.Mutex
	last int64
}

// NewClock makes a clock that continues from the time of the log's newest change,
// in epoch milliseconds, 0 if there is none. A nil now means the machine's clock.
func NewClock(now func() time.Time, newest int64, logger *slog.Logger) *Clock {
	if now == nil {
		now = time.Now
	}
	return &Clock{now: now, last: newest, logger: logger}
}

// Tick returns the time in epoch milliseconds.
func (c *Clock) Tick() int64 {
	now := c.now().UnixMilli()
	c.mu.Lock()
	former := c.last
	c.last = NotBefore(now, former)
	tick := c.last
	c.mu.Unlock()
	if former > tick {
		c.logger.LogAttrs(context.Background(), slog.LevelWarn, "the newest change was stamped by a clock that was ahead; new changes get the machine's time",
			slog.Time("stamped", time.UnixMilli(former).UTC()), slog.Time("now", time.UnixMilli(tick).UTC()))
	}
	return tick
}

// NotBefore returns now, or the former time if that is ahead of now by at most
// [ClockTolerance]. All are epoch milliseconds.
func NotBefore(now, former int64) int64 {
	if former > now && former-now <= ClockTolerance.Milliseconds() {
		return former
	}
	return now
}
