// Package records is the one door to the small records of the server: positions of followers, webhooks,
// feeds, counts. A record is not metadata: it has no versions and is not in the change log. Each kind of
// record is listed here, and a room reads and writes its kinds as values of one type.
package records

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// Kind begins the names of the records of one kind. A kind that ends without a slash has a single
// record, whose name within the kind is "".
type Kind string

// The kinds. No kind begins with another one.
const (
	// Followers are the followers of the change log, EndedTerms the terms of removed followers,
	// Servers the servers that show each other that they live.
	Followers  Kind = "follower/"
	EndedTerms Kind = "removed-followers"
	Servers    Kind = "server/"
	// Failed are proposals that could not be written.
	Failed Kind = "failed/"
	// Feed are the items of feeds, Subscriptions the subscriptions of an actor each.
	// SubscriptionMark is written after each change of these. FeedRead has the moment up to which
	// an actor has read the feed.
	Feed             Kind = "feed/"
	FeedRead         Kind = "feedread/"
	Subscriptions    Kind = "subscription/"
	SubscriptionMark Kind = "subscriptions"
	// Views and Searches are counts of a day each.
	Views    Kind = "views/"
	Searches Kind = "searches/"
	// Webhooks are definitions, Progress the batch that each webhook sends now, DeadLetters the
	// batches that could not be sent.
	Webhooks    Kind = "webhook/"
	Progress    Kind = "webhook-progress/"
	DeadLetters Kind = "webhook-dead/"
	// Identity identifies a catalog, Source the catalog of which the store is a replica.
	Identity Kind = "replica/identity"
	Source   Kind = "replica/source"
	// Written are the offsets of Kafka's partitions that are written, and perhaps not committed.
	Written Kind = "kafka-written/"
	// Passwords are the hashes of people's passwords, Resets the hashes of links that set a new
	// password, Invites the links that let people in, FirstAdmin the link that makes the first
	// administrator.
	Passwords  Kind = "password/"
	Resets     Kind = "password-reset/"
	Invites    Kind = "invite/"
	FirstAdmin Kind = "first-admin"
	// Sessions are the sessions of people who have signed in.
	Sessions Kind = "session/"
	// These are the states of runs, jobs, flows and datasets that OpenLineage events have told of.
	OpenLineageRuns     Kind = "openlineage-run/"
	OpenLineageJobs     Kind = "openlineage-job/"
	OpenLineageFlows    Kind = "openlineage-flow/"
	OpenLineageDatasets Kind = "openlineage-dataset/"
	// OpenLineageOrigins are the names in these events by the URNs of their entities.
	OpenLineageOrigins Kind = "openlineage-origin/"
	// OpenLineageAssertions are how many runs state the assertions that these events tell of.
	OpenLineageAssertions Kind = "openlineage-assertion/"
	// OpenLineageEvents are the latest events of runs, as they came.
	OpenLineageEvents Kind = "openlineage-events/"
	// TagRefusals are the refused suggestions of tags, of a dataset each.
	TagRefusals Kind = "tag-refusals/"
	// IngestionRuns are the runs of ingestion sources that wait or go on, IngestionSchedules when each source
	// with a schedule runs next, IngestionDue the sources in the order of these moments, IngestionHistories how the
	// runs of each source have ended.
	IngestionRuns      Kind = "ingestion-run/"
	IngestionSchedules Kind = "ingestion-schedule/"
	IngestionDue       Kind = "ingestion-due/"
	IngestionHistories Kind = "ingestion-history/"
	// DerivedSweep is how far the lineage of the SQL of the whole catalog is derived, DerivedWaits the entities whose SQL
	// names a table that the catalog does not have.
	DerivedSweep Kind = "derived-sweep"
	DerivedWaits Kind = "derived-waits/"
	// Audit are the entries of the audit trail, in the order of time.
	Audit Kind = "audit/"
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		Followers, EndedTerms, Servers, Failed, Feed, FeedRead, Subscriptions, SubscriptionMark, Views, Searches,
		Webhooks, Progress, DeadLetters, Identity, Source, Written,
		Passwords, Resets, Invites, FirstAdmin, Sessions, OpenLineageRuns, OpenLineageJobs, OpenLineageFlows, OpenLineageDatasets, OpenLineageOrigins, OpenLineageAssertions, OpenLineageEvents, TagRefusals,
		IngestionRuns, IngestionSchedules, IngestionDue, IngestionHistories, DerivedSweep, DerivedWaits, Audit,
	}
}

// The errors of writes that were not done. All other errors are for callers, as
// [catalog.StoreFailure] makes them.
var (
	// ErrChanged: another writer has written or deleted the record.
	ErrChanged = graphstore.ErrRecordChanged
	// ErrFull: there are as many records as there may be.
	ErrFull = graphstore.ErrRecordsFull
)

// Door leads to the records of a store.
type Door struct{ store graphstore.Records }

// New makes the door of a store.
func New(store graphstore.Records) *Door { return &Door{store} }

// Records are the records of one kind, with values of the type T. It is safe for concurrent use.
type Records[T any] struct {
	store graphstore.Records
	kind  string
}

// Of returns the records of a kind.
func Of[T any](d *Door, kind Kind) Records[T] { return Records[T]{d.store, string(kind)} }

// Record is a record with its revision.
type Record[T any] struct {
	// Name is the name within the kind.
	Name  string
	Value T
	// Text is the value as it is stored.
	Text string
	// Revision changes with each write.
	Revision string
}

// Get reads a record; false if there is none.
func (r Records[T]) Get(ctx context.Context, name string) (found Record[T], exists bool, err error) {
	stored, exists, err := r.store.Record(ctx, r.kind+name)
	if err != nil || !exists {
		return found, false, failure(err)
	}
	found, err = r.decode(&stored)
	return found, err == nil, err
}

// Named reads the records that exist of some names, by their names.
func (r Records[T]) Named(ctx context.Context, names []string) (map[string]Record[T], error) {
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = r.kind + name
	}
	stored, err := r.store.RecordsNamed(ctx, full)
	if err != nil {
		return nil, failure(err)
	}
	found := make(map[string]Record[T], len(stored))
	for i := range stored {
		record, err := r.decode(&stored[i])
		if err != nil {
			return nil, err
		}
		found[record.Name] = record
	}
	return found, nil
}

// Replacing returns a value as [Door.PutAll] writes it: in place of the record with a revision, "" meaning that
// there must be none.
func (r Records[T]) Replacing(name string, value json.RawMessage, revision string) graphstore.Record {
	return graphstore.Record{Name: r.kind + name, Value: value, Revision: revision}
}

// PutAll writes records of any kinds, all of them or none, and returns the new revisions in the order of the
// records. It fails with [ErrChanged] if one of them has another revision.
func (d *Door) PutAll(ctx context.Context, list []graphstore.Record) ([]string, error) {
	next, err := d.store.PutRecords(ctx, list)
	return next, failure(err)
}

// Put writes a record if the stored one has a revision, "" meaning that there must be none, and
// returns the new revision. Otherwise it fails with [ErrChanged].
func (r Records[T]) Put(ctx context.Context, name string, value T, revision string) (next string, err error) {
	text, err := r.encode(name, value)
	if err != nil {
		return "", err
	}
	next, err = r.store.PutRecord(ctx, r.kind+name, text, revision)
	return next, failure(err)
}

// Create writes a record that must not exist. It fails with [ErrChanged] if the record exists, and
// with [ErrFull] if the kind has most other records.
func (r Records[T]) Create(ctx context.Context, name string, value T, most int) error {
	text, err := r.encode(name, value)
	if err != nil {
		return err
	}
	_, err = r.store.CreateRecord(ctx, r.kind, r.kind+name, text, most)
	return failure(err)
}

// Alongside returns a record as a batch of the store writes it, see [graphstore.Batch].
func (r Records[T]) Alongside(name string, value T) (graphstore.Record, error) {
	text, err := r.encode(name, value)
	return graphstore.Record{Name: r.kind + name, Value: text}, err
}

// Update changes a record, even if others change it at the same time. The function gets the stored value, or
// the zero value, and may run more than once. If it fails, nothing is written.
func (r Records[T]) Update(ctx context.Context, name string, change func(value *T) error) (T, error) {
	for {
		record, _, err := r.Get(ctx, name)
		if err == nil {
			err = change(&record.Value)
		}
		if err == nil {
			_, err = r.Put(ctx, name, record.Value, record.Revision)
		}
		if !errors.Is(err, ErrChanged) {
			return record.Value, err
		}
	}
}

// Delete deletes a record if it has a revision. Otherwise, or if there is none, it fails with
// [ErrChanged].
func (r Records[T]) Delete(ctx context.Context, name, revision string) error {
	return failure(r.store.DeleteRecord(ctx, r.kind+name, revision))
}

// Forget deletes a record in whatever revision, if there is one.
func (r Records[T]) Forget(ctx context.Context, name string) error {
	for {
		stored, exists, err := r.store.Record(ctx, r.kind+name)
		if err != nil || !exists {
			return failure(err)
		}
		if err = r.Delete(ctx, name, stored.Revision); !errors.Is(err, ErrChanged) {
			return err
		}
	}
}

// pageSize is the number of records that [Records.All] and [Records.Prune] read at once.
const pageSize = 200

// Page returns up to limit records whose names begin with a text, in the order of their names,
// after a name; "" is the beginning.
func (r Records[T]) Page(ctx context.Context, begin, after string, limit int) ([]Record[T], error) {
	stored, err := r.page(ctx, begin, after, limit)
	if err != nil {
		return nil, err
	}
	found := make([]Record[T], len(stored))
	for i := range stored {
		if found[i], err = r.decode(&stored[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// All returns the records whose names begin with a text, in the order of their names, after a
// name. An error is the last pair.
func (r Records[T]) All(ctx context.Context, begin, after string) iter.Seq2[Record[T], error] {
	return func(yield func(Record[T], error) bool) {
		for {
			page, err := r.Page(ctx, begin, after, pageSize)
			if err != nil {
				yield(Record[T]{}, err)
				return
			}
			for _, record := range page {
				if after = record.Name; !yield(record, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}

// Prune deletes the records whose names begin with a text and for which stays returns false, unless others
// change them at the same time. stays gets the names in their order, and the stored values.
func (r Records[T]) Prune(ctx context.Context, begin string, stays func(name string, value json.RawMessage) bool) error {
	for after := ""; ; {
		page, err := r.page(ctx, begin, after, pageSize)
		if err != nil {
			return err
		}
		for i := range page {
			after = strings.TrimPrefix(page[i].Name, r.kind)
			if stays(after, page[i].Value) {
				continue
			}
			if err := r.Delete(ctx, after, page[i].Revision); err != nil && !errors.Is(err, ErrChanged) {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

func (r Records[T]) page(ctx context.Context, begin, after string, limit int) ([]graphstore.Record, error) {
	if after != "" {
		after = r.kind + after
	}
	stored, err := r.store.ListRecords(ctx, r.kind+begin, after, limit)
	return stored, failure(err)
}

func (r Records[T]) decode(stored *graphstore.Record) (Record[T], error) {
	found := Record[T]{Name: strings.TrimPrefix(stored.Name, r.kind), Text: string(stored.Value), Revision: stored.Revision}
	if err := json.Unmarshal(stored.Value, &found.Value); err != nil {
		return found, catalog.Errorf(catalog.Internal, "record %s: %w", stored.Name, err)
	}
	return found, nil
}

func (r Records[T]) encode(name string, value T) (json.RawMessage, error) {
	text, err := json.Marshal(&value)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "record %s: %w", r.kind+name, err)
	}
	return text, nil
}

// failure turns an error of the store into one for callers, but [ErrChanged] and [ErrFull].
func failure(err error) error {
	if errors.Is(err, ErrChanged) || errors.Is(err, ErrFull) {
		return err
	}
	return catalog.StoreFailure(err)
}
