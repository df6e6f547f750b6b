package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/kafka/wire"
)

// told has the changes of each entity, by URN, in order.
type told map[string][]string

// arrived has the changes in a topic: of all senders together, and of each sender. A restarted
// server is another sender.
type arrived struct {
	told
	by map[int64]told
}

func (a *arrived) add(r *kgo.Record, urn, what string) {
	if a.by[r.ProducerID] == nil {
		a.by[r.ProducerID] = told{}
	}
	sender := a.by[r.ProducerID]
	a.told[urn], sender[urn] = append(a.told[urn], what), append(sender[urn], what)
}

// kafkaTopics has the topics of one test.
type kafkaTopics struct {
	t              *testing.T
	broker, prefix string
	admin          *kadm.Client
}

func newKafkaTopics(t *testing.T, broker string) *kafkaTopics {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &kafkaTopics{t: t, broker: broker, prefix: fmt.Sprintf("e2e%d-", time.Now().UnixNano()), admin: kadm.NewClient(client)}
}

// flags returns the flags of a server that uses the topics.
func (k *kafkaTopics) flags() []string {
	return []string{"--kafka", k.broker, "--kafka-topic-prefix", k.prefix, "--kafka-group", k.prefix + "group"}
}

// ends returns the end offsets of a topic's partitions, none if the topic does not exist.
func (k *kafkaTopics) ends(topic string) map[int32]int64 {
	k.t.Helper()
	listed, err := k.admin.ListEndOffsets(k.t.Context(), k.prefix+topic)
	if err != nil {
		k.t.Fatal(err)
	}
	ends := map[int32]int64{}
	listed.Each(func(o kadm.ListedOffset) {
		if o.Err == nil {
			ends[o.Partition] = o.Offset
		}
	})
	return ends
}

// count returns the number of records in a topic.
func (k *kafkaTopics) count(topic string) (n int) {
	for _, end := range k.ends(topic) {
		n += int(end)
	}
	return n
}

// limit makes the broker accept at most the given number of bytes a second from servers,
// until unlimited is called.
func (k *kafkaTopics) limit(bytes float64) (unlimited func()) {
	k.t.Helper()
	name := "headwater"
	servers := kadm.ClientQuotaEntity{{Type: "client-id", Name: &name}}
	alter := func(op kadm.AlterClientQuotaOp) {
		answers, err := k.admin.AlterClientQuotas(context.Background(), []kadm.AlterClientQuotaEntry{{Entity: servers, Ops: []kadm.AlterClientQuotaOp{op}}})
		if err == nil && len(answers) > 0 {
			err = answers[0].Err
		}
		if err != nil {
			k.t.Error(err)
		}
	}
	const quota = "producer_byte_rate"
	alter(kadm.AlterClientQuotaOp{Key: quota, Value: bytes})
	unlimited = sync.OnceFunc(func() { alter(kadm.AlterClientQuotaOp{Key: quota, Remove: true}) })
	k.t.Cleanup(unlimited)
	return unlimited
}

// read returns all records of a topic; the records of each partition are in order.
func (k *kafkaTopics) read(topic string) []*kgo.Record {
	k.t.Helper()
	ends := k.ends(topic)
	for partition, end := range ends {
		if end == 0 {
			delete(ends, partition)
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(k.broker), kgo.ConsumeTopics(k.prefix+topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		k.t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	var records []*kgo.Record
	for len(ends) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			k.t.Fatal(err)
		}
		for _, r := range fetches.Records() {
			records = append(records, r)
			if r.Offset+1 >= ends[r.Partition] {
				delete(ends, r.Partition)
			}
		}
	}
	return records
}

// changes returns the changes in a topic of the change log.
func (k *kafkaTopics) changes(topic string) arrived {
	k.t.Helper()
	all, partitions := arrived{told{}, map[int64]told{}}, map[string]int32{}
	for _, r := range k.read(topic) {
		event, err := wire.Decode(topic, r.Value)
		if err != nil {
			k.t.Fatal(err)
		}
		change, _ := event.(*wire.MetadataChangeLog)
		urn := *change.EntityURN
		if at, seen := partitions[urn]; seen && at != r.Partition || string(r.Key) != urn {
			k.t.Fatalf("%s has the key %s, and is in partitions %d and %d", urn, r.Key, at, r.Partition)
		}
		partitions[urn] = r.Partition
		var value []byte
		if change.Aspect != nil {
			value = change.Aspect.Value
		}
		all.add(r, urn, identity(change.ChangeType, *change.AspectName, value))
	}
	return all
}

// descriptions returns the descriptions in the platform events.
func (k *kafkaTopics) descriptions() arrived {
	k.t.Helper()
	all := arrived{told{}, map[int64]told{}}
	for _, r := range k.read(wire.PlatformEventTopic) {
		event, err := wire.Decode(wire.PlatformEventTopic, r.Value)
		if err != nil {
			k.t.Fatal(err)
		}
		platform, _ := event.(*wire.PlatformEvent)
		var change struct {
			EntityURN  string `json:"entityUrn"`
			Category   string `json:"category"`
			Parameters struct {
				Description string `json:"description"`
			} `json:"parameters"`
		}
		if err := json.Unmarshal(platform.Payload.Value, &change); err != nil {
			k.t.Fatal(err)
		}
		if change.Category == "DOCUMENTATION" {
			all.add(r, change.EntityURN, change.Parameters.Description)
		}
	}
	return all
}

// identity returns a change without its times. In these tests, no two changes of an entity
// are equal.
func identity(kind, aspect string, value []byte) string {
	var plain any
	_ = json.Unmarshal(value, &plain) // a deletion has no value
	text, _ := json.Marshal(plain)
	return kind + " " + aspect + " " + string(text)
}

// logged returns the changes in the server's change log.
func (s *server) logged() told {
	s.t.Helper()
	all, from := told{}, ""
	for {
		status, answer := s.send(http.MethodGet, "/events?limit=1000&from="+url.QueryEscape(from), "")
		events, _ := at(answer, "events").([]any)
		if status != http.StatusOK {
			s.t.Fatal(status, answer)
		}
		if len(events) == 0 {
			return all
		}
		for _, e := range events {
			value, _ := json.Marshal(at(e, "aspect"))
			urn := at(e, "entityUrn").(string)
			all[urn] = append(all[urn], identity(at(e, "changeType").(string), at(e, "aspectName").(string), value))
		}
		from = at(answer, "next").(string)
	}
}

// size returns the number of changes of all entities.
func (x told) size() (n int) {
	for _, of := range x {
		n += len(of)
	}
	return n
}

// distinct returns the number of different changes.
func (x told) distinct() int {
	seen := map[string]bool{}
	for urn, of := range x {
		for _, what := range of {
			seen[urn+" "+what] = true
		}
	}
	return len(seen)
}

// wantRepeated checks that everything arrived in the order of each entity. Changes may
// repeat, each time together with all later ones, but at most most times: once for each
// crash.
func (x told) wantRepeated(t *testing.T, what string, want told, most int) {
	t.Helper()
	repeats := 0
	for urn, order := range want {
		back := wantNoGap(t, what+": "+urn, -1, x[urn], order)
		repeats = max(repeats, back)
	}
	x.wantLast(t, want)
	if repeats > most {
		t.Errorf("%s: changes were sent anew %d times, for %d crashes", what, repeats, most)
	}
	if len(x) != len(want) {
		t.Errorf("%s: %d entities came, %d are in the log", what, len(x), len(want))
	}
}

// wantNoGap checks that each change arrived after the one before it, and returns how often
// changes repeat. before is the place before the first change.
func wantNoGap(t *testing.T, what string, before int, got, order []string) (repeats int) {
	t.Helper()
	place := places(t, what, order)
	for _, change := range got {
		now, known := place[change]
		if !known || now > before+1 {
			t.Fatalf("%s: after the change %d of %d came %q", what, before, len(order), change)
		}
		if now <= before {
			repeats++
		}
		before = now
	}
	return repeats
}

func places(t *testing.T, what string, order []string) map[string]int {
	t.Helper()
	place := map[string]int{}
	for i, change := range order {
		place[change] = i
	}
	if len(place) != len(order) {
		t.Fatalf("%s: two changes are equal", what)
	}
	return place
}

// wantSent checks the records of several servers that sent one after the other to a broker
// that delays requests. Everything arrived, the first copy of each change after the changes
// before it, and each server kept the order of each entity, the last server up to the end.
func (a arrived) wantSent(t *testing.T, what string, want told, servers int) {
	t.Helper()
	for sender, sent := range a.by {
		for urn, got := range sent {
			name := fmt.Sprintf("%s: %s from %d", what, urn, sender)
			wantNoGap(t, name, places(t, name, want[urn])[got[0]]-1, got, want[urn])
		}
	}
	for urn, order := range want {
		times := map[string]int{}
		var first []string
		for _, change := range a.told[urn] {
			if times[change]++; times[change] == 1 {
				first = append(first, change)
			}
			if times[change] > servers {
				t.Fatalf("%s: %s: %d servers sent %q %d times", what, urn, servers, change, times[change])
			}
		}
		wantNoGap(t, what+": "+urn, -1, first, order)
	}
	a.by[slices.Max(slices.Collect(maps.Keys(a.by)))].wantEnd(t, want) // the broker numbers the senders in order
}

// historyRounds is the number of descriptions of an entity. Retention keeps 20 values.
const historyRounds = 15

// writeHistory writes the descriptions from to to-1 of several entities, in order for each.
func (s *server) writeHistory(entities, from, to int) {
	s.t.Helper()
	for round := from; round < to; round++ {
		s.writeRound(0, entities, round)
	}
}

// writeRound writes one description of each of several entities.
func (s *server) writeRound(first, entities, round int) {
	s.t.Helper()
	proposals := make([]string, entities)
	for n := range proposals {
		proposals[n] = fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"contentType":"application/json","value":"{\"description\":\"round %d\"}"}}`,
			kafkaTable("history", first+n), round)
	}
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposalBatch", `{"proposals":[`+strings.Join(proposals, ",")+`]}`); status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
}

// rounds returns the descriptions that writeHistory writes.
func rounds(entities, from, to int) told {
	all := told{}
	for n := range entities {
		for round := from; round < to; round++ {
			all[kafkaTable("history", n)] = append(all[kafkaTable("history", n)], fmt.Sprintf("round %d", round))
		}
	}
	return all
}

// awaitFollower waits until a follower has delivered the whole log.
func (s *server) awaitFollower(name string) {
	s.t.Helper()
	testclock.Await(s.t, "the follower "+name+" has everything", func() bool {
		follower := s.follower(name)
		return at(follower, "lag") == 0.0
	})
}

// follower returns the server's answer about a follower, nil if there is none of this name.
func (s *server) follower(name string) any {
	s.t.Helper()
	_, answer := s.send(http.MethodGet, "/followers", "")
	followers, _ := at(answer, "followers").([]any)
	for _, f := range followers {
		if at(f, "name") == name {
			return f
		}
	}
	return nil
}

// metric returns the sum of a metric over the series whose labels contain a text.
func (s *server) metric(name, label string) (sum float64) {
	s.t.Helper()
	_, answer := s.send(http.MethodGet, "/metrics", "")
	text, _ := answer.(string)
	for line := range strings.Lines(text) {
		labels, value, found := strings.Cut(strings.TrimSpace(line), " ")
		if found && strings.HasPrefix(labels, name) && strings.Contains(labels, label) {
			n, _ := strconv.ParseFloat(value, 64)
			sum += n
		}
	}
	return sum
}
