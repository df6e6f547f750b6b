package graphstore

import (
	"context"
	"fmt"
	"time"
)

// AwaitTurn returns the answer to an update that waits for its turn. It stops
// waiting if the context or the patience ends before the turn has begun. leave
// then removes the update from its queue and reports that it did; nothing of the
// update was done. Once the turn has begun, only the answer tells whether the
// update was done. If near is not nil and reports that the turn is about to come
// when the patience ends, the update waits on: who is sent away would begin again
// behind all others.
func AwaitTurn(ctx context.Context, patience time.Duration, answer <-chan error, leave, near func() bool) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var left error
	for left == nil {
		select {
		case err := <-answer:
			return err
		case <-ctx.Done():
			left = ctx.Err()
		case <-timer.C:
			if near != nil && near() {
				timer.Reset(patience)
				continue
			}
			left = fmt.Errorf("an update did not get its turn within %s: %w", patience, ErrBusy)
		}
	}
	if leave() {
		return left
	}
	return <-answer
}
