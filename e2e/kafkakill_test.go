package e2e

import (
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/kafka/produce"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestKafkaSurvivesKills: a server that is killed several times while it sends loses no
// change and keeps the order of each entity. The broker delays requests, so it may write
// the last records of a killed server after the first ones of the next server.
func TestKafkaSurvivesKills(t *testing.T) {
	t.Parallel() // the test mostly waits for the broker
	topics := newKafkaTopics(t, testservers.Kafka(t))
	const kills = 3
	entities := testsize.Of(800, 5000)
	flags := []string{"--data", t.TempDir(), "--platforms=false"}
	s := start(t, flags...)
	s.writeHistory(entities, 0, historyRounds)
	log := s.logged()
	s.stop()
	flags = append(flags, topics.flags()...)
	// The broker accepts the first requests of each server, less than half of the log,
	// before it delays others.
	unlimited := topics.limit(10_000)
	for range kills {
		before := topics.count(wire.VersionedLogTopic)
		s = start(t, flags...)
		testclock.Await(t, "the server sends", func() bool { return topics.count(wire.VersionedLogTopic) > before+produce.Page/2 })
		s.kill()
		arrived := topics.changes(wire.VersionedLogTopic).distinct()
		t.Logf("%d of %d changes have arrived", arrived, log.size())
		if arrived == 0 || arrived == log.size() {
			t.Errorf("the server was not killed while it sent: %d of %d changes have arrived", arrived, log.size())
		}
	}
	unlimited()
	s = start(t, flags...)
	s.awaitFollower("kafka")
	s.stop()
	topics.changes(wire.VersionedLogTopic).wantSent(t, "changes", log, kills+1)
	topics.descriptions().wantSent(t, "platform events", rounds(entities, 0, historyRounds), kills+1)
}
