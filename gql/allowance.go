package gql

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

const (
	// smallAnswer is how many fields an answer may have regardless of other
	// answers in progress.
	smallAnswer = 10_000
	// answersAtOnce is how many fields all answers in progress may have together,
	// beyond small ones.
	answersAtOnce = limits.MaxGraphQLAnswer
	// claim is how many fields are claimed at a time.
	claim = 10_000
)

// allowance counts the fields and list items of an answer while it is made, and
// ends the request if there are too many.
type allowance struct {
	// most is how many there may be; up to small, other answers do not count.
	most, small int64
	made        atomic.Int64
	claimed     atomic.Int64
	// all is what the answers of all requests have claimed.
	all *atomic.Int64
	end context.CancelCauseFunc
	// turns are those of the fields of the answer.
	turns turns

	once sync.Once
	err  error
	over atomic.Bool
}

// take counts n more fields. It fails if there are too many.
func (a *allowance) take(n int) error {
	if a.over.Load() {
		return a.err
	}
	made := a.made.Add(int64(n))
	if made > a.most {
		return a.stop(catalog.Errorf(catalog.Invalid, "the answer has more than %d fields; ask for smaller pages or fewer fields", a.most))
	}
	for made > a.small+a.claimed.Load() {
		a.claimed.Add(claim)
		if a.all.Add(claim) > answersAtOnce {
			return a.stop(catalog.Errorf(catalog.Busy, "too many large answers are in progress; try again"))
		}
	}
	return nil
}

// stop ends the request; the first reason given counts.
func (a *allowance) stop(reason error) error {
	a.once.Do(func() {
		a.err = reason
		a.over.Store(true)
		a.end(reason)
	})
	return a.err
}

// field counts a field, and resolves it when it is its turn.
func (a *allowance) field(ctx context.Context, next graphql.Resolver) (any, error) {
	if err := a.take(1); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, a.stop(over(ctx))
	}
	end, err := a.turns.take(ctx)
	if err != nil {
		return nil, a.stop(err)
	}
	defer end()
	return next(ctx)
}

// failure returns why the answer cannot be sent, nil if it can. An incomplete
// answer is not sent in part.
func (a *allowance) failure() error {
	if a.over.Load() {
		return a.err
	}
	return nil
}

// close releases what was claimed.
func (a *allowance) close() { a.all.Add(-a.claimed.Load()) }
