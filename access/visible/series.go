package visible

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// values returns values without the hidden entities that they name, and without the values of hidden
// entities. It does not change the given values.
func (s *sight) values(ctx context.Context, values []graphstore.TimeSeriesValue) ([]graphstore.TimeSeriesValue, error) {
	n := s.maybeHidden()
	for i := range values {
		n.add(values[i].URN, values[i].CreatedBy)
		n.addValue(values[i].Value)
		n.addSystem(&values[i].System)
	}
	hidden, err := s.hiddenOf(ctx, &n)
	if err != nil || hidden == nil {
		return values, err
	}
	clean := make([]graphstore.TimeSeriesValue, 0, len(values))
	for _, v := range values {
		if hidden[v.URN] {
			continue
		}
		hideActor(&v.CreatedBy, hidden)
		v.System = cleanSystem(v.System, hidden)
		left := false
		if v.Value, left = redacted(v.URN, v.Value, hidden); left {
			clean = append(clean, v)
		}
	}
	return clean, nil
}

// TimeSeries reads values by time.
func (s *Store) TimeSeries(ctx context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.TimeSeries(ctx, q)
	}
	var err error
	if q.URN, err = view.askedOne(ctx, q.URN); err != nil {
		return nil, err
	}
	values, err := s.Store.TimeSeries(ctx, q)
	if err != nil {
		return nil, err
	}
	return view.values(ctx, values)
}

// TimeSeriesOfMany reads time series of several entities.
func (s *Store) TimeSeriesOfMany(ctx context.Context, q graphstore.ManyTimeSeries) ([][]graphstore.TimeSeriesValue, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.TimeSeriesOfMany(ctx, q)
	}
	urns := make([]string, len(q.Places))
	for i := range q.Places {
		urns[i] = q.Places[i].URN
	}
	urns, err := view.asked(ctx, urns)
	if err != nil {
		return nil, err
	}
	q.Places = slices.Clone(q.Places)
	for i := range q.Places {
		q.Places[i].URN = urns[i]
	}
	found, err := s.Store.TimeSeriesOfMany(ctx, q)
	if err != nil {
		return nil, err
	}
	answers := make([][]graphstore.TimeSeriesValue, len(found))
	for i := range found {
		if answers[i], err = view.values(ctx, found[i]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// TimeSeriesOfAll reads values of all entities by time.
func (s *Store) TimeSeriesOfAll(ctx context.Context, q graphstore.SeriesOfAll) ([]graphstore.TimeSeriesValue, string, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.TimeSeriesOfAll(ctx, q)
	}
	found, limit := []graphstore.TimeSeriesValue{}, q.Limit
	for looked := 0; ; {
		q.Limit = limit - len(found)
		values, next, err := s.Store.TimeSeriesOfAll(ctx, q)
		if err != nil {
			return nil, "", err
		}
		looked += len(values)
		if values, err = view.values(ctx, values); err != nil {
			return nil, "", err
		}
		found, q.After = append(found, values...), next
		if len(found) >= limit || next == "" {
			return found, next, nil
		}
		if looked > limits.VisibleRows {
			return nil, "", tooMany("values")
		}
	}
}

// LatestTimeSeries reads newest values.
func (s *Store) LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.LatestTimeSeries(ctx, urns, aspects)
	}
	urns, err := view.asked(ctx, urns)
	if err != nil {
		return nil, err
	}
	found, err := s.Store.LatestTimeSeries(ctx, urns, aspects)
	if err != nil {
		return nil, err
	}
	clean := make(map[string][]graphstore.TimeSeriesValue, len(found))
	for urn, values := range found {
		left, err := view.values(ctx, values)
		if err != nil {
			return nil, err
		}
		if len(left) > 0 {
			clean[urn] = left
		}
	}
	return clean, nil
}

// CountTimeSeries counts values.
func (s *Store) CountTimeSeries(ctx context.Context, r graphstore.TimeSeriesRange) (int64, error) {
	if view := of(ctx); view != nil {
		var err error
		if r.URN, err = view.askedOne(ctx, r.URN); err != nil {
			return 0, err
		}
	}
	return s.Store.CountTimeSeries(ctx, r)
}
