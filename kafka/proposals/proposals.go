// Package proposals writes the records that come from Kafka: proposals, legacy snapshots and OpenLineage events. The
// servers of a group share the partitions of the topics. Before the offset of a record is
// committed, it is written, or given back in the topic of failed proposals with the reason.
// The order within a partition is kept.
// The reasons are in docs/decisions/0064-proposals-from-kafka.md.
package proposals

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/wire"
	"github.com/headwater-io/headwater/model"
)

// Writer is where proposals are written.
type Writer interface {
	IngestBatch(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) ([]write.BatchItem, error)
	IngestSnapshots(ctx context.Context, snapshots []write.Snapshot, o catalog.WriteOptions) ([]write.Result, error)
	Registry() *model.Registry
}

// Options configure a consumer. All are required but Security, Prefix, Events, Memory and
// KeepUnknown; Take is required if Events is set.
type Options struct {
	// Brokers are host:port.
	Brokers  []string
	Security connect.Security
	// Group is the consumer group that servers share.
	Group string
	// Prefix is before the names of all topics.
	Prefix string
	// Format is the format of the records that are given back; Avro if it is empty.
	Format wire.Format
	Writer Writer
	// Events is the topic of OpenLineage events, without Prefix; "" for none. Take takes such
	// events, each any number of times, and returns an error or nil for each. An event that is not taken
	// does not affect the others.
	Events string
	Take   func(ctx context.Context, events []json.RawMessage, o catalog.WriteOptions) []error
	// Records tell which records of Kafka are written already.
	Records *records.Door
	// Failed keeps the proposals that could not be written, for people to see.
	Failed  *failed.Service
	Metrics *Metrics
	Logger  *slog.Logger
	// Memory is the budget that records in flight share with requests, nil for no bound.
	Memory *intake.Budget
	// KeepUnknown: members and aspects that the model lacks are kept, and not refused.
	KeepUnknown bool
}

const (
	// pollRecords and fetchBytes bound how much is read at once. A fetch has records of each partition, so
	// that all lanes have work. The number of records in a batch that is not packed has no bound, and each
	// takes memory besides its bytes: a fetch must be small.
	pollRecords    = 4000
	fetchBytes     = 4 << 20
	partitionBytes = fetchBytes / partitions
	// maxGiven is the size of a batch of failed proposals.
	maxGiven = 32 << 20
	// writers is how many lanes there are.
	writers = 4
	// partitions is how many a topic gets that is not there yet.
	partitions = 8
	// patience is how long a write is tried again before the partitions are left to
	// other servers. It is shorter than the time in which the group misses a member.
	patience = 20 * time.Second
	// drainPatience is how long the fetched records may take to be written when other servers wait for
	// partitions: less than rebalance, after which the group does without this server.
	drainPatience = 2 * patience
	rebalance     = 3 * patience
	// silence is how long a server may be silent before others take over its partitions.
	silence = 10 * time.Second
	// heartbeat is how often the consumer asks whether others wait for partitions.
	heartbeat    = time.Second
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// Consumer reads the topics.
type Consumer struct {
	Options
	// read lists the topics that are read; given is the topic of failed proposals.
	read  []string
	given string
	// topics has the identity of each topic, which another topic of the same name does not
	// have.
	topics   map[string]string
	obsolete obsoleteMarks
}

// New makes a consumer, which does nothing until it runs.
func New(o Options) *Consumer {
	read := []string{o.Prefix + wire.ProposalTopic, o.Prefix + wire.ChangeEventTopic}
	if o.Events != "" {
		read = append(read, o.Events)
	}
	return &Consumer{Options: o, read: read, given: o.Prefix + wire.FailedProposalTopic}
}

// Run consumes until the context ends. While the broker or the store is away it tries
// again; it returns when the group has been left.
func (c *Consumer) Run(ctx context.Context) {
	backoff := firstBackoff
	for ctx.Err() == nil {
		started := time.Now()
		err := safely.Do(func() error { return c.session(ctx) })
		if ctx.Err() != nil {
			return
		}
		if time.Since(started) > 2*patience {
			backoff = firstBackoff
		}
		c.Logger.WarnContext(ctx, "proposals of Kafka are not read; trying again", "error", err, "after", backoff)
		pause(ctx, backoff)
		backoff = min(2*backoff, lastBackoff)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// session is one membership in the group. It begins at the committed offsets, and ends with the first batch
// that could not be finished.
func (c *Consumer) session(ctx context.Context) error {
	var pause atomic.Pointer[context.CancelFunc] // pause ends the writing when others wait for partitions
	pause.Store(new(context.CancelFunc(func() {})))
	unpacker := connect.NewUnpacker()
	client, err := kgo.NewClient(append(append(c.Security.Options(), unpacker.Options()...),
		kgo.SeedBrokers(c.Brokers...), kgo.ClientID("headwater"),
		kgo.ConsumerGroup(c.Group), kgo.ConsumeTopics(c.read...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(), kgo.SessionTimeout(silence), kgo.RebalanceTimeout(rebalance), kgo.HeartbeatInterval(heartbeat), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxBytes(fetchBytes), kgo.FetchMaxPartitionBytes(partitionBytes), kgo.MaxConcurrentFetches(2),
		kgo.MetadataMinAge(time.Second), kgo.DialTimeout(lastBackoff), kgo.RetryTimeout(patience/2), kgo.RecordDeliveryTimeout(patience), kgo.ProducerBatchMaxBytes(maxGiven),
		kgo.OnPartitionsRevoked(c.left), kgo.OnPartitionsLost(c.left),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) { (*pause.Load())() }),
	)...)
	if err != nil {
		return err
	}
	defer c.Metrics.forgetAll()
	defer client.CloseAllowingRebalance()
	if err := c.makeTopics(ctx, client); err != nil {
		return err
	}
	err = c.consume(ctx, client, unpacker, &pause)
	return errors.Join(err, c.forgetMarks())
}

// left is called with the partitions that this server no longer has.
func (c *Consumer) left(ctx context.Context, client *kgo.Client, left map[string][]int32) {
	c.Metrics.forget(ctx, client, left)
	for topic, numbers := range left {
		for _, number := range numbers {
			c.obsolete.leave(c.markName(topic, number))
		}
	}
}

// forgetMarks deletes the marks of committed batches before the server leaves the group.
func (c *Consumer) forgetMarks() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastBackoff)
	defer cancel()
	return c.obsolete.forget(ctx, records.Of[mark](c.Records, records.Written))
}

// makeTopics makes the topics that are not there, and learns the identities of all.
func (c *Consumer) makeTopics(ctx context.Context, client *kgo.Client) error {
	admin := kadm.NewClient(client)
	answers, err := admin.CreateTopics(ctx, partitions, -1, nil, append(slices.Clone(c.read), c.given)...)
	if err != nil {
		return err
	}
	for _, answer := range answers.Sorted() {
		if answer.Err != nil && !errors.Is(answer.Err, kerr.TopicAlreadyExists) {
			c.Logger.WarnContext(ctx, "the topic cannot be made", "topic", answer.Topic, "error", answer.Err)
		}
	}
	known, err := admin.ListTopics(ctx, c.read...)
	if err != nil {
		return err
	}
	c.topics = map[string]string{}
	for name, detail := range known {
		c.topics[name] = detail.ID.String()
	}
	return nil
}
