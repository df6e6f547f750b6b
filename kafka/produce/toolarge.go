package produce

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/wire"
)

// What is left out of an event that its topic finds too large: the previous value, both
// values, or all of it.
const (
	leftPrevious = "previous"
	leftValues   = "values"
	leftEvent    = "event"
)

// LeftOut is the name of the header of an event that says what was left out of it.
const LeftOut = "headwater.leftOut"

// sendLess sends what its topic takes of a record that is too large for it; nothing, if
// that is too much.
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

// tell counts what was left out, and logs the first of its kind.
func (p *Producer) tell(ctx context.Context, record *kgo.Record, part string) {
	p.Metrics.lessened.WithLabelValues(part).Inc()
	if kind := [2]string{record.Topic, part}; !p.lessened[kind] {
		p.lessened[kind] = true
		p.Logger.WarnContext(ctx, "an event is larger than the topic's max.message.bytes; later ones are only counted",
			"topic", record.Topic, "key", string(record.Key), "bytes", len(record.Value), "left_out", part)
	}
}
