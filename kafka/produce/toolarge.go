package produce

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/wire"
)

// The parts that the producer leaves out of an event that its topic finds too large: the
// previous value, both values, or the whole event.
const (
	leftPrevious = "previous"
	leftValues   = "values"
	leftEvent    = "event"
)

// LeftOut is the name of the header of an event that names its left-out part.
const LeftOut = "headwater.leftOut"

// sendLess sends a record that is too large for its topic without a part of its event. If the
// topic accepts no smaller event, sendLess sends nothing.
func (p *Producer) sendLess(ctx context.Context, record *kgo.Record) error {
	event, err := wire.Decode(strings.TrimPrefix(record.Topic, p.Prefix), record.Value)
	if err != nil {
		return fmt.Errorf("an event of its own: %w", err)
	}
	change, isChange := event.(*wire.MetadataChangeLog)
	for _, part := range []string{leftPrevious, leftValues} {
		if !isChange || part == leftPrevious && change.PreviousAspectValue == nil {
			continue
		}
		change.PreviousAspectValue = nil
		if part == leftValues {
			change.Aspect = nil
		}
		change.Headers = &map[string]string{LeftOut: part}
		value, err := p.Format.Append(nil, change)
		if err != nil {
			return err
		}
		err = p.send(ctx, []*kgo.Record{{Topic: record.Topic, Key: record.Key, Value: value}})
		if err == nil {
			p.tell(ctx, record, part)
		}
		if !connect.TooLarge(err) {
			return err
		}
	}
	p.tell(ctx, record, leftEvent)
	return nil
}

// tell counts a left-out part. For each topic and part, it logs the first event.
func (p *Producer) tell(ctx context.Context, record *kgo.Record, part string) {
	p.Metrics.lessened.WithLabelValues(part).Inc()
	if kind := [2]string{record.Topic, part}; !p.lessened[kind] {
		p.lessened[kind] = true
		p.Logger.WarnContext(ctx, "an event is larger than the topic's max.message.bytes; later ones are only counted",
			"topic", record.Topic, "key", string(record.Key), "bytes", len(record.Value), "left_out", part)
	}
}
