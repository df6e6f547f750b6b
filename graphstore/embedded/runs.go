package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// runsOf counts the current data of each run, using only indexes. The clause %[1]s selects
// runs, and %[2]s adds further counts; both may be empty.
const runsOf = `
	WITH counted AS (
		SELECT run, count(*) AS rows,
			sum(CASE WHEN id / 4096 IN (SELECT id FROM entity INDEXED BY entity_removed WHERE removed)
				THEN NOT EXISTS (SELECT 1 FROM latest mark WHERE mark.id = latest.id / 4096 * 4096 + ?5 AND mark.run = latest.run) ELSE 0 END) AS removed,
			0 AS series, min(created_on) AS first, max(created_on) AS latest, min(id) AS example, 0 AS entities, 0 AS kinds
		FROM latest INDEXED BY latest_by_run %[1]s GROUP BY run
		UNION ALL
		SELECT run, 0, 0, count(*), min(created_on), max(created_on), NULL, 0, 0 FROM timeseries INDEXED BY timeseries_by_run %[1]s GROUP BY run
		%[2]s),
	listed AS (
		SELECT n.text AS run, sum(rows) AS rows, sum(removed) AS removed, sum(series) AS series, min(first) AS first, max(latest) AS latest,
			min(example) AS example, sum(entities) AS entities, sum(kinds) AS kinds, count(*) OVER () AS total
		FROM counted JOIN name n ON n.id = run AND n.text <> '' AND n.text NOT IN (SELECT value FROM json_each(?4)) GROUP BY run
		HAVING ?1 OR sum(rows) > sum(removed) OR sum(series) > 0
		ORDER BY latest DESC, n.text LIMIT max(?2, 1) OFFSET CASE WHEN ?2 > 0 THEN ?3 ELSE 0 END)
	SELECT r.run, rows, r.removed, series, first, latest, coalesce(example %% 4096, 0), coalesce(e.urn, ''), entities, kinds, total
	FROM listed r LEFT JOIN entity e ON e.id = r.example / 4096 ORDER BY latest DESC, r.run`

var (
	allRuns  = fmt.Sprintf(runsOf, "", "")
	someRuns = fmt.Sprintf(runsOf, ofRuns, `UNION ALL
		SELECT run, 0, 0, 0, NULL, NULL, NULL, count(*), 0 FROM (
			SELECT run, id / 4096 AS entity FROM latest INDEXED BY latest_by_run `+ofRuns+`
			UNION SELECT run, entity FROM timeseries INDEXED BY timeseries_by_run `+ofRuns+`) GROUP BY run
		UNION ALL
		SELECT run, 0, 0, 0, NULL, NULL, NULL, 0, count(DISTINCT entity * 4096 + aspect)
		FROM timeseries INDEXED BY timeseries_by_run `+ofRuns+` GROUP BY run`)
)

// ofRuns selects the runs of a list.
const ofRuns = "WHERE run IN (SELECT id FROM name WHERE text IN (SELECT value FROM json_each(?6)))"

// Runs counts the current data of each run.
func (s *Store) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	runs, total := []graphstore.Run{}, int64(0)
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	query, args := allRuns, []any{q.IncludeRemoved, max(q.Count, 0), q.Start, listJSON(append([]string{}, q.Except...)), s.names.aspectID(q.Mark)}
	if len(q.IDs) > 0 {
		query, args = someRuns, append(args, listJSON(q.IDs))
	}
	rows, err := s.lists.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, 0, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r graphstore.Run
		var aspect int64
		err := rows.Scan(&r.ID, &r.Rows, &r.Removed, &r.TimeSeries, &r.First, &r.Latest, &aspect, &r.Example.URN, &r.Entities, &r.Series, &total)
		if err != nil {
			return nil, 0, s.failure(err)
		}
		if r.Example.URN != "" {
			r.Example.Name = s.names.aspect(aspect)
		}
		if q.Count > 0 {
			runs = append(runs, r)
		}
	}
	return runs, total, s.failure(rows.Err())
}

// rowColumns are the columns of a latest version l without its value, and of its entity e.
const rowColumns = "l.id, e.urn, e.removed, l.run, l.registry, l.created_on"

// Rows returns the latest versions of a run or registry, by entity.
func (s *Store) Rows(ctx context.Context, q graphstore.RowQuery) ([]graphstore.Row, string, error) {
	after, err := parseRowPosition(q.After)
	if err != nil || q.Limit <= 0 {
		return []graphstore.Row{}, "", err
	}
	query, origin := "SELECT "+rowColumns+` FROM latest l INDEXED BY latest_by_run JOIN entity e ON e.id = l.id / 4096
		WHERE l.run = ? AND l.id > ? ORDER BY l.id LIMIT ?+0`, q.RunID
	if q.RunID == "" {
		query, origin = "SELECT "+rowColumns+` FROM latest l NOT INDEXED JOIN entity e ON e.id = l.id / 4096
			WHERE l.registry = ? AND l.id > ? ORDER BY l.id LIMIT ?+0`, q.Registry.Name+registrySeparator+q.Registry.Version
	}
	name, err := s.names.find(origin)
	if err != nil {
		return nil, "", s.failure(err)
	}
	if name == 0 {
		return []graphstore.Row{}, "", s.open()
	}
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	found, last, err := s.rows(ctx, s.lists, query, name, after, q.Limit)
	if err != nil || len(found) < q.Limit {
		return found, "", err
	}
	return found, strconv.FormatInt(last, 10), nil
}

func parseRowPosition(text string) (int64, error) {
	if text == "" {
		return -1, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", text, graphstore.ErrBadCursor)
	}
	return id, nil
}

// rows reads rowColumns, and also returns the last id.
func (s *Store) rows(ctx context.Context, from querier, query string, args ...any) (found []graphstore.Row, last int64, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, 0, s.failure(err)
	}
	defer rows.Close()
	found = []graphstore.Row{}
	for rows.Next() {
		var r graphstore.Row
		var run, registry int64
		if err := rows.Scan(&last, &r.URN, &r.Removed, &run, &registry, &r.CreatedOn); err != nil {
			return nil, 0, s.failure(err)
		}
		var origin string
		if err := s.names.fill(named{&origin, registry}, named{&r.RunID, run}); err != nil {
			return nil, 0, s.failure(err)
		}
		r.Registry.Name, r.Registry.Version, _ = strings.Cut(origin, registrySeparator)
		r.Aspect = s.names.aspect(last % maxAspectNames)
		found = append(found, r)
	}
	return found, last, s.failure(rows.Err())
}

// RowsOf returns the latest versions of entities, without values.
func (s *Store) RowsOf(ctx context.Context, urns []string) ([]graphstore.Row, error) {
	if len(urns) == 0 {
		return []graphstore.Row{}, s.open()
	}
	found, _, err := s.rows(ctx, s.readers, "SELECT "+rowColumns+` FROM json_each(?) j CROSS JOIN entity e ON e.urn = j.value
		CROSS JOIN latest l ON l.id BETWEEN e.id * 4096 AND e.id * 4096 + 4095 JOIN name n ON n.id = l.id % 4096
		ORDER BY j.key, n.text`, listJSON(urns))
	return found, err
}

// RunTimeSeries returns the time-series aspects that have values of a run.
func (s *Store) RunTimeSeries(ctx context.Context, runID, after string, limit int) ([]graphstore.TimeSeriesRow, string, error) {
	found := []graphstore.TimeSeriesRow{}
	position, err := parseRowPosition(after)
	if err != nil || limit <= 0 {
		return found, "", err
	}
	run, err := s.names.find(runID)
	if err != nil || run == 0 {
		return found, "", s.failure(err)
	}
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	rows, err := s.lists.QueryContext(ctx, `SELECT t.entity, t.aspect, e.urn, count(*), max(t.created_on)
		FROM timeseries t INDEXED BY timeseries_by_run JOIN entity e ON e.id = t.entity
		WHERE t.run = ?1 AND (t.entity > ?2 / 4096 OR t.entity = ?2 / 4096 AND t.aspect > ?2 % 4096)
		GROUP BY t.entity, t.aspect ORDER BY t.entity, t.aspect LIMIT ?3+0`, run, max(position, 0), limit)
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer rows.Close()
	var entity, aspect int64
	for rows.Next() {
		var r graphstore.TimeSeriesRow
		if err := rows.Scan(&entity, &aspect, &r.URN, &r.Values, &r.Latest); err != nil {
			return nil, "", s.failure(err)
		}
		r.Aspect = s.names.aspect(aspect)
		found = append(found, r)
	}
	if err := rows.Err(); err != nil || len(found) < limit {
		return found, "", s.failure(err)
	}
	return found, strconv.FormatInt(entity*maxAspectNames+aspect, 10), nil
}

// These read the highest archived version that does not come from a run, or from a registry.
const (
	versionBeforeRun      = "SELECT " + aspectColumns + " FROM version WHERE aspect = ? AND run <> ? ORDER BY seq DESC LIMIT 1"
	versionBeforeRegistry = "SELECT " + aspectColumns + " FROM version WHERE aspect = ? AND registry <> ? ORDER BY seq DESC LIMIT 1"
)

// VersionsBefore returns the highest archived versions that do not come from an origin.
func (s *Store) VersionsBefore(ctx context.Context, keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	query, name := versionBeforeRun, origin.RunID
	if name == "" {
		query, name = versionBeforeRegistry, origin.Registry.Name+registrySeparator+origin.Registry.Version
	}
	number, err := s.names.find(name)
	if err != nil {
		return nil, s.failure(err)
	}
	found := make([]*graphstore.Aspect, len(keys))
	for i, key := range keys {
		id, err := s.aspectID(ctx, key)
		if err != nil {
			return nil, s.failure(err)
		}
		err = s.points.each(ctx, query, func(row sqlite.Row) error {
			a := &graphstore.Aspect{URN: key.URN, Name: key.Name}
			err := s.names.aspectOf(a, row)
			a.Version, found[i] = graphstore.VersionNumber(a.Seq, false), a
			return err
		}, id, number)
		if err != nil {
			return nil, s.failure(err)
		}
	}
	return found, nil
}

// Predecessors returns the highest archived versions that do not come from an origin.
func (t *tx) Predecessors(keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	if t.over {
		return nil, errOver
	}
	statement, name := t.w.stmts.beforeRun, origin.RunID
	if name == "" {
		statement, name = t.w.stmts.beforeRegistry, origin.Registry.Name+registrySeparator+origin.Registry.Version
	}
	number, err := t.w.names.find(name)
	if err != nil {
		return nil, storeError(err)
	}
	found := make([]*graphstore.Aspect, len(keys))
	for i, key := range keys {
		id, err := t.w.aspectID(key)
		if err != nil {
			return nil, err
		}
		a := &graphstore.Aspect{URN: key.URN, Name: key.Name}
		err = t.w.scanAspect(a, statement.QueryRowContext(background, id, number))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, storeError(err)
		}
		a.Version, found[i] = graphstore.VersionNumber(a.Seq, false), a
	}
	return found, nil
}
