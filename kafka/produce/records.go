package produce

import (
	"bytes"
	"context"
	"runtime"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/kafka/form"
	"github.com/headwater-io/headwater/kafka/wire"
)

// leastPart is the smallest number of changes for which a goroutine is started.
const leastPart = 64

// records encodes changes and the events that follow from them. Each part of the changes is
// encoded on a processor of its own. The records of changes are in the order of the changes,
// and the records of events are in the order of the events.
func (p *Producer) records(ctx context.Context, changes []catalog.Change) ([]*kgo.Record, error) {
	size := max((len(changes)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0), leastPart)
	parts := slices.Collect(slices.Chunk(changes, size))
	logs, events := make([][]*kgo.Record, len(parts)), make([][]*kgo.Record, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(safely.Func(func() (err error) {
			if logs[i], err = p.logRecords(part); err != nil {
				return err
			}
			events[i], err = p.eventRecords(ctx, part)
			return err
		}))
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(slices.Concat(logs...), slices.Concat(events...)), nil
}

// logRecords encodes changes.
func (p *Producer) logRecords(changes []catalog.Change) (records []*kgo.Record, err error) {
	values := values{format: p.Format}
	records = make([]*kgo.Record, len(changes))
	for i := range changes {
		sent := form.LogOf(&changes[i])
		value, err := values.encode(sent)
		if err == nil && len(value) > limits.MaxEventBytes {
			sent.PreviousAspectValue = nil
			value, err = values.encode(sent)
		}
		if err != nil {
			return nil, err
		}
		topic := p.versionedLog
		if p.Timeseries(changes[i].Aspect) {
			topic = p.timeseriesLog
		}
		records[i] = &kgo.Record{Topic: topic, Key: []byte(changes[i].URN), Value: value}
	}
	return records, nil
}

// eventRecords encodes the events that follow from changes.
func (p *Producer) eventRecords(ctx context.Context, changes []catalog.Change) ([]*kgo.Record, error) {
	if p.Events == nil {
		return nil, nil
	}
	events, err := p.Events(ctx, changes)
	if err != nil {
		return nil, err
	}
	values := values{format: p.Format}
	records := make([]*kgo.Record, len(events))
	for i, e := range events {
		value, err := values.encode(e.Event)
		if err != nil {
			return nil, err
		}
		records[i] = &kgo.Record{Topic: p.platformEvents, Key: []byte(e.Key), Value: value}
	}
	return records, nil
}

// values encodes the values of records. One piece of memory has the values of many records.
type values struct {
	format        wire.Format
	scratch, room []byte
}

// roomSize is the size of a piece of memory for values.
const roomSize = 64 << 10

// encode returns the value of an event. No two values share bytes.
func (v *values) encode(event any) (value []byte, err error) {
	if v.scratch, err = v.format.Append(v.scratch[:0], event); err != nil {
		return nil, err
	}
	n := len(v.scratch)
	if n > roomSize/8 {
		return bytes.Clone(v.scratch), nil
	}
	if cap(v.room)-len(v.room) < n {
		v.room = make([]byte, 0, roomSize)
	}
	start := len(v.room)
	v.room = append(v.room, v.scratch...)
	return v.room[start:len(v.room):len(v.room)], nil
}
