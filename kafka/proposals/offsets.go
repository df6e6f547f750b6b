package proposals

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The consumer commits an offset when every record before the offset is written or given back, and
// never by a timer. If a server ends before it has committed, the next server reads the records
// again, and skips those that are written (marks.go).

// commit commits the offsets behind the records of a batch.
func (l *lanes) commit(b *batch) error { return l.client.CommitRecords(l.ctx, b.records...) }

// commitTo commits an offset of a partition, and moves the client to the offset.
func (l *lanes) commitTo(topic string, partition int32, offset int64) error {
	to := map[string]map[int32]kgo.EpochOffset{topic: {partition: {Epoch: -1, Offset: offset}}}
	var failure error
	l.client.CommitOffsetsSync(l.ctx, to, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		failure = err
		for _, t := range answer.Topics {
			for _, p := range t.Partitions {
				failure = errors.Join(failure, kerr.ErrorForCode(p.ErrorCode))
			}
		}
	})
	if failure != nil {
		return failure
	}
	l.client.SetOffsets(to)
	return nil
}

// position returns the offset from which a partition is read, and whether that offset was
// committed.
func (l *lanes) position(topic string, partition int32) (at int64, known bool, err error) {
	if committed, ok := l.client.CommittedOffsets()[topic][partition]; ok {
		return committed.Offset, true, nil
	}
	starts, err := kadm.NewClient(l.client).ListStartOffsets(l.ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	start, _ := starts.Lookup(topic, partition)
	return start.Offset, false, err
}
