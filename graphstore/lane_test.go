package graphstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

func TestLane(t *testing.T) {
	ctx := context.Background()
	lane := graphstore.NewLane(2)
	leave, err := lane.Enter(ctx)
	if err != nil || !lane.TryEnter() || lane.TryEnter() || lane.Inside() != 2 {
		t.Fatalf("two places: %d taken, %v", lane.Inside(), err)
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := lane.Enter(short); !errors.Is(err, graphstore.ErrBusy) {
		t.Errorf("a full lane until the deadline: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := lane.Enter(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who goes: %v", err)
	}
	entered := make(chan error)
	go func() {
		leave, err := lane.Enter(ctx)
		if err == nil {
			leave()
		}
		entered <- err
	}()
	leave()
	if err := <-entered; err != nil {
		t.Error(err)
	}
	lane.Leave()
	if lane.Inside() != 0 {
		t.Errorf("%d are inside", lane.Inside())
	}
	if _, err := lane.Enter(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who has gone: %v", err)
	}
}
