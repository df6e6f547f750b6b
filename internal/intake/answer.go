package intake

import "context"

const (
	// smallAnswer is the size in bytes up to which an answer is not counted, because the
	// share of its request is about as large.
	smallAnswer = 256 << 10
	// answerCost is the memory of a large answer while it is made and sent, as a multiple of
	// its size.
	answerCost = 2
)

// HoldAnswer reserves memory for an answer of size bytes until the answer is sent. Without
// it, clients that do not read their answers could occupy any amount of memory. HoldAnswer
// waits briefly for other requests to end. If they do not, it returns a Busy error, and the
// caller must drop the answer.
func HoldAnswer(ctx context.Context, size int) error {
	if size <= smallAnswer {
		return nil
	}
	return ShareOf(ctx).HoldMore(ctx, answerCost*int64(size))
}
