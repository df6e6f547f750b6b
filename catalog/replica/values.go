package replica

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/graphstore"
)

// addValues adds the time-series values that the changes of an entity name and that are still
// stored.
func (p *pageBuilder) addValues(ctx context.Context, e *Entity, w *wanted) error {
	for _, aspect := range slices.Sorted(maps.Keys(w.values)) {
		for _, span := range spans(w.values[aspect]) {
			if err := p.addSpan(ctx, e, aspect, w.values[aspect], span); err != nil {
				return err
			}
		}
	}
	return nil
}

// spans returns the time spans in which values are looked for. Few moments get a span each,
// because there may be many other values between them.
func spans(keys map[string]int64) [][2]int64 {
	moments := slices.Compact(slices.Sorted(maps.Values(keys)))
	if len(moments) > fewMoments {
		return [][2]int64{{moments[0], moments[len(moments)-1]}}
	}
	found := make([][2]int64, len(moments))
	for i, at := range moments {
		found[i] = [2]int64{at, at}
	}
	return found
}

const fewMoments = 8

func (p *pageBuilder) addSpan(ctx context.Context, e *Entity, aspect string, keys map[string]int64, span [2]int64) error {
	query := graphstore.TimeSeriesQuery{URN: e.URN, Aspect: aspect, From: span[0], To: span[1], Ascending: true, Limit: seriesPage}
	for {
		page, err := p.store.TimeSeries(ctx, query)
		if err != nil {
			return err
		}
		for i := range page {
			if _, named := keys[page[i].Key]; named {
				p.room -= len(page[i].Value) + versionBytes
				e.Values = append(e.Values, valueOf(&page[i]))
			}
		}
		if len(page) < seriesPage {
			return nil
		}
		last := &page[len(page)-1]
		query.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
	}
}

// addSeries adds the beginnings of time series of which values may have been deleted.
func (p *pageBuilder) addSeries(ctx context.Context, urn string, w *wanted) error {
	if w.whole {
		held, err := p.store.Holdings(ctx, []string{urn})
		if err != nil {
			return err
		}
		for aspect := range held[urn].TimeSeries {
			w.series[aspect] = true
		}
	}
	for _, aspect := range slices.Sorted(maps.Keys(w.series)) {
		series, err := seriesAfter(ctx, p.store, urn, aspect, nil)
		if err != nil {
			return err
		}
		for i := range series.Values {
			p.room -= len(series.Values[i].Value) + versionBytes
		}
		p.page.Series = append(p.page.Series, *series)
	}
	return nil
}

// Position is a place in the order of a time series.
type Position = graphstore.TimeSeriesPosition

// SeriesAfter returns values of a time series after a position; nil stands for the beginning.
func (s *Service) SeriesAfter(ctx context.Context, urn, aspect string, after *graphstore.TimeSeriesPosition) (*Series, error) {
	if err := permission.RequireWhole(ctx, "read what replicas are filled from"); err != nil {
		return nil, err
	}
	series, err := seriesAfter(ctx, s.store, urn, aspect, after)
	return series, catalog.StoreFailure(err)
}

func seriesAfter(ctx context.Context, store Store, urn, aspect string, after *graphstore.TimeSeriesPosition) (*Series, error) {
	found, err := store.TimeSeries(ctx, graphstore.TimeSeriesQuery{URN: urn, Aspect: aspect, Ascending: true, After: after, Limit: seriesPage})
	if err != nil {
		return nil, err
	}
	series := &Series{URN: urn, Aspect: aspect, Values: make([]Value, len(found)), Last: len(found) < seriesPage}
	for i := range found {
		series.Values[i] = valueOf(&found[i])
	}
	return series, nil
}

func valueOf(v *graphstore.TimeSeriesValue) Value {
	return Value{
		Aspect: v.Aspect, Key: v.Key, Timestamp: v.Timestamp,
		ExportStamp: transfer.ExportStamp{Value: v.Value, CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy, System: *catalog.SystemOf(&v.System)},
	}
}

func (v *Value) stored(urn string) graphstore.TimeSeriesValue {
	return graphstore.TimeSeriesValue{
		URN: urn, Aspect: v.Aspect, Key: v.Key, Timestamp: v.Timestamp, Value: v.Value,
		System: v.System.Stored(), CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy,
	}
}

// position returns the position of a value in its series.
func (v *Value) position() graphstore.TimeSeriesPosition {
	return graphstore.TimeSeriesPosition{Timestamp: v.Timestamp, Key: v.Key}
}
