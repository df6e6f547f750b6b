package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// StoreFailure turns an error of the store into an error for callers.
func StoreFailure(err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, graphstore.ErrUnavailable), errors.Is(err, graphstore.ErrClosed):
		return &Error{Code: Unavailable, Message: "the graph store is not available; nothing was changed", Err: err}
	case errors.Is(err, graphstore.ErrBusy):
		return &Error{Code: Busy, Message: "the server is busy; nothing was changed, try again", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Message: "the request took too long", Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Unavailable, Message: "the request was cancelled", Err: err}
	case errors.Is(err, graphstore.ErrLostCursor):
		return &Error{Code: Gone, Message: err.Error() + "; the log was trimmed, or the store was restored from an earlier copy, or the cursor belongs to another store or release: start over"}
	case errors.Is(err, graphstore.ErrAspectsFull):
		return &Error{Code: Invalid, Message: fmt.Sprintf("the store has values of %d aspects that the model does not have, the limit; nothing was changed", limits.MaxUnknownAspects), Err: err}
	case errors.Is(err, graphstore.ErrBadCursor):
		return &Error{Code: Invalid, Message: err.Error()}
	}
	return &Error{Code: Internal, Message: "internal error", Err: err}
}
