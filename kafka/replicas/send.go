// Package replicas keeps a topic of Kafka from which replicas can be filled without any other
// source. The package sends the pages of a source as records, and reads these records.
//
// The topic has one partition, so that it has the order of the source. The last record of a key
// has everything that is stored of one thing, so the topic may be compacted.
// The reasons are in docs/decisions/0071-replicas-from-kafka.md.
package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
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
	// patience is the time after which the delivery of a record has failed for now.
	patience = 30 * time.Second
	// maxBatch is the size of a batch of records.
	maxBatch = limits.MaxEventBytes + 1<<20
)

// message is the value of a record.
type message struct {
	Format int `json:"format"`
	// Begin: the message is a mark without a state. After it, the log follows from its
	// beginning or, with Snapshot, everything that is stored and then the log.
	Begin    bool `json:"begin,omitempty"`
	Snapshot bool `json:"snapshot,omitempty"`
	// End: the message is a mark without a state. The snapshot is complete.
	End bool `json:"end,omitempty"`
	// Model is the model of the source.
	Model string `json:"model,omitempty"`
	replica.Record
}

// Pages is the source of the pages that a Sender sends.
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
	logger *slog.Logger
	// term is the term of the pages that were sent last. sent is the number of pages sent in
	// this term.
	term, sent int64
}

// NewSender makes a sender to brokers, which are host:port. NewSender does not connect yet.
func NewSender(brokers []string, security connect.Security, prefix string, pages Pages, logger *slog.Logger) (*Sender, error) {
	client, err := kgo.NewClient(append(security.Options(),
		kgo.SeedBrokers(brokers...), kgo.ClientID("headwater"), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerBatchMaxBytes(maxBatch),
		kgo.BrokerMaxWriteBytes(2*maxBatch), kgo.RecordDeliveryTimeout(patience), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
		kgo.AllowIdempotentProduceCancellation(), // the reason is in kafka/produce
	)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &Sender{topic: prefix + Topic, pages: pages, client: client, logger: logger}, nil
}

// Close ends the connections.
func (s *Sender) Close() { s.client.Close() }

// Read reads the next batch to send, for a [delivery.Worker]. A snapshot is one batch, because
// the log does not have the positions within a snapshot.
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
	d := &delivering{Sender: s, first: page, page: page, limit: limit, begins: after.Cursor == "", snapshot: snapshot, term: after.Term}
	b.Deliver = d.deliver
	return b, nil
}

// delivering is a batch with the progress of its delivery. After a failure, the delivery
// continues from the page that failed, because a snapshot that begins again would delete
// records that replicas are reading. The delivery begins again only if the source cannot
// continue.
type delivering struct {
	*Sender
	first, page *replica.Page
	limit       int
	// begins: the log begins with the batch, and the mark for the beginning is not sent yet.
	begins, snapshot bool
	term             int64
}

func (d *delivering) deliver(ctx context.Context) error {
	identity, err := d.pages.Identity(ctx)
	if err != nil {
		return err
	}
	origin := replica.Origin{Catalog: identity, Term: d.term}
	if d.begins {
		if err := d.begin(ctx, origin, d.snapshot, d.page.Model); err != nil {
			return err
		}
		d.begins = false
	}
	for {
		if err := d.sendPage(ctx, d.page, origin); err != nil {
			return err
		}
		if d.page.Next == d.page.Log() {
			return d.end(ctx, origin)
		}
		next, err := d.pages.Page(ctx, d.page.Next, d.limit, 0)
		if catalog.CodeOf(err) == catalog.Gone {
			d.begins, d.page = true, d.first
		}
		if err != nil {
			return err
		}
		d.page = next
	}
}

// end sends the mark for the end of a snapshot.
func (d *delivering) end(ctx context.Context, origin replica.Origin) error {
	if !d.snapshot {
		return nil
	}
	return d.send(ctx, []*message{{Format: replica.Format, End: true, Model: d.page.Model, Record: replica.Record{Key: mark("end", origin.Term), Origin: origin}}})
}

// mark returns the key of a mark. Each mark has a key of its own, so that compaction keeps the
// mark.
func mark(what string, term int64) string {
	return fmt.Sprintf("%s %d %d", what, term, time.Now().UnixNano())
}

// begin sends the mark for the beginning of the log. Before a snapshot, begin deletes all
// records of earlier snapshots and logs, because a snapshot does not name things that are no
// longer stored.
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
	return s.send(ctx, []*message{{Format: replica.Format, Begin: true, Snapshot: snapshot, Model: model, Record: replica.Record{Key: mark("begin", origin.Term), Origin: origin}}})
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
		var err error
		if records[i], err = s.record(m); err != nil {
			return err
		}
	}
	err := s.client.ProduceSync(ctx, records...).FirstErr()
	switch {
	case err == nil:
		return nil
	case !connect.TooLarge(err):
		return fmt.Errorf("kafka: topic %s: %w", s.topic, err)
	case len(messages) == 1:
		return s.sendLess(ctx, messages[0], len(records[0].Value))
	}
	half := len(messages) / 2 // the topic may take the records, but not all in one batch
	if err := s.send(ctx, messages[:half]); err != nil {
		return err
	}
	return s.send(ctx, messages[half:])
}

// sendLess sends a message that is too large for its topic without the older half of the
// versions that are not the latest. It repeats this until the topic accepts the message.
func (s *Sender) sendLess(ctx context.Context, m *message, size int) error {
	less, left := m.Shortened()
	if left == 0 {
		return fmt.Errorf("kafka: topic %s: what is stored of %s has %d bytes without its history, more than max.message.bytes allows", s.topic, m.name(), size)
	}
	s.logger.WarnContext(ctx, "replicas do not get the oldest versions of an aspect: together they are larger than max.message.bytes of the topic",
		"topic", s.topic, "of", m.name(), "bytes", size, "versions_left_out", left)
	shorter := *m
	shorter.Record = less
	return s.send(ctx, []*message{&shorter})
}

// name names the thing that the message is about.
func (m *message) name() string { return strings.ReplaceAll(m.Key, "\x00", " ") }

func (s *Sender) record(m *message) (*kgo.Record, error) {
	var value bytes.Buffer
	encoder := json.NewEncoder(&value)
	encoder.SetEscapeHTML(false) // values stay unchanged, byte for byte
	if err := encoder.Encode(m); err != nil {
		return nil, err
	}
	return &kgo.Record{Topic: s.topic, Key: []byte(m.Key), Value: value.Bytes()}, nil
}

func (s *Sender) makeTopic(ctx context.Context) error {
	settings := map[string]*string{
		"max.message.bytes": new(fmt.Sprint(maxBatch)), "cleanup.policy": new("compact,delete"), // with the policy delete too, all records of the topic can be deleted
		"retention.ms": new("-1"), "retention.bytes": new("-1"),
	}
	return connect.MakeTopics(ctx, s.client, s.logger, 1, settings, s.topic)
}

// empty deletes all records of the topic.
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
