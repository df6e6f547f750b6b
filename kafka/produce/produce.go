// Package produce sends the changes of the log to Kafka, under the names and in the form that
// consumers of the reference know.
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

// Follower is the name of the follower of the log that Kafka is.
const Follower = "kafka"

// Page is how many changes are best delivered at once.
const Page = limits.MaxChanges

// Options are what a producer needs. Brokers, Timeseries, Metrics and Logger are required.
type Options struct {
	// Brokers are host:port.
	Brokers  []string
	Security connect.Security
	// Prefix is before the names of all topics.
	Prefix string
	// Format is Avro when empty.
	Format wire.Format
	// Timeseries reports whether an aspect is a time series.
	Timeseries func(aspect string) bool
	// Events, if set, is what changes mean: events for [wire.PlatformEventTopic].
	Events func(ctx context.Context, changes []catalog.Change) ([]Event, error)

	Metrics *Metrics
	Logger  *slog.Logger

	// patience is that of the package, but in tests.
	patience time.Duration
}

// Event is a platform event with the key that keeps its order, the URN of an entity.
type Event struct {
	Key   string
	Event *wire.PlatformEvent
}

// Producer sends changes. It sends for one caller at a time.
type Producer struct {
	Options
	client *kgo.Client
	made   bool
	// These are the topics with their prefix.
	versionedLog, timeseriesLog, platformEvents string
	// lessened are the topics, with what was left out, of which the log has been told.
	lessened map[[2]string]bool
	// atOnce is how many records are sent before their acknowledgements are awaited.
	atOnce int
	// begun counts how many times sending was begun.
	begun int
}

const (
	// linger is how long a batch waits for more records.
	linger = 2 * time.Millisecond
	// mostAtOnce is that of a page and of what its changes mean, mostBuffered that of several.
	mostAtOnce   = 4 * Page
	mostBuffered = 4 * mostAtOnce
	// patience is how long a record may take before its delivery has failed for now.
	patience = 30 * time.Second
	// partitions are those of a topic that is made: followers can share the work later.
	partitions = 8
	// maxBatch is the size of a batch: an event with two large values must fit.
	maxBatch = limits.MaxEventBytes + 1<<20
)

// New makes a producer. It does not connect yet.
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
		// Otherwise, what a broker had got when it went away is waited for until it is back:
		// nobody is told, and the server cannot stop. What failed is sent again as a whole.
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

// Close ends the connections. What was not acknowledged is sent again by whoever delivers next.
func (p *Producer) Close() { p.client.Close() }

// Deliver sends changes and returns when all brokers that hold them have written them.
// If it fails, some may have been sent; sending all of them again keeps the order of each
// entity's last values.
func (p *Producer) Deliver(ctx context.Context, changes []catalog.Change) error {
	send, err := p.Prepare(ctx, changes)
	if err != nil {
		return err
	}
	return send(ctx)()
}

// Prepare encodes changes and returns what begins to send them, which returns what waits as
// Deliver does. It may be called while what was prepared before is being sent. What comes next may
// be sent before that has been waited for; if a wait fails, that and all that was sent after it
// is to be sent again.
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

// sendWhole begins to send records at a time. If that is too much for their topics, the wait sends
// them in parts, unless others were sent after them.
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

// sendAll sends records, as many at once as their topics take.
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

// send sends records and returns when all are acknowledged, or the first failure.
func (p *Producer) send(ctx context.Context, records []*kgo.Record) error {
	return p.begin(ctx, records)()
}

// begin begins to send records and returns what waits until all are acknowledged, and returns the
// first failure.
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

// unsent is a record as it was before it was sent. The client counts the time that it may take from when
// it was sent first.
func unsent(r *kgo.Record) *kgo.Record {
	if r.Timestamp.IsZero() {
		return r
	}
	return &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value}
}

// makeTopics makes the topics that are not there, once.
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
