// Package graphstore defines what Headwater needs from a graph store: entities,
// immutable aspect versions, typed edges with their history, time-series
// values, and the change log written in the same transaction.
//
// The interface contains no business rules: package catalog/write decides numbering,
// defaults, retention and which edges an aspect states, and runs these decisions
// inside [Store.Update]. Every backend passes the conformance suite in
// graphstore/storetest.
package graphstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Sentinel errors. Backends wrap them with %w.
var (
	// ErrUnavailable: the backend could not be reached or lost its leader. The
	// operation may be retried. A caller may assume that a write was not applied.
	ErrUnavailable = errors.New("graph store unavailable")
	// ErrBusy: the store has too much work at the moment. Nothing was changed, and
	// the operation may be retried.
	ErrBusy = errors.New("graph store busy")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("graph store closed")
	// ErrAspectsFull: the store keeps as many names of aspects that nobody announced as it may.
	// The update was not done.
	ErrAspectsFull = errors.New("the store has no room for another name of an aspect that the model does not have")
	// ErrNewerSchema: the data was written by a newer Headwater.
	ErrNewerSchema = errors.New("graph store has a newer schema than this binary")
	// ErrBadCursor: the cursor did not come from this store.
	ErrBadCursor = errors.New("unknown change log cursor")
	// ErrLostCursor: the log does not have, or no longer has, the change that the
	// cursor names, for example because the store was restored from an earlier
	// copy. The follower must start again. It is also an ErrBadCursor.
	ErrLostCursor = fmt.Errorf("the change log does not have the change that this cursor names: %w", ErrBadCursor)
	// ErrImpatient: a walk took longer than its patience.
	ErrImpatient = errors.New("the walk took longer than its time limit")
)

// Store is a graph store. All methods are safe for concurrent use and honour
// their context. Callers never check a result slice for nil: no rows means an
// empty slice.
type Store interface {
	Reader
	RunReader
	HistoryReader
	Writer
	ChangeLog
	LogTrimmer
	Records
	// Ping reports whether the store can serve now.
	Ping(ctx context.Context) error
	// Close waits for running transactions and releases everything.
	Close() error
}

// Writer runs read-write transactions.
type Writer interface {
	// Update runs fn in one transaction and returns after its commit is
	// durable. What fn reads through tx about the entities named does not change
	// before a commit of what fn writes: a store locks them first, in an order that
	// cannot deadlock with other Updates, or locks them at the end and runs fn again if
	// somebody else wrote them meanwhile. fn may write only aspects, time series and
	// edge statements of the entities named. fn must have no effects except
	// through tx and its own result variables: a store may run it again after a
	// transient failure (deadlock, lost leader), and may run it together with the
	// fns of other callers in one commit.
	//
	// If fn returns an error, everything that fn wrote is undone, nothing else,
	// and the error is returned unchanged.
	//
	// If the context ends before the turn of fn, the caller is answered at once
	// and fn does not run. The error is ErrBusy if too many callers are waiting, or
	// if the turn does not come in time.
	Update(ctx context.Context, urns []string, fn func(tx Tx) error) error
}

// Tx is a running transaction. It must not be used after fn returns.
type Tx interface {
	// Now is the transaction's time in epoch milliseconds, from [Clock]. For one
	// entity it increases from transaction to transaction, unless its last time is
	// ahead of the machine's clock by more than [ClockTolerance]. Times that fn
	// writes do not affect it.
	Now() int64
	// Aspects returns the state of the aspects asked for, in the order asked.
	Aspects(keys []AspectKey) ([]AspectState, error)
	// Latest returns every latest aspect of each entity; entities without any
	// are absent.
	Latest(urns []string) (map[string][]Aspect, error)
	// Version returns one archived or latest version as [Reader.AspectVersion] does.
	Version(key AspectKey, version int64) (Aspect, bool, error)
	// Predecessors returns, in the order asked, the highest archived version of
	// each aspect that does not come from the origin, or nil if there is none.
	Predecessors(keys []AspectKey, origin Origin) ([]*Aspect, error)
	// Ended returns, in the order asked, the ended statement that was current at a
	// moment (Since <= At <= Until), or nil if there is none. Of several it is the one
	// that ended last.
	Ended(asked []StatementAt) ([]*EndedStatement, error)
	// Holdings counts what is stored of entities, like [HistoryReader.Holdings].
	Holdings(urns []string) (map[string]Holdings, error)
	// Write applies a batch completely. If it returns an error, nothing of the
	// transaction is applied.
	Write(batch Batch) error
}

// Reader answers questions about committed state. A Reader sees every write
// whose Update has returned (for a cluster: the store keeps bookmarks).
type Reader interface {
	// Entities returns the nodes of the URNs that have one, placeholders
	// included, in the order asked.
	Entities(ctx context.Context, urns []string) ([]Entity, error)
	// LatestAspects returns the latest version of the named aspects of each
	// URN; no names means every aspect. URNs without any are absent. Several
	// callers may get the same values, which nobody changes in place.
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]Aspect, error)
	// AspectVersion returns the version that an outside number means, as
	// [FindVersion] says; false when there is none.
	AspectVersion(ctx context.Context, key AspectKey, version int64) (Aspect, bool, error)
	// AspectVersions returns the versions of one aspect, newest first, the
	// latest ([LatestVersion]) before the archived ones. It regards the bytes of the page.
	AspectVersions(ctx context.Context, key AspectKey, page Page) ([]Aspect, error)
	// ListEntities returns entities of a type that exist (soft-deleted ones
	// included), ordered by URN bytes, and their total number.
	ListEntities(ctx context.Context, entityType string, page Page) (urns []string, total int64, err error)
	// ScanEntities returns up to limit entities of any type that exist
	// (soft-deleted ones included), ordered by URN bytes, after a URN; "" is the
	// beginning.
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
	// ScanNodes returns up to limit nodes of any type, placeholders included, ordered
	// by URN bytes, after a text; "" is the beginning.
	ScanNodes(ctx context.Context, after string, limit int) ([]string, error)
	// CountAspects counts the latest versions of an aspect whose URN matches the
	// SQL LIKE pattern, as defined by [Like]; an empty pattern matches all. Its
	// time is linear in the length of the URNs, and its memory is constant.
	CountAspects(ctx context.Context, aspect, urnLike string) (int64, error)
	// Edges returns the edges of each entity by URN, with an entry for every
	// entity of the query: each (source, type, destination) once, ordered by type
	// and then by the URN of the other end, and the total before paging.
	Edges(ctx context.Context, query EdgeQuery) (map[string]EdgePage, error)
	// Walk follows edges breadth-first. If a walk is cut, its result says so. If
	// its patience ends before the first hop is complete, it fails with
	// [ErrImpatient].
	Walk(ctx context.Context, query WalkQuery) (Walk, error)
	// Feeders returns, for each of some entities, which of some others lead to it in one
	// hop. Entities without any are absent. The time does not grow with the edges of an
	// entity that do not belong to the hop, unless a walk reads them too.
	Feeders(ctx context.Context, query FeederQuery) (map[string][]string, error)
	// FarEnds returns the entities that relationships lead to from each of some others, each
	// once, in the order of their URNs. Entities without such a relationship are absent.
	FarEnds(ctx context.Context, query EndQuery) (map[string][]string, error)
	// EdgesBetween returns the edges of pairs, each (source, type, destination) once,
	// ordered by type. Pairs without any are absent.
	EdgesBetween(ctx context.Context, query PairQuery) (map[Pair][]Edge, error)
	// EdgesToParts returns who states edges that lead to the nodes whose URNs begin with one
	// of some prefixes. Its time grows with these nodes and edges only.
	EdgesToParts(ctx context.Context, query PartQuery) (PartEdges, error)
	// WithPrefix returns, in the order of their bytes, the URNs of up to limit
	// nodes that begin with a prefix, placeholders included.
	WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error)
	// TimeSeries returns stored values, newest timestamp first unless
	// Ascending; values of the same timestamp are ordered by key.
	TimeSeries(ctx context.Context, query TimeSeriesQuery) ([]TimeSeriesValue, error)
	// TimeSeriesOfMany returns the values of each of several entities, in the
	// order asked, newest first; values of the same timestamp are ordered by key.
	TimeSeriesOfMany(ctx context.Context, query ManyTimeSeries) ([][]TimeSeriesValue, error)
	// TimeSeriesOfAll returns up to Limit values of all entities, newest timestamp first, and
	// the place to read on from, "" after the last page. The order of values with the same
	// timestamp is the store's own, and does not change. An After that no page had fails with
	// [ErrBadCursor].
	TimeSeriesOfAll(ctx context.Context, query SeriesOfAll) (values []TimeSeriesValue, next string, err error)
	// LatestTimeSeries returns the newest value of each of the aspects of each
	// entity that has one; entities without any are absent.
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]TimeSeriesValue, error)
}

// ChangeLog is the record of every effective change, written in the same
// transaction as the change.
//
// A cursor identifies the change before it, not only by a number: a store that was
// restored from an earlier copy gives the same numbers to other changes. The
// beginnings of two logs are different positions too. Changes and Lag return
// [ErrLostCursor] for a cursor that this log does not have.
type ChangeLog interface {
	// Changes returns up to limit changes after the cursor ("" is the
	// beginning), in order per entity, and the cursor after the last one
	// returned. A page ends before the limit when its values reach
	// limits.MaxChangePageBytes; a page without changes is the end of the log. A
	// change is returned once it is committed, and no change that is committed
	// later can appear before a cursor that was already returned. Values that are
	// still stored are filled in from the versions that the change refers to.
	Changes(ctx context.Context, after string, limit int) (changes []Change, next string, err error)
	// ChangesWithoutValues returns changes as Changes does, but reads nothing
	// that they refer to: they have no values, no system metadata and no cursor of
	// their own. A page has up to limit changes, however large their values are.
	ChangesWithoutValues(ctx context.Context, after string, limit int) (changes []Change, next string, err error)
	// NewestChanges returns up to limit changes of a part of the log, the newest first,
	// and the UpTo of the part that is left; a page without changes says that nothing is
	// left. The changes of one entity are in the reverse of their order. They have no
	// values and no cursor, and of the system metadata only the run of what became the
	// latest, if that is still stored.
	NewestChanges(ctx context.Context, part LogPart, limit int) (changes []Change, rest string, err error)
	// EndCursor is the cursor after the newest committed change.
	EndCursor(ctx context.Context) (string, error)
	// NewestTime is the time of the newest change in epoch milliseconds, or 0 if
	// there is none. If the log has several shards, it is the latest of all.
	NewestTime(ctx context.Context) (int64, error)
	// Lag counts the changes after a cursor, in a time that does not grow with
	// them. The result may be slightly too large if there are many, and is 0 only
	// if there are none.
	Lag(ctx context.Context, after string) (int64, error)
	// Covers reports whether a follower at a position has everything up to
	// target. Both are cursors of this log; nothing is read.
	Covers(at, target string) (bool, error)
	// Missing counts the changes up to target that a follower at a position does
	// not have, 0 only if it covers target. Nothing is read.
	Missing(at, target string) (int64, error)
	// LoadCursor and SaveCursor keep the durable position of a named follower.
	LoadCursor(ctx context.Context, follower string) (string, error)
	SaveCursor(ctx context.Context, follower, cursor string) error
	// Followers returns the followers whose names begin with a prefix, ordered by
	// name. DropCursor forgets a follower if it is known.
	Followers(ctx context.Context, prefix string) ([]Follower, error)
	DropCursor(ctx context.Context, follower string) error
}

// Follower is a named follower of the change log.
type Follower struct {
	Name, Cursor string
	// Saved is when its cursor was last saved, epoch milliseconds; 0 when an
	// earlier release did.
	Saved int64
}

// Page selects rows start … start+count-1. Count 0 or less means none.
type Page struct {
	Start, Count int
	// Bytes is the size that the values of a page may reach: it ends with the value that
	// reaches it. 0 is no bound. Only readers that say so regard it.
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
	// Properties are the scalar fields copied onto the node for people who
	// read the graph directly.
	Properties map[string]any
}

// Aspect is one version of one aspect.
type Aspect struct {
	URN, Name string
	// Version is the outside number, as [VersionNumber] says: [LatestVersion] or,
	// for an archived version, its Seq. Stores set it on reading and ignore it in
	// a [Batch], whose fields say which versions are the latest.
	Version int64
	// Seq is the number the version has, or will have once archived. The first
	// version ever has Seq 1; numbers rise by one and are not used again while
	// any version is stored.
	Seq   int64
	Value json.RawMessage
	// CreatedOn (epoch milliseconds) and CreatedBy (actor URN) say when this
	// value became the latest and who wrote it.
	CreatedOn int64
	CreatedBy string
	System    SystemMetadata
}

// SystemMetadata is the bookkeeping of ingestion carried by every version.
type SystemMetadata struct {
	// LastObserved is epoch milliseconds; the one field that an equal write moves.
	LastObserved    int64             `json:"lastObserved"`
	RunID           string            `json:"runId,omitempty"`
	RegistryName    string            `json:"registryName,omitempty"`
	RegistryVersion string            `json:"registryVersion,omitempty"`
	Properties      map[string]string `json:"properties,omitempty"`
	// PipelineName is the pipeline of the ingestion, SchemaVersion the version of the
	// aspect's schema that the writer had; "" and 0 if nothing was said.
	PipelineName  string `json:"pipelineName,omitempty"`
	SchemaVersion int64  `json:"schemaVersion,omitempty"`
	// LastRunID is the run of the version that this one replaced. It is "" for one
	// that replaced none, for a value of a time series, and for a version that a
	// release before this field wrote.
	LastRunID string `json:"lastRunId,omitempty"`
	// AspectCreated is when and by whom the aspect was first written since it was
	// last absent. It is nil for the version with Seq 1, whose own stamp says it, and
	// where LastRunID is not known.
	AspectCreated *Stamp `json:"aspectCreated,omitempty"`
}

// Stamp is when, in epoch milliseconds, and by which actor something was done.
type Stamp struct {
	Time  int64  `json:"time"`
	Actor string `json:"actor"`
}

// AspectState is what a transaction sees of one aspect.
type AspectState struct {
	// Latest is nil when there is no latest version.
	Latest *Aspect
	// NextSeq is the Seq the next new version takes: 1 if none is stored, the
	// highest stored Seq + 1 otherwise.
	NextSeq int64
}

// Batch is a set of writes applied together. The store applies the fields in
// the order they are declared here.
type Batch struct {
	// DeleteEntities removes entities completely: every version, every time-series
	// value, every edge statement that they made (current or ended), and their
	// properties. A node that an edge of another entity still touches stays as a
	// placeholder (Exists false); any other node is deleted. The change log stays.
	DeleteEntities []string
	// DeleteVersions removes stored versions by Seq, latest or archived.
	DeleteVersions []VersionRange
	// Observe sets LastObserved (and nothing else) of latest versions.
	Observe []Observation
	// Archive turns the latest version into an archived one with no successor.
	Archive []AspectKey
	// Restore makes an archived version (by Seq, the highest stored one) the
	// latest again, with its own stamps. There must be no latest.
	Restore []VersionKey
	// PutArchived stores archived versions by Seq; there must be none with that Seq.
	PutArchived []Aspect
	// PutVersions stores new latest versions; a former latest is archived.
	// Seq must be the state's NextSeq, or greater.
	PutVersions []Aspect
	// Nodes sets the marks and properties of entities. Writing an aspect does not
	// by itself make an entity exist: catalog sets that here.
	Nodes []NodeUpdate
	// EndEdges ends current statements; if a statement is stamped to begin later
	// than it ends, its beginning becomes its end. UpdateEdges replaces the
	// attributes of current statements. AddEdges adds statements that are not
	// current, and creates placeholders for missing ends.
	EndEdges    []EdgeEnd
	UpdateEdges []EdgeStatement
	AddEdges    []EdgeStatement
	// EnsureEdges adds the statements that are not current, and leaves the others
	// unchanged.
	EnsureEdges []EdgeStatement
	// AddEnded adds statements that ended in the past.
	AddEnded []EndedStatement
	// PutTimeSeries stores values; equal (URN, Aspect, Key) replaces.
	PutTimeSeries []TimeSeriesValue
	// DeleteTimeSeries removes values.
	DeleteTimeSeries []TimeSeriesRange
	// PutRecords stores records of the server, whatever is stored under their names. A
	// record that is written with a value tells, after a crash, that the value is stored
	// too. Their revisions are not used: each record gets a new one.
	PutRecords []Record
	// Changes are appended to the change log, in this order per entity.
	Changes []Change
}

// VersionRange names the versions FromSeq … ToSeq of an aspect, both included.
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

// NodeUpdate sets an entity's marks and properties. A nil Removed leaves the
// mark as it is (false for a new node). Properties named with a nil value are
// removed; others not named stay.
type NodeUpdate struct {
	URN, Type  string
	Exists     bool
	Removed    *bool
	Properties map[string]any
	// Shown is what changes for people who read the graph directly. No answer of a store
	// depends on it, and a store may ignore it.
	Shown Shown
}
