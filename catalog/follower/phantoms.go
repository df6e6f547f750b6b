package follower

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// maxRepairs bounds the entities whose documents wait to be written again. Later searches find
// the phantoms beyond the bound.
const maxRepairs = limits.MaxRestored

// Existing drops from lists of hits the hits whose entity the store does not have, and queues
// the repair of the documents of these entities. If the store is not available, Existing drops
// no hit.
func (f *Follower) Existing(ctx context.Context, lists ...[]indexer.Hit) ([][]indexer.Hit, error) {
	urns := urnsFound(lists)
	if len(urns) == 0 {
		return lists, nil
	}
	entities, err := f.store.Entities(ctx, urns)
	if errors.Is(err, graphstore.ErrUnavailable) {
		return lists, nil
	}
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	exists := make(map[string]bool, len(entities))
	for i := range entities {
		exists[entities[i].URN] = entities[i].Exists
	}
	var phantoms []string
	real := make([][]indexer.Hit, len(lists))
	for i, hits := range lists {
		real[i] = slices.DeleteFunc(slices.Clone(hits), func(hit indexer.Hit) bool {
			if !exists[hit.URN] {
				phantoms = append(phantoms, hit.URN)
			}
			return !exists[hit.URN]
		})
	}
	if len(phantoms) > 0 {
		f.repair(phantoms...)
	}
	return real, nil
}

// urnsFound returns the URNs in lists of hits, each once.
func urnsFound(lists [][]indexer.Hit) []string {
	var urns []string
	seen := map[string]bool{}
	for _, hits := range lists {
		for i := range hits {
			if urn := hits[i].URN; !seen[urn] {
				seen[urn] = true
				urns = append(urns, urn)
			}
		}
	}
	return urns
}

// repair queues entities whose documents must be written again.
func (f *Follower) repair(urns ...string) {
	if len(urns) == 0 {
		return
	}
	f.mu.Lock()
	for _, urn := range urns {
		if len(f.repairs) < maxRepairs {
			f.repairs[urn] = true
		}
	}
	f.mu.Unlock()
	f.hurry()
}

// repairNow writes a batch of the queued documents.
func (f *Follower) repairNow(ctx context.Context, at *position) error {
	f.mu.Lock()
	urns := slices.Collect(maps.Keys(f.repairs))
	f.mu.Unlock()
	if len(urns) == 0 {
		return nil
	}
	urns = urns[:min(len(urns), followBatch)]
	batch, err := f.project(ctx, urns)
	if err != nil {
		return err
	}
	if err := f.write(ctx, f.index, batch, at); err != nil {
		return err
	}
	f.logger.InfoContext(ctx, "documents of the search index repaired", "number", len(urns), "deleted", len(batch.Delete))
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, urn := range urns {
		delete(f.repairs, urn)
	}
	return nil
}
