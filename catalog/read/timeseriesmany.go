package read

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// valuesAtOnce bounds the time-series values that one store call reads, of all entities
// together.
const valuesAtOnce = 10_000

// valuesQuery selects values of a time-series aspect. most bounds the values of one entity; 0
// is unbounded.
type valuesQuery struct {
	aspect   string
	from, to int64
	most     int
}

// eachValueOf calls take with the values of several entities, the newest of each first, until
// take returns false for an entity. The number of store calls depends on the entity with the
// most values.
func (rd *Reader) eachValueOf(ctx context.Context, urns []model.URN, q valuesQuery, take func(*graphstore.TimeSeriesValue) (more bool, err error)) error {
	places := make([]graphstore.TimeSeriesPlace, len(urns))
	for i, urn := range urns {
		places[i].URN = urn.String()
	}
	for len(places) > 0 {
		limit := max(valuesAtOnce/len(places), 1)
		if q.most > 0 {
			limit = min(limit, q.most)
		}
		pages, err := rd.store.TimeSeriesOfMany(ctx, graphstore.ManyTimeSeries{Aspect: q.aspect, From: q.from, To: q.to, Places: places, Limit: limit})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		var next []graphstore.TimeSeriesPlace
		for i, page := range pages {
			more := len(page) == limit
			for j := range page {
				wanted, err := take(&page[j])
				if err != nil {
					return err
				}
				if !wanted {
					more = false
					break
				}
			}
			if more {
				last := &page[len(page)-1]
				next = append(next, graphstore.TimeSeriesPlace{URN: places[i].URN, After: &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}})
			}
		}
		places = next
	}
	return nil
}

// TimeSeriesOf returns values of a time-series aspect of several entities of a type, by the
// texts of their URNs, the newest of each first. TimeSeriesOf ignores URN, Sort and Latest of
// the request, and applies the limit to each entity.
func (rd *Reader) TimeSeriesOf(ctx context.Context, urns []model.URN, q TimeSeriesRequest) (map[string][]json.RawMessage, error) {
	entity, err := rd.EntityType(q.Entity)
	if err != nil {
		return nil, err
	}
	if err := rd.checkTimeSeries(entity, &q); err != nil {
		return nil, err
	}
	limit, found, sum := q.limit(), make(map[string][]json.RawMessage, len(urns)), 0
	if limit == 0 {
		return found, nil
	}
	query := valuesQuery{aspect: q.Aspect, from: optional.Or(q.Start, 0), to: optional.Or(q.End, 0)}
	if q.Filter.Empty() {
		query.most = limit
	}
	err = rd.eachValueOf(ctx, urns, query, func(v *graphstore.TimeSeriesValue) (bool, error) {
		if matches, err := rd.matchesValue(&q, v); err != nil || !matches {
			return true, err
		}
		if sum++; sum > limits.MaxGraphQLAnswer {
			return false, catalog.Errorf(catalog.Invalid, "%d entities have more than %d values of %s; ask for fewer of each", len(urns), limits.MaxGraphQLAnswer, q.Aspect)
		}
		found[v.URN] = append(found[v.URN], v.Value)
		return len(found[v.URN]) < limit, nil
	})
	return found, err
}

func (rd *Reader) matchesValue(q *TimeSeriesRequest, v *graphstore.TimeSeriesValue) (bool, error) {
	if q.Filter.Empty() {
		return true, nil
	}
	value, err := rd.Registry().ParseStored(q.Aspect, v.Value)
	if err != nil {
		return false, &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
	}
	return matching.Matches(q.Filter, matching.TimeSeriesFields{Value: v, Tree: value.Tree}), nil
}

func (rd *Reader) checkTimeSeries(entity *model.Entity, q *TimeSeriesRequest) error {
	if aspect, ok := rd.Registry().Aspect(q.Aspect); !ok || !entity.Has(q.Aspect) || !aspect.TimeSeries {
		return catalog.Errorf(catalog.Invalid, "%s is not a time-series aspect of %s", q.Aspect, entity.Name)
	}
	if q.limit() < 0 {
		return catalog.Errorf(catalog.Invalid, "limit must not be negative")
	}
	return q.Filter.Check()
}

// limit returns the bound of the values that the request asks for.
func (q *TimeSeriesRequest) limit() int {
	if q.Latest {
		return 1
	}
	return min(optional.Or(q.Limit, limits.MaxTimeSeriesValues), limits.MaxTimeSeriesValues)
}
