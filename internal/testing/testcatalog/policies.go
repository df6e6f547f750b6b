package testcatalog

import (
	"log/slog"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
)

// WithPolicies is At with the service that manages policies. now may be nil.
func WithPolicies(t testing.TB, now func() time.Time) (*services.Services, *manage.Service) {
	t.Helper()
	var store graphstore.Store
	c := open(t, now, func(s graphstore.Store) graphstore.Store {
		store = s
		return s
	}, func(x indexer.Index) indexer.Index { return x })
	return c, Policies(c, store, nil)
}

// Policies returns the service that manages the policies of a catalog. forget is that of a gate, or nil for a
// server without authentication.
func Policies(c *services.Services, store permit.Store, forget func()) *manage.Service {
	return manage.New(manage.Options{
		Catalog: c, Delete: c.Removal.DeleteEntity, Actors: access.NewActors(c), Forget: forget, Now: c.Now,
		Permit: permit.New(permit.Options{Store: store, Now: c.Now, Logger: slog.New(slog.DiscardHandler)}),
	})
}
