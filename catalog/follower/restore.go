package follower

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// RestoreRequest selects entities whose documents are to be written again.
type RestoreRequest struct {
	// URN selects one entity. Without a URN, Like is an SQL LIKE pattern of URNs; an empty pattern
	// selects all.
	URN, Like string
	// Aspect, if not empty, selects only entities that have the aspect.
	Aspect string
	// Start and Count select a page of the selected entities, ordered by URN.
	Start, Count int
}

// scannedAtOnce is the number of entities that are read at once and compared with the pattern.
const scannedAtOnce = 1000

// Restore queues entities whose documents are written again soon, and returns how many they
// are.
func (f *Follower) Restore(ctx context.Context, r RestoreRequest) (int, error) {
	if err := permission.RequireWhole(ctx, "index documents again"); err != nil {
		return 0, err
	}
	if f == nil || !f.started.Load() {
		return 0, catalog.ErrNoIndex
	}
	if r.Start < 0 || r.Count < 1 || r.Count > limits.MaxRestored {
		return 0, catalog.Errorf(catalog.Invalid, "start must not be negative, and the batch must have 1 to %d entities", limits.MaxRestored)
	}
	if r.URN != "" {
		return f.restore(r.URN) // the document of an entity that no longer exists is deleted
	}
	var urns []string
	pattern := graphstore.ParseLike(r.Like)
	prefix, _, _ := strings.Cut(r.Like, "%")
	prefix, _, _ = strings.Cut(prefix, "_")
	after := prefix
	first, err := f.store.Entities(ctx, []string{prefix}) // a scan begins after its start, so the start itself is read first
	if err != nil {
		return 0, catalog.StoreFailure(err)
	}
	for len(urns) < r.Count {
		page, err := f.store.ScanEntities(ctx, after, scannedAtOnce)
		if err != nil {
			return 0, catalog.StoreFailure(err)
		}
		more := len(page) == scannedAtOnce && strings.HasPrefix(page[len(page)-1], prefix)
		if len(page) > 0 {
			after = page[len(page)-1]
		}
		if len(first) > 0 && first[0].Exists {
			page = append([]string{prefix}, page...)
		}
		first = nil
		matching, err := f.matching(ctx, page, pattern, &r)
		if err != nil {
			return 0, err
		}
		skipped := min(r.Start, len(matching))
		r.Start -= skipped
		urns = append(urns, matching[skipped:min(len(matching), skipped+r.Count-len(urns))]...)
		if !more {
			break
		}
	}
	return f.restore(urns...)
}

// restore queues entities, unless too many are queued already.
func (f *Follower) restore(urns ...string) (int, error) {
	f.mu.Lock()
	waiting := len(f.repairs)
	f.mu.Unlock()
	if waiting+len(urns) > maxRepairs {
		return 0, catalog.Errorf(catalog.Busy, "%d documents are waiting to be written again; ask for %d more later", waiting, len(urns))
	}
	f.repair(urns...)
	return len(urns), nil
}

// matching returns the URNs that the request selects.
func (f *Follower) matching(ctx context.Context, urns []string, pattern *graphstore.Like, r *RestoreRequest) ([]string, error) {
	var matching []string
	for _, urn := range urns {
		if r.Like == "" || pattern.Match(urn) {
			matching = append(matching, urn)
		}
	}
	if r.Aspect == "" || len(matching) == 0 {
		return matching, nil
	}
	found, err := f.store.LatestAspects(ctx, matching, []string{r.Aspect})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var having []string
	for _, urn := range matching {
		if len(found[urn]) > 0 {
			having = append(having, urn)
		}
	}
	return having, nil
}
