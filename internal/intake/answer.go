package intake

import "context"

const (
	// smallAnswer is the size in bytes up to which an answer is not counted:
	// the request's own share is about as much.
	smallAnswer = 256 << 10
	// answerCost is how many times its size a large answer takes while it is
	// made and sent.
	answerCost = 2
)

// HoldAnswer makes the request of a context hold the memory of its answer, of
// so many bytes, until it is sent: clients that do not read theirs would
// otherwise keep any amount. It waits shortly for others to end; the error is
// Busy when they do not, and the answer is then to be dropped.
func HoldAnswer(ctx context.Context, size int) error {
	if size <= smallAnswer {
		return nil
	}
	return ShareOf(ctx).HoldMore(ctx, answerCost*int64(size))
}
