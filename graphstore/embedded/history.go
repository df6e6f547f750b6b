package embedded

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

// CountTimeSeries counts the values in a range.
func (s *Store) CountTimeSeries(ctx context.Context, r graphstore.TimeSeriesRange) (int64, error) {
	aspect, run, ok, err := s.names.ofRange(&r)
	if err != nil {
		return 0, s.failure(err)
	}
	if !ok {
		return 0, s.open()
	}
	from, to := graphstore.TimeBounds(r.From, r.To)
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	var count int64
	err = s.lists.QueryRowContext(ctx, `SELECT count(*) FROM entity e JOIN timeseries t ON t.entity = e.id
		WHERE e.urn = ?1 AND (?2 = 0 OR t.aspect = ?2) AND t.timestamp BETWEEN ?3 AND ?4 AND (?5 = 0 OR t.run = ?5)`,
		r.URN, aspect, from, to, run).Scan(&count)
	return count, s.failure(err)
}

// Holdings counts the versions and values of entities.
func (s *Store) Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	found, err := holdings(ctx, s.readers, s.names, urns)
	return found, s.failure(err)
}

// Holdings counts the versions and values of entities.
func (t *tx) Holdings(urns []string) (map[string]graphstore.Holdings, error) {
	if t.over {
		return nil, errOver
	}
	found, err := holdings(background, t.w.conn, t.w.names, urns)
	return found, storeError(err)
}

func holdings(ctx context.Context, q querier, n *names, urns []string) (map[string]graphstore.Holdings, error) {
	found := map[string]graphstore.Holdings{}
	if len(urns) == 0 {
		return found, nil
	}
	rows, err := q.QueryContext(ctx, `SELECT e.urn, 0,
			(SELECT count(*) FROM latest l WHERE l.id BETWEEN e.id * 4096 AND e.id * 4096 + 4095) +
			(SELECT count(*) FROM version v WHERE v.aspect BETWEEN e.id * 4096 AND e.id * 4096 + 4095)
		FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value
		UNION ALL SELECT e.urn, t.aspect, count(*)
		FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value CROSS JOIN timeseries t ON t.entity = e.id GROUP BY e.id, t.aspect`, listJSON(urns))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var urn string
		var aspect, count int64
		if err := rows.Scan(&urn, &aspect, &count); err != nil {
			return nil, err
		}
		h := found[urn]
		switch {
		case count == 0:
			continue
		case aspect == 0:
			h.Versions = count
		default:
			if h.TimeSeries == nil {
				h.TimeSeries = map[string]int64{}
			}
			h.TimeSeries[n.aspect(aspect)] = count
		}
		found[urn] = h
	}
	return found, rows.Err()
}

// History returns all that is stored of entities except their time series, from one snapshot of
// the database.
func (s *Store) History(ctx context.Context, urns []string) (map[string]graphstore.History, error) {
	found := map[string]graphstore.History{}
	if len(urns) == 0 {
		return found, s.open()
	}
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	tx, err := s.lists.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, s.failure(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	for _, read := range []func(context.Context, querier, string, map[string]graphstore.History) error{s.allVersions, s.allStatements} {
		if err := read(ctx, tx, listJSON(urns), found); err != nil {
			return nil, s.failure(err)
		}
	}
	return found, nil
}

// HistoryBytes adds up the sizes of versions. The database does not read the values for it.
func (s *Store) HistoryBytes(ctx context.Context, urns []string) (map[string]int64, error) {
	found := map[string]int64{}
	if len(urns) == 0 {
		return found, s.open()
	}
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	rows, err := s.lists.QueryContext(ctx, `SELECT urn, sum(bytes) FROM (
			SELECT e.urn AS urn, octet_length(l.value) AS bytes
			FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value CROSS JOIN latest l ON l.id BETWEEN e.id * 4096 AND e.id * 4096 + 4095
			UNION ALL SELECT e.urn, octet_length(v.value)
			FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value CROSS JOIN version v ON v.aspect BETWEEN e.id * 4096 AND e.id * 4096 + 4095
		) GROUP BY urn`, listJSON(urns))
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var urn string
		var bytes int64
		if err := rows.Scan(&urn, &bytes); err != nil {
			return nil, s.failure(err)
		}
		found[urn] = bytes
	}
	return found, s.failure(rows.Err())
}

func (s *Store) allVersions(ctx context.Context, q querier, urns string, into map[string]graphstore.History) error {
	rows, err := q.QueryContext(ctx, `
		SELECT e.urn, l.id, 1, n.text, l.seq, l.created_on, l.created_by, l.last_observed, l.run, l.registry, l.properties,
			l.last_run, l.made_on, l.made_by, l.value
		FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value CROSS JOIN latest l ON l.id BETWEEN e.id * 4096 AND e.id * 4096 + 4095
		JOIN name n ON n.id = l.id % 4096
		UNION ALL
		SELECT e.urn, v.aspect, 0, n.text, v.seq, v.created_on, v.created_by, v.last_observed, v.run, v.registry, v.properties,
			v.last_run, v.made_on, v.made_by, v.value
		FROM json_each(?1) j CROSS JOIN entity e ON e.urn = j.value CROSS JOIN version v ON v.aspect BETWEEN e.id * 4096 AND e.id * 4096 + 4095
		JOIN name n ON n.id = v.aspect % 4096
		ORDER BY 1, 4, 5`, urns)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			a      graphstore.Aspect
			id     int64
			latest bool
			name   string
		)
		if err := s.names.scanAspect(&a, rows, &a.URN, &id, &latest, &name); err != nil {
			return err
		}
		a.Name = strings.TrimPrefix(name, aspectPrefix)
		a.Version = graphstore.VersionNumber(a.Seq, latest)
		h := into[a.URN]
		h.Versions = append(h.Versions, a)
		into[a.URN] = h
	}
	return rows.Err()
}

// statementColumns are the columns of a statement x with the owner o that scanStatement reads,
// except its end. statementEnds joins the ends of its edge.
const (
	statementColumns = `o.urn, src.urn, src.type, x.type, dst.urn, dst.type, x.aspect, x.path, x.since, x.since_run, x.since_actor,
		x.created_on, x.created_actor, x.updated_on, x.updated_actor, x.properties, x.via, x.resumed, x.resumed_actor`
	statementEnds = " JOIN entity src ON src.id = x.src JOIN entity dst ON dst.id = x.dst "
)

func (s *Store) allStatements(ctx context.Context, q querier, urns string, into map[string]graphstore.History) error {
	const columns, ends = statementColumns, statementEnds
	rows, err := q.QueryContext(ctx, `
		SELECT `+columns+`, 0, 0, 0 FROM json_each(?1) j CROSS JOIN entity o ON o.urn = j.value
		CROSS JOIN edge x ON x.src = o.id AND x.owner = o.id`+ends+`
		UNION ALL
		SELECT `+columns+`, 0, 0, 0 FROM json_each(?1) j CROSS JOIN entity o ON o.urn = j.value
		CROSS JOIN edge x INDEXED BY edge_stated_elsewhere ON x.owner = o.id AND x.owner <> x.src`+ends+`
		UNION ALL
		SELECT `+columns+`, x.until, x.until_run, x.until_actor FROM json_each(?1) j CROSS JOIN entity o ON o.urn = j.value
		CROSS JOIN ended_edge x INDEXED BY ended_edge_owner ON x.owner = o.id`+ends, urns)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := s.names.scanStatement(rows)
		if err != nil {
			return err
		}
		h := into[e.Owner]
		h.Add(e)
		into[e.Owner] = h
	}
	for urn, h := range into {
		h.Sort()
		into[urn] = h
	}
	return rows.Err()
}

// Ended returns the ended statements that were current at the given moments.
func (t *tx) Ended(asked []graphstore.StatementAt) ([]*graphstore.EndedStatement, error) {
	if t.over {
		return nil, errOver
	}
	found := make([]*graphstore.EndedStatement, len(asked))
	for i := range asked {
		s, ids := &asked[i], [3]int64{}
		for k, urn := range []string{s.Source, s.Destination, s.Owner} {
			id, err := t.w.entityID(urn)
			if err != nil {
				return nil, err
			}
			ids[k] = id
		}
		var edgeType, path int64
		if err := t.w.names.findAll(numbered{&edgeType, s.Type}, numbered{&path, s.Path}); err != nil {
			return nil, storeError(err)
		}
		e, err := t.w.names.scanStatement(t.w.stmts.endedAt.QueryRowContext(background,
			ids[0], edgeType, ids[1], ids[2], t.w.names.aspectID(s.Aspect), path, s.At))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, storeError(err)
		}
		found[i] = &e
	}
	return found, nil
}

// scanStatement reads a statement. Until is 0 if the statement is current.
func (n *names) scanStatement(row scanner) (graphstore.EndedStatement, error) {
	var (
		e                                                              graphstore.EndedStatement
		sourceType, edgeType, destinationType, aspect, path            int64
		sinceRun, sinceActor, createdActor, updatedActor, untilRun, by int64
		properties, via                                                sql.NullString
		resumed, resumedActor                                          sql.NullInt64
	)
	if err := row.Scan(&e.Owner, &e.Source, &sourceType, &edgeType, &e.Destination, &destinationType, &aspect, &path,
		&e.Since, &sinceRun, &sinceActor, &e.CreatedOn, &createdActor, &e.UpdatedOn, &updatedActor, &properties, &via, &resumed, &resumedActor,
		&e.Until, &untilRun, &by); err != nil {
		return e, err
	}
	e.Aspect, e.Resumed, e.Properties, e.Via = n.aspect(aspect), resumed.Int64, raw(properties), via.String
	return e, n.fill(named{&e.SourceType, sourceType}, named{&e.Type, edgeType}, named{&e.DestinationType, destinationType}, named{&e.Path, path},
		named{&e.SinceRun, sinceRun}, named{&e.SinceActor, sinceActor}, named{&e.ResumedActor, resumedActor.Int64},
		named{&e.CreatedActor, createdActor}, named{&e.UpdatedActor, updatedActor}, named{&e.UntilRun, untilRun}, named{&e.UntilActor, by})
}
