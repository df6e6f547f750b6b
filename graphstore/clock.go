package graphstore

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// ClockTolerance is how far a stamp may lie ahead of the machine's clock and
// still be waited for: within it times do not go back. A stamp further ahead
// was made by a clock that was wrong, and nothing follows it.
const ClockTolerance = 5 * time.Minute

// Clock gives a change log its times, for backends. It follows the machine's
// clock and never goes back by less than [ClockTolerance]. When the machine's
// clock was ahead by more and was put right, it goes back with it and says so:
// the order of the log is that of its numbers, not of its times.
//
// Times that come from outside (an import's stamps, audit stamps, timestamps of
// values) are data and never reach it.
type Clock struct {
	now    func() time.Time
	logger *slog.Logger

	mu   sync.Mutex
	last int64
}

// NewClock makes a clock that goes on from the time of the log's newest change,
// epoch milliseconds, 0 when there is none. A nil now is the machine's clock.
func NewClock(now func() time.Time, newest int64, logger *slog.Logger) *Clock {
	if now == nil {
		now = time.Now
	}
	return &Clock{now: now, last: newest, logger: logger}
}

// Tick is the time, epoch milliseconds.
func (c *Clock) Tick() int64 {
	now := c.now().UnixMilli()
	c.mu.Lock()
	former := c.last
	c.last = NotBefore(now, former)
	tick := c.last
	c.mu.Unlock()
	if former > tick {
		c.logger.LogAttrs(context.Background(), slog.LevelWarn, "the change log was stamped by a clock that was ahead; new changes get the machine's time",
			slog.Time("stamped", time.UnixMilli(former).UTC()), slog.Time("now", time.UnixMilli(tick).UTC()))
	}
	return tick
}

// NotBefore is now, or a former time that lies ahead of it within
// [ClockTolerance]. All are epoch milliseconds.
func NotBefore(now, former int64) int64 {
	if former > now && former-now <= ClockTolerance.Milliseconds() {
		return former
	}
	return now
}
