package graphstore

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// ClockTolerance bounds how far a stamp may be ahead of the machine's clock so that [Clock]
// waits for the machine's clock to pass it. A stamp further ahead came from a wrong clock, and
// is ignored.
const ClockTolerance = 5 * time.Minute

// Clock provides the times of a change log, for backends. Clock follows the machine's clock. If
// the machine's clock goes back by [ClockTolerance] or less, Clock repeats its last time until
// the machine's clock has passed that time. If the machine's clock goes back by more, the
// machine's clock was wrong and was corrected: then Clock goes back too, and logs a warning. The
// log is ordered by its numbers, not by its times.
//
// Times from outside (the stamps of an import, audit stamps, timestamps of values) are data and
// never affect the clock.
// The reasons are in docs/decisions/0032-the-logs-clock.md.
type Clock struct {
	now    func() time.Time
	logger *slog.Logger

	mu   sync.Mutex
	last int64
}

// NewClock makes a clock that continues from the time of the newest change of the log, in epoch
// milliseconds, 0 if there is none. A nil now means the machine's clock.
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

// Peek returns the time that Tick would return, and changes nothing.
func (c *Clock) Peek() int64 {
	now := c.now().UnixMilli()
	c.mu.Lock()
	defer c.mu.Unlock()
	return NotBefore(now, c.last)
}

// NotBefore returns now, or the former time if that is ahead of now by at most
// [ClockTolerance]. All are epoch milliseconds.
func NotBefore(now, former int64) int64 {
	if former > now && former-now <= ClockTolerance.Milliseconds() {
		return former
	}
	return now
}
