package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/app/obs"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
)

const (
	// countEvery is the interval between two counts of the entities, and countTimeout the
	// longest time of one count.
	countEvery   = time.Minute
	countTimeout = 10 * time.Second
)

// observe registers the metrics of the catalog and its backends.
func (s *server) observe(metrics *prometheus.Registry, cat *services.Services, store graphstore.Store, index indexer.Index) {
	obs.Index(metrics, cat.Follower)
	obs.Clock(metrics, cat.LogAhead)
	obs.Log(metrics, cat.LogLength)
	obs.Unknown(metrics, cat)
	obs.Replica(metrics, func() (changes int64, seconds float64) {
		status, is := cat.Replica.Status()
		if !is {
			return 0, 0
		}
		return status.LagChanges, status.LagSeconds
	})
	obs.Followers(metrics, followersOf(cat))
	obs.Backends(metrics, map[string]func(context.Context) error{"graph": cat.Ping, "search": cat.Follower.Ping})
	onDisk := false
	if x, ok := store.(*embedded.Store); ok {
		onDisk = true
		obs.Backup(metrics, func() time.Time { return embedded.NewestBackup(s.settings.Data) })
		obs.Bytes(metrics, "store", func() (int64, error) {
			database, _, err := x.Sizes()
			return database, err
		})
		obs.Bytes(metrics, "store_log", func() (int64, error) {
			_, log, err := x.Sizes()
			return log, err
		})
	}
	if x, ok := index.(*searchfile.Index); ok {
		onDisk = true
		obs.Bytes(metrics, "index", x.Size)
	}
	if onDisk {
		obs.Disk(metrics, s.settings.Data)
	}
	s.countEntities(obs.NewEntities(metrics), cat)
}

// countEntities counts the entities of each type every countEvery, until the server stops.
// The search index counts them without reading each entity.
func (s *server) countEntities(into *obs.Entities, cat *services.Services) {
	var types []string
	for _, e := range cat.Registry().Entities() {
		types = append(types, e.Name)
	}
	s.repeatInBackground("counts of entities", countEvery, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, countTimeout)
		defer cancel()
		counts, err := cat.Search.CountEntities(ctx, types)
		if err != nil {
			s.logger.DebugContext(ctx, "entities cannot be counted now", "error", err)
			return
		}
		into.Set(counts)
	})
}

// followersOf returns the function that reads the followers of the change log for their
// metrics.
func followersOf(cat *services.Services) func(context.Context) ([]obs.FollowerState, error) {
	return func(ctx context.Context) ([]obs.FollowerState, error) {
		found, err := cat.Delivery.Followers(ctx)
		states := make([]obs.FollowerState, len(found))
		for i := range found {
			states[i] = obs.FollowerState{Name: found[i].Name, State: found[i].State, Lag: found[i].Lag, Delivered: found[i].Delivered}
		}
		return states, err
	}
}
