package embedded

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// querier is the common part of both kinds of connections.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// listJSON returns a list of texts as one parameter, for json_each.
func listJSON(texts []string) string {
	text, err := json.Marshal(texts)
	if err != nil {
		return "[]" // strings always encode
	}
	return string(text)
}

// Entities returns the nodes of the URNs that have one.
func (s *Store) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	entities := []graphstore.Entity{}
	if len(urns) == 0 {
		return entities, s.open()
	}
	rows, err := s.readers.QueryContext(ctx, `SELECT e.urn, e.type, e.state, e.removed, e.properties
		FROM json_each(?) j JOIN entity e ON e.urn = j.value WHERE e.state > 0 ORDER BY j.key`, listJSON(urns))
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var (
			e              graphstore.Entity
			typeID, state  int64
			propertiesText sql.NullString
		)
		if err := rows.Scan(&e.URN, &typeID, &state, &e.Removed, &propertiesText); err != nil {
			return nil, s.failure(err)
		}
		if e.Type, err = s.names.text(typeID); err != nil {
			return nil, s.failure(err)
		}
		e.Exists = state == stateExists
		if propertiesText.Valid {
			if err := json.Unmarshal([]byte(propertiesText.String), &e.Properties); err != nil {
				return nil, err
			}
		}
		entities = append(entities, e)
	}
	return entities, s.failure(rows.Err())
}

func (s *Store) open() error {
	if s.isClosed() {
		return graphstore.ErrClosed
	}
	return nil
}

// LatestAspects returns the latest versions of aspects of several entities.
func (s *Store) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	if len(urns) == 1 && len(names) <= fewAspects {
		return s.latestOfOne(ctx, urns[0], names)
	}
	found := make(map[string][]graphstore.Aspect, len(urns))
	ids := make([]int64, 0, len(names))
	for _, name := range names {
		if id := s.names.aspectID(name); id != 0 {
			ids = append(ids, id)
		}
	}
	if len(urns) == 0 || len(names) > 0 && len(ids) == 0 {
		return found, s.open()
	}
	query := `SELECT e.urn, l.id, l.seq, l.created_on, l.created_by, l.last_observed, l.run, l.registry, l.properties,
		l.last_run, l.made_on, l.made_by, l.value
		FROM json_each(?1) j JOIN entity e ON e.urn = j.value
		JOIN latest l ON l.id BETWEEN e.id * 4096 AND e.id * 4096 + 4095`
	args := []any{listJSON(urns)}
	if len(names) > 0 {
		query = `SELECT e.urn, l.id, l.seq, l.created_on, l.created_by, l.last_observed, l.run, l.registry, l.properties,
		l.last_run, l.made_on, l.made_by, l.value
			FROM json_each(?1) j JOIN entity e ON e.urn = j.value
			CROSS JOIN json_each(?2) n JOIN latest l ON l.id = e.id * 4096 + n.value`
		text, err := json.Marshal(ids)
		if err != nil {
			return nil, err
		}
		args = append(args, string(text))
	}
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var a graphstore.Aspect
		var id int64
		if err := s.names.scanAspect(&a, rows, &a.URN, &id); err != nil {
			return nil, s.failure(err)
		}
		a.Name = s.names.aspect(id % maxAspectNames)
		found[a.URN] = append(found[a.URN], a)
	}
	return found, s.failure(rows.Err())
}

// AspectVersion returns one version.
func (s *Store) AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	id, err := s.aspectID(ctx, key)
	if err != nil || id == 0 {
		return graphstore.Aspect{}, false, err
	}
	a, ok, err := s.names.findVersion(key, id, version, func(text string, each func(sqlite.Row) error, args ...any) error {
		return s.points.each(ctx, text, each, args...)
	})
	return a, ok, s.failure(err)
}

// findVersion finds a version of the aspect whose row in latest has, or would have, the id. The
// function read runs a query.
func (n *names) findVersion(key graphstore.AspectKey, id, version int64, read func(text string, each func(sqlite.Row) error, args ...any) error) (graphstore.Aspect, bool, error) {
	return graphstore.FindVersion(version, func(place graphstore.VersionPlace) (graphstore.Aspect, bool, error) {
		text, args := readLatest, []any{id}
		switch {
		case place.Latest:
		case place.Seq > 0:
			text, args = "SELECT "+aspectColumns+" FROM version WHERE aspect = ? AND seq = ?", append(args, place.Seq)
		default:
			text = `SELECT ` + aspectColumns + ` FROM version WHERE aspect = ?
				AND seq = (SELECT max(seq) FROM version WHERE aspect = ?) + ? + 1`
			args = append(args, id, place.FromEnd)
		}
		a, found := graphstore.Aspect{URN: key.URN, Name: key.Name}, false
		err := read(text, func(row sqlite.Row) error {
			found = true
			return n.aspectOf(&a, row)
		}, args...)
		return a, found, err
	})
}

// AspectVersions returns the versions of an aspect, newest first.
func (s *Store) AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	versions := []graphstore.Aspect{}
	id, err := s.aspectID(ctx, key)
	if err != nil || id == 0 || page.Count <= 0 {
		return versions, err
	}
	rows, err := s.readers.QueryContext(ctx, `SELECT 1, seq, `+versionStamps+` FROM latest WHERE id = ?1
		UNION ALL SELECT 0, seq, `+versionStamps+` FROM version WHERE aspect = ?1
		ORDER BY 1 DESC, 2 DESC LIMIT ?2+0 OFFSET ?3`, id, page.Count, page.Start)
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	size := 0
	for rows.Next() {
		a := graphstore.Aspect{URN: key.URN, Name: key.Name}
		var isLatest bool
		if err := s.names.scanAspect(&a, rows, &isLatest); err != nil {
			return nil, s.failure(err)
		}
		a.Version = graphstore.VersionNumber(a.Seq, isLatest)
		versions = append(versions, a)
		if size += len(a.Value); page.Bytes > 0 && size >= page.Bytes {
			break
		}
	}
	return versions, s.failure(rows.Err())
}

// ListEntities returns the entities of a type that exist.
func (s *Store) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	typeID, err := s.names.find(entityType)
	if err != nil {
		return nil, 0, s.failure(err)
	}
	if typeID == 0 {
		return []string{}, 0, s.open()
	}
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	var total int64
	err = s.lists.QueryRowContext(ctx, "SELECT count(*) FROM entity WHERE type = ? AND state = ?", typeID, stateExists).Scan(&total)
	if err != nil || page.Count <= 0 {
		return []string{}, total, s.failure(err)
	}
	urns, err := s.urns(ctx, s.lists, "SELECT urn FROM entity WHERE type = ? AND state = ? ORDER BY urn LIMIT ?+0 OFFSET ?", typeID, stateExists, page.Count, page.Start)
	return urns, total, err
}

// ScanEntities lists the entities of all types by URN.
func (s *Store) ScanEntities(ctx context.Context, after string, limit int) ([]string, error) {
	return s.listURNs(ctx, "SELECT urn FROM entity WHERE urn > ? AND state = ? ORDER BY urn LIMIT ?+0", after, stateExists, max(limit, 0))
}

// ScanNodes lists all nodes by URN.
func (s *Store) ScanNodes(ctx context.Context, after string, limit int) ([]string, error) {
	return s.listURNs(ctx, "SELECT urn FROM entity WHERE urn > ? AND state > 0 ORDER BY urn LIMIT ?+0", after, max(limit, 0))
}

// WithPrefix finds nodes by the beginning of their URN.
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	// No byte of a URN is 0xff, so prefix+"\xff" is greater than all URNs with the prefix.
	return s.listURNs(ctx, "SELECT urn FROM entity WHERE urn >= ? AND urn < ? AND state > 0 ORDER BY urn LIMIT ?+0", prefix, prefix+"\xff", max(limit, 0))
}

// listURNs runs a query for URNs in the lane of listings.
func (s *Store) listURNs(ctx context.Context, query string, args ...any) ([]string, error) {
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.urns(ctx, s.lists, query, args...)
}

// urns runs a query for URNs.
func (s *Store) urns(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	urns := []string{}
	for rows.Next() {
		var urn string
		if err := rows.Scan(&urn); err != nil {
			return nil, s.failure(err)
		}
		urns = append(urns, urn)
	}
	return urns, s.failure(rows.Err())
}

// CountAspects counts the latest versions of an aspect by URN pattern.
func (s *Store) CountAspects(ctx context.Context, aspect, urnLike string) (int64, error) {
	name := s.names.aspectID(aspect)
	if name == 0 {
		return 0, s.open()
	}
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	if urnLike != "" {
		return s.countLike(ctx, name, graphstore.ParseLike(urnLike))
	}
	var count int64
	// The index latest_by_run has every id, and is far smaller than the table.
	err = s.lists.QueryRowContext(ctx, "SELECT count(*) FROM latest INDEXED BY latest_by_run WHERE id % 4096 = ?", name).Scan(&count)
	return count, s.failure(err)
}

// countLike compares the URNs with the prefix of the pattern one by one.
func (s *Store) countLike(ctx context.Context, name int64, like *graphstore.Like) (count int64, err error) {
	query := `SELECT e.urn FROM latest l INDEXED BY latest_by_run JOIN entity e ON e.id = l.id / 4096 WHERE l.id % 4096 = ?`
	args := []any{name}
	if prefix := like.Prefix(); prefix != "" {
		// No byte of a URN is 0xff, so prefix+"\xff" is greater than all URNs with the prefix.
		query = `SELECT e.urn FROM entity e WHERE e.urn >= ?2 AND e.urn < ?3 AND EXISTS (SELECT 1 FROM latest l WHERE l.id = e.id * 4096 + ?1)`
		args = append(args, prefix, prefix+"\xff")
	}
	rows, err := s.lists.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, s.failure(err)
	}
	defer rows.Close()
	var urn string
	for rows.Next() {
		if err := rows.Scan(&urn); err != nil {
			return 0, s.failure(err)
		}
		if like.Match(urn) {
			count++
		}
	}
	return count, s.failure(rows.Err())
}

// TimeSeries returns stored values by time.
func (s *Store) TimeSeries(ctx context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	values := []graphstore.TimeSeriesValue{}
	id, err := s.aspectID(ctx, graphstore.AspectKey{URN: q.URN, Name: q.Aspect})
	if err != nil || id == 0 || q.Limit <= 0 {
		return values, err
	}
	from, to := graphstore.TimeBounds(q.From, q.To)
	query := `SELECT timestamp, key, created_on, created_by, last_observed, run, registry, properties, value
		FROM timeseries WHERE entity = ?1 AND aspect = ?2 AND timestamp BETWEEN ?3 AND ?4`
	args := []any{id / maxAspectNames, id % maxAspectNames, from, to, q.Limit}
	comparison, order := "<", "DESC"
	if q.Ascending {
		comparison, order = ">", "ASC"
	}
	if q.After != nil {
		query += " AND (timestamp " + comparison + " ?6 OR timestamp = ?6 AND key > ?7)"
		args = append(args, q.After.Timestamp, q.After.Key)
	}
	query += " ORDER BY timestamp " + order + ", key LIMIT ?5+0"
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.failure(err)
	}
	return s.timeSeriesRows(rows, q.URN, q.Aspect, q.Bytes)
}

// scanTimeSeries reads "timestamp, key, <stampColumns>".
func (n *names) scanTimeSeries(v *graphstore.TimeSeriesValue, row scanner, before ...any) error {
	var s systemRow
	var value string
	if err := row.Scan(append(before, &v.Timestamp, &v.Key, &v.CreatedOn, &s.createdBy, &v.System.LastObserved, &s.run,
		&s.registry, &s.properties, &value)...); err != nil {
		return err
	}
	var err error
	v.Value = json.RawMessage(value)
	if v.CreatedBy, err = n.text(s.createdBy); err != nil {
		return err
	}
	return n.fillSystem(&v.System, s)
}

// LatestTimeSeries returns the newest values of aspects.
func (s *Store) LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error) {
	found := map[string][]graphstore.TimeSeriesValue{}
	ids := make([]int64, 0, len(aspects))
	for _, name := range aspects {
		if id := s.names.aspectID(name); id != 0 {
			ids = append(ids, id)
		}
	}
	if len(urns) == 0 || len(ids) == 0 {
		return found, s.open()
	}
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, `SELECT e.urn, t.aspect, t.timestamp, t.key, t.created_on, t.created_by, t.last_observed, t.run,
			t.registry, t.properties, t.value
		FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value CROSS JOIN json_each(?2) n
		CROSS JOIN timeseries t ON t.rowid = (SELECT x.rowid FROM timeseries x WHERE x.entity = e.id AND x.aspect = n.value
			ORDER BY x.timestamp DESC, x.key LIMIT 1)`, listJSON(urns), string(wanted))
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v graphstore.TimeSeriesValue
		var aspect int64
		if err := s.names.scanTimeSeries(&v, rows, &v.URN, &aspect); err != nil {
			return nil, s.failure(err)
		}
		v.Aspect = s.names.aspect(aspect)
		found[v.URN] = append(found[v.URN], v)
	}
	return found, s.failure(rows.Err())
}
