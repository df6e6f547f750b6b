package produce

import (
	"context"
	"runtime"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/kafka/wire"
)

// leastPart is how many changes are worth a goroutine.
const leastPart = 64

// records encodes changes and what they mean, each part of them on a processor of its own. The
// records of changes are in their order, as are those of what they mean.
func (p *Producer) records(ctx context.Context, changes []catalog.Change) ([]*kgo.Record, error) {
	size := max((len(changes)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0), leastPart)
	parts := slices.Collect(slices.Chunk(changes, size))
	logs, events := make([][]*kgo.Record, len(parts)), make([][]*kgo.Record, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() error {
			return safely.Do(func() (err error) {
				if logs[i], err = p.logRecords(part); err != nil {
					return err
				}
				events[i], err = p.eventRecords(ctx, part)
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(slices.Concat(logs...), slices.Concat(events...)), nil
}

// besideValues is about how large an event is without its values.
const besideValues = 512

// logRecords encodes changes.
func (p *Producer) logRecords(changes []catalog.Change) (records []*kgo.Record, err error) {
	size := 0
	for i := range changes {
		size += len(changes[i].Value) + len(changes[i].Previous) + besideValues
	}
	buffer := make([]byte, 0, size)
	for i := range changes {
		start, sent := len(buffer), logOf(&changes[i])
		if buffer, err = p.Format.Append(buffer, sent); err != nil {
			return nil, err
		}
		if len(buffer)-start > limits.MaxEventBytes {
			sent.PreviousAspectValue = nil
			if buffer, err = p.Format.Append(buffer[:start], sent); err != nil {
				return nil, err
			}
		}
		topic := wire.VersionedLogTopic
		if p.Timeseries(changes[i].Aspect) {
			topic = wire.TimeseriesLogTopic
		}
		records = append(records, &kgo.Record{Topic: p.Prefix + topic, Key: []byte(changes[i].URN), Value: buffer[start:len(buffer):len(buffer)]})
	}
	return records, nil
}

// eventRecords encodes what changes mean.
func (p *Producer) eventRecords(ctx context.Context, changes []catalog.Change) ([]*kgo.Record, error) {
	if p.Events == nil {
		return nil, nil
	}
	events, err := p.Events(ctx, changes)
	if err != nil {
		return nil, err
	}
	records := make([]*kgo.Record, len(events))
	var buffer []byte
	for i, e := range events {
		start := len(buffer)
		if buffer, err = p.Format.Append(buffer, e.Event); err != nil {
			return nil, err
		}
		records[i] = &kgo.Record{Topic: p.Prefix + wire.PlatformEventTopic, Key: []byte(e.Key), Value: buffer[start:len(buffer):len(buffer)]}
	}
	return records, nil
}
