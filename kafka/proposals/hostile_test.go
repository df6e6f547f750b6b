package proposals_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/wire"
)

// packed makes a producer that compresses its batches.
func (b *harness) packed(codec kgo.CompressionCodec) *kgo.Client {
	b.T.Helper()
	const most = 100 << 20
	client, err := kgo.NewClient(kgo.SeedBrokers(b.brokers...), kgo.DialTimeout(time.Second), kgo.ManualFlushing(), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(codec), kgo.ProducerBatchMaxBytes(most), kgo.BrokerMaxWriteBytes(2*most), kgo.MaxBufferedRecords(200_000))
	if err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(client.Close)
	return client
}

// to sends values to a partition, in one batch.
func (b *harness) to(client *kgo.Client, topic string, partition int32, values ...string) {
	b.T.Helper()
	records := make([]*kgo.Record, len(values))
	for i, value := range values {
		records[i] = &kgo.Record{Topic: b.prefix + topic, Partition: partition, Value: []byte(value)}
	}
	for _, r := range records {
		client.Produce(b.T.Context(), r, func(_ *kgo.Record, err error) {
			if err != nil {
				b.T.Error(err)
			}
		})
	}
	if err := client.Flush(b.T.Context()); err != nil {
		b.T.Fatal(err)
	}
}

// TestUnreadableBatches: a batch that unpacks to too much, or to too many records, is given up
// as one failed proposal with its offsets. The records around it in its partition are written
// once, and a server that starts later does not read the batch again.
func TestUnreadableBatches(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	plain, zstd, gzip := b.packed(kgo.NoCompression()), b.packed(kgo.ZstdCompression()), b.packed(kgo.GzipCompression())
	bomb := strings.Repeat(" ", 8<<20)
	many := make([]string, limits.MaxKafkaBatchRecords+1)
	b.to(zstd, wire.ProposalTopic, 0, bomb) // a new group begins at this position
	b.to(plain, wire.ProposalTopic, 0, described(tableURN(0), "zero")[1])
	b.to(zstd, wire.ProposalTopic, 0, bomb)
	b.to(gzip, wire.ProposalTopic, 0, "a", bomb)
	b.to(zstd, wire.ProposalTopic, 0, many...)
	b.to(plain, wire.ProposalTopic, 0, described(tableURN(0), "last")[1])
	b.to(zstd, wire.ProposalTopic, 1, described(tableURN(1), "one")[1])
	b.to(zstd, wire.ChangeEventTopic, 1, bomb)
	b.to(plain, wire.ProposalTopic, 1, described(tableURN(1), "two")[1])

	cat := &counting{Writer: b}
	stop := b.consume(cat)
	b.awaitAspect(tableURN(0), "datasetProperties", "last")
	b.awaitAspect(tableURN(1), "datasetProperties", "two")
	listed := b.awaitListed(5)
	b.awaitLevel()
	stop()
	if n := cat.n.Load(); n != 4 {
		t.Errorf("%d proposals were written, want 4", n)
	}
	places := map[string]string{}
	for _, p := range listed {
		places[fmt.Sprint(strings.TrimPrefix(p.Topic, b.prefix), p.Partition, " ", p.Offset)] = p.Error
	}
	end := limits.MaxKafkaBatchRecords + 5
	for place, want := range map[string]string{
		wire.ProposalTopic + "0 0": "records 0 to 0 cannot be read", wire.ProposalTopic + "0 2": "unpack to more than", wire.ProposalTopic + "0 3": "records 3 to 4 cannot",
		wire.ProposalTopic + "0 5": fmt.Sprintf("records 5 to %d cannot be read", end), wire.ChangeEventTopic + "1 0": "unpack to more than",
	} {
		if !strings.Contains(places[place], want) {
			t.Errorf("%s: %q does not contain %q", place, places[place], want)
		}
	}

	second := &counting{Writer: b}
	b.consume(second)
	b.to(plain, wire.ProposalTopic, 0, described(tableURN(2), "after")[1])
	b.awaitAspect(tableURN(2), "datasetProperties", "after")
	if n := second.n.Load(); n != 1 {
		t.Errorf("%d proposals were written after the start, want 1", n)
	}
	b.awaitListed(5)
}

// awaitListed waits until n failed proposals are listed.
func (b *harness) awaitListed(n int) (listed []failed.Proposal) {
	b.T.Helper()
	testclock.Await(b.T, fmt.Sprintf("%d are listed", n), func() bool {
		var err error
		if listed, _, err = b.Failed.List(b.T.Context(), "", 1000); err != nil {
			b.T.Fatal(err)
		}
		return len(listed) == n
	})
	return listed
}

// TestHostileRecords: records that would take much memory are refused one by one.
func TestHostileRecords(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	most := "100000000"
	answers, err := kadm.NewClient(b.client).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "max.message.bytes", Value: &most}}, b.prefix+wire.ProposalTopic)
	for _, a := range answers {
		err = errors.Join(err, a.Err)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain := b.packed(kgo.NoCompression())
	for i, value := range []string{
		strings.Repeat("x", limits.MaxEventBytes+1), // this record is larger than a fetch too
		strings.Repeat("[", 1000), `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}",
		`{"entityType":"dataset","aspect":{"json":[` + strings.Repeat("0,", limits.MaxBatchItems) + `0]}}`,
		"\x00\x00\x00\x00\x01", "\x00\xff\xff\xff\xff" + strings.Repeat("\xff", 100), "\x01\x00\x00\x00\x01", "",
	} {
		b.to(plain, wire.ProposalTopic, int32(i%2), value)
	}
	b.to(plain, wire.ProposalTopic, 0, described(tableURN(0), "zero")[1])
	b.to(plain, wire.ProposalTopic, 1, described(tableURN(1), "one")[1])
	b.consume(b)
	b.awaitAspect(tableURN(0), "datasetProperties", "zero")
	b.awaitAspect(tableURN(1), "datasetProperties", "one")
	var reasons []string
	for _, p := range b.awaitListed(8) {
		reasons = append(reasons, p.Error)
	}
	all := strings.Join(reasons, "\n")
	for _, want := range []string{"the limit is 40000000", "more than 100 lists and objects", "more than 2000000", "no schema 4294967295", "neither Avro", "is empty"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
}
