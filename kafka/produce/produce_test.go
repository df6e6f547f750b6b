package produce_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/produce"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestSmallTopic: changes arrive in a topic that was made with a limit below the size of a page. Each
// entity's changes arrive in order.
func TestSmallTopic(t *testing.T) {
	broker := testservers.Kafka(t)
	const entities, n, limit = 5, 400, "100000"
	prefix := fmt.Sprintf("small-%d.", time.Now().UnixNano())
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
	end, ok := ends.Lookup(topic, 0)
	if !ok {
		t.Fatalf("no end of %s: %v", topic, ends)
	}
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

// TestTooLarge: an event that its topic finds too large arrives without the previous value, or
// without values, or not at all. The events after it arrive.
func TestTooLarge(t *testing.T) {
	broker := testservers.Kafka(t)
	for _, format := range []wire.Format{wire.Avro, wire.JSON} {
		t.Run(string(format), func(t *testing.T) {
			prefix, limit := fmt.Sprintf("large-%s-%d.", format, time.Now().UnixNano()), "3000"
			topic := prefix + wire.VersionedLogTopic
			client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			for _, name := range []string{topic, prefix + wire.PlatformEventTopic} {
				if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 1, 1, map[string]*string{"max.message.bytes": &limit}, name); err != nil {
					t.Fatal(err)
				}
			}
			var log strings.Builder
			metrics := prometheus.NewRegistry()
			producer, err := produce.New(produce.Options{
				Brokers: []string{broker}, Prefix: prefix, Format: format, Timeseries: func(string) bool { return false },
				Metrics: produce.NewMetrics(metrics), Logger: slog.New(slog.NewTextHandler(&log, nil)),
				Events: func(context.Context, []catalog.Change) ([]produce.Event, error) {
					return []produce.Event{{Key: "large", Event: wire.EntityChange(1, noise(6000))}, {Key: "small", Event: wire.EntityChange(1, noise(10))}}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer producer.Close()
			var changes []catalog.Change
			for _, size := range []struct{ key, value, previous int }{{10, 100, 100}, {10, 100, 6000}, {10, 6000, 6000}, {6000, 10, 0}, {10, 200, 100}, {10, 6000, 0}, {10, 300, 0}} {
				c := catalog.Change{EntityType: "corpuser", URN: "urn:li:corpuser:" + string(noise(size.key)), Kind: "UPSERT", Aspect: "corpUserInfo", Value: noise(size.value), Actor: "urn:li:corpuser:a"}
				if size.previous > 0 {
					c.Previous = noise(size.previous)
				}
				changes = append(changes, c)
			}
			if err := producer.Deliver(t.Context(), changes); err != nil {
				t.Fatal(err)
			}
			fresh, err := kgo.NewClient(kgo.SeedBrokers(broker)) // another client may not know yet that the topic exists
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.Close()
			ends, err := kadm.NewClient(fresh).ListEndOffsets(t.Context(), topic)
			if err != nil {
				t.Fatal(err)
			}
			end, ok := ends.Lookup(topic, 0)
			if !ok {
				t.Fatalf("no end of %s: %v", topic, ends)
			}
			var got []string
			for next := int64(0); next < end.Offset; {
				fetches := client.PollFetches(t.Context())
				if err := fetches.Err(); err != nil {
					t.Fatal(err)
				}
				for _, r := range fetches.Records() {
					event, err := wire.Decode(wire.VersionedLogTopic, r.Value)
					if err != nil {
						t.Fatal(err)
					}
					got, next = append(got, shape(event.(*wire.MetadataChangeLog))), r.Offset+1
				}
			}
			want := "102 102 , 102 0 previous, 0 0 values, 202 102 , 0 0 values, 302 0 "
			if all := strings.Join(slices.Compact(got), ", "); !strings.HasSuffix(all, want) {
				t.Errorf("%s\nwant %s", all, want)
			}
			for part, n := range map[string]float64{"previous": 1, "values": 2, "event": 2} {
				if counted := lessened(t, metrics, part); counted != n {
					t.Errorf("%v without %s, want %v", counted, part, n)
				}
			}
			if lines := strings.Count(log.String(), "max.message.bytes"); lines != 4 { // two of the lines are about whole events, each in its topic
				t.Errorf("%d lines: %s", lines, log.String())
			}
		})
	}
}

// TestSentAfter: a page that its topic does not accept at a time is not sent in parts after the
// next page was sent. Its wait fails, so that both pages are sent again. The last page is sent
// in parts at once.
func TestSentAfter(t *testing.T) {
	broker := testservers.Kafka(t)
	prefix, limit := fmt.Sprintf("after-%d.", time.Now().UnixNano()), "9000"
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 1, 1, map[string]*string{"max.message.bytes": &limit}, prefix+wire.VersionedLogTopic); err != nil {
		t.Fatal(err)
	}
	for _, second := range []int{1, 50} { // one record, which is sent at once, and more records than the topic has accepted at a time
		producer, err := produce.New(produce.Options{
			Brokers: []string{broker}, Prefix: prefix, Timeseries: func(string) bool { return false },
			Metrics: produce.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer producer.Close()
		begin := func(n int) func() error {
			send, err := producer.Prepare(t.Context(), randomChanges(1, n))
			if err != nil {
				t.Fatal(err)
			}
			return send(t.Context())
		}
		if err := begin(40)(); err != nil {
			t.Errorf("a page alone: %v", err)
		}
		producer.SetAtOnce(40)
		first := begin(25)
		if err := begin(second)(); err != nil {
			t.Errorf("the page after it: %v", err)
		}
		if err := first(); err == nil {
			t.Errorf("a page was sent in parts after the next one of %d", second)
		}
	}
}

// TestSentMuchLater: changes that could not be delivered for longer than patience are delivered
// when the broker is back. Each try treats its records as new.
func TestSentMuchLater(t *testing.T) {
	const patience = time.Second
	producer, err := produce.New(produce.Options{
		Brokers: []string{testservers.Kafka(t)}, Prefix: fmt.Sprintf("later-%d.", time.Now().UnixNano()), Timeseries: func(string) bool { return false },
		Metrics: produce.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
	}.Within(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	// On a busy machine, a delivery may itself take longer than patience. Then the test tries
	// again.
	testclock.Await(t, "the topics are there", func() bool {
		return producer.Deliver(t.Context(), randomChanges(1, 1)) == nil
	})
	send, err := producer.Prepare(t.Context(), randomChanges(2, 20))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var began time.Time
		testclock.Await(t, "the records are delivered", func() bool {
			began = time.Now()
			return send(t.Context())() == nil
		})
		testclock.Await(t, "a record would be too old", func() bool { return time.Since(began) > patience+patience/4 })
	}
}

// shape returns the sizes of the values of a change, and the part that was left out.
func shape(m *wire.MetadataChangeLog) string {
	size := func(c *wire.Content) int {
		if c == nil {
			return 0
		}
		return len(c.Value)
	}
	left := ""
	if m.Headers != nil {
		left = (*m.Headers)[produce.LeftOut]
	}
	return fmt.Sprintf("%d %d %s", size(m.Aspect), size(m.PreviousAspectValue), left)
}

func lessened(t *testing.T, metrics *prometheus.Registry, part string) float64 {
	t.Helper()
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "headwater_kafka_lessened_total" && m.GetLabel()[0].GetValue() == part {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("nothing counts %s", part)
	return 0
}

// noise returns a text in quotes that can hardly be compressed.
func noise(size int) json.RawMessage {
	random := rand.NewChaCha8([32]byte{byte(size), byte(size >> 8)})
	bytes := make([]byte, size/2)
	_, _ = random.Read(bytes) // never fails
	return json.RawMessage(`"` + hex.EncodeToString(bytes) + `"`)
}

func entity(e int) string { return fmt.Sprintf("urn:li:corpuser:u%d", e) }

// randomChanges returns changes of 4 kB each, which can hardly be compressed.
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
