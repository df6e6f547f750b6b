package graphstore

import (
	"context"
	"fmt"
	"time"
)

// AwaitTurn returns the answer to an update that waits for its turn. AwaitTurn stops waiting if
// the context or the patience ends before the turn has begun. The function leave then removes
// the update from its queue and reports whether it did; in that case no part of the update was
// done. Once the turn has begun, only the answer tells whether the update was done. If near is
// not nil, and reports at the end of the patience that the turn is about to come, the update
// waits on: a caller that is sent away would have to begin again behind all other callers.
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
