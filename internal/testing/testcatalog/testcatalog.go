// Package testcatalog provides tests with a catalog on the embedded store and index.
package testcatalog

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/secrets"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
)

// New makes an empty catalog for a test, and closes it at the end of the test. When a write
// returns, the search index has it.
func New(t testing.TB) *services.Services {
	t.Helper()
	return Wrapped(t, func(s graphstore.Store) graphstore.Store { return s })
}

// Wrapped is New with a wrapped store.
func Wrapped(t testing.TB, wrap func(graphstore.Store) graphstore.Store) *services.Services {
	t.Helper()
	return WrappedBoth(t, wrap, func(x indexer.Index) indexer.Index { return x })
}

// WrappedBoth is New with a wrapped store and a wrapped index.
func WrappedBoth(t testing.TB, wrap func(graphstore.Store) graphstore.Store, wrapIndex func(indexer.Index) indexer.Index) *services.Services {
	t.Helper()
	return open(t, nil, wrap, wrapIndex)
}

// At is New with a clock.
func At(t testing.TB, now func() time.Time) *services.Services {
	t.Helper()
	return open(t, now, func(s graphstore.Store) graphstore.Store { return s }, func(x indexer.Index) indexer.Index { return x })
}

// SecretsKey is the key with which the catalogs encrypt secrets.
const SecretsKey = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

func open(t testing.TB, now func() time.Time, wrap func(graphstore.Store) graphstore.Store, wrapIndex func(indexer.Index) indexer.Index) *services.Services {
	t.Helper()
	dir, ctx := t.TempDir(), context.Background()
	store, err := embedded.Open(ctx, embedded.Options{Dir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	index, err := searchfile.Open(ctx, searchfile.Options{Dir: dir, Fingerprint: indexer.NewSchema(model.Default()).Fingerprint()})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := secrets.FromText(SecretsKey)
	if err != nil {
		t.Fatal(err)
	}
	c := services.New(services.Options{Store: wrap(store), Index: &follower.Index{Index: wrapIndex(index), Wait: time.Minute}, Secrets: keys, Now: now, SQL: testsql.Parser(), RunEvents: 20})
	follow, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { c.Follower.Follow(follow) })
	t.Cleanup(func() {
		stop()
		following.Wait()
		for _, closer := range []interface{ Close() error }{index, store} {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	if err := c.Follower.Await(ctx); err != nil {
		t.Fatal(err)
	}
	return c
}
