// Package services puts the rooms of the catalog together over one store and one index, for the
// handlers. The package contains no rules.
package services

import (
	"context"
	"log/slog"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/changelog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/derived"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/ending"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/catalog/openlineage/marquez"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/overlay"
	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/secrets"
	"github.com/headwater-io/headwater/catalog/sqlqueries"
	"github.com/headwater-io/headwater/catalog/stats"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/catalog/suggest"
	"github.com/headwater-io/headwater/catalog/tracking"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/parser"
)

// Options configure Services. Only Store is required.
type Options struct {
	Registry *model.Registry
	Store    graphstore.Store
	// Index answers searches. Without an Index, searches fail.
	Index *follower.Index
	// Shown, if set, restricts callers to the entities that they may see.
	Shown Shown
	// Now is the clock for times that the store does not set.
	Now       func() time.Time
	Retention write.Retention
	Logger    *slog.Logger
	// MaxAspectBytes bounds the text of one aspect.
	MaxAspectBytes int
	// Walks bounds the lineage walks that run at once; 0 means limits.Walks.
	Walks int
	// ReplicaOf is the address of the source if this server is a replica, else "".
	ReplicaOf string
	// ReadOnly tells that callers may not change anything.
	ReadOnly bool
	// Alone tells that no other server can use the store meanwhile.
	Alone bool
	// SaveFollowers bounds the time for which the moved cursor of a follower may stay unsaved, see
	// [delivery.Options].
	SaveFollowers time.Duration
	// Protect, if set, refuses writes of callers who may not make them.
	Protect write.Protect
	// Secrets encrypts the values of secrets. Without it, secrets are refused.
	Secrets secrets.Sealer
	// SQL parses SQL. Without it, impact reads the names in SQL only, and questions about SQL fail.
	SQL *parser.Parser
	// FadingAfter is the number of good runs after which an edge that they have not stated fades, see [lineage.Options].
	FadingAfter int
	// IngestionJitter spreads the scheduled runs of ingestion sources, see [ingestion.Options].
	IngestionJitter time.Duration
	// RunEvents is how many OpenLineage events of each run are kept as they came.
	RunEvents int
	// Names are the settings of the names in OpenLineage events.
	Names naming.Settings
	// Sender sends webhooks. If Sender is nil, webhooks are sent only to public addresses.
	Sender webhooks.Sender
}

// Shown is the part of a store and an index that callers see. Work without a caller sees everything.
type Shown struct {
	Store graphstore.Store
	// Index is nil without an index.
	Index indexer.Index
	// Changes returns the changes that the caller of a request may see.
	Changes func(ctx context.Context, changes []graphstore.Change) ([]graphstore.Change, error)
}

// sees returns a function that tells which entities the caller of a request may see, nil if all may be seen.
func (s *Shown) sees() func(ctx context.Context, urns []string) (map[string]bool, error) {
	if s.Changes == nil {
		return nil
	}
	return func(ctx context.Context, urns []string) (map[string]bool, error) {
		about := make([]graphstore.Change, len(urns))
		for i, urn := range urns {
			about[i] = graphstore.Change{URN: urn, EntityType: model.StoredURN(urn).EntityType()}
		}
		left, err := s.Changes(ctx, about)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		seen := make(map[string]bool, len(left))
		for i := range left {
			seen[left[i].URN] = true
		}
		return seen, nil
	}
}

// Services has the rooms of one catalog. They are safe for concurrent use.
type Services struct {
	catalog.Naming
	*write.Writer
	*changelog.Log
	*read.Reader
	Delivery *delivery.Service
	// Announced keeps announced changes, and compares arriving changes with them while its Run goes on.
	Announced *announced.Service
	// Derived derives lineage from SQL while its Run goes on.
	Derived *derived.Service
	// StoredSQL tells callers of the SQL that the catalog stores.
	StoredSQL *derived.Service
	Edits     *edits.Service
	// Ending ends lineage that no source states any more while its Run goes on.
	Ending  *ending.Service
	Events  *changeevents.Service
	Feed    *feed.Service
	Failed  *failed.Service
	History *history.Service
	// Ingestion keeps ingestion sources, and gives their runs to executors.
	Ingestion *ingestion.Service
	Lineage   *lineage.Service
	// Overlays answer about lineage as if some aspects had other values.
	Overlays *overlay.Service
	Moments  *moments.Service
	// OpenLineage takes events of that specification.
	OpenLineage *openlineage.Service
	// Marquez reads in the shape of Marquez.
	Marquez  *marquez.Service
	Quality  *quality.Service
	Removal  *removal.Service
	Replica  *replica.Service
	Search   *search.Service
	Secrets  *secrets.Service
	SQL      *sqlqueries.Service
	Stats    *stats.Service
	Streams  *streams.Service
	Suggest  *suggest.Service
	Tracking *tracking.Service
	Transfer *transfer.Service
	Unused   *unused.Service
	Webhooks *webhooks.Service
	// Follower is nil without an index.
	Follower *follower.Follower
	// Now is the clock of the rooms.
	Now func() time.Time
}

// New makes the Services over a store.
func New(o Options) *Services {
	settings := write.Options{
		Registry: o.Registry, Store: o.Store, Now: o.Now, Retention: o.Retention, Logger: o.Logger,
		MaxAspectBytes: o.MaxAspectBytes, KeepRolledBack: history.TellsOf, ReplicaOf: o.ReplicaOf, ReadOnly: o.ReadOnly, Protect: o.Protect, Alone: o.Alone,
	}.WithDefaults()
	shown := o.Shown.Store
	if shown == nil {
		shown = o.Store
	}
	settings.Shown = shown
	w := write.New(settings)
	shown = w.WithoutAbsent(shown)
	log := changelog.New(changelog.Options{Store: o.Store, Shown: o.Shown.Changes, Writer: w, Now: settings.Now, Logger: settings.Logger})
	past := history.New(settings.Registry, shown, settings.Now)
	reader := read.New(read.Options{Registry: settings.Registry, Store: shown, Existing: w, Past: past.ValuesAt, Now: settings.Now})
	door := records.New(o.Store)
	events := changeevents.New(settings.Registry)
	s := &Services{
		Naming:   catalog.NewNaming(settings.Registry),
		Now:      settings.Now,
		Writer:   w,
		Log:      log,
		Reader:   reader,
		Events:   events,
		Failed:   failed.New(door, settings.Now),
		Delivery: delivery.New(delivery.Options{Log: log, Store: o.Store, Records: door, Logger: settings.Logger, Now: settings.Now, Alone: o.Alone, SaveEvery: o.SaveFollowers}),
		History:  past,
		Quality:  quality.New(settings.Registry, shown, past, settings.Now),
		Removal:  removal.New(settings.Registry, w, shown, settings.Logger),
		Replica:  replica.New(settings.Registry, w, log, o.Store, door, settings.Logger),
		Stats:    stats.New(settings.Registry, shown, w),
		Suggest:  suggest.New(w, door, settings.Now),
		Tracking: tracking.New(tracking.Options{Records: door, Server: w, Entities: reader, Now: settings.Now, Logger: settings.Logger}),
		Transfer: transfer.New(settings.Registry, w, shown, settings.Now),
	}
	schema := indexer.NewSchema(settings.Registry)
	searching := search.Options{Registry: settings.Registry, Reader: reader, Schema: schema, Whole: write.OwnWork}
	if o.Index != nil {
		s.Follower = follower.New(follower.Options{Registry: settings.Registry, Writer: w, Store: o.Store, Index: *o.Index, Schema: schema, Now: settings.Now, Logger: settings.Logger})
		searching.Index, searching.Wait = o.Index.Index, o.Index.Wait
		if o.Shown.Index != nil {
			searching.Index = o.Shown.Index
		}
	}
	searching.Follower = s.Follower
	w.OnWrite(s.Follower.AfterWrite)
	s.Search = search.New(searching)
	if o.Index != nil {
		s.Removal.FindHolders(s.Search.HoldersOf)
		w.OnDelete(model.EntityStructuredProperty, s.Removal.RemoveValues)
	}
	s.Lineage = lineage.New(lineage.Options{
		Registry: settings.Registry, Store: shown, Names: reader, Search: s.Search, Edges: reader, History: s.History, Now: settings.Now, SQL: o.SQL, Walks: o.Walks, FadingAfter: o.FadingAfter,
		NextRuns: func(ctx context.Context, sources []string) (map[string]int64, error) {
			return s.Ingestion.NextRuns(ctx, sources)
		},
		Runs: func(ctx context.Context, sources []string) (map[string]lineage.SourceRuns, error) {
			return sourceRuns(ctx, s.Ingestion, sources)
		},
	})
	s.Overlays = overlay.NewService(overlay.Options{Registry: settings.Registry, Store: shown, Names: reader, Lineage: s.Lineage, Now: settings.Now})
	s.SQL = sqlqueries.New(sqlqueries.Options{Registry: settings.Registry, Store: shown, Past: s.History, Names: reader, Lineage: s.Lineage, Search: s.Search, Parser: o.SQL})
	s.Unused = unused.New(unused.Options{Store: shown, Readers: s.Lineage, Usage: reader, Search: s.Search, Now: settings.Now})
	s.Moments = moments.New(moments.Options{
		Registry: settings.Registry, Store: shown, Past: s.History, Whole: o.Store, WholePast: history.New(settings.Registry, o.Store, settings.Now),
		Reader: reader, Lineage: s.Lineage, Writer: w, Now: settings.Now,
	})
	s.Feed = feed.New(feed.Options{
		Registry: settings.Registry, Store: shown, Records: door, Existing: w, Events: s.Events, Impacts: s.Lineage,
		Position: func(ctx context.Context) (string, bool, error) { return s.Delivery.Cursor(ctx, feed.Follower) },
		Sees:     o.Shown.sees(),
	})
	s.Announced = announced.New(announced.Options{
		Registry: settings.Registry, Shown: shown, Store: o.Store, Writer: w, Events: s.Events, Followers: s.Delivery, Logger: settings.Logger, Now: settings.Now,
	})
	s.Streams = streams.New(settings.Registry, streams.EntityChanges(events), s.Feed)
	if o.Sender == nil {
		o.Sender = hooksend.New(hooksend.Options{})
	}
	s.Webhooks = webhooks.New(webhooks.Options{
		Log: log, Records: door, Followers: s.Delivery, Streams: s.Streams, Sender: o.Sender, Now: settings.Now, Logger: settings.Logger,
	})
	s.Feed.KeepUnsent(s.Webhooks.FeedPositions)
	s.Edits = edits.New(edits.Options{Registry: settings.Registry, Writer: w, Reader: reader, Store: shown, Search: s.Search, Removal: s.Removal, Now: settings.Now})
	s.Secrets = secrets.New(secrets.Options{Registry: settings.Registry, Store: shown, Writer: w, Removal: s.Removal, Search: s.Search, Sealer: o.Secrets, Now: settings.Now})
	s.Ingestion = ingestion.New(ingestion.Options{
		Registry: settings.Registry, Shown: shown, Store: o.Store, Writer: w, Records: door, Secrets: s.Secrets,
		Now: settings.Now, Logger: settings.Logger, Jitter: o.IngestionJitter,
		WrittenBy: func(ctx context.Context, pipeline string) ([]ingestion.Written, bool, error) {
			return writtenBy(ctx, s.Removal, pipeline)
		},
	})
	s.Removal.OnRolledBack(s.Ingestion.RolledBack)
	s.Derived = derived.New(derived.Options{
		Registry: settings.Registry, Store: o.Store, Writer: w, Log: log, Followers: s.Delivery, Records: door, Logger: settings.Logger, Parser: o.SQL,
	})
	s.Ending = ending.New(ending.Options{Registry: settings.Registry, Sources: s.Ingestion, Lineage: s.Lineage, Writer: w, Followers: s.Delivery, Logger: settings.Logger})
	s.StoredSQL = derived.New(derived.Options{
		Registry: settings.Registry, Store: shown, Records: door, Logger: settings.Logger, Parser: o.SQL, Turn: s.SQL.Turn,
	})
	var spelled openlineage.Spelled
	if o.Index != nil {
		spelled = spelledIn(o.Index.Index)
	}
	s.OpenLineage = openlineage.New(openlineage.Options{
		Registry: settings.Registry, Store: o.Store, Writer: w, Records: door, Logger: settings.Logger, Names: o.Names, Spelled: spelled, Now: settings.Now, Events: o.RunEvents, Alone: o.Alone,
	})
	s.Marquez = marquez.New(marquez.Options{Store: shown, Reader: reader, Lineage: s.Lineage, Search: s.Search, States: s.OpenLineage})
	w.OnDelete(model.EntityDataset, s.Suggest.Forget)
	for _, entity := range []string{model.EntityDataset, model.EntityDataJob, model.EntityDataFlow, model.EntityDataProcessInstance} {
		// Tests put another service in the place of s.OpenLineage, so that the field is read when it is needed.
		w.OnDelete(entity, func(ctx context.Context, urn model.URN, o catalog.WriteOptions) error {
			return s.OpenLineage.Forget(ctx, urn, o)
		})
	}
	w.OnUnversioned(s.Edits.SucceedVersion)
	return s
}
