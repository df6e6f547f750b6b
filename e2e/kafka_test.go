package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/wire"
)

func kafkaTable(kind string, number int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s%d,PROD)", kind, number)
}

// kafkaFile writes a file of proposals and legacy snapshots, and returns its path.
func kafkaFile(t testing.TB, count int) string {
	t.Helper()
	var records []any
	for n := range count {
		records = append(records,
			map[string]any{
				"entityType": "dataset", "entityUrn": kafkaTable("sink", n), "changeType": "UPSERT", "aspectName": "datasetProperties",
				"aspect": map[string]any{"contentType": "application/json", "value": fmt.Sprintf(`{"description":"proposal %d"}`, n)},
			},
			map[string]any{"proposedSnapshot": map[string]any{"com.linkedin.pegasus2avro.metadata.snapshot.DatasetSnapshot": map[string]any{
				"urn": kafkaTable("snapshot", n), "aspects": []any{map[string]any{"com.linkedin.pegasus2avro.dataset.DatasetProperties": map[string]any{
					"description": fmt.Sprintf("snapshot %d", n), "tags": []any{}, "customProperties": map[string]any{},
				}}},
			}}},
		)
	}
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "records.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// awaitDescription waits until a table has a certain description.
func (s *server) awaitDescription(urn, description string) {
	s.t.Helper()
	testclock.Await(s.t, urn+" has "+description, func() bool {
		_, answer, err := s.try("GET", "/aspects/"+url.QueryEscape(urn)+"?aspect=datasetProperties&version=0", "")
		text, _ := json.Marshal(answer)
		return err == nil && bytes.Contains(text, []byte(`"description":"`+description+`"`))
	})
}

// ingestThroughKafka runs a recipe with the client's Kafka sink.
func (s *server) ingestThroughKafka(venv, broker, prefix string, count int) {
	s.t.Helper()
	recipe := filepath.Join(s.t.TempDir(), "recipe.yml")
	text := fmt.Sprintf(`{"source":{"type":"file","config":{"path":%q}},"sink":{"type":"datahub-kafka","config":{
		"connection":{"bootstrap":%q,"schema_registry_url":%q},
		"topic_routes":{"MetadataChangeEvent":%q,"MetadataChangeProposal":%q}}}}`,
		kafkaFile(s.t, count), broker, s.base+"/schema-registry/api/", prefix+wire.ChangeEventTopic, prefix+wire.ProposalTopic)
	if err := os.WriteFile(recipe, []byte(strings.ReplaceAll(text, "\t", " ")), 0o600); err != nil {
		s.t.Fatal(err)
	}
	ingest := exec.Command(filepath.Join(venv, "bin", "datahub"), "ingest", "-c", recipe)
	ingest.Env = append(os.Environ(), "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	if out, err := ingest.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s\n%s", err, out, s.log)
	}
	for n := range count {
		s.awaitDescription(kafkaTable("sink", n), fmt.Sprintf("proposal %d", n))
		s.awaitDescription(kafkaTable("snapshot", n), fmt.Sprintf("snapshot %d", n))
	}
}

// TestKafkaSink: the server writes everything that the unmodified client sends through
// Kafka. Faulty records among the client's stop nothing, and a server that is killed midway
// loses nothing.
func TestKafkaSink(t *testing.T) {
	venv := pythonFor(t, "kafka")
	address := testservers.Kafka(t)
	prefix := fmt.Sprintf("e2e%d-", time.Now().UnixNano())
	flags := []string{"--data", t.TempDir(), "--kafka", address, "--kafka-topic-prefix", prefix}
	s := start(t, flags...)
	const proposals, snapshots = wire.ProposalTopic, wire.ChangeEventTopic
	producer, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	send := func(topic, key string, values ...string) {
		t.Helper()
		records := make([]*kgo.Record, len(values))
		for i, value := range values {
			records[i] = &kgo.Record{Topic: prefix + topic, Key: []byte(key), Value: []byte(value)}
		}
		if err := producer.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	testclock.Await(t, "the server makes the topics", func() bool {
		return producer.ProduceSync(t.Context(), &kgo.Record{Topic: prefix + proposals, Value: []byte("poison")}).FirstErr() == nil
	})
	send(proposals, kafkaTable("sink", 1), "\x00\x00\x00\x00\x01poison", "")
	send(snapshots, kafkaTable("snapshot", 1), "\x00\x00\x00\x00\x08poison")

	s.ingestThroughKafka(venv, address, prefix, 30)

	const many = 5000
	values := make([]string, many)
	for n := range values {
		values[n] = fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"json":{"description":"many %d"}}}`, kafkaTable("many", n), n)
	}
	send(proposals, "one partition", values...)
	s.awaitDescription(kafkaTable("many", 0), "many 0")
	s.kill()
	s = start(t, flags...)
	s.awaitDescription(kafkaTable("many", many-1), fmt.Sprintf("many %d", many-1))
	for n := 0; n < many; n += 97 {
		s.awaitDescription(kafkaTable("many", n), fmt.Sprintf("many %d", n))
	}
	_, listed := s.send("GET", "/proposals/failed", "")
	failed, _ := json.Marshal(listed)
	if got := strings.Count(string(failed), `"offset"`); got < 4 {
		t.Errorf("%d are listed: %s", got, failed)
	}
	s.stop()
}

// TestAsyncIsDurable: a proposal that was sent with async and answered with success is
// stored even if the server is killed at once.
func TestAsyncIsDurable(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		s := start(t, "--data", dir)
		for i, async := range []string{`"true"`, `true`} {
			name := kafkaTable("async", 2*n+i)
			body := fmt.Sprintf(`{"async":%s,"proposal":{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"contentType":"application/json","value":"{\"description\":\"async\"}"}}}`, async, name)
			if status, answer := s.send("POST", "/aspects?action=ingestProposal", body); status != 200 {
				t.Fatal(status, answer)
			}
		}
		s.kill()
	}
	s := start(t, "--data", dir)
	for n := range 6 {
		_, answer := s.send("GET", "/aspects/"+url.QueryEscape(kafkaTable("async", n))+"?aspect=datasetProperties&version=0", "")
		if text, _ := json.Marshal(answer); !bytes.Contains(text, []byte(`"description":"async"`)) {
			t.Errorf("%d: %s", n, text)
		}
	}
	s.stop()
}
