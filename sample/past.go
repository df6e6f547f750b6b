package sample

import (
	"sync/atomic"
	"time"
)

// Past is the clock of a store into which the sample is loaded. While [Past.Load]
// writes, it shows the moments of the story; before and after, the machine's time.
// Nothing else can set it.
//
// It is never ahead of the machine's clock: on a machine whose clock is behind the
// story, the events that are still to come are written at the machine's time.
// The reasons are in docs/decisions/0055-a-sample-with-a-past.md.
type Past struct {
	// Machine is the machine's clock; nil means time.Now.
	Machine func() time.Time
	// Progress is told, before each event of the story, how many are written of how many;
	// nil means nobody is.
	Progress func(written, all int)
	// told is the moment of the story in epoch milliseconds, 0 when none is told.
	told atomic.Int64
}

// Now returns the time, as a store's clock does.
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
