package proposals_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/proposals"
	"github.com/headwater-io/headwater/kafka/wire"
)

// killed is a catalog of a server that ends after its first writes, before it commits
// their offsets.
type killed struct {
	proposals.Writer
	// left is how many proposals are still written.
	left, written atomic.Int64
}

var errKilled = errors.New("the server has ended")

func (k *killed) IngestBatch(ctx context.Context, ps []write.Proposal, o catalog.WriteOptions) ([]write.BatchItem, error) {
	n := min(k.left.Load(), int64(len(ps)))
	k.left.Add(-n)
	if _, err := k.Writer.IngestBatch(ctx, ps[:n], o); err != nil {
		return nil, err
	}
	k.written.Add(n)
	return nil, errKilled
}

func (k *killed) IngestSnapshots(ctx context.Context, ss []write.Snapshot, o catalog.WriteOptions) ([]write.Result, error) {
	n := min(k.left.Load(), int64(len(ss)))
	k.left.Add(-n)
	if _, err := k.Writer.IngestSnapshots(ctx, ss[:n], o); err != nil {
		return nil, err
	}
	k.written.Add(n)
	return nil, errKilled
}

func snapshotOf(urn, text string) [2]string {
	return [2]string{urn, `{"proposedSnapshot":{"com.linkedin.pegasus2avro.metadata.snapshot.DatasetSnapshot":{"urn":"` + urn + `","aspects":[{"com.linkedin.pegasus2avro.dataset.DatasetProperties":{"description":"` + text + `","customProperties":{}}}]}}}`}
}

// TestWrittenOnce: the next server does not write records again that the former server wrote but did not
// commit. It writes all other records.
func TestWrittenOnce(t *testing.T) {
	for topic, record := range map[string]func(urn, text string) [2]string{wire.ProposalTopic: described, wire.ChangeEventTopic: snapshotOf} {
		for _, before := range []int64{1, 3, 7, 8} {
			t.Run(fmt.Sprintf("%s %d", topic, before), func(t *testing.T) {
				b := newHarness(t, testservers.Kafka(t))
				const steps = 8 // of one entity, so all are in one partition
				var records [][2]string
				for step := range steps {
					records = append(records, record(tableURN(1), fmt.Sprintf("step %d", step)))
				}
				b.send(topic, records...)
				first := &killed{Writer: b}
				first.left.Store(before)
				stop := b.consume(first)
				testclock.Await(t, "some are written", func() bool { return first.written.Load() >= before })
				stop()
				b.consume(b)
				b.awaitAspect(tableURN(1), "datasetProperties", fmt.Sprintf("step %d", steps-1))
				b.awaitLevel()
				b.wantVersions(tableURN(1), "datasetProperties", steps)
				b.send(topic, record(tableURN(1), "later"))
				b.awaitAspect(tableURN(1), "datasetProperties", "later")
				b.wantVersions(tableURN(1), "datasetProperties", steps+1)
			})
		}
	}
}

// wantVersions checks how often an aspect was written.
func (b *harness) wantVersions(urn, aspect string, want int) {
	b.T.Helper()
	versions, err := b.Store.AspectVersions(context.Background(), graphstore.AspectKey{URN: urn, Name: aspect}, graphstore.Page{Count: 100})
	if err != nil || len(versions) != want {
		b.T.Errorf("%s has %d versions of %s, want %d (%v)", urn, len(versions), aspect, want, err)
	}
}

// TestMarksOfAnotherTopic: a topic that was made anew has other records under the offsets of the
// former topic.
func TestMarksOfAnotherTopic(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	b.send(wire.ProposalTopic, described(tableURN(1), "former"))
	first := &killed{Writer: b}
	first.left.Store(1)
	stop := b.consume(first)
	testclock.Await(t, "it is written", func() bool { return first.written.Load() > 0 })
	stop()
	admin := kadm.NewClient(b.client)
	topic := b.prefix + wire.ProposalTopic
	if _, err := admin.DeleteTopics(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	testclock.Await(t, "the topic is made anew", func() bool {
		made, err := admin.CreateTopics(t.Context(), 4, 1, nil, topic)
		return err == nil && made[topic].Err == nil
	})
	b.client.PurgeTopicsFromClient(topic)
	b.send(wire.ProposalTopic, described(tableURN(1), "new"))
	b.consume(b)
	b.awaitAspect(tableURN(1), "datasetProperties", "new")
}

// TestSetBack: records are written again when an operator sets the group back.
func TestSetBack(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	urn := tableURN(1)
	b.send(wire.ProposalTopic, described(urn, "one"), described(urn, "two"))
	stop := b.consume(b)
	b.awaitAspect(urn, "datasetProperties", "two")
	b.awaitLevel()
	stop()
	b.Say(urn, "datasetProperties", `{"description":"by hand"}`)
	admin, group := kadm.NewClient(b.client), b.prefix+"group"
	committed, err := admin.FetchOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	committed.Each(func(o kadm.OffsetResponse) {
		var start kadm.Offsets
		start.AddOffset(o.Topic, o.Partition, 0, -1)
		if err := admin.CommitAllOffsets(t.Context(), group, start); err != nil {
			t.Error(err)
		}
	})
	b.consume(b)
	b.awaitAspect(urn, "datasetProperties", "two")
	b.awaitLevel()
	b.wantVersions(urn, "datasetProperties", 5)
}
