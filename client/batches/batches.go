// Package batches sends records in full batches, several at a time, whatever the order
// of the records. Records with the same key stay in order: one is sent only with those
// before it or after they were sent.
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
	// Key names what the record is about. Records with the same key stay in order.
	Key string
	// Kind is a small number. A batch has records of one kind.
	Kind int
	// Size is what the record adds to a batch, in bytes.
	Size int
	// Skip: nothing is to be sent for this record.
	Skip  bool
	Value T
}

// Bounds are those of batches. All must be at least 1.
type Bounds struct {
	// Records and Bytes bound a batch. A record that is larger than Bytes is sent alone.
	Records, Bytes int
	// InFlight is how many batches are sent at a time.
	InFlight int
}

// Work is what Run calls.
type Work[T any] struct {
	// Next returns the next record, and io.EOF after the last one. It is called by one
	// goroutine, which may still wait for it when Run has returned an error.
	Next func() (Record[T], error)
	// Send sends a batch of one kind. Several calls run at the same time.
	Send func(ctx context.Context, kind int, batch []T) error
	// Sent is called after Send has succeeded, and for records that are skipped; never
	// by two goroutines at the same time. The first records, as many as through says,
	// are done by now.
	Sent func(batch []T, through int) error
}

// read is what Next returned.
type read[T any] struct {
	record Record[T]
	err    error
}

// outcome is how sending a batch ended.
type outcome[T any] struct {
	batch []entry[T]
	err   error
}

// run is one call of Run.
type run[T any] struct {
	Work[T]
	ctx      context.Context
	beside   *tasks.Group
	window   *window[T]
	outcomes chan outcome[T]
	inFlight int
	// more: the last record was not read yet.
	more bool
	// failed is the first error; after it, no more batches are sent.
	failed error
}

// Run sends all records. An error of Next, Send or Sent ends it after the batches in
// flight; before an error of Next, all records read are sent.
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

// start sends the batches that may be sent now.
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
