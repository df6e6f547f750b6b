// Package produce sends the changes of the log to Kafka, under the names and in the form that
// consumers of the reference expect.
package produce

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/wire"
)

// Follower is the name of the follower of the log that sends to Kafka.
const Follower = "kafka"

// Page is the best number of changes for one delivery.
const Page = limits.MaxChanges

// Options configure a producer. Brokers, Timeseries, Metrics and Logger are required.
type Options struct {
	// Brokers are the addresses of brokers as host:port.
	Brokers  []string
	Security connect.Security
	// Prefix is put before the names of all topics.
	Prefix string
	// Format is the format of the events. An empty Format stands for Avro.
	Format wire.Format
	// Timeseries reports whether an aspect is a time series.
	Timeseries func(aspect string) bool
	// Events, if set, returns the events for [wire.PlatformEventTopic] that follow from
	// changes.
	Events func(ctx context.Context, changes []catalog.Change) ([]Event, error)

	Metrics *Metrics
	Logger  *slog.Logger

	// patience is the constant patience, except in tests.
	patience time.Duration
}

// Event is a platform event with its key, the URN of an entity. Events with one key stay in
// order.
type Event struct {
	Key   string
	Event *wire.PlatformEvent
}

// Producer sends changes. Only one caller at a time may use a Producer.
type Producer struct {
	Options
	client *kgo.Client
	made   bool
	// These are the names of the topics with their prefix.
	versionedLog, timeseriesLog, platformEvents string
	// lessened has the pairs of a topic and a left-out part that were logged.
	lessened map[[2]string]bool
	// atOnce is the number of records that are sent before the producer waits for their
	// acknowledgements.
	atOnce int
	// begun counts the sendings that were begun.
	begun int
}

const (
	// linger is the time that a batch waits for more records.
	linger = 2 * time.Millisecond
	// mostAtOnce is the number of records of a page of changes and of the events that follow
	// from it. mostBuffered is the number of records of several such pages.
	mostAtOnce   = 4 * Page
	mostBuffered = 4 * mostAtOnce
	// patience is the time after which the delivery of a record has failed for now.
	patience = 30 * time.Second
	// partitions is the number of partitions of a topic that the producer makes. With several
	// partitions, consumers can share the work later.
	partitions = 8
	// maxBatch is the size of a batch. An event with two large values must fit.
	maxBatch = limits.MaxEventBytes + 1<<20
)

// New makes a producer. New does not connect yet.
func New(o Options) (*Producer, error) {
	if o.Format == "" {
		o.Format = wire.Avro
	}
	if o.patience == 0 {
		o.patience = patience
	}
	client, err := kgo.NewClient(append(o.Security.Options(),
		kgo.SeedBrokers(o.Brokers...), kgo.ClientID("headwater"),
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerLinger(linger), kgo.ProducerBatchMaxBytes(maxBatch),
		kgo.BrokerMaxWriteBytes(2*maxBatch), kgo.RecordDeliveryTimeout(o.patience), kgo.MaxBufferedRecords(mostBuffered), kgo.UnknownTopicRetries(-1),
		kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
		// Without this option, the client waits for a broker that went away with records until it is back.
		// The failure is not reported, and the server cannot stop. Failed records are sent again as a whole.
		kgo.AllowIdempotentProduceCancellation(),
	)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &Producer{
		Options: o, client: client, atOnce: mostAtOnce, lessened: map[[2]string]bool{},
		versionedLog: o.Prefix + wire.VersionedLogTopic, timeseriesLog: o.Prefix + wire.TimeseriesLogTopic, platformEvents: o.Prefix + wire.PlatformEventTopic,
	}, nil
}

// Close ends the connections. Changes without an acknowledgement are sent again by the next
// server that delivers.
func (p *Producer) Close() { p.client.Close() }

// Deliver sends changes and returns when all brokers that hold them have written them. If
// Deliver fails, some changes may have been sent. If the caller then sends all of them again,
// the last values of each entity stay in order.
func (p *Producer) Deliver(ctx context.Context, changes []catalog.Change) error {
	send, err := p.Prepare(ctx, changes)
	if err != nil {
		return err
	}
	return send(ctx)()
}

// Prepare encodes changes and returns send. send begins to send the changes and returns wait,
// which waits for their acknowledgements as Deliver does. Prepare may be called while changes
// that were prepared before are being sent. The caller may call send for the next changes
// before the wait for earlier changes. If a wait fails, its changes and all changes that were
// sent after them must be sent again.
func (p *Producer) Prepare(ctx context.Context, changes []catalog.Change) (send func(context.Context) (wait func() error), err error) {
	records, err := p.records(ctx, changes)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) func() error {
		p.begun++
		err := p.makeTopics(ctx)
		if err == nil && len(records) <= p.atOnce {
			return p.sendWhole(ctx, records)
		}
		if err == nil {
			err = p.sendAll(ctx, records)
		}
		return func() error { return err }
	}, nil
}

// sendWhole begins to send records, all at a time. If their topics refuse so many at a time,
// wait sends them in parts, unless other records were sent after them.
func (p *Producer) sendWhole(ctx context.Context, records []*kgo.Record) (wait func() error) {
	mine, sent := p.begun, p.begin(ctx, records)
	return func() error {
		err := sent()
		if !connect.TooLarge(err) {
			return err
		}
		p.atOnce = max(len(records)/2, 1)
		if p.begun != mine {
			return err
		}
		return p.sendAll(ctx, records)
	}
}

// sendAll sends records. It sends as many records at once as their topics accept.
func (p *Producer) sendAll(ctx context.Context, records []*kgo.Record) error {
	for len(records) > 0 {
		n := min(p.atOnce, len(records))
		err := p.send(ctx, records[:n])
		if connect.TooLarge(err) && n > 1 {
			p.atOnce = n / 2 // the topic may take the records, but not all in one batch
			continue
		}
		if connect.TooLarge(err) {
			err = p.sendLess(ctx, records[0])
		}
		if err != nil {
			return err
		}
		records = records[n:]
		p.atOnce = min(p.atOnce+p.atOnce/8+1, mostAtOnce)
	}
	return nil
}

// send sends records. It returns when all are acknowledged, and it returns the first failure.
func (p *Producer) send(ctx context.Context, records []*kgo.Record) error {
	return p.begin(ctx, records)()
}

// begin begins to send records. It returns wait, which waits until all are acknowledged and
// returns the first failure.
func (p *Producer) begin(ctx context.Context, records []*kgo.Record) (wait func() error) {
	var (
		waiting sync.WaitGroup
		mu      sync.Mutex
		failure error
	)
	sent := map[string]int{}
	waiting.Add(len(records))
	told := func(r *kgo.Record, err error) {
		defer waiting.Done()
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			sent[r.Topic]++
		case failure == nil:
			failure = fmt.Errorf("kafka: topic %s: %w", r.Topic, err)
		}
	}
	for _, r := range records {
		p.client.Produce(ctx, unsent(r), told)
	}
	return func() error {
		waiting.Wait()
		for topic, n := range sent {
			p.Metrics.sent.WithLabelValues(topic[len(p.Prefix):]).Add(float64(n))
		}
		return failure
	}
}

// unsent returns a copy of a record that looks as if it was never sent. The client counts the time of a
// record from its first sending.
func unsent(r *kgo.Record) *kgo.Record {
	if r.Timestamp.IsZero() {
		return r
	}
	return &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value}
}

// makeTopics makes the topics that do not exist yet. It does so once.
func (p *Producer) makeTopics(ctx context.Context) error {
	if p.made {
		return nil
	}
	size := fmt.Sprint(maxBatch)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := connect.MakeTopics(ctx, p.client, p.Logger, partitions, map[string]*string{"max.message.bytes": &size}, p.versionedLog, p.timeseriesLog, p.platformEvents)
	if err != nil {
		return err
	}
	p.made = true
	return nil
}
