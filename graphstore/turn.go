package graphstore

import (
	"context"
	"fmt"
	"time"
)

// AwaitTurn returns the answer to an update that waits for its turn. It stops
// waiting when the context or the patience ends before the turn has begun, which
// leave says by taking the update out of where it waits: then nothing of it was
// done. Once the turn has begun only the answer says whether it was.
func AwaitTurn(ctx context.Context, patience time.Duration, answer <-chan error, leave func() bool) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var left error
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		left = ctx.Err()
	case <-timer.C:
		left = fmt.Errorf("the turn of an update did not come within %s: %w", patience, ErrBusy)
	}
	if leave() {
		return left
	}
	return <-answer
}
