package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestKafkaAwayForMinutes: while the broker is unavailable, writes are as fast as before.
// When the broker is back, all changes arrive in order, and the server reads proposals
// again.
func TestKafkaAwayForMinutes(t *testing.T) {
	away := time.Duration(testsize.Of(0, 130)) * time.Second
	if away == 0 {
		t.Skip("takes three minutes; make soak runs it")
	}
	broker, err := testservers.StartKafka(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { broker.Kill() }()
	topics := newKafkaTopics(t, broker.Address)
	s := start(t, append(topics.flags(), "--data", t.TempDir(), "--platforms=false")...)
	producer, err := kgo.NewClient(kgo.SeedBrokers(broker.Address), kgo.DefaultProduceTopic(topics.prefix+wire.ProposalTopic), kgo.UnknownTopicRetries(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	propose := func(n int) {
		t.Helper()
		urn := kafkaTable("proposed", n)
		value := fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"json":{"description":"proposed"}}}`, urn)
		if err := producer.ProduceSync(t.Context(), &kgo.Record{Key: []byte(urn), Value: []byte(value)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		s.awaitDescription(urn, "proposed")
	}
	const entities, before = 10, 500
	round, pace := 0, time.Tick(10*time.Millisecond)
	write := func(enough func() bool) (took []time.Duration) {
		t.Helper()
		for ; !enough(); round++ {
			<-pace
			began := time.Now()
			s.writeRound(round/historyRounds*entities, entities, round%historyRounds)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took
	}
	propose(1)
	normal := write(func() bool { return round == before })
	s.awaitFollower("kafka")
	broker.Kill()
	deadline := time.Now().Add(away)
	slow := write(func() bool { return time.Now().After(deadline) })
	t.Logf("a write took %s, at most %s; while the broker was away %s, at most %s", normal[len(normal)/2], normal[len(normal)-1], slow[len(slow)/2], slow[len(slow)-1])
	if median, was := slow[len(slow)/2], normal[len(normal)/2]; median > 3*was {
		t.Errorf("while the broker was away, a write took %s, and %s before", median, was)
	}
	if lag := s.metric("headwater_follower_lag_changes", `"kafka"`); int(lag) < len(slow)*entities {
		t.Errorf("the lag is %v after %d writes", lag, len(slow)*entities)
	}
	if follower := s.follower("kafka"); at(follower, "state") != "failing" || at(follower, "failure") == nil {
		t.Errorf("the follower: %v", follower)
	}
	if err := broker.Start(); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	propose(2)
	t.Logf("proposals are read %s after the broker is back", time.Since(back))
	s.awaitFollower("kafka")
	t.Logf("all is sent %s after the broker is back", time.Since(back))
	testclock.Await(t, "the metric tells of no lag", func() bool { return s.metric("headwater_follower_lag_changes", `"kafka"`) == 0 })
	topics.changes(wire.VersionedLogTopic).wantRepeated(t, "changes", s.logged(), 10)
	broker.Kill()
	s.writeRound(0, entities, historyRounds)
	s.stop() // the stop does not wait for the broker
}
