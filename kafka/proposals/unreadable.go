package proposals

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/kafka/connect"
)

// failureOf returns the first failure of a fetch that the next fetch does not repair, nil if
// there is none.
func failureOf(failures []kgo.FetchError) error {
	for _, f := range failures {
		if !errors.Is(f.Err, connect.ErrLater) {
			return f.Err
		}
	}
	return nil
}

// stepOver gives up the batches of records that made partitions unreadable. It reports whether
// there was such a batch and reading can continue with the same client. It is called while
// nothing is being written, so that the offsets of all records read before have been committed.
func (l *lanes) stepOver(failures []kgo.FetchError) (bool, error) {
	over := false
	for _, f := range failures {
		if !connect.MayBeUnreadable(f) {
			continue
		}
		at, known, err := l.position(f.Topic, f.Partition)
		if err != nil {
			return false, err
		}
		found, err := connect.FindUnreadable(l.ctx, l.client, l.unpacker, f.Topic, f.Partition, at)
		if err != nil {
			return false, err
		}
		if found == nil {
			continue
		}
		if err := l.giveUp(found); err != nil {
			return false, err
		}
		if !known {
			return false, nil // the client has no position in the partition that could be moved
		}
		over = true
	}
	return over, nil
}

// giveUp gives back a batch that cannot be read, as one failed proposal. Then it commits the
// batch and moves the client behind the batch.
func (l *lanes) giveUp(u *connect.Unreadable) error {
	record := &kgo.Record{Topic: u.Topic, Partition: u.Partition, Offset: u.First}
	it := &item{record: record, done: true, refused: catalog.Errorf(catalog.Invalid, "%s: partition %d: %w", u.Topic, u.Partition, u)}
	if err := l.giveBack(l.ctx, l.client, []*item{it}); err != nil {
		return err
	}
	if err := l.commitTo(u.Topic, u.Partition, u.Last+1); err != nil {
		return err
	}
	l.Metrics.count([]*item{it})
	return nil
}
