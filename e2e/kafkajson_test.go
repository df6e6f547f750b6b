package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestKafkaInJSON: proposals in JSON are written. The change log, platform events and
// failed proposals are in JSON. Time-series values have a topic of their own, and deletions
// have the reference's form.
func TestKafkaInJSON(t *testing.T) {
	topics := newKafkaTopics(t, testservers.Kafka(t))
	s := start(t, append(topics.flags(), "--kafka-format", "json", "--data", t.TempDir(), "--platforms=false")...)
	urn := kafkaTable("json", 1)
	producer, err := kgo.NewClient(kgo.SeedBrokers(topics.broker), kgo.DefaultProduceTopic(topics.prefix+wire.ProposalTopic), kgo.UnknownTopicRetries(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	var records []*kgo.Record
	for _, p := range [][3]string{
		{"UPSERT", "datasetProperties", `{"description":"one"}`},
		{"UPSERT", "datasetProperties", `{"description":"two"}`},
		{"UPSERT", "globalTags", `{"tags":[{"tag":"urn:li:tag:x"}]}`},
		{"DELETE", "globalTags", `{}`},
		{"UPSERT", "datasetProfile", `{"timestampMillis":5,"rowCount":7}`},
		{"UPSERT", "status", `{"removed":"perhaps"}`},
	} {
		value := fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":%q,"aspectName":%q,"aspect":{"contentType":"application/json","value":%q}}`, urn, p[0], p[1], p[2])
		records = append(records, &kgo.Record{Key: []byte(urn), Value: []byte(value)})
	}
	if err := producer.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	testclock.Await(t, "what is refused is given back", func() bool { return topics.count(wire.FailedProposalTopic) == 1 })
	if status, answer := s.send(http.MethodPost, "/entities?action=delete", fmt.Sprintf(`{"urn":%q}`, urn)); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	s.awaitFollower("kafka")

	var shapes []string
	for _, r := range topics.read(wire.VersionedLogTopic) {
		event := parsed(t, r.Value)
		value, previous := at(event, "aspect", "value"), at(event, "previousAspectValue", "value")
		if at(event, "entityUrn") != urn || string(r.Key) != urn || at(event, "entityType") != "dataset" || at(event, "created", "actor") == nil || at(event, "created", "time") == nil {
			t.Errorf("the event %s", r.Value)
		}
		for _, content := range []string{"aspect", "previousAspectValue"} {
			if at(event, content) != nil && at(event, content, "contentType") != "application/json" {
				t.Errorf("the event %s", r.Value)
			}
		}
		if value != nil && at(event, "systemMetadata", "lastObserved") == nil || previous != nil && at(event, "previousSystemMetadata", "lastObserved") == nil {
			t.Errorf("the event has no system metadata: %s", r.Value)
		}
		shapes = append(shapes, fmt.Sprint(at(event, "changeType"), " ", at(event, "aspectName"), " ", value, " ", previous))
	}
	for _, want := range []string{
		`UPSERT datasetProperties {"description":"one"} <nil>`,
		`UPSERT datasetProperties {"description":"two"} {"description":"one"}`,
		`UPSERT globalTags {"tags":[{"tag":"urn:li:tag:x"}]} <nil>`,
		`DELETE globalTags <nil> {"tags":[{"tag":"urn:li:tag:x"}]}`,
	} {
		if !slices.Contains(shapes, want) {
			t.Errorf("%s is not in the log:\n%s", want, strings.Join(shapes, "\n"))
		}
	}
	if last := shapes[len(shapes)-1]; !strings.HasPrefix(last, "DELETE datasetKey <nil> {") || !strings.Contains(last, `"name":"json1"`) {
		t.Errorf("the deletion of the entity is told as %s", last)
	}
	series := topics.read(wire.TimeseriesLogTopic)
	if len(series) != 1 || string(series[0].Key) != urn || at(parsed(t, series[0].Value), "aspectName") != "datasetProfile" ||
		!strings.Contains(fmt.Sprint(at(parsed(t, series[0].Value), "aspect", "value")), `"rowCount":7`) {
		t.Errorf("%d values of the time series: %v", len(series), series)
	}
	failed := parsed(t, topics.read(wire.FailedProposalTopic)[0].Value)
	if at(failed, "metadataChangeProposal", "aspectName") != "status" || !strings.Contains(fmt.Sprint(at(failed, "error")), "removed") {
		t.Errorf("what was given back: %v", failed)
	}
	var last any
	for _, r := range topics.read(wire.PlatformEventTopic) {
		event := parsed(t, r.Value)
		text, _ := at(event, "payload", "value").(string)
		if last = parsed(t, []byte(text)); at(event, "name") != "entityChangeEvent" || at(last, "entityUrn") != urn {
			t.Errorf("the platform event %s", r.Value)
		}
	}
	if at(last, "category") != "LIFECYCLE" || at(last, "operation") != "HARD_DELETE" || at(last, "version") != 0.0 {
		t.Errorf("the last platform event is %v", last)
	}
	s.stop()
}

// parsed decodes JSON to maps.
func parsed(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}
