package removal

import (
	"context"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Truncation asks to delete the values of a time series of all entities of a type.
type Truncation struct {
	// EntityType and Aspect are names in any letter case.
	EntityType, Aspect string
	// End is the latest timestampMillis that is deleted.
	End    int64
	DryRun bool
	// Timeout bounds how long values are deleted; 0 is no bound. Deleted values stay deleted.
	Timeout time.Duration
}

// Truncated counts the values that a truncation deleted, or would delete in a dry run. Total counts
// all values of the series.
type Truncated struct{ Deleted, Total int64 }

// entitiesAtOnce is the number of entities whose values a truncation reads at once.
const entitiesAtOnce = 500

// Truncate deletes the values of a time series up to a moment, entity by entity. It may be
// repeated after a failure.
func (s *Service) Truncate(ctx context.Context, t Truncation, o catalog.WriteOptions) (Truncated, error) {
	var result Truncated
	if err := s.writer.RequireWritableUnless(ctx, t.DryRun); err != nil {
		return result, err
	}
	entity, err := s.names.EntityType(t.EntityType)
	if err != nil {
		return result, err
	}
	aspect := t.Aspect
	for _, name := range entity.Aspects {
		if strings.EqualFold(name, aspect) {
			aspect = name
		}
	}
	if spec, ok := s.names.Registry().Aspect(aspect); !ok || !entity.Has(aspect) || !spec.TimeSeries {
		return result, catalog.Errorf(catalog.Invalid, "%s is not a time-series aspect of %s%s", t.Aspect, entity.Name, entity.NearestAspects(t.Aspect))
	}
	if t.End <= 0 {
		return result, catalog.Errorf(catalog.Invalid, "the end must be after 1970, in epoch milliseconds, not %d", t.End)
	}
	if t.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.Timeout)
		defer cancel()
	}
	for _, d := range s.names.Registry().Dialects() {
		prefix := "urn:" + d.Namespace + ":" + entity.Name + ":"
		for after := prefix; ; {
			urns, err := s.store.ScanEntities(ctx, after, entitiesAtOnce)
			if err != nil {
				return result, catalog.StoreFailure(err)
			}
			last := len(urns) == 0
			for i, urn := range urns {
				if !strings.HasPrefix(urn, prefix) {
					urns, last = urns[:i], true
					break
				}
			}
			if err := s.truncateSome(ctx, urns, aspect, &t, o, &result); err != nil {
				return result, err
			}
			if last {
				break
			}
			after = urns[len(urns)-1]
		}
	}
	return result, nil
}

func (s *Service) truncateSome(ctx context.Context, urns []string, aspect string, t *Truncation, o catalog.WriteOptions, result *Truncated) error {
	if len(urns) == 0 {
		return nil
	}
	newest, err := s.store.LatestTimeSeries(ctx, urns, []string{aspect})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		if len(newest[urn]) == 0 {
			continue
		}
		n, err := s.store.CountTimeSeries(ctx, graphstore.TimeSeriesRange{URN: urn, Aspect: aspect})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		result.Total += n
		n, err = s.DeleteTimeSeries(ctx, TimeSeriesDeletion{URN: model.StoredURN(urn), Aspect: aspect, End: &t.End, DryRun: t.DryRun}, o)
		result.Deleted += n
		if err != nil {
			return err
		}
	}
	return nil
}
