package quality

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// reader reads the aspects that states are made of, as of now or as of a past moment.
type reader struct {
	s *Service
	// at is the moment, epoch milliseconds; 0 is now.
	at int64
	// left is the number of entities whose former versions may still be read.
	left int
	// lacks names the part of the moment that is not known, "" if all is known.
	lacks string
}

func (s *Service) readerAt(at int64) *reader {
	return &reader{s: s, at: at, left: limits.QualityPastEntities}
}

// aspects reads aspects of entities. Of a past moment, it leaves out values that are not kept any
// more.
func (r *reader) aspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	if r.at == 0 {
		stored, err := r.s.store.LatestAspects(ctx, urns, names)
		return stored, catalog.StoreFailure(err)
	}
	some := urns[:min(r.left, len(urns))]
	r.left -= len(some)
	if len(some) < len(urns) {
		r.lacks = "former versions are read of fewer assertions and incidents"
	}
	past, err := r.s.past.AspectsAt(ctx, some, r.at, names)
	if err != nil {
		return nil, err
	}
	stored := make(map[string][]graphstore.Aspect, len(past))
	for _, urn := range some {
		if lost := past[urn].Lost; len(lost) > 0 {
			r.lacks = lost[0] + " of " + urn + " is not kept any more as it was then"
		}
		if values := past[urn].Values; len(values) > 0 {
			stored[urn] = values
		}
	}
	return stored, nil
}

// latest reads the newest value of each time series of entities.
func (r *reader) latest(ctx context.Context, urns, series []string) (map[string][]graphstore.TimeSeriesValue, error) {
	if r.at == 0 {
		found, err := r.s.store.LatestTimeSeries(ctx, urns, series)
		return found, catalog.StoreFailure(err)
	}
	found := map[string][]graphstore.TimeSeriesValue{}
	for _, name := range series {
		lists, err := r.values(ctx, name, urns, 1)
		if err != nil {
			return nil, err
		}
		for i, values := range lists {
			found[urns[i]] = slices.Concat(found[urns[i]], values)
		}
	}
	return found, nil
}

// values reads up to limit of the newest values of a time series of each entity, in the order of
// the entities.
func (r *reader) values(ctx context.Context, series string, urns []string, limit int) ([][]graphstore.TimeSeriesValue, error) {
	query := graphstore.ManyTimeSeries{Aspect: series, To: r.at, Limit: limit}
	for _, urn := range urns {
		query.Places = append(query.Places, graphstore.TimeSeriesPlace{URN: urn})
	}
	lists, err := r.s.store.TimeSeriesOfMany(ctx, query)
	return lists, catalog.StoreFailure(err)
}
