package connect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Unreadable is a batch of records that cannot be read, now or later. A client that reads up to
// this batch cannot continue by itself.
type Unreadable struct {
	Topic     string
	Partition int32
	// First and Last are the offsets of the first and the last record of the batch.
	First, Last int64
	Err         error
}

func (u *Unreadable) Error() string {
	return fmt.Sprintf("the records %d to %d cannot be read: %v", u.First, u.Last, u.Err)
}

func (u *Unreadable) Unwrap() error { return u.Err }

// MayBeUnreadable reports whether a fetch may have failed because of the fetched batches, and
// not because of the broker or the connection.
func MayBeUnreadable(f kgo.FetchError) bool {
	var ofBroker *kerr.Error
	return f.Topic != "" && f.Err != nil && !errors.As(f.Err, &ofBroker) && !errors.Is(f.Err, ErrLater) &&
		!errors.Is(f.Err, context.Canceled) && !errors.Is(f.Err, context.DeadlineExceeded) && !errors.Is(f.Err, kgo.ErrClientClosed)
}

const (
	// lookFor is the number of batches among which an unreadable one is searched.
	lookFor = 100
	// lookWait is the time that the broker may wait for a batch, in milliseconds.
	lookWait = 100
	// lookPatience bounds the time of the search.
	lookPatience = 10 * time.Second
)

// FindUnreadable finds the first batch, from an offset on, that an unpacker like u cannot read.
// It returns nil if none of the next lookFor batches is unreadable. FindUnreadable fetches with
// the client, independently of the client's own fetches.
func FindUnreadable(ctx context.Context, client *kgo.Client, u *Unpacker, topic string, partition int32, at int64) (*Unreadable, error) {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	topics, err := kadm.NewClient(client).ListTopics(ctx, topic)
	if err != nil {
		return nil, err
	}
	detail, ok := topics[topic].Partitions[partition]
	if !ok {
		return nil, nil
	}
	look := &look{
		broker: client.Broker(int(detail.Leader)), id: topics[topic].ID, unpacker: newUnpacker(u.ratio),
		options: kgo.ProcessFetchPartitionOpts{Topic: topic, Partition: partition, Offset: at},
	}
	for range lookFor {
		found, more, err := look.next(ctx)
		if err != nil || found != nil || !more {
			return found, err
		}
	}
	return nil, nil
}

// look is a search that reads a partition batch by batch.
type look struct {
	broker   *kgo.Broker
	id       kadm.TopicID
	unpacker *Unpacker
	options  kgo.ProcessFetchPartitionOpts
}

// next fetches and reads the next batch, or the next few batches.
func (l *look) next(ctx context.Context) (found *Unreadable, more bool, err error) {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = l.options.Partition, l.options.Offset, 1 // the broker sends at least one whole batch
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = l.options.Topic, l.id, []kmsg.FetchRequestTopicPartition{p}
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.SessionEpoch, req.Topics = lookWait, 1, 1, -1, []kmsg.FetchRequestTopic{t}
	answer, err := l.broker.RetriableRequest(ctx, req)
	if err != nil {
		return nil, false, err
	}
	fetched, ok := answer.(*kmsg.FetchResponse)
	if !ok || len(fetched.Topics) != 1 || len(fetched.Topics[0].Partitions) != 1 {
		return nil, false, nil
	}
	of := fetched.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(of.ErrorCode); err != nil {
		return nil, false, err
	}
	before := l.options.Offset
	for batch := range batches(of.RecordBatches) {
		if found := l.read(batch, of.HighWatermark); found != nil {
			return found, false, nil
		}
	}
	return nil, l.options.Offset > before, nil
}

// read reads one batch in the same way as the client.
func (l *look) read(batch []byte, end int64) *Unreadable {
	l.unpacker.left.Store(fetchCost)
	got, next := kgo.ProcessFetchPartition(l.options, &kmsg.FetchResponseTopicPartition{Partition: l.options.Partition, RecordBatches: batch}, l.unpacker, nil)
	if got.Err == nil {
		l.options.Offset = next
		return nil
	}
	// A batch whose checksum is wrong may lie about its offsets.
	first, last := offsetsOf(batch)
	first = max(first, l.options.Offset)
	last = max(first, min(last, end-1))
	return &Unreadable{Topic: l.options.Topic, Partition: l.options.Partition, First: first, Last: last, Err: got.Err}
}

// The positions in a batch of the parts that this file reads: the length after the first
// offset, the form and, in the present form, the distance from the first offset to the last.
// The length counts from lengthEnd.
const (
	lengthAt    = 8
	lengthEnd   = 12
	formAt      = 16
	lastAt      = 23
	lastEnd     = 27
	presentForm = 2
)

// batches cuts fetched bytes into batches. If the last batch is incomplete, it is left out.
func batches(fetched []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(fetched) > formAt { // a message of a former form may have no more than 26 bytes
			length := lengthEnd + int64(binary.BigEndian.Uint32(fetched[lengthAt:]))
			if length > int64(len(fetched)) || !yield(slices.Clip(fetched[:length])) {
				return
			}
			fetched = fetched[length:]
		}
	}
}

func offsetsOf(batch []byte) (first, last int64) {
	first = int64(binary.BigEndian.Uint64(batch)) //nolint:gosec // an offset
	if len(batch) < lastEnd || batch[formAt] != presentForm {
		return first, first // the offset of a former form is the offset of the last of several messages
	}
	return first, first + int64(binary.BigEndian.Uint32(batch[lastAt:]))
}
