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
	// smallAnswer is the number of fields that an answer may have, whatever other answers are
	// in progress.
	smallAnswer = 10_000
	// answersAtOnce is the number of fields that all answers in progress may have together. The
	// first smallAnswer fields of each answer do not count.
	answersAtOnce = limits.MaxGraphQLAnswer
	// claim is the number of fields that an answer claims at a time.
	claim = 10_000
)

// allowance counts the fields and list items of an answer while the answer is made, and ends
// the request if there are too many.
type allowance struct {
	// most is the number of fields and items that the answer may have. Up to small, the answer
	// claims nothing from the share of all answers.
	most, small int64
	made        atomic.Int64
	claimed     atomic.Int64
	// all is the number of fields that the answers of all requests have claimed.
	all *atomic.Int64
	end context.CancelCauseFunc
	// turns are the turns of the fields of the answer.
	turns turns

	once sync.Once
	err  error
	over atomic.Bool
}

// take counts n more fields. It fails if the answer has too many fields.
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

// stop ends the request. If stop is called several times, the first reason is the reason of the
// request's failure.
func (a *allowance) stop(reason error) error {
	a.once.Do(func() {
		a.err = reason
		a.over.Store(true)
		a.end(reason)
	})
	return a.err
}

// field counts a field, waits for the turn of the field, and resolves the field.
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

// failure returns the reason why the answer cannot be sent, nil if it can. No part of an
// incomplete answer is sent.
func (a *allowance) failure() error {
	if a.over.Load() {
		return a.err
	}
	return nil
}

// close releases the fields that the answer has claimed.
func (a *allowance) close() { a.all.Add(-a.claimed.Load()) }
