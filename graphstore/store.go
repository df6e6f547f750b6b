// Package graphstore defines the graph store that Headwater needs: entities, immutable aspect
// versions, typed edges with their history, time-series values, and the change log, which is
// written in the same transaction as each change.
//
// The interface contains no business rules: package catalog/write decides numbering, defaults,
// retention and which edges an aspect states, and runs these decisions inside [Store.Update].
// Every backend passes the conformance suite in graphstore/storetest.
package graphstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Sentinel errors. Backends wrap them with %w.
var (
	// ErrUnavailable: the backend could not be reached or lost its leader. The operation may be
	// retried. A caller may assume that a write was not applied.
	ErrUnavailable = errors.New("graph store unavailable")
	// ErrBusy: the store has too much work now. Nothing was changed, and the operation may be
	// retried.
	ErrBusy = errors.New("graph store busy")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("graph store closed")
	// ErrAspectsFull: the store has no room for another name of an aspect that the model does not
	// have. Nothing was changed.
	ErrAspectsFull = errors.New("the store has no room for another name of an aspect that the model does not have")
	// ErrNewerSchema: a newer Headwater wrote the data.
	ErrNewerSchema = errors.New("graph store has a newer schema than this binary")
	// ErrBadCursor: the cursor did not come from this store.
	ErrBadCursor = errors.New("unknown change log cursor")
	// ErrLostCursor: the log does not have the change that the cursor names, for example because
	// the store was restored from an earlier copy. The follower must start again from the
	// beginning. ErrLostCursor is also an ErrBadCursor.
	ErrLostCursor = fmt.Errorf("the change log does not have the change that this cursor names: %w", ErrBadCursor)
	// ErrImpatient: a walk took longer than its patience.
	ErrImpatient = errors.New("the walk took longer than its time limit")
)

// Store is a graph store. All methods are safe for concurrent use and honour their context. A
// result without rows is an empty slice, never nil.
type Store interface {
	Reader
	RunReader
	HistoryReader
	Writer
	ChangeLog
	LogTrimmer
	Records
	// Ping returns an error if the store cannot serve now.
	Ping(ctx context.Context) error
	// Close waits for running transactions and frees all resources.
	Close() error
}

// Writer runs read-write transactions.
type Writer interface {
	// Update runs fn in one transaction, and returns after its commit is durable. The data of the
	// named entities that fn reads through tx does not change before the commit: a store locks the
	// entities first, in an order that cannot deadlock with other Updates, or locks them at the
	// end and runs fn again if another Update wrote them meanwhile. fn may write only aspects,
	// time series and edge statements of the named entities. fn must have no effects except
	// through tx and its own result variables: a store may run fn again after a transient failure
	// (deadlock, lost leader), and may run it together with the fns of other callers in one
	// commit.
	//
	// If fn returns an error, all writes of fn are undone, and no others, and the error is
	// returned unchanged.
	//
	// If the context ends before the turn of fn, Update returns at once and fn does not run.
	// Update fails with ErrBusy if too many callers are waiting, or if the turn does not come in
	// time.
	Update(ctx context.Context, urns []string, fn func(tx Tx) error) error
}

// Tx is a running transaction. Tx must not be used after fn returns.
type Tx interface {
	// Now is the time of the transaction in epoch milliseconds, from [Clock]. For one entity it
	// increases from transaction to transaction, unless the last time is ahead of the machine's
	// clock by more than [ClockTolerance]. Times that fn writes do not affect it.
	Now() int64
	// Aspects returns the states of aspects, in the order of keys.
	Aspects(keys []AspectKey) ([]AspectState, error)
	// Latest returns every latest aspect of each entity. Entities without any are absent.
	Latest(urns []string) (map[string][]Aspect, error)
	// Version returns one version as [Reader.AspectVersion] does.
	Version(key AspectKey, version int64) (Aspect, bool, error)
	// Predecessors returns, in the order of keys, the highest archived version of each aspect that
	// does not come from the origin, or nil if there is none.
	Predecessors(keys []AspectKey, origin Origin) ([]*Aspect, error)
	// Ended returns, in the order asked, the ended statement that was current at a moment (Since
	// <= At <= Until), or nil if there is none. If there are several, Ended returns the statement
	// that ended last.
	Ended(asked []StatementAt) ([]*EndedStatement, error)
	// Holdings counts the versions and values of entities, like [HistoryReader.Holdings].
	Holdings(urns []string) (map[string]Holdings, error)
	// Write applies a batch completely. If Write returns an error, no write of the transaction is
	// applied.
	Write(batch Batch) error
}

// Reader reads committed data. A Reader sees every write whose Update has returned (in a
// cluster, the store uses bookmarks for this).
type Reader interface {
	// Entities returns the nodes of the URNs that have one, including placeholders, in the order
	// of urns.
	Entities(ctx context.Context, urns []string) ([]Entity, error)
	// RemovedAmong returns the given entities that are soft-deleted, without reading their nodes.
	RemovedAmong(ctx context.Context, urns []string) (map[string]bool, error)
	// LatestAspects returns the latest versions of the named aspects of each URN; no names means
	// all aspects. URNs without any are absent. Several callers may share the returned values, so
	// they must not be modified.
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]Aspect, error)
	// AspectVersion returns the version with an outside number, as [FindVersion] defines it, and
	// false if there is none.
	AspectVersion(ctx context.Context, key AspectKey, version int64) (Aspect, bool, error)
	// AspectVersions returns the versions of one aspect, the newest first: the latest
	// ([LatestVersion]), then the archived versions. AspectVersions observes the Bytes of the
	// page.
	AspectVersions(ctx context.Context, key AspectKey, page Page) ([]Aspect, error)
	// ListEntities returns existing entities of a type (including soft-deleted entities), ordered
	// by URN bytes, and their total number.
	ListEntities(ctx context.Context, entityType string, page Page) (urns []string, total int64, err error)
	// ScanEntities returns up to limit existing entities of any type (including soft-deleted
	// entities) after a URN, ordered by URN bytes. The URN "" stands for the beginning.
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
	// ScanNodes returns up to limit nodes of any type, including placeholders, whose URNs come
	// after a text, ordered by URN bytes. The text "" stands for the beginning.
	ScanNodes(ctx context.Context, after string, limit int) ([]string, error)
	// CountAspects counts the latest versions of an aspect in entities whose URN matches the SQL
	// LIKE pattern, as [Like] defines it; an empty pattern matches all. Its time is linear in the
	// length of the URNs, and its memory is constant.
	CountAspects(ctx context.Context, aspect, urnLike string) (int64, error)
	// Edges returns the edges of each entity by URN, with an entry for every entity of the query.
	// An edge, a (source, type, destination), is listed once. The edges are ordered by type, then
	// by the URN of the other end. Each entry has the total number before paging.
	Edges(ctx context.Context, query EdgeQuery) (map[string]EdgePage, error)
	// Walk follows edges breadth-first. If a walk is cut, its result tells so. If its patience
	// ends before the first hop is complete, Walk fails with [ErrImpatient].
	Walk(ctx context.Context, query WalkQuery) (Walk, error)
	// Feeders returns, for each entity of To, the entities of From that lead to it in one hop.
	// Entities without any are absent. The time does not depend on the edges of an entity that do
	// not belong to the hop, unless a walk reads them too.
	Feeders(ctx context.Context, query FeederQuery) (map[string][]string, error)
	// FarEnds returns, for each entity, the entities to which its relationships of one type lead,
	// each once, ordered by URN. Entities without such a relationship are absent.
	FarEnds(ctx context.Context, query EndQuery) (map[string][]string, error)
	// EdgesBetween returns the edges of pairs, each (source, type, destination) once, ordered by
	// type. Pairs without any are absent.
	EdgesBetween(ctx context.Context, query PairQuery) (map[Pair][]Edge, error)
	// EdgesToParts returns the entities that state edges to the nodes whose URNs begin with one of
	// the prefixes. Its time depends only on the number of these nodes and edges.
	EdgesToParts(ctx context.Context, query PartQuery) (PartEdges, error)
	// WithPrefix returns the URNs of up to limit nodes that begin with a prefix, including
	// placeholders, ordered by their bytes.
	WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error)
	// TimeSeries returns stored values, the newest timestamp first unless Ascending is set. Values
	// of the same timestamp are ordered by key.
	TimeSeries(ctx context.Context, query TimeSeriesQuery) ([]TimeSeriesValue, error)
	// TimeSeriesOfMany returns the values of each of several entities, in the order of the query,
	// the newest first. Values of the same timestamp are ordered by key.
	TimeSeriesOfMany(ctx context.Context, query ManyTimeSeries) ([][]TimeSeriesValue, error)
	// TimeSeriesOfAll returns up to Limit values of all entities, the newest timestamp first, and
	// the place from which the next page continues, "" after the last page. The order of values
	// with the same timestamp depends on the store, and does not change. An After that no page
	// returned fails with [ErrBadCursor].
	TimeSeriesOfAll(ctx context.Context, query SeriesOfAll) (values []TimeSeriesValue, next string, err error)
	// LatestTimeSeries returns the newest value of each of the aspects for each entity that has
	// one. Entities without any are absent.
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]TimeSeriesValue, error)
}

// ChangeLog is the record of every effective change, written in the same transaction as the
// change.
//
// A cursor identifies the change before it, and not only a number: a store that was restored
// from an earlier copy gives the same numbers to other changes. The beginnings of two logs are
// different positions too. Changes and Lag fail with [ErrLostCursor] for a cursor that this log
// does not have.
type ChangeLog interface {
	// Changes returns up to limit changes after the cursor ("" stands for the beginning), in order
	// for each entity, and the cursor after the last of them. A page ends before the limit when
	// its values reach limits.MaxChangePageBytes. A page without changes is the end of the log. A
	// change is returned only after its commit, and a change that is committed later never appears
	// before a cursor that was already returned. Values that are still stored are filled in from
	// the versions to which the change refers.
	Changes(ctx context.Context, after string, limit int) (changes []Change, next string, err error)
	// ChangesWithoutValues returns changes as Changes does, but does not read the versions to
	// which they refer: the changes have no values, no system metadata and no cursor. A page has
	// up to limit changes, however large their values are.
	ChangesWithoutValues(ctx context.Context, after string, limit int) (changes []Change, next string, err error)
	// NewestChanges returns up to limit changes of a part of the log, the newest first,
	// and the UpTo of the part that is left; a page without changes says that nothing is
	// left. The changes of one entity are in reverse order. They have no values and no
	// cursor; of their system metadata they have only the run of the version that became the
	// latest, if it is still stored.
	NewestChanges(ctx context.Context, part LogPart, limit int) (changes []Change, rest string, err error)
	// EndCursor returns the cursor after the newest committed change.
	EndCursor(ctx context.Context) (string, error)
	// NewestTime returns the time of the newest change in epoch milliseconds, 0 if there is none.
	// If the log has several shards, NewestTime returns the latest time of all shards.
	NewestTime(ctx context.Context) (int64, error)
	// Lag counts the changes after a cursor, in a time that does not depend on their number. The
	// result may be slightly too large if there are many changes, and is 0 only if there is none.
	Lag(ctx context.Context, after string) (int64, error)
	// Covers reports whether a follower at a position has all changes up to target. Both are
	// cursors of this log. Covers reads nothing from the store.
	Covers(at, target string) (bool, error)
	// Missing returns the number of changes up to target that a follower at a position does not
	// have. The number is 0 only if the position covers target. Missing reads nothing from the
	// store.
	Missing(at, target string) (int64, error)
	// LoadCursor and SaveCursor read and write the durable position of a named follower.
	LoadCursor(ctx context.Context, follower string) (string, error)
	SaveCursor(ctx context.Context, follower, cursor string) error
	// Followers returns the followers whose names begin with a prefix, ordered by name. DropCursor
	// deletes a follower, if there is one.
	Followers(ctx context.Context, prefix string) ([]Follower, error)
	DropCursor(ctx context.Context, follower string) error
}

// Follower is a named follower of the change log.
type Follower struct {
	Name, Cursor string
	// Saved is when the cursor was last saved, epoch milliseconds; 0 if an earlier release saved
	// it.
	Saved int64
}

// Page selects rows start … start+count-1. A Count of 0 or less selects none.
type Page struct {
	Start, Count int
	// Bytes bounds the size of the values of a page: the page ends with the value that reaches it.
	// 0 is unbounded. Only methods whose comment says so observe it.
	Bytes int
}

// AspectKey names one aspect of one entity.
type AspectKey struct{ URN, Name string }

// Entity is a node.
type Entity struct {
	URN, Type string
	// Exists is false for the end of an edge that was never ingested.
	Exists bool
	// Removed is the soft-delete mark.
	Removed bool
	// Properties are the scalar fields that are copied to the node for people who read the graph
	// directly.
	Properties map[string]any
}

// Aspect is one version of one aspect.
type Aspect struct {
	URN, Name string
	// Version is the outside number, as [VersionNumber] defines it: [LatestVersion] or, for an
	// archived version, its Seq. Stores set it on reading, and ignore it in a [Batch], whose
	// fields tell which versions are the latest.
	Version int64
	// Seq is the number of the version once it is archived. The first version of an aspect has Seq
	// 1. Numbers rise by one, and are not used again while any version is stored.
	Seq   int64
	Value json.RawMessage
	// CreatedOn is when this value became the latest, epoch milliseconds. CreatedBy is the URN of
	// the actor who wrote it.
	CreatedOn int64
	CreatedBy string
	System    SystemMetadata
}

// SystemMetadata is the record of ingestion that every version carries.
type SystemMetadata struct {
	// LastObserved is when the value was last stated, epoch milliseconds. LastObserved is the only
	// field that an equal write changes.
	LastObserved    int64             `json:"lastObserved"`
	RunID           string            `json:"runId,omitempty"`
	RegistryName    string            `json:"registryName,omitempty"`
	RegistryVersion string            `json:"registryVersion,omitempty"`
	Properties      map[string]string `json:"properties,omitempty"`
	// PipelineName is the pipeline of the ingestion, SchemaVersion the version of the aspect's
	// schema that the writer had; "" and 0 if the writer stated none.
	PipelineName  string `json:"pipelineName,omitempty"`
	SchemaVersion int64  `json:"schemaVersion,omitempty"`
	// LastRunID is the run of the version that this version replaced. LastRunID is "" for a
	// version that replaced no version, for a value of a time series, and for a version that was
	// written by a release without this field.
	LastRunID string `json:"lastRunId,omitempty"`
	// AspectCreated is when, and by whom, the aspect was first written since it was last absent.
	// AspectCreated is nil for the version with Seq 1, whose own stamp tells it, and for versions
	// whose LastRunID is unknown.
	AspectCreated *Stamp `json:"aspectCreated,omitempty"`
}

// Stamp is the time, in epoch milliseconds, and the actor of an action.
type Stamp struct {
	Time  int64  `json:"time"`
	Actor string `json:"actor"`
}

// AspectState is the state of one aspect within a transaction.
type AspectState struct {
	// Latest is the latest version, nil if there is none.
	Latest *Aspect
	// NextSeq is the Seq of the next new version: 1 if no version is stored, the highest stored
	// Seq + 1 otherwise.
	NextSeq int64
}

// Batch is a set of writes that are applied together. The store applies the fields in the order
// in which they are declared here.
type Batch struct {
	// DeleteEntities deletes entities completely: every version, every time-series value, every
	// edge statement that they made (current or ended), and their properties. A node that is the
	// end of another entity's edge stays as a placeholder (Exists false); any other node is
	// deleted. The change log stays.
	DeleteEntities []string
	// DeleteVersions deletes stored versions by Seq, latest or archived.
	DeleteVersions []VersionRange
	// Observe sets LastObserved, and nothing else, of latest versions.
	Observe []Observation
	// Archive turns the latest version into an archived one, without a new latest version.
	Archive []AspectKey
	// Restore makes an archived version the latest again, with its own stamps. The version is
	// given by Seq, and must be the highest stored one. There must be no latest version.
	Restore []VersionKey
	// PutArchived stores archived versions. There must be no stored version with the same Seq.
	PutArchived []Aspect
	// PutVersions stores new latest versions, and archives the former latest versions. Seq must be
	// the NextSeq of the state, or greater.
	PutVersions []Aspect
	// Nodes sets the marks and properties of entities. A write of an aspect does not itself make
	// an entity exist: package catalog/write sets Exists here.
	Nodes []NodeUpdate
	// EndEdges ends current statements; if the stamp of a statement's beginning is later than its
	// end, the beginning becomes its end. UpdateEdges replaces the attributes of current
	// statements. AddEdges adds statements that are not current, and creates placeholders for
	// missing ends.
	EndEdges    []EdgeEnd
	UpdateEdges []EdgeStatement
	AddEdges    []EdgeStatement
	// EnsureEdges are statements that become current unless they are. Current statements stay
	// unchanged.
	EnsureEdges []EdgeStatement
	// AddEnded adds statements that ended in the past.
	AddEnded []EndedStatement
	// PutTimeSeries stores values. A value replaces the stored value with the same (URN, Aspect,
	// Key).
	PutTimeSeries []TimeSeriesValue
	// DeleteTimeSeries deletes values.
	DeleteTimeSeries []TimeSeriesRange
	// PutRecords stores records of the server, whatever is stored under their names. A
	// record that is written with a value tells, after a crash, that the value is stored
	// too. Their revisions are not used: each record gets a new one.
	PutRecords []Record
	// Changes are appended to the change log, in this order per entity.
	Changes []Change
}

// VersionRange selects the versions FromSeq … ToSeq of an aspect, both included.
type VersionRange struct {
	Key            AspectKey
	FromSeq, ToSeq int64
}

// VersionKey names one stored version.
type VersionKey struct {
	Key AspectKey
	Seq int64
}

// Observation is an equal write.
type Observation struct {
	Key          AspectKey
	LastObserved int64
}

// NodeUpdate sets the marks and properties of an entity. A nil Removed leaves the mark as it is
// (false for a new node). A property with a nil value is removed; properties that are not named
// stay.
type NodeUpdate struct {
	URN, Type  string
	Exists     bool
	Removed    *bool
	Properties map[string]any
	// Shown is the effect on the properties for people who read the graph directly. A store may
	// ignore Shown; no answer of a store depends on it.
	Shown Shown
}
