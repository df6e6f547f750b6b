package proposals

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/kafka/wire"
)

const (
	// partBytes is about the number of bytes of records that are decoded together. A part has
	// at least one record.
	partBytes = 8 << 20
	// byteCost is the memory that each byte of a record takes until the record is written.
	// recordCost is the memory that a record takes in addition. plainCost is the memory that
	// the decoding takes for each byte of a snapshot in Avro.
	byteCost   = 3
	recordCost = 1 << 10
	plainCost  = 64
)

// held is the memory of a part, which is held until the last batch of the part has ended.
type held struct {
	share *intake.Share
	left  atomic.Int32
}

func (h *held) done() {
	if h.left.Add(-1) == 0 {
		h.share.Release()
	}
}

// dispatch decodes fetched records, one part at a time, and gives them to the lanes.
func (l *lanes) dispatch(fetches kgo.Fetches) {
	ends := map[*kgo.Record]kgo.FetchTopicPartition{}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) > 0 { // for an error, the client returns a partition without records
			ends[p.Records[len(p.Records)-1]] = p
		}
	})
	for records := fetches.Records(); len(records) > 0 && l.ctx.Err() == nil; {
		n, size := 0, 0
		for n < len(records) && (n == 0 || size+len(records[n].Value) <= partBytes) {
			size += len(records[n].Value)
			n++
		}
		l.dispatchPart(records[:n], ends)
		records = records[n:]
	}
}

// dispatchPart waits for the memory that a part takes. If a part takes more than all the
// memory, it is divided, down to single records if necessary. A single record that takes more
// is refused.
func (l *lanes) dispatchPart(records []*kgo.Record, ends map[*kgo.Record]kgo.FetchTopicPartition) {
	items := make([]*item, len(records))
	for i := range records {
		items[i] = l.measure(records[i])
	}
	h := &held{share: l.Memory.Share()}
	if err := l.readPart(items, h.share); err != nil {
		switch {
		case l.ctx.Err() != nil:
			h.share.Release()
			return
		case len(records) > 1:
			h.share.Release()
			for i := range records {
				l.dispatchPart(records[i:i+1], ends)
			}
			return
		}
		items[0].done, items[0].refused = true, err
	}
	var batches [writers]*batch
	for i, record := range records {
		at := int(record.Partition) % writers
		if batches[at] == nil {
			batches[at] = &batch{memory: h}
			h.left.Add(1)
		}
		b := batches[at]
		b.records, b.items = append(b.records, record), append(b.items, items[i])
		if p, ok := ends[record]; ok {
			b.fetched = append(b.fetched, p)
		}
	}
	for i, b := range batches {
		if b == nil {
			continue
		}
		l.begun.Add(1)
		select {
		case l.queues[i] <- b:
		case <-l.ctx.Done():
			h.done()
			l.begun.Done()
		}
	}
}

// measure makes an item of a record. A record that is too large to be decoded is refused.
func (c *Consumer) measure(record *kgo.Record) *item {
	it := &item{record: record}
	var err error
	switch text := bytes.TrimLeft(record.Value, " \t\r\n"); {
	case len(record.Value) > limits.MaxEventBytes:
		err = catalog.Errorf(catalog.TooLarge, "the record has %d bytes, the limit is %d", len(record.Value), limits.MaxEventBytes)
	case bytes.HasPrefix(text, []byte("{")):
		if it.cost, err = intake.TextWeight(text, intake.Record); err != nil {
			err = catalog.Errorf(catalog.Invalid, "the record cannot be read: %w", err)
		}
	case strings.TrimPrefix(record.Topic, c.Prefix) == wire.ChangeEventTopic:
		it.cost = plainCost * int64(min(len(record.Value), limits.MaxAspectItems))
	}
	if err != nil {
		it.done, it.refused = true, err
	}
	return it
}

// readPart decodes items when there is memory for the decoding and for the write.
func (l *lanes) readPart(items []*item, share *intake.Share) error {
	var size, dearest int64
	for _, it := range items {
		size += recordCost + byteCost*int64(len(it.record.Value))
		if !it.done {
			dearest = max(dearest, it.cost)
		}
	}
	if err := l.hold(share, size+int64(runtime.GOMAXPROCS(0))*dearest); err != nil {
		return err
	}
	l.readAll(items)
	return l.hold(share, size+intake.ValuesWeight(func(yield func([]byte) bool) {
		for _, it := range items {
			if value := it.value(); value != nil && !yield(value) {
				return
			}
		}
	}))
}

// hold waits for memory until the lanes end. It fails if weight is more than all the memory.
func (l *lanes) hold(share *intake.Share, weight int64) error {
	for {
		err := share.Hold(l.ctx, weight)
		if catalog.CodeOf(err) != catalog.Busy {
			return err
		}
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
	}
}
