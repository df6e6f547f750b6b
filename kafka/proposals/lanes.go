package proposals

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/kafka/connect"
)

// lanes write the fetched records. Each lane writes the records of its share of the partitions, in the
// order of each partition. While some lanes write, others prepare their next batch, and the store commits
// the waiting batches together.
type lanes struct {
	*Consumer
	client   *kgo.Client
	unpacker *connect.Unpacker
	// ctx ends with the first failure, which is its cause.
	ctx     context.Context
	fail    context.CancelCauseFunc
	queues  [writers]chan *batch
	running sync.WaitGroup
	// begun are the batches that have not ended.
	begun sync.WaitGroup
}

// batch has the records that a lane writes and commits together.
type batch struct {
	records []*kgo.Record
	items   []*item
	// fetched are the partitions whose last fetched record is in the batch, with their state when it was
	// read.
	fetched []kgo.FetchTopicPartition
	memory  *held
}

func (c *Consumer) newLanes(ctx context.Context, client *kgo.Client, unpacker *connect.Unpacker) *lanes {
	l := &lanes{Consumer: c, client: client, unpacker: unpacker}
	l.ctx, l.fail = context.WithCancelCause(ctx)
	for i := range l.queues {
		l.queues[i] = make(chan *batch, 1)
		l.running.Go(func() {
			for b := range l.queues[i] {
				if l.ctx.Err() == nil {
					if err := safely.Do(func() error { return l.finish(b) }); err != nil {
						l.fail(err)
					}
				}
				b.memory.done()
				l.begun.Done()
			}
		})
	}
	return l
}

// close ends the lanes. Records that they have not committed are read again later.
func (l *lanes) close() {
	l.fail(context.Canceled)
	for _, queue := range l.queues {
		close(queue)
	}
	l.running.Wait()
}

// drain returns when all batches have ended.
func (l *lanes) drain() error {
	l.begun.Wait()
	return context.Cause(l.ctx)
}

// giveUpAfter fails work that takes longer than patience after the polling has ended, unless drained is
// called before: the group then takes the partitions from this server, and another server may write the
// records afterwards.
func (l *lanes) giveUpAfter(polling context.Context, patience time.Duration) (drained func()) {
	ended, end := context.WithCancel(context.Background())
	stop := context.AfterFunc(polling, func() {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-ended.Done():
		case <-timer.C:
			l.fail(errSlow)
		}
	})
	return func() {
		stop()
		end()
	}
}

var errSlow = errors.New("others wait for partitions, and what was read of them is not written in time")

// consume reads until something fails or the context ends. The server leaves partitions to others
// only while nothing is written; for that, pause ends the polling.
func (c *Consumer) consume(ctx context.Context, client *kgo.Client, unpacker *connect.Unpacker, pause *atomic.Pointer[context.CancelFunc]) error {
	l := c.newLanes(ctx, client, unpacker)
	defer l.close()
	for {
		polling, end := context.WithCancel(l.ctx)
		drained := l.giveUpAfter(polling, drainPatience)
		pause.Store(&end)
		client.AllowRebalance()
		var (
			failures []kgo.FetchError
			failure  error
		)
		for polling.Err() == nil && failure == nil {
			fetches := client.PollRecords(polling, pollRecords)
			l.dispatch(fetches)
			if polling.Err() == nil {
				failures = fetches.Errors()
				failure = failureOf(failures)
			}
		}
		end()
		err := l.drain()
		drained()
		if err != nil {
			return err
		}
		if failure == nil {
			continue
		}
		if over, err := l.stepOver(failures); err != nil || !over {
			return errors.Join(failure, err)
		}
	}
}

// readAll decodes records, several at once.
func (c *Consumer) readAll(items []*item) {
	const stride = 64
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for low := 0; low < len(items); low += stride {
		group.Go(func() error {
			for i := low; i < min(low+stride, len(items)); i++ {
				c.readOne(items[i])
			}
			return nil
		})
	}
	_ = group.Wait() // records that cannot be read are refused one by one
}

// finish writes a batch, gives back its refused records, and commits it.
func (l *lanes) finish(b *batch) error {
	m, err := l.marksOf(b.items)
	if err != nil {
		return err
	}
	l.obsolete.begin(m)
	if err := l.write(l.ctx, m, b.items); err != nil {
		return err
	}
	if err := l.giveBack(l.ctx, l.client, b.items); err != nil {
		return err
	}
	if err := l.commit(b); err != nil {
		return err
	}
	l.obsolete.end(m)
	l.Metrics.count(b.items)
	l.Metrics.seen(b.fetched)
	return nil
}
