package e2e

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestRebuiltFromKafka: servers on either backend are rebuilt from a topic alone, after
// their source is gone. They must equal it: aspects, edges, their past, time series, runs
// and searches. Source and replicas are killed meanwhile.
func TestRebuiltFromKafka(t *testing.T) {
	broker := testservers.Kafka(t)
	const prefix = "rebuilt."
	flags := []string{"--data", t.TempDir(), "--kafka", broker, "--kafka-topic-prefix", prefix, "--kafka-replicas"}
	others := replicaBackends()[1:]
	if testsize.Of(0, 1) == 1 {
		flags, others = append(flags, "--sample"), replicaBackends()
	}
	source := start(t, flags...)
	source.writeSome("before")
	source.kill() // at any position of the follower
	source = start(t, flags...)
	source.loadConnectors(t, connectorFiles(t))
	source.awaitFollower("kafka-replicas")
	lines := source.exportedLines()
	source.kill()

	var rebuilt []*server
	for _, b := range others {
		follow := append([]string{"follow", "kafka://" + broker + "/" + prefix}, b.flags(t)...)
		replica := startVerb(t, follow...)
		replica.awaitReplica("under way", time.Minute, func(state string, lag float64) bool { return lag >= 0 })
		replica.kill()
		began := time.Now()
		replica = startVerb(t, follow...)
		replica.awaitReplica("level", 10*time.Minute, func(state string, lag float64) bool { return state == "level" })
		t.Logf("%s: rebuilt after %v", b.name, time.Since(began).Round(time.Millisecond))
		if diff := cmp.Diff(lines, replica.exportedLines()); diff != "" {
			t.Fatalf("%s (-source +rebuilt):\n%.3000s", b.name, diff)
		}
		rebuilt = append(rebuilt, replica)
	}

	source = start(t, flags...)
	source.writeSome("after") // the replicas must also follow later changes
	for i, replica := range rebuilt {
		replica.level(source)
		replica.answersAs(source, others[i].name)
		replica.stop()
	}
	source.stop()
}
