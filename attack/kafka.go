package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaBroker is the environment variable with the address of a broker.
const kafkaBroker = "HEADWATER_TEST_KAFKA"

// fromKafka sends to the topic of proposals, among valid proposals, batches that decompress
// to very much, unreadable records, and very many ids of schemas. A second server reads
// them, and is killed meanwhile. Each valid proposal must be written once, and each faulty
// one must be listed once.
func fromKafka(a *arena) {
	broker := os.Getenv(kafkaBroker)
	if broker == "" {
		a.skip("there is no broker in " + kafkaBroker)
		return
	}
	prefix := "attack" + a.check.run + "."
	s, c := a.another("--kafka", broker, "--kafka-topic-prefix", prefix, "--kafka-group", prefix+"group")
	if s == nil {
		return
	}
	defer func() { s.kill() }()
	k := &sender{arena: a, topic: prefix + "MetadataChangeProposal_v1", broker: broker}
	bombs := pick(a, 4, 16)
	for n := range bombs {
		k.send(kgo.GzipCompression(), k.right(n))
		k.send([]kgo.CompressionCodec{kgo.GzipCompression(), kgo.ZstdCompression()}[n%2], strings.Repeat(" ", pick(a, 16<<20, 64<<20)))
		k.send(kgo.ZstdCompression(), make([]string, 60_000)...) // more records than a batch may have
	}
	var odd []string
	for n := range pick(a, 500, 20_000) {
		odd = append(odd, string(binary.BigEndian.AppendUint32([]byte{0}, uint32(1000+n)))+"of a schema that nobody has") //nolint:gosec // it is small
	}
	odd = append(odd, "", "\x00", "\x01\x02", strings.Repeat("[", 900_000), `{"a":`+strings.Repeat(`{"a":`, 100_000), "{"+strings.Repeat(`"a":0,`, 100_000)+`"b":0}`,
		`{"entityType":"`+strings.Repeat("e", 500_000)+`"}`, string(proposal("UPSERT", dataset(strings.Repeat("l", 100_000)), "status", "{}")))
	wrong := len(odd) + 2*bombs
	for len(odd) > 0 {
		n, bytes := 0, 0
		for n < len(odd) && (n == 0 || bytes+len(odd[n]) < 500_000) { // as many as the broker accepts in a batch
			bytes += len(odd[n]) + 100
			n++
		}
		k.send(kgo.NoCompression(), odd[:n]...)
		odd = odd[n:]
	}
	for range pick(a, 1, 4) {
		s.kill()
		if err := s.start(); err != nil {
			a.problem("the server that reads from Kafka does not start again: %v", err)
			return
		}
	}
	k.send(kgo.NoCompression(), k.right(bombs))
	for n := range bombs + 1 {
		for a.Err() == nil {
			if value, _ := c.aspect(a, k.urn(n), "datasetProperties", 0); value != nil {
				break
			}
			sleep(a, 50*time.Millisecond)
		}
	}
	for n := range bombs + 1 {
		if value, r := c.aspect(a, k.urn(n), "datasetProperties", 1); a.Err() == nil && value != nil {
			a.problem("a proposal was written twice: %v", r)
		}
	}
	const most = 1000 // the number of failed proposals that the server keeps
	for a.Err() == nil {
		listed, _ := c.get(a, fmt.Sprintf("/proposals/failed?limit=%d", most)).at("proposals").([]any)
		if len(listed) > wrong {
			a.problem("%d proposals are listed as failed, and %d are wrong", len(listed), wrong)
		}
		if len(listed) >= min(wrong, most) {
			break
		}
		sleep(a, 50*time.Millisecond)
	}
	a.judgeServer(s, c)
	a.note("%d bombs, the server that reads took %s", bombs, size(s.status("VmHWM")))
}

// sender sends records to one partition of a topic.
type sender struct {
	*arena
	topic, broker string
}

func (k *sender) urn(n int) string { return dataset(fmt.Sprintf("%skafka%d", k.check.run, n)) }

// right returns the n-th valid proposal.
func (k *sender) right(n int) string {
	return string(jsonOf(map[string]any{
		"entityType": "dataset", "entityUrn": k.urn(n), "changeType": "UPSERT", "aspectName": "datasetProperties",
		"aspect": map[string]any{"value": fmt.Sprintf(`{"description":"%d"}`, n), "contentType": "application/json"},
	}))
}

// sendPatience is how long the broker may take for a batch.
const sendPatience = 20 * time.Second

// send sends values in one compressed batch.
func (k *sender) send(codec kgo.CompressionCodec, values ...string) {
	const most = 100 << 20
	client, err := kgo.NewClient(kgo.SeedBrokers(k.broker), kgo.ManualFlushing(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(codec),
		kgo.ProducerBatchMaxBytes(most), kgo.BrokerMaxWriteBytes(2*most), kgo.MaxBufferedRecords(200_000), kgo.UnknownTopicRetries(20))
	if err != nil {
		k.problem("no client of Kafka: %v", err)
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(k, sendPatience)
	defer cancel()
	var once sync.Once
	for _, value := range values {
		client.Produce(ctx, &kgo.Record{Topic: k.topic, Partition: 0, Value: []byte(value)}, func(_ *kgo.Record, err error) {
			if err != nil && k.Err() == nil {
				once.Do(func() { k.problem("the broker does not take a batch: %v", err) })
			}
		})
		k.sent(0, len(value))
	}
	k.sent(1, 0)
	_ = client.Flush(ctx) // each record reports its own failure
}
