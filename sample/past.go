package sample

import (
	"sync/atomic"
	"time"
)

// Past is the clock of a store into which the sample is loaded. While [Past.Load] writes, the
// clock shows the moments of the story. Before and after, it shows the machine's time. Nothing
// but Load can set the clock.
//
// The clock is never ahead of the machine's clock. If the machine's clock is behind the story,
// the events that are still in the future are written at the machine's time.
// The reasons are in docs/decisions/0055-a-sample-with-a-past.md.
type Past struct {
	// Machine is the machine's clock; nil means time.Now.
	Machine func() time.Time
	// Progress, unless it is nil, is called before each event of the story, with the number of
	// written events and the number of all events.
	Progress func(written, all int)
	// told is the moment of the event that is being written, in epoch milliseconds, 0 when no
	// event is being written.
	told atomic.Int64
}

// Now returns the time of the clock.
func (p *Past) Now() time.Time {
	machine := time.Now
	if p.Machine != nil {
		machine = p.Machine
	}
	now, told := machine(), p.told.Load()
	if told == 0 || told > now.UnixMilli() {
		return now
	}
	return time.UnixMilli(told)
}
