package testclock

import (
	"testing"
	"time"
)

func TestForward(t *testing.T) {
	before := Now()
	Forward(time.Hour)
	if passed := Now().Sub(before); passed < time.Hour {
		t.Errorf("the clock was put forward by %s", passed)
	}
}

func TestPoll(t *testing.T) {
	asked := 0
	if Poll(0, func() bool { asked++; return false }) || asked == 0 {
		t.Errorf("a condition that never holds was asked %d times", asked)
	}
	if !Poll(0, func() bool { return true }) {
		t.Error("a condition that holds was not seen")
	}
}

func TestAwait(t *testing.T) {
	asked := 0
	Await(t, "the third question", func() bool { asked++; return asked == 3 })
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}
