package proposals

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/internal/safely"
)

// batch is what is written and committed together.
type batch struct {
	records []*kgo.Record
	items   []*item
	// last is what was fetched, if this is the end of it.
	last kgo.Fetches
	// ended is done when all is committed, or failure says why not.
	ended   context.Context
	failure error
}

// wait returns when the batch has ended. A batch that is nil has.
func (b *batch) wait() error {
	if b == nil {
		return nil
	}
	<-b.ended.Done()
	return b.failure
}

// consume brings one batch after the other to its end. The next one is fetched and decoded
// while one is written. Partitions are left to others only while nothing is written.
func (c *Consumer) consume(ctx context.Context, client *kgo.Client, awaited *atomic.Bool) (err error) {
	var before *batch
	defer func() { _ = before.wait() }() // its failure was returned, or does not matter any more
	for {
		until := ctx
		if before != nil {
			until = before.ended
		}
		fetches := client.PollRecords(until, batchRecords)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, next := range split(fetches) {
			next.items = c.read(next.records)
			if err := before.wait(); err != nil {
				return err
			}
			before = next
			c.start(ctx, client, next)
		}
		if until.Err() == nil && fetches.Err() != nil {
			return fetches.Err()
		}
		if fetches.Empty() || awaited.Swap(false) {
			if err := before.wait(); err != nil {
				return err
			}
			before = nil
			client.AllowRebalance()
		}
	}
}

// split cuts what was fetched into batches.
func split(fetches kgo.Fetches) (batches []*batch) {
	for records := fetches.Records(); len(records) > 0; {
		size, end := 0, 0
		for end < len(records) && size < batchBytes {
			size += len(records[end].Value)
			end++
		}
		batches, records = append(batches, &batch{records: records[:end]}), records[end:]
	}
	if len(batches) > 0 {
		batches[len(batches)-1].last = fetches
	}
	return batches
}

// read decodes records, several at once.
func (c *Consumer) read(records []*kgo.Record) []*item {
	const stride = 64
	items := make([]*item, len(records))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for low := 0; low < len(records); low += stride {
		group.Go(func() error {
			for i := low; i < min(low+stride, len(records)); i++ {
				items[i] = c.readOne(records[i])
			}
			return nil
		})
	}
	_ = group.Wait() // what cannot be read is refused
	return items
}

// start begins to write a batch.
func (c *Consumer) start(ctx context.Context, client *kgo.Client, b *batch) {
	ended, end := context.WithCancel(context.WithoutCancel(ctx))
	b.ended = ended
	go func() {
		defer end()
		b.failure = safely.Do(func() error { return c.finish(ctx, client, b) })
	}()
}

// finish writes a batch, gives back what was refused, and commits it.
func (c *Consumer) finish(ctx context.Context, client *kgo.Client, b *batch) error {
	var group errgroup.Group
	for part := range writers {
		group.Go(func() error {
			return safely.Do(func() error { return c.write(ctx, b.part(part)) })
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := c.giveBack(ctx, client, b.items); err != nil {
		return err
	}
	if err := client.CommitRecords(ctx, b.records...); err != nil {
		return err
	}
	c.Metrics.count(b.items)
	c.Metrics.seen(b.last)
	return nil
}

// part returns the items of the partitions that one writer has, in their order.
func (b *batch) part(part int) []*item {
	var own []*item
	for i, record := range b.records {
		if int(record.Partition)%writers == part {
			own = append(own, b.items[i])
		}
	}
	return own
}
