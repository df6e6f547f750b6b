// Package safely is the only place where a panic becomes an error. A panic in a goroutine
// ends the process and with it all requests, unless it is recovered. As an error, it fails
// only the work that caused it.
package safely

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// PanicError is a panic that was recovered.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack is the stack trace, for the log.
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Unwrap returns the value of the panic, if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Do calls f and returns its error, or a *PanicError if f panics.
func Do(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Func wraps f so that a panic becomes an error, for errgroup.Group.Go.
func Func(f func() error) func() error {
	return func() error { return Do(f) }
}

// Each calls f for each index below n, at most most of them at the same time. It waits for all calls, and returns the first
// error, or a *PanicError if a call panics. The context of the calls ends with the first error.
func Each(ctx context.Context, n, most int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return Do(func() error { return f(ctx, 0) })
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(most)
	for i := range n {
		group.Go(Func(func() error { return f(within, i) }))
	}
	return group.Wait()
}
