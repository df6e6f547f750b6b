// Package services puts the rooms of the catalog together over one store and one
// index. Handlers use the result. It contains no rules.
package services

import (
	"log/slog"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/stats"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// Options configure the services. Only Store is required.
type Options struct {
	Registry *model.Registry
	Store    graphstore.Store
	// Index answers searches. Without an index, searches fail.
	Index *follower.Index
	// Now is the clock for times that the store does not set.
	Now       func() time.Time
	Retention catalog.Retention
	Logger    *slog.Logger
	// MaxAspectBytes limits one aspect's text.
	MaxAspectBytes int
	// Walks is how many lineage walks may run at once; 0 means limits.Walks.
	Walks int
	// Alone: no other server can use the store meanwhile.
	Alone bool
}

// Services are the catalog with its rooms. They are safe for concurrent use.
type Services struct {
	*catalog.Catalog
	Delivery *delivery.Service
	Edits    *edits.Service
	History  *history.Service
	Lineage  *lineage.Service
	Removal  *removal.Service
	Search   *search.Service
	Stats    *stats.Service
	Transfer *transfer.Service
	// Follower is nil without an index.
	Follower *follower.Follower
}

// New makes the services over a store.
func New(o Options) *Services {
	settings := catalog.Options{
		Registry: o.Registry, Store: o.Store, Now: o.Now, Retention: o.Retention, Logger: o.Logger,
		MaxAspectBytes: o.MaxAspectBytes, KeepRolledBack: history.TellsOf,
	}.WithDefaults()
	c := catalog.New(settings)
	s := &Services{
		Catalog:  c,
		Delivery: delivery.New(delivery.Options{Log: c, Store: o.Store, Logger: settings.Logger, Now: settings.Now, Alone: o.Alone}),
		History:  history.New(settings.Registry, o.Store, settings.Now),
		Removal:  removal.New(c, o.Store, settings.Logger),
		Stats:    stats.New(settings.Registry, o.Store, c),
		Transfer: transfer.New(c, o.Store, settings.Now),
	}
	schema := indexer.NewSchema(settings.Registry)
	searching := search.Options{Registry: settings.Registry, Catalog: c, Schema: schema}
	if o.Index != nil {
		s.Follower = follower.New(follower.Options{Catalog: c, Store: o.Store, Index: *o.Index, Schema: schema, Now: settings.Now, Logger: settings.Logger})
		searching.Index, searching.Wait = o.Index.Index, o.Index.Wait
	}
	searching.Keeper = s.Follower
	c.OnWrite(s.Follower.AfterWrite)
	s.Search = search.New(searching)
	s.Lineage = lineage.New(lineage.Options{Registry: settings.Registry, Store: o.Store, Names: c, Search: s.Search, Edges: c, History: s.History, Now: settings.Now, Walks: o.Walks})
	s.Edits = edits.New(edits.Options{Catalog: c, Store: o.Store, Search: s.Search, Removal: s.Removal, Now: settings.Now})
	return s
}
