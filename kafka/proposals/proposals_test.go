package proposals_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/kafka/proposals"
	"github.com/headwater-io/headwater/kafka/wire"
)

// harness has a broker with topics for one test, and a catalog.
type harness struct {
	*catalogtest.Harness
	brokers []string
	prefix  string
	client  *kgo.Client
	// take takes OpenLineage events in place of the catalog, if it is set.
	take func(context.Context, []json.RawMessage, catalog.WriteOptions) []error
}

func (b *harness) takeEvents(ctx context.Context, events []json.RawMessage, o catalog.WriteOptions) []error {
	if b.take != nil {
		return b.take(ctx, events, o)
	}
	return b.OpenLineage.TakeAll(ctx, events, o)
}

var prefixes atomic.Int64

func newHarness(t *testing.T, address string) *harness {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.DialTimeout(time.Second), kgo.ProducerLinger(0), kgo.MetadataMinAge(50*time.Millisecond), kgo.FetchMaxWait(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	b := &harness{
		Harness: catalogtest.NewHarness(t), brokers: []string{address}, client: client,
		prefix: fmt.Sprintf("t%d-%d-", time.Now().UnixNano(), prefixes.Add(1)),
	}
	if _, err := kadm.NewClient(client).CreateTopics(t.Context(), 4, 1, nil, b.prefix+wire.ProposalTopic, b.prefix+wire.ChangeEventTopic, b.prefix+wire.FailedProposalTopic, b.prefix+"events"); err != nil {
		t.Fatal(err)
	}
	return b
}

// consume runs a consumer until stop is called.
func (b *harness) consume(cat proposals.Writer) (stop func()) {
	consumer := proposals.New(proposals.Options{
		Brokers: b.brokers, Group: b.prefix + "group", Prefix: b.prefix, Writer: cat, Records: records.New(b.Store), Failed: b.Failed,
		Metrics: proposals.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
		Events: b.prefix + "events", Take: b.takeEvents,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { consumer.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	b.T.Cleanup(stop)
	return stop
}

// send writes records, in order.
func (b *harness) send(topic string, records ...[2]string) {
	b.T.Helper()
	var out []*kgo.Record
	for _, r := range records {
		out = append(out, &kgo.Record{Topic: b.prefix + topic, Key: []byte(r[0]), Value: []byte(r[1])})
	}
	if err := b.client.ProduceSync(b.T.Context(), out...).FirstErr(); err != nil {
		b.T.Fatal(err)
	}
}

func tableURN(number int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", number)
}

// described returns a proposal of a description, in JSON.
func described(urn, text string) [2]string {
	return [2]string{urn, fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"contentType":"application/json","value":"{\"description\":\"%s\"}"}}`, urn, text)}
}

// awaitAspect waits until the value of an aspect contains a text.
func (b *harness) awaitAspect(urn, aspect, text string) {
	b.T.Helper()
	testclock.Await(b.T, urn+" has "+text, func() bool {
		u, _, err := b.EntityURN(urn)
		if err != nil {
			b.T.Fatal(err)
		}
		found, err := b.Aspect(context.Background(), u, aspect, 0)
		return err == nil && strings.Contains(string(found.Value), text)
	})
}

// TestWritten: proposals and snapshots in both forms are written, and the last one of each entity
// is written last. Refused proposals are given back and listed, and the others are written.
func TestWritten(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	b.consume(b)
	for n := range 5 {
		b.send(wire.ProposalTopic, described(tableURN(n), "first"), [2]string{tableURN(n), "\x00\x00\x00\x00\x01poison"}, described(tableURN(n), "second"))
	}
	b.send(wire.ProposalTopic, [2]string{"", "poison"}, [2]string{"", ""}, [2]string{"x", `{"entityType":"dataset","entityUrn":"no urn","aspectName":"status","aspect":{"json":{"removed":true}}}`})
	b.send(wire.ChangeEventTopic, [2]string{"y", "poison"}, [2]string{
		tableURN(9),
		`{"proposedSnapshot":{"com.linkedin.pegasus2avro.metadata.snapshot.DatasetSnapshot":{"urn":"` + tableURN(9) + `","aspects":[{"com.linkedin.pegasus2avro.common.Status":{"removed":true}}]}}}`,
	})
	b.awaitAspect(tableURN(9), "status", "true")
	for n := range 5 {
		b.awaitAspect(tableURN(n), "datasetProperties", "second")
	}
	var listed []failed.Proposal
	testclock.Await(t, "nine are listed", func() bool {
		var err error
		if listed, _, err = b.Failed.List(t.Context(), "", 100); err != nil {
			t.Fatal(err)
		}
		return len(listed) == 9
	})
	reasons := map[string]int{}
	for _, p := range listed {
		reasons[fmt.Sprintf("%s %s %s", strings.TrimPrefix(p.Topic, b.prefix), p.URN, p.Aspect)]++
		if p.Error == "" || p.Time == 0 {
			t.Errorf("%+v", p)
		}
	}
	if reasons[wire.ProposalTopic+"  "] != 7 || reasons[wire.ProposalTopic+" no urn status"] != 1 || reasons[wire.ChangeEventTopic+"  "] != 1 {
		t.Error(reasons)
	}
	b.client.AddConsumeTopics(b.prefix + wire.FailedProposalTopic)
	for got := 0; got < 9; {
		fetches := b.client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			got++
			if len(r.Value) < 5 || r.Value[0] != 0 || r.Value[4] != 6 {
				t.Errorf("%q", r.Value)
			}
		})
	}
}

// away is a catalog whose store is unreachable for the first calls.
type away struct {
	proposals.Writer
	left atomic.Int64
}

func (a *away) IngestBatch(ctx context.Context, ps []write.Proposal, o catalog.WriteOptions) ([]write.BatchItem, error) {
	if a.left.Add(-1) < 0 {
		return a.Writer.IngestBatch(ctx, ps, o)
	}
	// The first half is written, except its first proposal. For the other half, the store is
	// unreachable.
	if alongside := o.Alongside; alongside != nil {
		o.Alongside = func(written []int) []graphstore.Record {
			for i := range written {
				written[i]++
			}
			return alongside(written)
		}
	}
	items, err := a.Writer.IngestBatch(ctx, ps[1:len(ps)/2+1], o)
	gone := write.BatchItem{Err: catalog.StoreFailure(catalog.Errorf(catalog.Unavailable, "away"))}
	all := append([]write.BatchItem{gone}, items...)
	for len(all) < len(ps) {
		all = append(all, gone)
	}
	return all[:len(ps)], err
}

// TestStoreAway: a proposal that fails for a time is written later, in order, and no proposal
// is refused.
func TestStoreAway(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	cat := &away{Writer: b}
	cat.left.Store(3)
	for step := range 40 {
		b.send(wire.ProposalTopic, described(tableURN(step%3), fmt.Sprintf("step %02d", step)))
	}
	b.consume(cat)
	for n := range 3 {
		b.awaitAspect(tableURN(n), "datasetProperties", fmt.Sprintf("step %02d", []int{39, 37, 38}[n]))
	}
	b.awaitLevel()
	if listed, _, err := b.Failed.List(t.Context(), "", 10); err != nil || len(listed) > 0 {
		t.Error(listed, err)
	}
	for n := range 3 {
		b.awaitAspect(tableURN(n), "datasetProperties", fmt.Sprintf("step %02d", []int{39, 37, 38}[n]))
	}
}

// awaitLevel waits until all offsets are committed.
func (b *harness) awaitLevel() {
	b.T.Helper()
	testclock.Await(b.T, "all is committed", func() bool {
		lags, err := kadm.NewClient(b.client).Lag(context.Background(), b.prefix+"group")
		if err != nil {
			return false
		}
		lag := lags[b.prefix+"group"]
		return lag.Error() == nil && len(lag.Lag) > 0 && lag.Lag.Total() == 0
	})
}

// broken is a catalog in which every write fails.
type broken struct{ proposals.Writer }

func (broken) IngestBatch(context.Context, []write.Proposal, catalog.WriteOptions) ([]write.BatchItem, error) {
	return nil, errors.New("away")
}

// TestTakenOver: proposals that one server cannot write are left to another server, because
// their offsets were not committed. Then both servers share the partitions.
func TestTakenOver(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	b.send(wire.ProposalTopic, described(tableURN(1), "kept"))
	stop := b.consume(broken{b})
	testclock.Await(t, "it is in the group", func() bool { // the server has joined the group
		groups, err := kadm.NewClient(b.client).DescribeGroups(t.Context(), b.prefix+"group")
		return err == nil && len(groups[b.prefix+"group"].Members) == 1
	})
	stop()
	b.consume(b)
	b.consume(b)
	b.awaitAspect(tableURN(1), "datasetProperties", "kept")
	for n := range 50 {
		b.send(wire.ProposalTopic, described(tableURN(n), "shared"))
	}
	for n := range 50 {
		b.awaitAspect(tableURN(n), "datasetProperties", "shared")
	}
	b.awaitLevel()
}

// counting counts the proposals that are written through it.
type counting struct {
	proposals.Writer
	n atomic.Int64
}

func (c *counting) IngestBatch(ctx context.Context, ps []write.Proposal, o catalog.WriteOptions) ([]write.BatchItem, error) {
	c.n.Add(int64(len(ps)))
	return c.Writer.IngestBatch(ctx, ps, o)
}

// TestJoined: a server that always has work leaves partitions to a server that joins, and takes
// the partitions back when that server leaves. The last proposal of each entity is written
// last.
func TestJoined(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	const entities = 12
	sent := 0
	sendSome := func() {
		var records [][2]string
		for n := range entities {
			records = append(records, described(tableURN(n), fmt.Sprintf("step %06d", sent+n)))
		}
		b.send(wire.ProposalTopic, records...)
		sent += entities
	}
	first, second := &counting{Writer: b}, &counting{Writer: b}
	b.consume(first)
	testclock.Await(t, "the first works", func() bool { sendSome(); return first.n.Load() > 0 })
	stop := b.consume(second)
	testclock.Await(t, "the second works", func() bool { sendSome(); return second.n.Load() > entities })
	before := first.n.Load()
	testclock.Await(t, "the first still works", func() bool { sendSome(); return first.n.Load() > before+entities })
	stop()
	for range 20 {
		sendSome()
	}
	b.awaitLevel()
	for n := range entities {
		b.awaitAspect(tableURN(n), "datasetProperties", fmt.Sprintf("step %06d", sent-entities+n))
	}
}

// TestBrokerAway: after a broker has ended and come back, reading continues.
func TestBrokerAway(t *testing.T) {
	if testsize.Of(0, 1) == 0 {
		t.Skip("takes a minute; make soak runs it")
	}
	if testing.Short() {
		t.Skip("needs Kafka, which -short leaves out")
	}
	broker, err := testservers.StartKafka(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { broker.Kill() }()
	b := newHarness(t, broker.Address)
	stop := b.consume(b)
	b.send(wire.ProposalTopic, described(tableURN(1), "before"))
	b.awaitAspect(tableURN(1), "datasetProperties", "before")
	broker.Kill()
	if err := broker.Start(); err != nil {
		t.Fatal(err)
	}
	b.send(wire.ProposalTopic, described(tableURN(1), "after"))
	b.awaitAspect(tableURN(1), "datasetProperties", "after")
	broker.Kill()
	stop() // stop does not wait for the broker
}
