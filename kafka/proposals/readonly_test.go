package proposals_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/proposals"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestReadOnly: a server that becomes read-only leaves the group. When it is no longer
// read-only, it finds the proposals that were sent meanwhile. No proposal is given back as
// failed, whenever the server becomes read-only.
func TestReadOnly(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	consumer := proposals.New(proposals.Options{
		Brokers: b.brokers, Group: b.prefix + "group", Prefix: b.prefix, Writer: b, Records: records.New(b.Store), Failed: b.Failed,
		Metrics: proposals.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
	})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { b.WhileWritable(ctx, consumer.Run) })
	defer func() { stop(); running.Wait() }()
	admin := kadm.NewClient(b.client)
	left := func() bool {
		groups, err := admin.DescribeGroups(t.Context(), b.prefix+"group")
		return err == nil && len(groups[b.prefix+"group"].Members) == 0
	}
	for round := range 2 {
		b.send(wire.ProposalTopic, described(tableURN(0), []string{"zero", "one"}[round]))
		b.awaitAspect(tableURN(0), "datasetProperties", []string{"zero", "one"}[round])
		for n := range 50 { // some of these are being written when the catalog becomes read-only
			b.send(wire.ProposalTopic, described(tableURN(n+1), "soon"))
			if n == 25 {
				b.SetReadOnly(true)
			}
		}
		testclock.Await(t, "the group is empty", left)
		before := b.State()
		b.send(wire.ProposalTopic, described(tableURN(99), []string{"a", "b"}[round]))
		if b.State() != before {
			t.Error("a read-only catalog has changed")
		}
		b.SetReadOnly(false)
		b.awaitAspect(tableURN(99), "datasetProperties", []string{"a", "b"}[round])
		for n := range 50 {
			b.awaitAspect(tableURN(n+1), "datasetProperties", "soon")
		}
	}
	if failed, _, err := b.Failed.List(t.Context(), "", 10); err != nil || len(failed) > 0 {
		t.Errorf("%v %v", failed, err)
	}
}
