package produce_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/testservers"
	"github.com/headwater-io/headwater/kafka/produce"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestSmallTopic: ordinary changes arrive, each entity's in order, in a topic that somebody made
// with a limit that a page of them is beyond.
func TestSmallTopic(t *testing.T) {
	broker := testservers.Kafka(t)
	const prefix, entities, n, limit = "small.", 5, 400, "100000"
	topic := prefix + wire.VersionedLogTopic
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 1, 1, map[string]*string{"max.message.bytes": new(limit)}, topic); err != nil {
		t.Fatal(err)
	}
	producer, err := produce.New(produce.Options{
		Brokers: []string{broker}, Prefix: prefix, Timeseries: func(string) bool { return false },
		Metrics: produce.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	if err := producer.Deliver(t.Context(), randomChanges(entities, n)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	end, _ := ends.Lookup(topic, 0)
	last, seen := map[string]int{}, map[int]bool{}
	for next := int64(0); next < end.Offset; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		for _, r := range fetches.Records() {
			event, err := wire.Decode(wire.VersionedLogTopic, r.Value)
			if err != nil {
				t.Fatal(err)
			}
			version, err := strconv.Atoi(*event.(*wire.MetadataChangeLog).SystemMetadata.Version)
			if err != nil {
				t.Fatal(err)
			}
			last[string(r.Key)], seen[version], next = version, true, r.Offset+1
		}
	}
	if len(seen) != n {
		t.Errorf("%d of %d changes came", len(seen), n)
	}
	for e := range entities {
		if want := n - entities + e; last[entity(e)] != want {
			t.Errorf("the last version of %s is %d, want %d", entity(e), last[entity(e)], want)
		}
	}
}

func entity(e int) string { return fmt.Sprintf("urn:li:corpuser:u%d", e) }

// randomChanges are of 4 kB each, which hardly compress.
func randomChanges(entities, n int) []catalog.Change {
	random := rand.NewChaCha8([32]byte{})
	changes := make([]catalog.Change, n)
	for i := range changes {
		noise := make([]byte, 2000)
		_, _ = random.Read(noise) // never fails
		value, _ := json.Marshal(map[string]string{"description": hex.EncodeToString(noise)})
		changes[i] = catalog.Change{
			EntityType: "corpuser", URN: entity(i % entities), Kind: "UPSERT", Aspect: "corpUserInfo", Value: value,
			System: &catalog.SystemMetadata{Version: fmt.Sprint(i)}, Actor: "urn:li:corpuser:a",
		}
	}
	return changes
}
