package proposals

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/kafka/wire"
)

// loggedRefusals is the number of refused proposals of a batch that are logged.
const loggedRefusals = 20

// giveBack sends the refused items to the topic of failed proposals, and lists them.
func (c *Consumer) giveBack(ctx context.Context, client *kgo.Client, items []*item) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var listed []failed.Proposal
	for _, it := range items {
		if it.refused == nil {
			continue
		}
		reason := catalog.MessageOf(it.refused)
		if len(listed) < loggedRefusals {
			c.Logger.WarnContext(ctx, "a proposal of Kafka was refused", "topic", it.record.Topic, "partition", it.record.Partition, "offset", it.record.Offset, "error", reason)
		}
		given := failed.Proposal{Topic: it.record.Topic, Partition: it.record.Partition, Offset: it.record.Offset, Error: reason}
		if it.proposal != nil {
			given.URN, given.Aspect = it.proposal.EntityURN, it.proposal.AspectName
		}
		listed = append(listed, given)
	}
	if len(listed) == 0 {
		return nil
	}
	if more := len(listed) - loggedRefusals; more > 0 {
		c.Logger.WarnContext(ctx, "more proposals of Kafka were refused", "proposals", more)
	}
	if err := c.send(ctx, client, items); err != nil {
		return err
	}
	return c.Failed.Store(ctx, listed)
}

// send writes the refused items to the topic of failed proposals. An item that this topic finds
// too large is sent without its values.
func (c *Consumer) send(ctx context.Context, client *kgo.Client, items []*item) error {
	var (
		records []*kgo.Record
		of      []*item
	)
	for _, it := range items {
		if it.refused == nil {
			continue
		}
		record, err := c.refusal(it, true)
		if err != nil {
			return err
		}
		records, of = append(records, record), append(of, it)
	}
	for i, result := range client.ProduceSync(ctx, records...) {
		err := result.Err
		if tooLarge(err) {
			it := itemOf(records, of, result.Record, i)
			record, encoding := c.refusal(it, false)
			if encoding != nil {
				return encoding
			}
			if err = client.ProduceSync(ctx, record).FirstErr(); tooLarge(err) {
				c.Logger.WarnContext(ctx, "the topic of failed proposals takes less than a reason; it is only listed", "topic", c.given, "partition", it.record.Partition, "offset", it.record.Offset)
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func tooLarge(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge)
}

// itemOf finds the item of a record. The results of records are in the order in which the
// records ended, not in the order of records. If the record is unknown, itemOf returns the item
// at the index otherwise.
func itemOf(records []*kgo.Record, of []*item, record *kgo.Record, otherwise int) *item {
	for i := range records {
		if records[i] == record {
			return of[i]
		}
	}
	return of[otherwise]
}

// refusal converts a refused item to the form of the topic of failed proposals. A snapshot, or
// a record that could not be decoded, is in the result as it came.
func (c *Consumer) refusal(it *item, whole bool) (*kgo.Record, error) {
	p := wire.MetadataChangeProposal{ChangeType: write.Upsert, Aspect: &wire.Content{Value: it.record.Value, ContentType: "application/octet-stream"}}
	switch {
	case it.sent != nil:
		p = *it.sent
	case it.proposal != nil:
		p.EntityType, p.EntityURN, p.AspectName = it.proposal.EntityType, &it.proposal.EntityURN, &it.proposal.AspectName
	}
	if !whole {
		p.Aspect, p.EntityKeyAspect, p.SystemMetadata, p.Headers, p.AuditHeader = nil, nil, nil, nil, nil
	}
	value, err := c.Format.Append(nil, &wire.FailedMetadataChangeProposal{Proposal: &p, Error: catalog.MessageOf(it.refused)})
	return &kgo.Record{Topic: c.given, Value: value}, err
}
