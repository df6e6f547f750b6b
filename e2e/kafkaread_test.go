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

// told is what happened to each entity, by URN, in order.
type told map[string][]string

// arrived is what a topic told: of all who sent to it together, and of each by itself. A server that
// is started again is another sender.
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

// kafkaTopics are the topics of a test.
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

// flags make a server send to the topics and read from them.
func (k *kafkaTopics) flags() []string {
	return []string{"--kafka", k.broker, "--kafka-topic-prefix", k.prefix, "--kafka-group", k.prefix + "group"}
}

// ends are the offsets at which the partitions of a topic end, none while there is no topic.
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

// count is how many records a topic has.
func (k *kafkaTopics) count(topic string) (n int) {
	for _, end := range k.ends(topic) {
		n += int(end)
	}
	return n
}

// limit makes the broker take no more bytes in a second than that from servers, until the
// function that it returns is called.
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

// read reads all that a topic has, each partition in its order.
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

// changes are the changes that a topic of the change log has.
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

// descriptions are those that the platform events tell of.
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

// identity is a change without its times; no two of an entity are equal in these tests.
func identity(kind, aspect string, value []byte) string {
	var plain any
	_ = json.Unmarshal(value, &plain) // a deletion has no value
	text, _ := json.Marshal(plain)
	return kind + " " + aspect + " " + string(text)
}

// logged is what the change log has.
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

// size is how many there are of all entities.
func (x told) size() (n int) {
	for _, of := range x {
		n += len(of)
	}
	return n
}

// distinct is how many different ones there are.
func (x told) distinct() int {
	seen := map[string]bool{}
	for urn, of := range x {
		for _, what := range of {
			seen[urn+" "+what] = true
		}
	}
	return len(seen)
}

// wantRepeated checks that everything arrived, in the order of each entity. What came again
// came with everything after it, at most as often as is said: once for each crash.
func (x told) wantRepeated(t *testing.T, what string, want told, most int) {
	t.Helper()
	again := 0
	for urn, order := range want {
		back := wantNoGap(t, what+": "+urn, -1, x[urn], order)
		again = max(again, back)
	}
	x.wantLast(t, want)
	if again > most {
		t.Errorf("%s: changes were sent anew %d times, for %d crashes", what, again, most)
	}
	if len(x) != len(want) {
		t.Errorf("%s: %d entities came, %d are in the log", what, len(x), len(want))
	}
}

// wantNoGap checks that each change came after the one before it, and counts how many times some came
// again. Before is the place before the first.
func wantNoGap(t *testing.T, what string, before int, got, order []string) (again int) {
	t.Helper()
	place := places(t, what, order)
	for _, change := range got {
		now, known := place[change]
		if !known || now > before+1 {
			t.Fatalf("%s: after the change %d of %d came %q", what, before, len(order), change)
		}
		if now <= before {
			again++
		}
		before = now
	}
	return again
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

// wantSent checks what several servers sent, one after the other, to a broker that holds some of it
// back: everything arrived, each first after those before it, and each server kept the order of each
// entity, the last one to its end.
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
	a.by[slices.Max(slices.Collect(maps.Keys(a.by)))].wantEnd(t, want) // the broker counts the senders
}

// historyRounds is how many descriptions an entity can have: retention keeps 20 values.
const historyRounds = 15

// writeHistory writes descriptions from … to-1 of as many entities, each in its order.
func (s *server) writeHistory(entities, from, to int) {
	s.t.Helper()
	for round := from; round < to; round++ {
		s.writeRound(0, entities, round)
	}
}

// writeRound writes one description of each of some entities.
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

// rounds are the descriptions of writeHistory.
func rounds(entities, from, to int) told {
	all := told{}
	for n := range entities {
		for round := from; round < to; round++ {
			all[kafkaTable("history", n)] = append(all[kafkaTable("history", n)], fmt.Sprintf("round %d", round))
		}
	}
	return all
}

// awaitFollower waits until a follower has all of the log.
func (s *server) awaitFollower(name string) {
	s.t.Helper()
	testclock.Await(s.t, "the follower "+name+" has everything", func() bool {
		follower := s.follower(name)
		return at(follower, "lag") == 0.0
	})
}

// follower is what the server says of a follower, nil if it has none of this name.
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

// metric is the sum of a metric whose labels contain a text.
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
