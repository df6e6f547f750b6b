package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/kafka/wire"
)

const (
	// kafkaOutDatasets is how many datasets are sent, enough for some seconds on both sides.
	// kafkaInDatasets is how many datasets are read.
	kafkaOutDatasets = 60_000
	kafkaInDatasets  = 20_000
	// kafkaPoll is the time between two requests for a server's progress. It is long enough
	// not to slow the server.
	kafkaPoll = 100 * time.Millisecond
	// kafkaOutTarget is the wanted rate of events compared with a bare producer of the same
	// records. kafkaInTarget is the wanted rate of proposals compared with the same
	// proposals over HTTP.
	kafkaOutTarget = 0.5
	kafkaInTarget  = 1.0
	// kafkaQuiet is the time without records after which a topic counts as read to its end.
	kafkaQuiet = 3 * time.Second
)

// onKafka compares sending to Kafka and reading from it.
func (b *bench) onKafka(ctx context.Context) error {
	if b.kafka == "" {
		fmt.Println("no Kafka: its comparisons are left out")
		return nil
	}
	if err := b.kafkaOut(ctx); err != nil {
		return fmt.Errorf("out: %w", err)
	}
	if err := b.kafkaIn(ctx); err != nil {
		return fmt.Errorf("in: %w", err)
	}
	return nil
}

// kafkaOut compares a server that sends a log from its beginning with a bare producer of
// the same records.
func (b *bench) kafkaOut(ctx context.Context) error {
	data := filepath.Join(b.dir, "kafka-out")
	s, err := startServer(ctx, b.binary, "--data", data)
	if err != nil {
		return err
	}
	if _, err := load(ctx, s, workload{datasets: kafkaOutDatasets}); err != nil {
		return err
	}
	if err := errors.Join(s.settle(ctx), s.stop()); err != nil {
		return err
	}
	var sent []*kgo.Record
	return b.add("embedded: events sent to Kafka", kafkaOutTarget, func(i int) (figure, error) {
		prefix := fmt.Sprintf("out-%d-%d-", time.Now().UnixNano(), i)
		f, err := b.sendLog(ctx, data, prefix)
		if err == nil && sent == nil {
			sent, err = b.readTopics(ctx, prefix, wire.VersionedLogTopic, wire.PlatformEventTopic)
		}
		return f, err
	}, func(i int) (figure, error) {
		return b.produceBare(ctx, fmt.Sprintf("bare-%d-%d-", time.Now().UnixNano(), i), sent)
	})
}

// sendLog measures the time from the first event to the last that a server sends of its
// log: changes and platform events.
func (b *bench) sendLog(ctx context.Context, data, prefix string) (figure, error) {
	s, err := startServer(ctx, b.binary, "--data", data, "--kafka", b.kafka, "--kafka-topic-prefix", prefix)
	if err != nil {
		return figure{}, err
	}
	var (
		began, grew time.Time
		first, most float64
	)
	for {
		done, err := s.metric(ctx, "headwater_kafka_sent_total")
		if err != nil {
			return figure{}, err
		}
		if done > most {
			most, grew = done, time.Now()
		}
		if done > 0 && began.IsZero() {
			began, first = grew, done
		}
		delivered, lag, err := s.followerOf(ctx, "kafka") // the server saves the follower's position once a second
		if err != nil {
			return figure{}, err
		}
		if delivered > 0 && lag == 0 {
			break
		}
		if err := sleep(ctx, kafkaPoll); err != nil {
			return figure{}, err
		}
	}
	f := figure{ops: int(most - first), elapsed: grew.Sub(began)}
	body, _ := json.Marshal(map[string]string{"name": "kafka"}) // encoding a map of texts cannot fail
	_, err = s.post(ctx, "/followers?action=remove", body)
	return f, errors.Join(err, s.stop())
}

// followerOf returns the progress of a follower: the delivered changes and the lag.
func (s *server) followerOf(ctx context.Context, name string) (delivered, lag int64, err error) {
	answer, err := s.get(ctx, "/followers")
	if err != nil {
		return 0, 0, err
	}
	var found struct {
		Followers []struct {
			Name           string
			Delivered, Lag int64
			Failure        string
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return 0, 0, err
	}
	for _, f := range found.Followers {
		if f.Name == name {
			if f.Failure != "" {
				return 0, 0, errors.New(f.Failure)
			}
			return f.Delivered, f.Lag, nil
		}
	}
	return 0, -1, nil
}

// metric returns the sum of a metric over all its labels.
func (s *server) metric(ctx context.Context, name string) (sum float64, err error) {
	text, err := s.get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name+"{")
		if !ok {
			continue
		}
		fields := strings.Fields(rest[strings.Index(rest, "}")+1:])
		n, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// readTopics reads topics from their beginning until no records come any more. The topics
// of the returned records are without the prefix.
func (b *bench) readTopics(ctx context.Context, prefix string, topics ...string) ([]*kgo.Record, error) {
	for i := range topics {
		topics[i] = prefix + topics[i]
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.kafka), kgo.ConsumeTopics(topics...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var found []*kgo.Record
	for {
		quiet, cancel := context.WithTimeout(ctx, kafkaQuiet)
		fetches := client.PollFetches(quiet)
		ended := quiet.Err() != nil
		cancel()
		if ended {
			return found, ctx.Err()
		}
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		for _, r := range fetches.Records() {
			found = append(found, &kgo.Record{Topic: strings.TrimPrefix(r.Topic, prefix), Key: r.Key, Value: r.Value})
		}
	}
}

// produceBare sends records with the library's defaults and the same guarantees.
func (b *bench) produceBare(ctx context.Context, prefix string, records []*kgo.Record) (figure, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.kafka), kgo.RequiredAcks(kgo.AllISRAcks()))
	if err != nil {
		return figure{}, err
	}
	defer client.Close()
	topics := map[string]bool{}
	copies := make([]*kgo.Record, len(records))
	for i, r := range records {
		copies[i] = &kgo.Record{Topic: prefix + r.Topic, Key: r.Key, Value: r.Value}
		topics[copies[i].Topic] = true
	}
	if _, err := kadm.NewClient(client).CreateTopics(ctx, 8, -1, nil, slices.Collect(maps.Keys(topics))...); err != nil {
		return figure{}, err
	}
	began := time.Now()
	err = client.ProduceSync(ctx, copies...).FirstErr()
	return figure{ops: len(records), elapsed: time.Since(began)}, err
}

// kafkaIn compares a server that writes proposals from Kafka with another one that gets the
// same proposals over HTTP. Both have the same settings, and send their changes to Kafka.
func (b *bench) kafkaIn(ctx context.Context) error {
	w := workload{datasets: kafkaInDatasets}
	records, err := w.kafkaRecords()
	if err != nil {
		return err
	}
	run := 0
	flags := func() []string {
		run++
		prefix := fmt.Sprintf("in-%d-%d-", time.Now().UnixNano(), run)
		return []string{"--data", filepath.Join(b.dir, fmt.Sprintf("kafka-in-%d", run)), "--kafka", b.kafka, "--kafka-group", prefix, "--kafka-topic-prefix", prefix}
	}
	return b.add("embedded: proposals from Kafka beside HTTP", kafkaInTarget, func(int) (figure, error) {
		flags := flags()
		if _, err := b.produceBare(ctx, flags[len(flags)-1], records); err != nil {
			return figure{}, err
		}
		return b.writeProposals(ctx, len(records), flags)
	}, func(int) (figure, error) {
		s, err := startServer(ctx, b.binary, flags()...)
		if err != nil {
			return figure{}, err
		}
		f, err := load(ctx, s, w)
		f.ops = len(records)
		return f, errors.Join(err, s.stop())
	})
}

// kafkaRecords returns the proposals of the workload in the form of the client's sink for
// Kafka.
func (w workload) kafkaRecords() ([]*kgo.Record, error) {
	var records []*kgo.Record
	for i := range w.datasets {
		for _, p := range []proposal{w.properties(i, 0), w.ownership(i), w.lineage(i)} {
			value, err := wire.Avro.Append(nil, &wire.MetadataChangeProposal{
				EntityType: p.EntityType, EntityURN: &p.EntityURN, ChangeType: p.ChangeType, AspectName: &p.AspectName,
				Aspect: &wire.Content{Value: wire.Text(p.Aspect.Value), ContentType: p.Aspect.ContentType},
			})
			if err != nil {
				return nil, err
			}
			records = append(records, &kgo.Record{Topic: wire.ProposalTopic, Key: []byte(p.EntityURN), Value: value})
		}
	}
	return records, nil
}

// writeProposals measures the time from the first written proposal to the last.
func (b *bench) writeProposals(ctx context.Context, n int, flags []string) (figure, error) {
	s, err := startServer(ctx, b.binary, flags...)
	if err != nil {
		return figure{}, err
	}
	var began time.Time
	first := 0.0
	for {
		done, err := s.metric(ctx, "headwater_kafka_proposals_total")
		switch {
		case err != nil:
			return figure{}, err
		case done > 0 && began.IsZero():
			began, first = time.Now(), done
		case done >= float64(n):
			return figure{ops: int(done - first), elapsed: time.Since(began)}, s.stop()
		}
		if err := sleep(ctx, kafkaPoll); err != nil {
			return figure{}, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
