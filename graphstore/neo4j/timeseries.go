package neo4j

import (
	"cmp"
	"context"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// TimeSeriesOfMany returns the newest values of several entities.
func (s *Store) TimeSeriesOfMany(ctx context.Context, q graphstore.ManyTimeSeries) ([][]graphstore.TimeSeriesValue, error) {
	pages := make([][]graphstore.TimeSeriesValue, len(q.Places))
	if len(q.Places) == 0 || q.Limit <= 0 {
		return pages, nil
	}
	places := make([]map[string]any, len(q.Places))
	for i, p := range q.Places {
		places[i] = map[string]any{"index": i, "urn": p.URN, "afterTime": nil, "afterKey": nil}
		if p.After != nil {
			places[i]["afterTime"], places[i]["afterKey"] = p.After.Timestamp, p.After.Key
		}
	}
	from, to := graphstore.TimeBounds(q.From, q.To)
	params := map[string]any{"places": places, "aspect": q.Aspect, "from": from, "to": to, "limit": q.Limit}
	type placed struct {
		graphstore.TimeSeriesValue
		index int64
	}
	found, err := rows(ctx, s, "read/time_series_of_many", params, func(r *driver.Record) (placed, error) {
		v, err := timeSeriesOf(properties(r, "value"))
		return placed{v, integer(r, "index")}, err
	})
	for _, v := range found {
		pages[v.index] = append(pages[v.index], v.TimeSeriesValue)
	}
	for _, page := range pages { // the order inside a subquery is not that of the answer
		slices.SortFunc(page, func(a, b graphstore.TimeSeriesValue) int {
			return cmp.Or(cmp.Compare(b.Timestamp, a.Timestamp), cmp.Compare(a.Key, b.Key))
		})
	}
	return pages, err
}
