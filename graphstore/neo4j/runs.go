package neo4j

import (
	"context"
	"fmt"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// Runs counts the current data of each run.
func (s *Store) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	var total int64
	params := map[string]any{"except": append([]string{}, q.Except...), "includeRemoved": q.IncludeRemoved, "mark": q.Mark, "start": max(q.Start, 0), "count": max(q.Count, 0)}
	statement := "read/runs"
	if len(q.IDs) > 0 {
		statement, params["ids"] = "read/runs_named", q.IDs
	}
	pages, err := rows(ctx, s, statement, params, func(r *driver.Record) ([]graphstore.Run, error) {
		total = integer(r, "total")
		return bags(r, "page", func(b bag) graphstore.Run {
			return graphstore.Run{
				ID: b.text("run"), Rows: b.integer("rows"), Removed: b.integer("removed"), TimeSeries: b.integer("series"),
				First: b.integer("first"), Latest: b.integer("latest"), Example: graphstore.AspectKey{URN: b.text("urn"), Name: b.text("aspect")},
				Entities: b.integer("entities"), Series: b.integer("kinds"),
			}
		}), nil
	})
	if err != nil || len(pages) == 0 {
		return []graphstore.Run{}, 0, err
	}
	return pages[0], total, nil
}

// bags converts a list of maps.
func bags[T any](r *driver.Record, key string, convert func(bag) T) []T {
	value, _ := r.Get(key)
	items, _ := value.([]any)
	list := make([]T, len(items))
	for i, item := range items {
		m, _ := item.(map[string]any)
		list[i] = convert(m)
	}
	return list
}

// rowPosition is a place in a list of rows: after the row of one aspect of one entity.
type rowPosition struct{ urn, name string }

// String writes the name first, because a name has no space and a URN may have one.
func (p rowPosition) String() string { return p.name + " " + p.urn }

func parseRowPosition(text string) (rowPosition, error) {
	if text == "" {
		return rowPosition{}, nil
	}
	name, urn, ok := strings.Cut(text, " ")
	if !ok {
		return rowPosition{}, fmt.Errorf("%q: %w", text, graphstore.ErrBadCursor)
	}
	return rowPosition{urn, name}, nil
}

// Rows returns the latest versions of a run or registry, by entity.
func (s *Store) Rows(ctx context.Context, q graphstore.RowQuery) ([]graphstore.Row, string, error) {
	after, err := parseRowPosition(q.After)
	if err != nil || q.Limit <= 0 {
		return []graphstore.Row{}, "", err
	}
	name, params := "read/rows_by_run", map[string]any{"run": q.RunID}
	if q.RunID == "" {
		name, params = "read/rows_by_registry", map[string]any{"registry": q.Registry.Name, "registryVersion": q.Registry.Version}
	}
	params["afterUrn"], params["afterName"], params["limit"] = after.urn, after.name, q.Limit
	found, err := rows(ctx, s, name, params, rowRecord)
	if err != nil || len(found) < q.Limit {
		return found, "", err
	}
	last := found[len(found)-1]
	return found, rowPosition{last.URN, last.Aspect}.String(), nil
}

func rowRecord(r *driver.Record) (graphstore.Row, error) {
	removed, _ := r.Get("removed")
	return graphstore.Row{
		URN: text(r, "urn"), Aspect: text(r, "aspect"), RunID: text(r, "run"),
		Registry:  graphstore.RegistryVersion{Name: text(r, "registry"), Version: text(r, "registryVersion")},
		CreatedOn: integer(r, "createdOn"), Removed: removed == true,
	}, nil
}

// RowsOf returns the latest versions of entities, without values.
func (s *Store) RowsOf(ctx context.Context, urns []string) ([]graphstore.Row, error) {
	if len(urns) == 0 {
		return []graphstore.Row{}, nil
	}
	return rows(ctx, s, "read/rows_of", map[string]any{"urns": urns}, rowRecord)
}

// RunTimeSeries returns the time-series aspects that have values of a run.
func (s *Store) RunTimeSeries(ctx context.Context, runID, after string, limit int) ([]graphstore.TimeSeriesRow, string, error) {
	position, err := parseRowPosition(after)
	if err != nil || limit <= 0 {
		return []graphstore.TimeSeriesRow{}, "", err
	}
	found, err := rows(ctx, s, "read/run_time_series", map[string]any{
		"run": runID, "afterUrn": position.urn, "afterName": position.name, "limit": limit,
	}, func(r *driver.Record) (graphstore.TimeSeriesRow, error) {
		return graphstore.TimeSeriesRow{URN: text(r, "urn"), Aspect: text(r, "aspect"), Values: integer(r, "total"), Latest: integer(r, "latest")}, nil
	})
	if err != nil || len(found) < limit {
		return found, "", err
	}
	last := found[len(found)-1]
	return found, rowPosition{last.URN, last.Aspect}.String(), nil
}

// Predecessors returns the highest archived versions that do not come from an origin.
func (t *tx) Predecessors(keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	if err := t.current(); err != nil {
		return nil, err
	}
	return predecessorsIn(t, keys, origin)
}

func predecessorsIn(r runner, keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	found := make([]*graphstore.Aspect, len(keys))
	_, err := records(r, "write/predecessors", predecessorParams(keys, origin), predecessorInto(found))
	return found, err
}

func predecessorParams(keys []graphstore.AspectKey, origin graphstore.Origin) map[string]any {
	wanted := make([]row, len(keys))
	for i, key := range keys {
		wanted[i] = row{"i": i, "urn": key.URN, "name": key.Name}
	}
	return map[string]any{"keys": wanted, "run": orNil(origin.RunID), "registry": origin.Registry.Name, "registryVersion": origin.Registry.Version}
}

// predecessorInto returns a function that stores each record at the index of its key.
func predecessorInto(found []*graphstore.Aspect) func(*driver.Record) (struct{}, error) {
	return func(r *driver.Record) (struct{}, error) {
		a, err := aspectRecord(r)
		found[integer(r, "i")] = &a
		return struct{}{}, err
	}
}

// VersionsBefore returns the highest archived versions that do not come from an origin.
func (s *Store) VersionsBefore(ctx context.Context, keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	found := make([]*graphstore.Aspect, len(keys))
	if len(keys) == 0 {
		return found, nil
	}
	_, err := rows(ctx, s, "write/predecessors", predecessorParams(keys, origin), predecessorInto(found))
	return found, err
}
