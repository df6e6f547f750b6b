package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

// newestOf reads values of one entity after a place, the newest first. The index is ordered by
// time; only the keys of the same time must be sorted.
const newestOf = `SELECT timestamp, key, created_on, created_by, last_observed, run, registry, properties, value
	FROM timeseries WHERE entity = (SELECT id FROM entity WHERE urn = ?1) AND aspect = ?2 AND timestamp BETWEEN ?3 AND ?4
		AND (?6 IS NULL OR timestamp < ?6 OR timestamp = ?6 AND key > ?7)
	ORDER BY timestamp DESC, key LIMIT ?5+0`

// TimeSeriesOfMany returns the newest values of several entities, over one connection.
func (s *Store) TimeSeriesOfMany(ctx context.Context, q graphstore.ManyTimeSeries) (_ [][]graphstore.TimeSeriesValue, err error) {
	pages := make([][]graphstore.TimeSeriesValue, len(q.Places))
	aspect := s.names.aspectID(q.Aspect)
	if aspect == 0 || len(q.Places) == 0 || q.Limit <= 0 {
		return pages, s.open()
	}
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return nil, s.failure(err)
	}
	defer func() { err = errors.Join(err, s.failure(conn.Close())) }()
	stmt, err := conn.PrepareContext(ctx, newestOf)
	if err != nil {
		return nil, s.failure(err)
	}
	defer func() { err = errors.Join(err, s.failure(stmt.Close())) }()
	from, to := graphstore.TimeBounds(q.From, q.To)
	for i, p := range q.Places {
		var time, key any
		// Values newer than the place are not read.
		until := to
		if p.After != nil {
			time, key, until = p.After.Timestamp, p.After.Key, min(to, p.After.Timestamp)
		}
		rows, err := stmt.QueryContext(ctx, p.URN, aspect, from, until, q.Limit, time, key)
		if err != nil {
			return nil, s.failure(err)
		}
		if pages[i], err = s.timeSeriesRows(rows, p.URN, q.Aspect, 0); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// ofAll reads values of all entities, the newest first, in the order of an index.
const ofAll = `SELECT (SELECT urn FROM entity WHERE id = t.entity), t.entity, t.timestamp, t.key, t.created_on, t.created_by, t.last_observed, t.run,
		t.registry, t.properties, t.value
	FROM timeseries t INDEXED BY timeseries_of_all WHERE t.aspect = ?1 AND t.timestamp >= ?2 AND `

// TimeSeriesOfAll returns values of all entities.
func (s *Store) TimeSeriesOfAll(ctx context.Context, q graphstore.SeriesOfAll) ([]graphstore.TimeSeriesValue, string, error) {
	values := []graphstore.TimeSeriesValue{}
	aspect := s.names.aspectID(q.Aspect)
	if aspect == 0 || q.Limit <= 0 {
		return values, "", s.open()
	}
	from, to := graphstore.TimeBounds(q.From, q.To)
	query, args := ofAll+"t.timestamp <= ?4", []any{aspect, from, q.Limit + 1, to}
	if q.After != "" {
		var time, entity int64
		key, err := placeOfAll(q.After, &time, &entity)
		if err != nil {
			return nil, "", err
		}
		query, args = ofAll+"(t.timestamp, t.entity, t.key) < (?4, ?5, ?6)", []any{aspect, from, q.Limit + 1, time, entity, key}
	}
	rows, err := s.readers.QueryContext(ctx, query+" ORDER BY t.timestamp DESC, t.entity DESC, t.key DESC LIMIT ?3+0", args...)
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer rows.Close()
	var entity int64
	next := ""
	for rows.Next() {
		if len(values) == q.Limit {
			last := &values[len(values)-1]
			next = fmt.Sprintf("%d %d %s", last.Timestamp, entity, last.Key)
			break
		}
		v := graphstore.TimeSeriesValue{Aspect: q.Aspect}
		if err := s.names.scanTimeSeries(&v, rows, &v.URN, &entity); err != nil {
			return nil, "", s.failure(err)
		}
		values = append(values, v)
	}
	return values, next, s.failure(rows.Err())
}

// placeOfAll parses the place after a page of values of all entities.
func placeOfAll(after string, time, entity *int64) (key string, err error) {
	first, rest, _ := strings.Cut(after, " ")
	second, key, ok := strings.Cut(rest, " ")
	*time, err = strconv.ParseInt(first, 10, 64)
	if err == nil {
		*entity, err = strconv.ParseInt(second, 10, 64)
	}
	if err != nil || !ok {
		return "", fmt.Errorf("%.100q: %w", after, graphstore.ErrBadCursor)
	}
	return key, nil
}

// timeSeriesRows reads rows of values, and closes the rows.
func (s *Store) timeSeriesRows(rows *sql.Rows, urn, aspect string, most int) ([]graphstore.TimeSeriesValue, error) {
	defer rows.Close()
	values, size := []graphstore.TimeSeriesValue{}, 0
	for rows.Next() {
		v := graphstore.TimeSeriesValue{URN: urn, Aspect: aspect}
		if err := s.names.scanTimeSeries(&v, rows); err != nil {
			return nil, s.failure(err)
		}
		values = append(values, v)
		if size += len(v.Value); most > 0 && size >= most {
			break
		}
	}
	return values, s.failure(rows.Err())
}
