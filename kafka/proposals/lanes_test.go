package proposals

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestGiveUp: after others have begun to wait for partitions, a batch that is written in time is
// committed, and any other batch is given up.
func TestGiveUp(t *testing.T) {
	l := (&Consumer{}).newLanes(t.Context(), nil, nil)
	defer l.close()
	polling, paused := context.WithCancel(l.ctx)
	drained := l.giveUpAfter(polling, time.Hour)
	l.begun.Add(1)
	paused()
	l.begun.Done()
	if err := l.drain(); err != nil {
		t.Errorf("in time: %v", err)
	}
	drained()

	polling, paused = context.WithCancel(l.ctx)
	drained = l.giveUpAfter(polling, time.Millisecond)
	defer drained()
	l.begun.Add(1)
	go func() { // a slow write ends when its context ends
		<-l.ctx.Done()
		l.begun.Done()
	}()
	paused()
	if err := l.drain(); !errors.Is(err, errSlow) {
		t.Errorf("too late: %v", err)
	}
}
