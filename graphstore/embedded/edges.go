package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// smallEdgeSet bounds the statements that are sorted and merged in memory. For entities with
// more statements (hubs), the database sorts them, page by page.
const smallEdgeSet = 2000

// edgeSource is the part of a query that selects the statements of an entity: the current
// statements or, if the query is about a moment, the statements that were current then.
type edgeSource struct {
	text string
	args []any
}

// Edges returns the edges of entities. Edges runs a query for each entity: one query for all
// would not be faster, because the database is in the process.
func (s *Store) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	pages := make(map[string]graphstore.EdgePage, len(q.URNs))
	for _, urn := range q.URNs {
		page := graphstore.EdgePage{Edges: []graphstore.Edge{}}
		wanted, some, err := s.wantedOf(urn, &q)
		if err != nil {
			return nil, s.failure(err)
		}
		if some {
			if page, err = s.edgesOf(ctx, urn, q, wanted); err != nil {
				return nil, err
			}
		}
		pages[urn] = page
	}
	return pages, s.open()
}

// wanted has the relationships that a query asks for, nil for all, and the types of the other
// end as "relationship:type", nil for any.
type wanted struct {
	types []int64
	ends  []string
}

// wantedOf returns the relationships and ends that a query asks for of an entity. wantedOf
// returns false if the query asks for none.
func (s *Store) wantedOf(urn string, q *graphstore.EdgeQuery) (w wanted, some bool, err error) {
	for _, name := range q.Types {
		id, err := s.names.find(name)
		if err != nil {
			return w, false, err
		}
		if id != 0 {
			w.types = append(w.types, id)
		}
	}
	for _, kind := range q.KindsOf(urn) {
		var name, far int64
		if err := s.names.findAll(numbered{&name, kind.Type}, numbered{&far, kind.FarType()}); err != nil {
			return w, false, err
		}
		if name == 0 || far == 0 {
			continue
		}
		w.types, w.ends = append(w.types, name), append(w.ends, fmt.Sprintf("%d:%d", name, far))
	}
	return w, len(w.types) > 0 || len(q.Types)+len(q.Kinds) == 0, nil
}

func (s *Store) edgesOf(ctx context.Context, urn string, q graphstore.EdgeQuery, w wanted) (graphstore.EdgePage, error) {
	entity, err := s.entityID(ctx, urn)
	if err != nil || entity == 0 {
		return graphstore.EdgePage{Edges: []graphstore.Edge{}}, err
	}
	source, err := statementsOf(entity, q, w)
	if err != nil {
		return graphstore.EdgePage{}, err
	}
	edges, err := s.statementEdges(ctx, s.readers, urn, q, source, fmt.Sprintf(" LIMIT ?%d+0", len(source.args)+1), smallEdgeSet+1)
	if err != nil {
		return graphstore.EdgePage{}, err
	}
	if len(edges) <= smallEdgeSet {
		edges = graphstore.MergeEdges(edges, q.Direction)
		return graphstore.EdgePage{Edges: q.Cut(edges), Total: int64(len(edges))}, nil
	}
	return s.hubEdges(ctx, urn, q, source)
}

// farEnd returns the columns of the near and the far end of an edge.
func farEnd(d graphstore.Direction) (near, far string) {
	if d == graphstore.Incoming {
		return "dst", "src"
	}
	return "src", "dst"
}

func statementsOf(entity int64, q graphstore.EdgeQuery, w wanted) (edgeSource, error) {
	near, far := farEnd(q.Direction)
	where := " WHERE " + near + " = ?1"
	source := edgeSource{args: []any{entity, nil, nil, nil}}
	if len(w.types) > 0 {
		text, err := json.Marshal(w.types)
		if err != nil {
			return source, err
		}
		where += " AND type IN (SELECT value FROM json_each(?2))"
		source.args[1] = string(text)
	}
	if len(w.ends) > 0 {
		text, err := json.Marshal(w.ends)
		if err != nil {
			return source, err
		}
		where += " AND type || ':' || (SELECT f.type FROM entity f WHERE f.id = " + far + ") IN (SELECT value FROM json_each(?3))"
		source.args[2] = string(text)
	}
	columns := `SELECT src, type, dst, owner, since, since_run, since_actor, created_on, created_actor, updated_on, updated_actor, properties, via, resumed, resumed_actor, `
	source.text = columns + "0 AS until, 0 AS until_run, 0 AS until_actor FROM edge" + where
	if q.AsOf != 0 {
		source.args[3] = q.AsOf
		source.text += " AND coalesce(resumed, since) <= ?4 UNION ALL " + columns + "until, until_run, until_actor FROM ended_edge" + where +
			" AND coalesce(resumed, since) <= ?4 AND until > ?4"
	}
	return source, nil
}

// statementEdges reads statements as edges. The text tail and its arguments end the query.
func (s *Store) statementEdges(ctx context.Context, from querier, urn string, q graphstore.EdgeQuery, source edgeSource, tail string, tailArgs ...any) ([]graphstore.Edge, error) {
	_, far := farEnd(q.Direction)
	query := `SELECT x.type, e.urn, e.id, x.owner, x.since, x.since_run, x.since_actor, x.created_on, x.created_actor,
			x.updated_on, x.updated_actor, x.properties, x.via, x.resumed, x.resumed_actor, x.until, x.until_run, x.until_actor
		FROM (` + source.text + `) x JOIN entity e ON e.id = x.` + far + tail
	rows, err := from.QueryContext(ctx, query, append(slices.Clone(source.args), tailArgs...)...)
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	edges := []graphstore.Edge{}
	owners := map[int64]string{source.args[0].(int64): urn}
	var unknown []edgeOwner
	for rows.Next() {
		var row edgeRow
		var other string
		if err := rows.Scan(append([]any{&row.typeID, &other, &row.otherID}, row.rest()...)...); err != nil {
			return nil, s.failure(err)
		}
		e, err := row.edge(s.names)
		if err != nil {
			return nil, s.failure(err)
		}
		otherID, owner := row.otherID, row.owner
		e.Source, e.Destination = urn, other
		if q.Direction == graphstore.Incoming {
			e.Source, e.Destination = other, urn
		}
		switch {
		case owner == otherID:
			e.Owners = []string{other}
		case owners[owner] != "":
			e.Owners = []string{owners[owner]}
		default:
			unknown = append(unknown, edgeOwner{len(edges), owner})
		}
		edges = append(edges, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.failure(err)
	}
	return edges, s.nameOwners(ctx, edges, unknown, owners)
}

// edgeRow is the row of a statement while it is scanned.
type edgeRow struct {
	typeID, otherID, owner, createdActor, updatedActor int64
	sinceRun, sinceActor, untilRun, untilActor         int64
	properties, via                                    sql.NullString
	resumed, resumedActor                              sql.NullInt64
	stated                                             graphstore.Edge
}

// endColumns is the number of columns that tell of the end of an edge, the last ones of rest.
const endColumns = 3

// rest returns the scan targets for the columns from the owner on.
func (r *edgeRow) rest() []any {
	e := &r.stated
	return []any{
		&r.owner, &e.Since, &r.sinceRun, &r.sinceActor, &e.CreatedOn, &r.createdActor, &e.UpdatedOn, &r.updatedActor,
		&r.properties, &r.via, &r.resumed, &r.resumedActor, &e.Until, &r.untilRun, &r.untilActor,
	}
}

// read reads the columns from the owner on from a row of a point, as many as there are.
func (r *edgeRow) read(row sqlite.Row) {
	e := &r.stated
	r.owner, e.Since, r.sinceRun, r.sinceActor = row.Int(0), row.Int(1), row.Int(2), row.Int(3)
	e.CreatedOn, r.createdActor, e.UpdatedOn, r.updatedActor = row.Int(4), row.Int(5), row.Int(6), row.Int(7)
	r.properties = sql.NullString{String: row.Text(8), Valid: row.Text(8) != ""}
	r.via.String = row.Text(9)
	r.resumed.Int64, r.resumedActor.Int64 = row.Int(10), row.Int(11)
	if len(row) > 12 {
		e.Until, r.untilRun, r.untilActor = row.Int(12), row.Int(13), row.Int(14)
	}
}

// edge returns the edge of the statement, without its ends and its owner.
func (r *edgeRow) edge(n *names) (graphstore.Edge, error) {
	e := r.stated
	err := n.fill(named{&e.Type, r.typeID}, named{&e.CreatedActor, r.createdActor}, named{&e.UpdatedActor, r.updatedActor},
		named{&e.SinceRun, r.sinceRun}, named{&e.SinceActor, r.sinceActor}, named{&e.ResumedActor, r.resumedActor.Int64},
		named{&e.UntilRun, r.untilRun}, named{&e.UntilActor, r.untilActor})
	e.Resumed = r.resumed.Int64
	if r.properties.Valid {
		e.Properties = json.RawMessage(r.properties.String)
	}
	e.Via = r.via.String
	return e, err
}

// edgeOwner is an edge, by its index, and the id of the owner of its statement.
type edgeOwner struct {
	edge  int
	owner int64
}

// nameOwners sets the URNs of owners that are not ends of their edges, as in lineage between
// columns.
func (s *Store) nameOwners(ctx context.Context, edges []graphstore.Edge, unknown []edgeOwner, known map[int64]string) error {
	var missing []int64
	for _, u := range unknown {
		if _, ok := known[u.owner]; !ok {
			known[u.owner] = ""
			missing = append(missing, u.owner)
		}
	}
	if err := s.nameEntities(ctx, missing, known); err != nil {
		return err
	}
	for _, u := range unknown {
		edges[u.edge].Owners = []string{known[u.owner]}
	}
	return nil
}

// hubEdges lets the database sort the edges to find the page, and then reads the statements of
// the page.
func (s *Store) hubEdges(ctx context.Context, urn string, q graphstore.EdgeQuery, source edgeSource) (graphstore.EdgePage, error) {
	leave, err := s.lists.lane.Enter(ctx)
	if err != nil {
		return graphstore.EdgePage{}, err
	}
	defer leave()
	_, far := farEnd(q.Direction)
	var total int64
	count := "SELECT count(*) FROM (SELECT DISTINCT type, " + far + " FROM (" + source.text + "))"
	if err := s.lists.QueryRowContext(ctx, count, source.args...).Scan(&total); err != nil {
		return graphstore.EdgePage{}, s.failure(err)
	}
	if q.Count <= 0 {
		return graphstore.EdgePage{Edges: []graphstore.Edge{}, Total: total}, nil
	}
	n := len(source.args)
	page := fmt.Sprintf(` WHERE (x.type, x.%[1]s) IN (
		SELECT DISTINCT k.type, k.%[1]s FROM (%[2]s) k JOIN entity o ON o.id = k.%[1]s JOIN name t ON t.id = k.type
		ORDER BY t.text, o.urn LIMIT ?%[3]d+0 OFFSET ?%[4]d)`, far, source.text, n+1, n+2)
	edges, err := s.statementEdges(ctx, s.lists, urn, q, source, page, q.Count, max(q.Start, 0))
	if err != nil {
		return graphstore.EdgePage{}, err
	}
	return graphstore.EdgePage{Edges: graphstore.MergeEdges(edges, q.Direction), Total: total}, nil
}
