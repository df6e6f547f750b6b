package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/internal/jsonlimit"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/kafka/connect"
)

// Reader is a [replica.Source] that reads the topic. Its cursors are positions in the topic.
type Reader struct {
	brokers  []string
	security connect.Security
	topic    string

	mu     sync.Mutex
	client *kgo.Client
	// next is the offset at which the client continues. waiting are messages that were read
	// before next and have not been returned yet.
	next    int64
	waiting []read
}

// read is a message with its offset and size.
type read struct {
	offset int64
	size   int
	message
}

// place is the position of a reader. Catalog and Term keep the reader from mixing the messages
// of different catalogs and servers.
type place struct {
	Offset  int64  `json:"offset"`
	Catalog string `json:"catalog"`
	Term    int64  `json:"term"`
	// Partial: the reader has not reached the end of the snapshot.
	Partial bool `json:"partial,omitempty"`
}

// NewReader makes a reader of the topic on brokers, which are host:port. NewReader does not
// connect yet.
func NewReader(brokers []string, security connect.Security, prefix string) *Reader {
	return &Reader{brokers: brokers, security: security, topic: prefix + Topic}
}

// Close ends the connections.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset()
}

func (r *Reader) reset() {
	if r.client != nil {
		r.client.Close()
	}
	r.client, r.waiting = nil, nil
}

// SeriesAfter is never called, because the topic has complete time series.
func (r *Reader) SeriesAfter(context.Context, string, string, *replica.Position) (*replica.Series, error) {
	return nil, errors.New("the topic has time series completely")
}

// Page returns the records after a cursor, about limit of them at most.
func (r *Reader) Page(ctx context.Context, from string, limit int, wait time.Duration) (*replica.Page, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	page, err := r.page(ctx, from, limit, wait)
	if err != nil {
		r.reset()
	}
	return page, err
}

func (r *Reader) page(ctx context.Context, from string, limit int, wait time.Duration) (*replica.Page, error) {
	var at place
	if from != "" {
		if err := json.Unmarshal([]byte(from), &at); err != nil {
			return nil, catalog.Errorf(catalog.Gone, "the place in the topic is not known: %v", err)
		}
	}
	start, end, err := r.ends(ctx)
	if err != nil {
		return nil, err
	}
	if at.Catalog == "" {
		at.Offset = start
	}
	if at.Offset < start || at.Offset > end {
		return nil, catalog.Errorf(catalog.Gone, "the topic %s has the offsets %d to %d, and %d was to be read", r.topic, start, end, at.Offset)
	}
	if at.Catalog == "" && end == start {
		return nil, catalog.Errorf(catalog.Unavailable, "the topic %s is empty: the source must run with --kafka-replicas", r.topic)
	}
	if err := r.seek(at.Offset); err != nil {
		return nil, err
	}
	if err := r.poll(ctx, end, limit, wait); err != nil {
		return nil, err
	}
	page, err := r.take(&at, limit)
	if err != nil {
		return nil, err
	}
	page.Lag = max(end-at.Offset, 0)
	if at.Partial { // at least the message at the end of the snapshot is still to come
		page.Lag = max(page.Lag, 1)
	}
	text, err := json.Marshal(at)
	page.Next = string(text)
	return page, err
}

// seek makes a client that reads from an offset on, unless the client of the reader does.
func (r *Reader) seek(offset int64) (err error) {
	if r.client != nil && (r.next == offset || len(r.waiting) > 0 && r.waiting[0].offset == offset) {
		return nil
	}
	r.reset()
	r.next = offset
	r.client, err = kgo.NewClient(append(append(r.security.Options(), connect.NewTrustingUnpacker().Options()...),
		kgo.SeedBrokers(r.brokers...), kgo.ClientID("headwater"), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{r.topic: {0: kgo.NewOffset().At(offset)}}),
		kgo.FetchMaxBytes(limits.MaxReplicaPageBytes), kgo.FetchMaxPartitionBytes(limits.MaxReplicaPageBytes), kgo.MaxConcurrentFetches(1),
	)...)
	return err
}

// ends returns the first offset of the topic and the offset after its last record.
func (r *Reader) ends(ctx context.Context) (start, end int64, err error) {
	client := r.client
	if client == nil {
		if client, err = kgo.NewClient(append(r.security.Options(), kgo.SeedBrokers(r.brokers...), kgo.ClientID("headwater"))...); err != nil {
			return 0, 0, err
		}
		defer client.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	admin := kadm.NewClient(client)
	for _, of := range []struct {
		offset *int64
		list   func(context.Context, ...string) (kadm.ListedOffsets, error)
	}{{&start, admin.ListStartOffsets}, {&end, admin.ListEndOffsets}} {
		listed, err := of.list(ctx, r.topic)
		if err == nil {
			err = listed.Error()
		}
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return 0, 0, catalog.Errorf(catalog.Unavailable, "there is no topic %s: the source must run with --kafka-replicas", r.topic)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("kafka: topic %s: %w", r.topic, err)
		}
		found, _ := listed.Lookup(r.topic, 0)
		*of.offset = found.Offset
	}
	return start, end, nil
}

// poll reads messages if none are waiting. At the end of the topic, it waits for new messages
// for at most the time wait.
func (r *Reader) poll(ctx context.Context, end int64, limit int, wait time.Duration) error {
	if len(r.waiting) > 0 {
		return nil
	}
	atEnd := r.next >= end
	if atEnd && wait == 0 {
		return nil
	}
	if !atEnd {
		wait = patience
	}
	polling, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	fetches := r.client.PollRecords(polling, limit)
	for _, failure := range fetches.Errors() {
		if polling.Err() == nil && !errors.Is(failure.Err, connect.ErrLater) {
			return fmt.Errorf("kafka: topic %s: from the offset %d on: %w", r.topic, r.next, failure.Err)
		}
	}
	for _, record := range fetches.Records() {
		m := read{offset: record.Offset, size: len(record.Value)}
		_, err := jsonlimit.Check(record.Value, jsonlimit.Limits{Items: limits.MaxLineItems, List: limits.MaxLineListItems})
		if err == nil {
			err = json.Unmarshal(record.Value, &m.message)
		}
		if err != nil {
			return fmt.Errorf("kafka: topic %s: offset %d is not a record for replicas: %w", r.topic, record.Offset, err)
		}
		m.Key = string(record.Key)
		r.waiting, r.next = append(r.waiting, m), record.Offset+1
	}
	if !atEnd && len(r.waiting) == 0 && ctx.Err() == nil {
		return fmt.Errorf("kafka: topic %s: nothing came within %s, although there is more", r.topic, wait)
	}
	return nil
}

// take makes a page of waiting messages, and moves the place behind them.
func (r *Reader) take(at *place, limit int) (*replica.Page, error) {
	var records []replica.Record
	size, term, ends := 0, at.Term, len(r.waiting)
	for i := 0; i < len(r.waiting) && i < limit && size < limits.MaxReplicaPageBytes; i++ {
		m := &r.waiting[i]
		switch {
		case m.Format != replica.Format:
			return nil, catalog.Errorf(catalog.Invalid, "the record at %d of the topic %s has the format %d, this server reads %d; both must be of the same release", m.offset, r.topic, m.Format, replica.Format)
		case m.Begin && i > 0:
			limit = i
			continue
		case m.Begin:
			return r.begin(at, m)
		case at.Catalog == "":
			return nil, catalog.Errorf(catalog.Gone, "the topic %s does not have its beginning: it begins with the offset %d", r.topic, m.offset)
		case m.Catalog != at.Catalog:
			return nil, catalog.Errorf(catalog.Gone, "at the offset %d, another catalog begins in the topic %s", m.offset, r.topic)
		}
		size += m.size
		if m.Term < term { // a server that was replaced has sent this message late
			records = append(records, replica.Record{})
			continue
		}
		term = m.Term
		if m.End {
			ends = i
			records = append(records, replica.Record{})
			continue
		}
		records = append(records, m.Record)
	}
	page, n := replica.Collect(records)
	if n > 0 {
		last := &r.waiting[n-1]
		at.Offset, at.Term, page.Model = last.offset+1, max(at.Term, last.Term), last.Model
		at.Partial = at.Partial && n <= ends
		r.waiting = r.waiting[n:]
	}
	return page, nil
}

// begin returns the page for a message that marks the beginning of the log.
func (r *Reader) begin(at *place, m *read) (*replica.Page, error) {
	switch {
	case at.Catalog == "":
	case at.Catalog != m.Catalog:
		return nil, catalog.Errorf(catalog.Gone, "at the offset %d, another catalog begins in the topic %s", m.offset, r.topic)
	case m.Snapshot:
		return nil, catalog.Errorf(catalog.Gone, "at the offset %d of the topic %s, the source began again without the beginning of its log", m.offset, r.topic)
	}
	*at = place{Offset: m.offset + 1, Catalog: m.Catalog, Term: max(at.Term, m.Term), Partial: m.Snapshot}
	r.waiting = r.waiting[1:]
	return &replica.Page{Format: replica.Format, Model: m.Model}, nil
}
