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

// HoldAnswer reserves memory for the answer to the request of a context until it is
// sent. Otherwise clients that do not read their answers could keep any amount. size
// is in bytes. It waits briefly for other requests to end. If they do not, the error
// is Busy and the answer must be dropped.
func HoldAnswer(ctx context.Context, size int) error {
	if size <= smallAnswer {
		return nil
	}
	return ShareOf(ctx).HoldMore(ctx, answerCost*int64(size))
}
