package neo4j

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
	for _, page := range pages { // the answer does not keep the order of the subquery
		slices.SortFunc(page, func(a, b graphstore.TimeSeriesValue) int {
			return cmp.Or(cmp.Compare(b.Timestamp, a.Timestamp), cmp.Compare(a.Key, b.Key))
		})
	}
	return pages, err
}

// TimeSeriesOfAll returns values of all entities: first values with the timestamp at which the
// page before ended, and then older values, each in the order of an index.
func (s *Store) TimeSeriesOfAll(ctx context.Context, q graphstore.SeriesOfAll) ([]graphstore.TimeSeriesValue, string, error) {
	values := []graphstore.TimeSeriesValue{}
	if q.Limit <= 0 {
		return values, "", nil
	}
	read := func(name string, params map[string]any) error {
		params["aspect"], params["limit"] = q.Aspect, q.Limit+1-len(values)
		found, err := rows(ctx, s, name, params, func(r *driver.Record) (graphstore.TimeSeriesValue, error) {
			return timeSeriesOf(properties(r, "value"))
		})
		values = append(values, found...)
		return err
	}
	from, to := graphstore.TimeBounds(q.From, q.To)
	if q.After != "" {
		place := strings.SplitN(q.After, " ", 3)
		time, err := strconv.ParseInt(place[0], 10, 64)
		if err != nil || len(place) != 3 {
			return nil, "", fmt.Errorf("%.100q: %w", q.After, graphstore.ErrBadCursor)
		}
		urn, err := url.QueryUnescape(place[1])
		if err != nil {
			return nil, "", fmt.Errorf("%.100q: %w", q.After, graphstore.ErrBadCursor)
		}
		if err := read("read/time_series_at_time", map[string]any{"time": time, "urn": urn, "key": place[2]}); err != nil {
			return nil, "", err
		}
		to = min(to, time-1)
	}
	if len(values) <= q.Limit && from <= to {
		if err := read("read/time_series_of_all", map[string]any{"from": from, "to": to}); err != nil {
			return nil, "", err
		}
	}
	if len(values) <= q.Limit {
		return values, "", nil
	}
	values = values[:q.Limit]
	last := &values[len(values)-1]
	return values, fmt.Sprintf("%d %s %s", last.Timestamp, url.QueryEscape(last.URN), last.Key), nil
}

func (t *tx) putTimeSeries(b *graphstore.Batch) error {
	rows, err := t.s.timeSeriesRows(b.PutTimeSeries)
	if err != nil {
		return err
	}
	if err := execRows(t, "write/put_time_series", rows); err != nil {
		return err
	}
	return execRows(t, "write/newest_profile", numberedRows(rows))
}

// timeSeriesRows returns the rows that store values. Values with numbers also have the numbers
// as properties, for people.
func (s *Store) timeSeriesRows(values []graphstore.TimeSeriesValue) ([]row, error) {
	rows := make([]row, len(values))
	for i := range values {
		v := &values[i]
		p, err := stampProperties(v.CreatedOn, v.CreatedBy, &v.System)
		if err != nil {
			return nil, err
		}
		numbers := s.numbers(v.Aspect, v.Value)
		maps.Copy(p, numbers)
		p["urn"], p["aspect"], p["key"], p["timestamp"], p["value"] = v.URN, v.Aspect, v.Key, v.Timestamp, string(v.Value)
		rows[i] = row{
			"urn": v.URN, "aspect": v.Aspect, "key": v.Key, "label": s.aspectLabel(v.Aspect), "properties": p,
			"record": slices.Contains(s.people.Records, v.Aspect), "numbered": len(numbers) > 0,
		}
	}
	return rows, nil
}

func (s *Store) numbers(series string, value json.RawMessage) map[string]any {
	if s.people.Numbers == nil {
		return nil
	}
	return s.people.Numbers(series, value)
}

// numberedRows returns the entities and series of rows that have numbers, each once.
func numberedRows(rows []row) []row {
	var numbered []row
	seen := map[[2]any]bool{}
	for _, r := range rows {
		key := [2]any{r["urn"], r["aspect"]}
		if r["numbered"] == true && !seen[key] {
			seen[key] = true
			numbered = append(numbered, row{"urn": r["urn"], "aspect": r["aspect"]})
		}
	}
	return numbered
}

func (t *tx) deleteTimeSeries(b *graphstore.Batch) error {
	if err := execRows(t, "write/delete_time_series", toRows(b.DeleteTimeSeries, rangeParams)); err != nil {
		return err
	}
	var rows []row
	for i := range b.DeleteTimeSeries {
		for _, series := range t.s.people.Numbered {
			if r := &b.DeleteTimeSeries[i]; r.Aspect == "" || r.Aspect == series {
				rows = append(rows, row{"urn": r.URN, "aspect": series, "numbered": true})
			}
		}
	}
	return execRows(t, "write/newest_profile", numberedRows(rows))
}
