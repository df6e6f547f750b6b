package embedded

import (
	"context"
	"database/sql"
	"errors"

	"github.com/headwater-io/headwater/graphstore"
)

// newestOf reads values of one entity after a place, newest first. The index is
// ordered by time, and the keys of one time are sorted.
const newestOf = `SELECT timestamp, key, created_on, created_by, last_observed, run, registry, properties, value
	FROM timeseries WHERE entity = (SELECT id FROM entity WHERE urn = ?1) AND aspect = ?2 AND timestamp BETWEEN ?3 AND ?4
		AND (?6 IS NULL OR timestamp < ?6 OR timestamp = ?6 AND key > ?7)
	ORDER BY timestamp DESC, key LIMIT ?5+0`

// TimeSeriesOfMany returns the newest values of several entities, over one
// connection.
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
		// Values newer than the place need not be read.
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

// timeSeriesRows reads rows of values and closes them.
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
