// Package replicas keeps in a topic of Kafka what replicas read, so that a replica can be filled
// from the topic alone: it sends the pages of a source as records, and reads them.
//
// The topic has one partition, so that its order is that of the source. The last record of a
// key says all that is stored of one thing, so the topic may be compacted.
package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/kafka/connect"
)

// Topic is the name of the topic.
const Topic = "HeadwaterReplica_v1"

// Follower is the name of the follower of the log that sends.
const Follower = "kafka-replicas"

const (
	// patience is how long a record may take before its delivery has failed for now.
	patience = 30 * time.Second
	// maxBatch is the size of a batch of records.
	maxBatch = limits.MaxEventBytes + 1<<20
)

// message is the value of a record.
type message struct {
	Format int `json:"format"`
	// Begin: this is no state. What follows is the log from its beginning or, with Snapshot,
	// everything that is stored and then the log.
	Begin    bool `json:"begin,omitempty"`
	Snapshot bool `json:"snapshot,omitempty"`
	// Model is that of the source.
	Model string `json:"model,omitempty"`
	replica.Record
}

// Pages are what is sent.
type Pages interface {
	replica.Source
	Records(ctx context.Context, page *replica.Page, origin replica.Origin) ([]replica.Record, error)
	Identity(ctx context.Context) (string, error)
}

// Sender sends the pages of a source.
type Sender struct {
	topic  string
	pages  Pages
	client *kgo.Client
	// term and sent count the pages.
	term, sent int64
}

// NewSender makes a sender to brokers, which are host:port. It does not connect yet.
func NewSender(brokers []string, security connect.Security, prefix string, pages Pages) (*Sender, error) {
	client, err := kgo.NewClient(append(security.Options(),
		kgo.SeedBrokers(brokers...), kgo.ClientID("headwater"), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerBatchMaxBytes(maxBatch),
		kgo.BrokerMaxWriteBytes(2*maxBatch), kgo.RecordDeliveryTimeout(patience), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
		kgo.AllowIdempotentProduceCancellation(), // as in kafka/produce
	)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &Sender{topic: prefix + Topic, pages: pages, client: client}, nil
}

// Close ends the connections.
func (s *Sender) Close() { s.client.Close() }

// Read reads what is sent next, for a [delivery.Worker]. A snapshot is one batch: the log does
// not have the places within it.
func (s *Sender) Read(ctx context.Context, after delivery.Position, limit int, wait time.Duration) (delivery.Batch, error) {
	page, err := s.pages.Page(ctx, after.Cursor, limit, wait)
	if err != nil {
		return delivery.Batch{}, err
	}
	snapshot := page.Next != page.Log()
	b := delivery.Batch{Changes: len(page.Changes), Next: page.Log()}
	if snapshot {
		b.Changes = int(page.Lag)
	}
	b.Deliver = func(ctx context.Context) error { return s.deliver(ctx, after, page, limit, snapshot) }
	return b, nil
}

func (s *Sender) deliver(ctx context.Context, after delivery.Position, page *replica.Page, limit int, snapshot bool) error {
	identity, err := s.pages.Identity(ctx)
	if err != nil {
		return err
	}
	origin := replica.Origin{Catalog: identity, Term: after.Term}
	if after.Cursor == "" {
		if err := s.begin(ctx, origin, snapshot, page.Model); err != nil {
			return err
		}
	}
	for {
		if err := s.sendPage(ctx, page, origin); err != nil {
			return err
		}
		if page.Next == page.Log() {
			return nil
		}
		if page, err = s.pages.Page(ctx, page.Next, limit, 0); err != nil {
			return err
		}
	}
}

// begin says that the log begins here. What an earlier snapshot or log said is deleted before a
// snapshot, which does not say what is no longer stored.
func (s *Sender) begin(ctx context.Context, origin replica.Origin, snapshot bool, model string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	if err := s.makeTopic(ctx); err != nil {
		return err
	}
	if snapshot {
		if err := s.empty(ctx); err != nil {
			return fmt.Errorf("kafka: what is in the topic %s cannot be deleted: %w", s.topic, err)
		}
	}
	s.term, s.sent = origin.Term, 1
	origin.Page = s.sent
	key := fmt.Sprintf("begin %d %d", origin.Term, time.Now().UnixNano()) // so that it stays when the topic is compacted
	return s.send(ctx, []*message{{Format: replica.Format, Begin: true, Snapshot: snapshot, Model: model, Record: replica.Record{Key: key, Origin: origin}}})
}

func (s *Sender) sendPage(ctx context.Context, page *replica.Page, origin replica.Origin) error {
	if s.term != origin.Term {
		s.term, s.sent = origin.Term, 0
	}
	s.sent++
	origin.Page = s.sent
	records, err := s.pages.Records(ctx, page, origin)
	if err != nil {
		return err
	}
	messages := make([]*message, len(records))
	for i := range records {
		messages[i] = &message{Format: replica.Format, Model: page.Model, Record: records[i]}
	}
	return s.send(ctx, messages)
}

// send sends messages and returns when all are acknowledged.
func (s *Sender) send(ctx context.Context, messages []*message) error {
	records := make([]*kgo.Record, len(messages))
	for i, m := range messages {
		var value bytes.Buffer
		encoder := json.NewEncoder(&value)
		encoder.SetEscapeHTML(false) // values stay byte for byte what they are
		if err := encoder.Encode(m); err != nil {
			return err
		}
		records[i] = &kgo.Record{Topic: s.topic, Key: []byte(m.Key), Value: value.Bytes()}
	}
	if err := s.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("kafka: topic %s: %w", s.topic, err)
	}
	return nil
}

func (s *Sender) makeTopic(ctx context.Context) error {
	settings := map[string]*string{
		"max.message.bytes": new(fmt.Sprint(maxBatch)), "cleanup.policy": new("compact,delete"), // so that all of it can be deleted
		"retention.ms": new("-1"), "retention.bytes": new("-1"),
	}
	answer, err := kadm.NewClient(s.client).CreateTopic(ctx, 1, -1, settings, s.topic)
	if err != nil && answer.Err == nil {
		return fmt.Errorf("kafka: topics: %w", err)
	}
	if answer.Err != nil && !errors.Is(answer.Err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("kafka: topic %s: %w", s.topic, answer.Err)
	}
	return nil
}

// empty deletes what is in the topic.
func (s *Sender) empty(ctx context.Context) error {
	admin := kadm.NewClient(s.client)
	ends, err := admin.ListEndOffsets(ctx, s.topic)
	if err != nil {
		return err
	}
	if err := ends.Error(); err != nil {
		return err
	}
	end, _ := ends.Lookup(s.topic, 0)
	if end.Offset == 0 {
		return nil
	}
	answers, err := admin.DeleteRecords(ctx, ends.Offsets())
	if err != nil {
		return err
	}
	return answers.Error()
}
