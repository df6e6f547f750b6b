// Package batches sends records in full batches, several at a time, even if records of
// different kinds alternate. Records with the same key stay in order: a record is sent
// together with the earlier ones or after these were sent.
package batches

import (
	"context"
	"errors"
	"io"

	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Record is a record to send.
type Record[T any] struct {
	// Key names the subject of the record. Records with the same key stay in order.
	Key string
	// Kind is a small number. All records of a batch have the same kind.
	Kind int
	// Size is how many bytes the record adds to a batch.
	Size int
	// Skip: the record is not sent, only counted as done.
	Skip  bool
	Value T
}

// Bounds are the limits of batches. Each must be at least 1.
type Bounds struct {
	// Records and Bytes bound a batch. A record that is larger than Bytes is sent alone.
	Records, Bytes int
	// InFlight is how many batches may be sent at a time.
	InFlight int
}

// Work has the functions that Run calls.
type Work[T any] struct {
	// Next returns the next record, and io.EOF after the last one. One goroutine calls it.
	// If Run returns an error, that goroutine may still wait for Next.
	Next func() (Record[T], error)
	// Send sends a batch of one kind. Several calls run at the same time.
	Send func(ctx context.Context, kind int, batch []T) error
	// Sent is called after Send has succeeded, and for records with Skip, by one goroutine
	// at a time. When it is called, the first through records are done.
	Sent func(batch []T, through int) error
}

// read is a result of Next.
type read[T any] struct {
	record Record[T]
	err    error
}

// outcome is the result of sending a batch.
type outcome[T any] struct {
	batch []entry[T]
	err   error
}

// run is the state of one call of Run.
type run[T any] struct {
	Work[T]
	ctx      context.Context
	beside   *tasks.Group
	window   *window[T]
	outcomes chan outcome[T]
	inFlight int
	// more: Next has not returned io.EOF yet.
	more bool
	// failed is the first error. After it, no further batch is sent.
	failed error
}

// Run sends all records. After an error of Send or Sent, it waits for the batches in flight
// and returns the error. After an error of Next, it first sends all records read so far.
func Run[T any](ctx context.Context, bounds Bounds, work Work[T]) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	records := make(chan read[T])
	beside := tasks.New("batches", nil)
	beside.Go("reading records", func() { readAll(within, work.Next, records) })
	r := &run[T]{Work: work, ctx: within, beside: beside, window: newWindow[T](bounds), outcomes: make(chan outcome[T], bounds.InFlight), more: true}
	var unread error
	interrupted := ctx.Done()
	for {
		r.start()
		if r.inFlight == 0 && (r.failed != nil || !r.more && r.window.waiting == 0) {
			return errors.Join(r.failed, unread)
		}
		next := records
		if !r.more || r.failed != nil || r.window.full() {
			next = nil
		}
		select {
		case got := <-next:
			switch {
			case errors.Is(got.err, io.EOF):
				r.more = false
			case got.err != nil:
				r.more, unread = false, got.err
			default:
				r.add(got.record)
			}
		case ended := <-r.outcomes:
			r.end(ended)
		case <-interrupted:
			interrupted = nil
			r.fail(ctx.Err())
		}
	}
}

func readAll[T any](ctx context.Context, next func() (Record[T], error), into chan<- read[T]) {
	for {
		var got read[T]
		got.err = safely.Do(func() (err error) {
			got.record, err = next()
			return err
		})
		select {
		case into <- got:
		case <-ctx.Done():
			return
		}
		if got.err != nil {
			return
		}
	}
}

// start sends the batches that can be sent now.
func (r *run[T]) start() {
	for r.failed == nil && r.inFlight < r.window.bounds.InFlight {
		kind, ok := r.window.choose(r.more, r.inFlight)
		if !ok {
			return
		}
		batch := r.window.take(kind)
		r.inFlight++
		r.beside.Go("sending a batch", func() {
			err := safely.Do(func() error { return r.Send(r.ctx, kind, values(batch)) })
			r.outcomes <- outcome[T]{batch, err}
		})
	}
}

func (r *run[T]) add(record Record[T]) {
	r.window.add(record)
	if record.Skip {
		r.fail(r.Sent([]T{record.Value}, r.window.done.through))
	}
}

func (r *run[T]) end(ended outcome[T]) {
	r.inFlight--
	if ended.err != nil {
		r.fail(ended.err)
		return
	}
	r.window.finish(ended.batch)
	r.fail(r.Sent(values(ended.batch), r.window.done.through))
}

func (r *run[T]) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

func values[T any](batch []entry[T]) []T {
	all := make([]T, len(batch))
	for i := range batch {
		all[i] = batch[i].Value
	}
	return all
}
