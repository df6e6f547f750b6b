package replicas_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/replicas"
)

// source is a catalog with one page for each of some entities. That replicas rebuild real
// catalogs is tested in e2e.
type source struct {
	identity string
	urns     []string
	// snapshot: the log no longer has its beginning.
	snapshot bool
}

func (s source) Page(_ context.Context, from string, _ int, _ time.Duration) (*replica.Page, error) {
	if from == "" && s.snapshot {
		place := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"then":"%d"}`, len(s.urns)))
		return &replica.Page{Next: "snapshot." + place}, nil
	}
	if strings.HasPrefix(from, "snapshot.") {
		return &replica.Page{Entities: s.entities(s.urns...), Next: strconv.Itoa(len(s.urns))}, nil
	}
	at, _ := strconv.Atoi(from) // at is 0 at the beginning
	if at == len(s.urns) {
		return &replica.Page{Next: from}, nil
	}
	return &replica.Page{Entities: s.entities(s.urns[at]), Next: strconv.Itoa(at + 1), Model: "m"}, nil
}

func (s source) entities(urns ...string) []replica.Entity {
	entities := make([]replica.Entity, len(urns))
	for i, urn := range urns {
		entities[i] = replica.Entity{URN: urn, Whole: true}
	}
	return entities
}

func (s source) Records(_ context.Context, page *replica.Page, origin replica.Origin) ([]replica.Record, error) {
	records := make([]replica.Record, len(page.Entities))
	for i := range records {
		records[i] = replica.Record{Key: page.Entities[i].URN, Origin: origin, Entity: &page.Entities[i]}
	}
	return records, nil
}

func (s source) Identity(context.Context) (string, error) { return s.identity, nil }

func (s source) SeriesAfter(context.Context, string, string, *replica.Position) (*replica.Series, error) {
	return nil, errors.New("there is no time series")
}

// topic is the topic of one test.
type topic struct {
	t              *testing.T
	broker, prefix string
}

func newTopic(t *testing.T) topic {
	return topic{t, testservers.Kafka(t), fmt.Sprintf("replicas-%d.", time.Now().UnixNano())}
}

func (k topic) name() string { return k.prefix + replicas.Topic }

// send sends the pages of a source from one cursor to another, in the term of one server.
func (k topic) send(s source, term int64, from, to string) {
	k.t.Helper()
	sender, err := replicas.NewSender([]string{k.broker}, connect.Security{}, k.prefix, s, slog.New(slog.DiscardHandler))
	if err != nil {
		k.t.Fatal(err)
	}
	defer sender.Close()
	for from != to {
		batch, err := sender.Read(k.t.Context(), delivery.Position{Cursor: from, Term: term}, 100, 0)
		if err == nil {
			err = batch.Deliver(k.t.Context())
		}
		if err != nil {
			k.t.Fatal(err)
		}
		from = batch.Next
	}
}

// read reads from a cursor to the end of the topic, a few records at a time.
func (k topic) read(from string) (urns []string, next string, err error) {
	reader := replicas.NewReader([]string{k.broker}, connect.Security{}, k.prefix)
	defer reader.Close()
	for {
		page, err := reader.Page(k.t.Context(), from, 2, 0)
		if err != nil {
			return urns, from, err
		}
		for i := range page.Entities {
			if page.Entities[i].URN != "" {
				urns = append(urns, page.Entities[i].URN)
			}
		}
		if page.Next == from {
			return urns, from, nil
		}
		from = page.Next
	}
}

func (k topic) want(from string, want ...string) (next string) {
	k.t.Helper()
	got, next, err := k.read(from)
	if err != nil || !slices.Equal(got, want) {
		k.t.Errorf("read %v, %v, want %v", got, err, want)
	}
	return next
}

// lag returns the number of records after a cursor.
func (k topic) lag(from string) int64 {
	k.t.Helper()
	reader := replicas.NewReader([]string{k.broker}, connect.Security{}, k.prefix)
	defer reader.Close()
	page, err := reader.Page(k.t.Context(), from, 100, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	return page.Lag
}

func (k topic) wantError(from string, code catalog.Code, text string) {
	k.t.Helper()
	if _, _, err := k.read(from); catalog.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
		k.t.Errorf("%v, want %v %q", err, code, text)
	}
}

func (k topic) client() *kgo.Client {
	client, err := kgo.NewClient(kgo.SeedBrokers(k.broker))
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(client.Close)
	return client
}

// TestPagesComeBack: pages are read in the order in which they were sent. A reader continues
// from its cursor.
func TestPagesComeBack(t *testing.T) {
	k := newTopic(t)
	k.wantError("", catalog.Unavailable, "there is no topic")
	s := source{identity: "one", urns: []string{"a", "b", "c", "d", "e"}}
	k.send(s, 1, "", "3")
	next := k.want("", "a", "b", "c")
	k.want(next)
	k.send(s, 1, "3", "5")
	k.want(next, "d", "e")
	k.want("", "a", "b", "c", "d", "e")
}

// TestLatePages: pages that a server sends after another server has taken over are not read.
func TestLatePages(t *testing.T) {
	k := newTopic(t)
	s := source{identity: "one", urns: []string{"a", "b", "c", "d"}}
	k.send(s, 1, "", "2")
	k.send(s, 2, "2", "3")
	k.send(s, 1, "1", "2")
	next := k.want("", "a", "b", "c")
	k.send(s, 1, "0", "1")
	k.send(s, 2, "3", "4")
	k.want(next, "d")
}

// TestBeginnings: a reader at the beginning accepts a log that begins again, or a snapshot, as a
// beginning. For any other reader, a new beginning is an error, because the reader's catalog may
// differ from the log.
func TestBeginnings(t *testing.T) {
	s := source{identity: "one", urns: []string{"a", "b"}}
	t.Run("again", func(t *testing.T) {
		k := newTopic(t)
		k.send(s, 1, "", "1")
		next := k.want("", "a")
		k.send(s, 2, "", "2") // the cursor of the server was lost
		k.want(next, "a", "b")
	})
	t.Run("a snapshot", func(t *testing.T) {
		k := newTopic(t)
		k.send(s, 1, "", "2")
		_, middle, err := k.read("")
		if err != nil {
			t.Fatal(err)
		}
		less := source{identity: "one", urns: []string{"b"}, snapshot: true}
		k.send(less, 2, "", "1")
		k.want("", "b")
		k.wantError(middle, catalog.Gone, "without the beginning of its log")
	})
	t.Run("another catalog", func(t *testing.T) {
		k := newTopic(t)
		k.send(s, 1, "", "2")
		k.send(source{identity: "two", urns: []string{"x"}}, 1, "", "1")
		k.wantError("", catalog.Gone, "another catalog begins")
	})
	t.Run("the middle of another catalog", func(t *testing.T) {
		k := newTopic(t)
		k.send(s, 1, "", "1")
		k.send(source{identity: "two", urns: []string{"x", "y"}}, 1, "1", "2")
		k.wantError("", catalog.Gone, "another catalog begins")
	})
	t.Run("none", func(t *testing.T) {
		k := newTopic(t)
		k.send(s, 1, "", "2")
		offsets := kadm.Offsets{}
		offsets.AddOffset(k.name(), 0, 1, -1)
		answers, err := kadm.NewClient(k.client()).DeleteRecords(t.Context(), offsets)
		if err != nil || answers.Error() != nil {
			t.Fatal(err, answers.Error())
		}
		k.wantError("", catalog.Gone, "does not have its beginning")
	})
}

// failing is a source that fails some calls for pages after the first.
type failing struct {
	source
	failures []error
}

func (f *failing) Page(ctx context.Context, from string, limit int, wait time.Duration) (*replica.Page, error) {
	if len(f.failures) > 0 && from != "" {
		err := f.failures[0]
		f.failures = f.failures[1:]
		return nil, err
	}
	return f.source.Page(ctx, from, limit, wait)
}

// TestSnapshotGoesOn: after a failure, a snapshot continues at its position. Only if the
// position is lost, the snapshot begins again.
func TestSnapshotGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		failure error
		goesOn  bool
	}{
		"busy": {catalog.Errorf(catalog.Busy, "later"), true},
		"gone": {catalog.Errorf(catalog.Gone, "lost"), false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTopic(t)
			s := &failing{source{identity: "one", urns: []string{"a", "b"}, snapshot: true}, []error{c.failure}}
			sender, err := replicas.NewSender([]string{k.broker}, connect.Security{}, k.prefix, s, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer sender.Close()
			batch, err := sender.Read(t.Context(), delivery.Position{Term: 1}, 100, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := batch.Deliver(t.Context()); !errors.Is(err, c.failure) {
				t.Fatal(err)
			}
			_, began, err := k.read("")
			if err != nil {
				t.Fatal(err)
			}
			if lag := k.lag(began); lag == 0 {
				t.Error("a part of a snapshot seems to be all")
			}
			if err := batch.Deliver(t.Context()); err != nil {
				t.Fatal(err)
			}
			if lag := k.lag(k.want("", "a", "b")); lag != 0 {
				t.Errorf("after the snapshot, %d records seem to be missing", lag)
			}
			if !c.goesOn {
				k.wantError(began, catalog.Gone, "without the beginning of its log")
				return
			}
			k.want(began, "a", "b")
		})
	}
}

// versions is a source that gives its records the states of their entities.
type versions struct {
	source
	states map[string]*transfer.ExportEntity
}

func (v versions) Records(ctx context.Context, page *replica.Page, origin replica.Origin) ([]replica.Record, error) {
	records, err := v.source.Records(ctx, page, origin)
	for i := range records {
		records[i].Entity.State = v.states[records[i].Key]
	}
	return records, err
}

// TestTooLarge: if a topic does not accept a whole page, the page is sent in parts, and a large
// record is sent without its oldest versions. An error names a record that is too large even
// without them.
func TestTooLarge(t *testing.T) {
	k := newTopic(t)
	if _, err := kadm.NewClient(k.client()).CreateTopic(t.Context(), 1, 1, map[string]*string{"max.message.bytes": new("6000")}, k.name()); err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{})
	state := func(versions, bytes int) *transfer.ExportEntity {
		e := &transfer.ExportEntity{}
		for i := range versions {
			value := make([]byte, bytes)
			_, _ = random.Read(value) // never fails
			e.Versions = append(e.Versions, transfer.ExportVersion{Aspect: "status", Seq: int64(i + 1), Latest: i == versions-1, ExportStamp: transfer.ExportStamp{
				Value: fmt.Appendf(nil, "%q", base64.StdEncoding.EncodeToString(value)), CreatedOn: int64(i),
			}})
		}
		return e
	}
	s := versions{source{identity: "one", urns: []string{"a", "b", "c", "long", "d"}, snapshot: true}, map[string]*transfer.ExportEntity{
		"a": state(1, 2000), "b": state(1, 2000), "c": state(2, 1500), "long": state(20, 1000), "d": state(1, 10),
	}}
	sender, err := replicas.NewSender([]string{k.broker}, connect.Security{}, k.prefix, s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	deliver := func() error {
		batch, err := sender.Read(t.Context(), delivery.Position{Term: 1}, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		return batch.Deliver(t.Context())
	}
	if err := deliver(); err != nil {
		t.Fatal(err)
	}
	reader := replicas.NewReader([]string{k.broker}, connect.Security{}, k.prefix)
	defer reader.Close()
	kept := map[string][]int64{}
	for from := ""; ; {
		page, err := reader.Page(t.Context(), from, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entities {
			for _, v := range e.State.Versions {
				kept[e.URN] = append(kept[e.URN], v.Seq)
			}
		}
		if page.Next == from {
			break
		}
		from = page.Next
	}
	// Of the 20 versions, 19 are not the latest. Of these 19, 10, 5 or 3 remain, or fewer.
	if got := kept["long"]; len(kept) != 5 || len(kept["c"]) != 2 || len(got) < 2 || len(got) > 4 || got[len(got)-1] != 20 || got[0] != int64(21-len(got)) {
		t.Errorf("kept %v", kept)
	}
	s.states["c"] = state(2, 6000)
	if err := deliver(); err == nil || !strings.Contains(err.Error(), "what is stored of c has") {
		t.Error(err)
	}
}

// TestForeignRecords: the error about a record that replicas of this release cannot read names
// the offset of the record.
func TestForeignRecords(t *testing.T) {
	for value, c := range map[string]struct {
		code catalog.Code
		text string
	}{
		"hello":        {catalog.Internal, "offset 2 is not a record for replicas"},
		`{"format":2}`: {catalog.Invalid, "the record at 2 of the topic"},
	} {
		k := newTopic(t)
		k.send(source{identity: "one", urns: []string{"a"}}, 1, "", "1")
		if err := k.client().ProduceSync(t.Context(), &kgo.Record{Topic: k.name(), Key: []byte("foreign"), Value: []byte(value)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		k.wantError("", c.code, c.text)
	}
}

// TestHostileBatches: a replica stops before a batch that unpacks to too much, and before
// records with too many values. The error names the position. A batch that only compresses well
// is read.
func TestHostileBatches(t *testing.T) {
	for name, c := range map[string]struct {
		value []byte
		text  string
	}{
		"a bomb":      {bytes.Repeat([]byte(" "), limits.MaxKafkaBatchBytes), fmt.Sprintf("from the offset 2 on: unable to decompress batch: %d bytes unpack to more than %d", 0, limits.MaxKafkaBatchBytes)},
		"many values": {fmt.Appendf(nil, `{"x":[%s0]}`, bytes.Repeat([]byte("0,"), limits.MaxLineListItems)), "offset 2 is not a record for replicas: the JSON has more than"},
		"packed well": {append(bytes.Repeat([]byte(" "), 2*limits.UnpackRatioFrom), `{"format":2}`...), "the record at 2 of the topic"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTopic(t)
			k.send(source{identity: "one", urns: []string{"a"}}, 1, "", "1")
			const most = 100 << 20
			client, err := kgo.NewClient(kgo.SeedBrokers(k.broker), kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerBatchMaxBytes(most), kgo.BrokerMaxWriteBytes(2*most))
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: k.name(), Key: []byte("foreign"), Value: c.value}).FirstErr(); err != nil {
				t.Fatal(err)
			}
			_, _, err = k.read("")
			if err == nil || !strings.Contains(regexp.MustCompile(`: \d+ bytes`).ReplaceAllString(err.Error(), ": 0 bytes"), c.text) {
				t.Errorf("%v, want %q", err, c.text)
			}
		})
	}
}
