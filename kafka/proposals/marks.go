package proposals

import (
	"context"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
)

// A record of Kafka is written in a transaction of the store, and its offset is committed
// after that. A server that ends in between reads the record again. So the transaction also
// stores a mark, a record of the store for each partition, with the offsets that are written
// and maybe not committed. A batch that begins skips the offsets that its marks contain.
// Marks are replaced by those of the next batch of their partition: all offsets of the batch
// before are committed then. Refused records have no mark, because they are still to be
// given back. A transaction that changes nothing stores no mark; the mark of a later
// transaction of the batch covers its offsets.

// span is a range of offsets, both ends included.
type span [2]int64

// mark is what the store knows of a partition.
type mark struct {
	// Topic is the identity of the topic. Another topic of its name has other records
	// under the same offsets.
	Topic   string `json:"topic"`
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

// marks are those of the partitions of a batch. Only the lane of the batch uses them.
type marks struct {
	stored records.Records[mark]
	parts  []*marked
}

// marksOf reads the marks of a batch, and ends the items that they contain.
func (l *lanes) marksOf(items []*item) (*marks, error) {
	m := &marks{stored: records.Of[mark](l.Records, records.Written)}
	parts := map[string]*marked{}
	for _, it := range items {
		name := l.Group + "/" + it.record.Topic + "/" + strconv.Itoa(int(it.record.Partition))
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
		if found.Value.Topic == p.topic {
			p.stored = found.Value.Written
		}
		for _, it := range p.items {
			it.done = it.done || contains(p.stored, it.record.Offset)
		}
	}
	return nil
}

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
		record, err := m.stored.Alongside(p.name, mark{p.topic, written})
		if err != nil {
			continue // a list of numbers always has a JSON form
		}
		all = append(all, record)
	}
	return all
}

// spans returns the offsets of a partition that are written, those of items in now included.
// Between two records of a batch there is no other record, so a span may contain offsets that
// no record has. Stored spans behind the batch are kept: the server that wrote them had read
// more at once.
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
