package replica

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// apply writes to the store the states that a page contains.
func (s *Service) apply(ctx context.Context, source Source, page *Page) error {
	changes := map[string][]graphstore.Change{}
	for i := range page.Changes {
		c := &page.Changes[i]
		changes[c.URN] = append(changes[c.URN], c.stored())
	}
	for group := range slices.Chunk(page.Entities, entitiesAtOnce) {
		mirrored := make([]write.Mirrored, len(group))
		for i := range group {
			mirrored[i] = group[i].mirrored(changes[group[i].URN])
		}
		if err := s.writer.Mirror(ctx, mirrored); err != nil {
			return err
		}
	}
	for i := range page.Entities {
		if e := &page.Entities[i]; e.Whole {
			if err := s.dropSeries(ctx, e.URN, page.Series); err != nil {
				return err
			}
		}
	}
	for i := range page.Series {
		if err := s.applySeries(ctx, source, &page.Series[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *Change) stored() graphstore.Change {
	return graphstore.Change{
		Time: c.Time, Actor: c.Actor, Kind: c.Kind, URN: c.URN, EntityType: c.EntityType, Aspect: c.Aspect,
		Seq: c.Seq, PreviousSeq: c.PreviousSeq, TimeSeriesTime: c.TimeSeriesTime, TimeSeriesKey: c.TimeSeriesKey,
	}
}

func (e *Entity) mirrored(changes []graphstore.Change) write.Mirrored {
	r := write.Mirrored{URN: e.URN, Whole: e.Whole, Aspects: e.Aspects, Properties: e.Properties, Changes: changes}
	if e.State != nil {
		r.State = e.State.History()
	}
	for i := range e.Observed {
		o := &e.Observed[i]
		r.Observed = append(r.Observed, graphstore.Aspect{URN: e.URN, Name: o.Aspect, Seq: o.Seq, CreatedOn: o.CreatedOn, System: o.System.Stored()})
	}
	for i := range e.Values {
		r.Values = append(r.Values, e.Values[i].stored(e.URN))
	}
	return r
}

// dropSeries deletes the time series of an entity that the source does not have.
func (s *Service) dropSeries(ctx context.Context, urn string, has []Series) error {
	held, err := s.store.Holdings(ctx, []string{urn})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for aspect := range held[urn].TimeSeries {
		if slices.ContainsFunc(has, func(x Series) bool { return x.URN == urn && x.Aspect == aspect }) {
			continue
		}
		if err := s.writer.MirrorValues(ctx, urn, aspect, []graphstore.TimeSeriesRange{{URN: urn, Aspect: aspect}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// applySeries makes a time series equal to the series of the source, a part at a time.
func (s *Service) applySeries(ctx context.Context, source Source, part *Series) error {
	p := seriesPart{Series: part, after: part.After, carried: part.Carried}
	for {
		if err := s.applyPart(ctx, &p); err != nil || p.Last || p.Part {
			return err
		}
		if err := p.advance(ctx, source); err != nil {
			return err
		}
	}
}

// advance reads the next part.
func (p *seriesPart) advance(ctx context.Context, source Source) (err error) {
	last := p.Values[len(p.Values)-1].position()
	p.carried = slices.DeleteFunc(slices.Concat(p.carried, p.Values), func(v Value) bool { return v.Timestamp != last.Timestamp })
	p.after = &last
	p.Series, err = source.SeriesAfter(ctx, p.URN, p.Aspect, p.after)
	return err
}

// seriesPart is a part of a time series after a position.
type seriesPart struct {
	*Series
	after *graphstore.TimeSeriesPosition
	// carried has the values of earlier parts that have the same time as after.
	carried []Value
}

// applyPart writes the values of a part that the store does not have or has differently, and
// deletes stored values in between that the source does not have. A store can only delete all
// values of a moment together, so other values of such a moment are written again.
func (s *Service) applyPart(ctx context.Context, p *seriesPart) error {
	own, err := s.ownValues(ctx, p)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	wanted := map[string]bool{}
	for i := range p.Values {
		wanted[p.Values[i].Key] = true
	}
	var gone []graphstore.TimeSeriesRange
	emptied, stored := map[int64]bool{}, map[string]*graphstore.TimeSeriesValue{}
	for i := range own {
		v := &own[i]
		stored[v.Key] = v
		if !wanted[v.Key] && !emptied[v.Timestamp] {
			moment := momentOf(v)
			for at := moment.From; at <= moment.To; at++ {
				emptied[at] = true
			}
			gone = append(gone, moment)
		}
	}
	var put []graphstore.TimeSeriesValue
	for _, v := range slices.Concat(p.carried, p.Values) {
		want := v.stored(p.URN)
		if have := stored[v.Key]; emptied[v.Timestamp] || have == nil && wanted[v.Key] || have != nil && !reflect.DeepEqual(*have, want) {
			put = append(put, want)
		}
	}
	if len(gone)+len(put) == 0 {
		return nil
	}
	return s.writer.MirrorValues(ctx, p.URN, p.Aspect, gone, put)
}

// ownValues returns the replica's values in the range of a part.
func (s *Service) ownValues(ctx context.Context, p *seriesPart) (own []graphstore.TimeSeriesValue, err error) {
	query := graphstore.TimeSeriesQuery{URN: p.URN, Aspect: p.Aspect, Ascending: true, After: p.after, Limit: seriesPage}
	for {
		page, err := s.store.TimeSeries(ctx, query)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if !p.Last && !before(&page[i], &p.Values[len(p.Values)-1]) {
				return own, nil
			}
			own = append(own, page[i])
		}
		if len(page) < seriesPage {
			return own, nil
		}
		last := &page[len(page)-1]
		query.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
	}
}

// before reports whether a stored value is not after a value of the source.
func before(v *graphstore.TimeSeriesValue, last *Value) bool {
	return cmp.Or(cmp.Compare(v.Timestamp, last.Timestamp), cmp.Compare(v.Key, last.Key)) <= 0
}

// momentOf returns a range with only the time of a value. In a range, 0 means unbounded, so the
// range of the time 0 includes the moments just before and after.
func momentOf(v *graphstore.TimeSeriesValue) graphstore.TimeSeriesRange {
	r := graphstore.TimeSeriesRange{URN: v.URN, Aspect: v.Aspect, From: v.Timestamp, To: v.Timestamp}
	if v.Timestamp == 0 {
		r.From, r.To = -1, 1
	}
	return r
}
