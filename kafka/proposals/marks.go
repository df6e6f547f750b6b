package proposals

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
)

// The store writes a record of Kafka in a transaction, and the consumer commits the offset of the
// record after that. A server that ends in between reads the record again. So the transaction also
// stores a mark, a record of the store for each partition, with the offsets that are written and
// perhaps not committed. When a batch begins, the consumer skips the offsets in the marks of its
// partitions. The next batch of a partition replaces the mark, because all offsets of the batch
// before are committed then. Refused records of Kafka have no mark, because the consumer still has
// to give them back. A transaction that changes nothing stores no mark; the mark of a later
// transaction of the batch includes its offsets.
//
// Somebody may set the group back, so that records are written again. Kafka allows this only while
// the group has no servers. A server that stops in order therefore deletes the marks of committed
// batches. If servers were killed, a group that is set back to an offset before the marked batch is
// recognized, and the mark is deleted.

// span is a range of offsets, both ends included.
type span [2]int64

// mark is the state of a partition in the store.
type mark struct {
	// Topic is the identity of the topic. Another topic of its name has other records
	// under the same offsets.
	Topic string `json:"topic"`
	// From is the first offset of the batch that stored the mark.
	From    int64  `json:"from"`
	Written []span `json:"written"`
}

// marked is a partition of a batch.
type marked struct {
	// name is the name of the mark.
	name   string
	topic  string
	items  []*item
	stored []span
}

// marks are the marks of the partitions of a batch. Only the lane of the batch uses them.
type marks struct {
	stored records.Records[mark]
	parts  []*marked
}

// markName returns the name of the mark of a partition.
func (c *Consumer) markName(topic string, partition int32) string {
	return c.Group + "/" + topic + "/" + strconv.Itoa(int(partition))
}

// obsoleteMarks has the names of the marks of partitions whose last batch is committed.
type obsoleteMarks struct {
	mu    sync.Mutex
	names map[string]bool
}

// begin takes out the partitions of a batch that begins.
func (o *obsoleteMarks) begin(m *marks) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range m.parts {
		delete(o.names, p.name)
	}
}

// end adds the partitions of a batch that was committed.
func (o *obsoleteMarks) end(m *marks) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.names == nil {
		o.names = map[string]bool{}
	}
	for _, p := range m.parts {
		o.names[p.name] = true
	}
}

// leave takes out a partition that another server may have now, with a mark of its own.
func (o *obsoleteMarks) leave(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.names, name)
}

// forget deletes the obsolete marks of the partitions that this server has.
func (o *obsoleteMarks) forget(ctx context.Context, stored records.Records[mark]) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range o.names {
		if err := stored.Forget(ctx, name); err != nil {
			return err
		}
		delete(o.names, name)
	}
	return nil
}

// marksOf reads the marks of a batch, and ends the items that they contain.
func (l *lanes) marksOf(items []*item) (*marks, error) {
	m := &marks{stored: records.Of[mark](l.Records, records.Written)}
	parts := map[string]*marked{}
	for _, it := range items {
		name := l.markName(it.record.Topic, it.record.Partition)
		p := parts[name]
		if p == nil {
			p = &marked{name: name, topic: l.topics[it.record.Topic]}
			parts[name], m.parts = p, append(m.parts, p)
		}
		p.items = append(p.items, it)
	}
	return m, m.read(l.ctx)
}

// read reads the marks from the store, and ends the items that they contain.
func (m *marks) read(ctx context.Context) error {
	for _, p := range m.parts {
		found, _, err := m.stored.Get(ctx, p.name)
		if err != nil {
			return err
		}
		p.stored = nil
		switch known := found.Value; {
		case known.Topic != p.topic:
		case p.first() < known.From:
			if err := m.stored.Forget(ctx, p.name); err != nil {
				return err
			}
		default:
			p.stored = known.Written
		}
		for _, it := range p.items {
			it.done = it.done || contains(p.stored, it.record.Offset)
		}
	}
	return nil
}

// first returns the first offset of the partition in the batch.
func (p *marked) first() int64 { return p.items[0].record.Offset }

func contains(spans []span, offset int64) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s[0] <= offset && offset <= s[1] })
}

// records returns the records of the marks once some more items are written.
func (m *marks) records(now map[*item]bool) []graphstore.Record {
	var all []graphstore.Record
	for _, p := range m.parts {
		written := p.spans(now)
		if len(written) == 0 {
			continue
		}
		record, err := m.stored.Alongside(p.name, mark{p.topic, p.first(), written})
		if err != nil {
			continue // a list of numbers always has a JSON form
		}
		all = append(all, record)
	}
	return all
}

// spans returns the written offsets of a partition, including the offsets of the items in now.
// Between two records of a batch there is no other record, so a span may contain offsets that no
// record has. Stored spans behind the batch are kept: they are from a server that had read more
// records at once.
func (p *marked) spans(now map[*item]bool) []span {
	var written []span
	open := false
	for _, it := range p.items {
		offset := it.record.Offset
		if is := now[it] || it.done && it.refused == nil; !is {
			open = false
			continue
		}
		if !open {
			written = append(written, span{offset, offset})
		}
		written[len(written)-1][1] = offset
		open = true
	}
	last := p.items[len(p.items)-1].record.Offset
	for _, s := range p.stored {
		if s[1] > last {
			written = append(written, span{max(s[0], last+1), s[1]})
		}
	}
	return written
}
