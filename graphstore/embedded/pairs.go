package embedded

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// pairRows bounds the edges that one statement reads.
const pairRows = 5000

// EdgesBetween reads the edges of pairs.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	found := make(map[graphstore.Pair][]graphstore.Edge, len(q.Pairs))
	if err := s.open(); err != nil || len(q.Pairs) == 0 {
		return found, err
	}
	ids := make(map[string]int64, len(q.Pairs)+1)
	urns := make([]string, 0, len(q.Pairs)+1)
	for _, pair := range q.Pairs { // most entities are in several pairs
		for _, urn := range []string{pair.From, pair.To} {
			if _, known := ids[urn]; !known {
				ids[urn] = 0
				urns = append(urns, urn)
			}
		}
	}
	nodes, err := s.locate(ctx, urns)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		ids[urns[n.place]] = n.id
	}
	asked, err := s.askedEdges(&q, ids)
	if err != nil {
		return nil, err
	}
	for relationship, edges := range asked {
		slices.SortFunc(edges, compareAsked)
		for some := range slices.Chunk(edges, pairRows) {
			if err := s.readPairs(ctx, &q, relationship, some, ids, found); err != nil {
				return nil, err
			}
		}
	}
	for pair, edges := range found {
		if len(edges) > 1 {
			found[pair] = graphstore.MergePair(edges)
		}
	}
	return found, nil
}

// locate finds entities with their indexes in a list.
func (s *Store) locate(ctx context.Context, urns []string) ([]located, error) {
	epoch := s.memory.now()
	found, err := s.memory.locate(urns, func(list string) (map[int64]nodeMemory, error) {
		rows, err := s.readers.QueryContext(ctx, nodesByURN, list)
		if err != nil {
			return nil, err
		}
		return s.scanNodes(rows, epoch)
	})
	return found, s.failure(err)
}

// askedEdge is a possible edge of one relationship between the entities of a pair.
type askedEdge struct {
	source, destination int64
	pair                graphstore.Pair
}

func compareAsked(a, b askedEdge) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.destination, b.destination))
}

// askedStep is a relationship, by its number, that may lead from an entity of one type to an entity of another type.
type askedStep struct {
	relationship int64
	incoming     bool
}

// askedEdges lists the possible edges between the entities of pairs, by the number of their
// relationship.
func (s *Store) askedEdges(q *graphstore.PairQuery, ids map[string]int64) (map[int64][]askedEdge, error) {
	asked := map[int64][]askedEdge{}
	steps := map[[2]string][]askedStep{} // by the types of the two entities, which most pairs have in common
	for _, pair := range q.Pairs {
		from, to := ids[pair.From], ids[pair.To]
		if from == 0 || to == 0 {
			continue
		}
		types := [2]string{graphstore.TypeOf(pair.From), graphstore.TypeOf(pair.To)}
		fit, known := steps[types]
		if !known {
			var err error
			if fit, err = s.askedSteps(q.Steps, types); err != nil {
				return nil, err
			}
			steps[types] = fit
		}
		for _, step := range fit {
			edge := askedEdge{from, to, pair}
			if step.incoming {
				edge = askedEdge{to, from, pair}
			}
			asked[step.relationship] = append(asked[step.relationship], edge)
		}
	}
	return asked, nil
}

// askedSteps returns the steps from an entity of the first type to an entity of the second type whose
// relationship the store knows.
func (s *Store) askedSteps(steps []graphstore.Step, types [2]string) ([]askedStep, error) {
	var fit []askedStep
	for _, step := range graphstore.WithDirections(steps, types[0], types[1]) {
		relationship, err := s.names.find(step.Type)
		if err != nil {
			return nil, s.failure(err)
		}
		if relationship != 0 {
			fit = append(fit, askedStep{relationship, step.Direction == graphstore.Incoming})
		}
	}
	return fit, nil
}

// askedList returns a JSON object with a member for each edge: source and destination. SQLite
// reads a member faster than a list of two.
func askedList(edges []askedEdge) string {
	list := []byte{'{'}
	for i, e := range edges {
		if i > 0 && compareAsked(edges[i-1], e) == 0 {
			continue
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, '"')
		list = strconv.AppendInt(list, e.source, 10)
		list = append(list, `":`...)
		list = strconv.AppendInt(list, e.destination, 10)
	}
	return string(append(list, '}'))
}

const (
	pairColumns = `SELECT x.src, x.dst, x.owner, x.since, x.since_run, x.since_actor, x.created_on, x.created_actor,
		x.updated_on, x.updated_actor, x.properties, x.via, x.resumed, x.resumed_actor`
	pairsOf   = ` FROM json_each(?1) j CROSS JOIN `
	pairJoin  = ` x ON x.src = CAST(j.key AS INTEGER) AND x.type = ?2 AND x.dst = j.value`
	pairsThen = " WHERE coalesce(x.resumed, x.since) <= ?3"
	// currentEdgePairs reads the current edges of pairs, and pastEdgePairs those of a moment, which may have ended.
	currentEdgePairs = pairColumns + pairsOf + "edge" + pairJoin
	pastEdgePairs    = pairColumns + ", 0, 0, 0" + pairsOf + "edge" + pairJoin + pairsThen + " UNION ALL " +
		pairColumns + ", x.until, x.until_run, x.until_actor" + pairsOf + "ended_edge" + pairJoin + pairsThen + " AND x.until > ?3"
)

// typeNumbers returns the numbers of entity types as a JSON array.
func (s *Store) typeNumbers(types []string) (string, error) {
	ids, err := s.numbersOf(types)
	if err != nil {
		return "", err
	}
	return numbersJSON(ids), nil
}

// fewPairs is the number of pairs up to which a point reads the edges: database/sql takes longer for so few than SQLite does.
const fewPairs = 100

// pairReading is the edges of one relationship that were read of the asked edges.
type pairReading struct {
	asked []askedEdge
	ids   map[string]int64
	edges []graphstore.Edge
	// of has the pair of each edge.
	of      []graphstore.Pair
	unknown []edgeOwner
}

// readPairs reads the edges of one relationship that exist among the asked edges, in the order
// of compareAsked.
func (s *Store) readPairs(ctx context.Context, q *graphstore.PairQuery, relationship int64, asked []askedEdge, ids map[string]int64, into map[graphstore.Pair][]graphstore.Edge) error {
	query := currentEdgePairs
	args := []any{askedList(asked), relationship}
	if q.AsOf != 0 {
		query, args = pastEdgePairs, append(args, q.AsOf)
	}
	r := pairReading{asked: asked, ids: ids, edges: make([]graphstore.Edge, 0, len(asked)), of: make([]graphstore.Pair, 0, len(asked))}
	var err error
	if len(asked) <= fewPairs {
		err = s.points.each(ctx, query, func(columns sqlite.Row) error {
			row := edgeRow{typeID: relationship}
			row.read(columns[2:])
			return r.take(s.names, askedEdge{source: columns.Int(0), destination: columns.Int(1)}, &row)
		}, args...)
	} else {
		err = s.readManyPairs(ctx, query, args, relationship, &r)
	}
	if err != nil {
		return s.failure(err)
	}
	if err := s.nameOwners(ctx, r.edges, r.unknown, map[int64]string{}); err != nil {
		return err
	}
	for i := range r.edges {
		if some := into[r.of[i]]; len(some) > 0 {
			into[r.of[i]] = append(some, r.edges[i])
		} else {
			into[r.of[i]] = r.edges[i : i+1 : i+1] // most pairs have one edge, which is not copied
		}
	}
	return nil
}

// readManyPairs reads the edges of many pairs, which a caller who leaves ends.
func (s *Store) readManyPairs(ctx context.Context, query string, args []any, relationship int64, r *pairReading) error {
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	row := edgeRow{typeID: relationship}
	var is askedEdge
	targets := row.rest()
	if query == currentEdgePairs { // only an edge of the past may have ended
		targets = targets[:len(targets)-endColumns]
	}
	columns := append([]any{&is.source, &is.destination}, targets...)
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return err
		}
		if err := r.take(s.names, is, &row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// take adds an edge that was read, once for each pair that asked for it.
func (r *pairReading) take(n *names, is askedEdge, row *edgeRow) error {
	e, err := row.edge(n)
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(r.asked, is, compareAsked)
	for ; at < len(r.asked) && compareAsked(r.asked[at], is) == 0; at++ {
		pair := r.asked[at].pair
		if e.Source, e.Destination = pair.From, pair.To; is.source == r.ids[pair.To] && pair.To != pair.From {
			e.Source, e.Destination = pair.To, pair.From
		}
		switch row.owner {
		case r.ids[pair.From]:
			e.Owners = []string{pair.From}
		case r.ids[pair.To]:
			e.Owners = []string{pair.To}
		default:
			e.Owners = nil
			r.unknown = append(r.unknown, edgeOwner{len(r.edges), row.owner})
		}
		r.edges, r.of = append(r.edges, e), append(r.of, pair)
	}
	return nil
}
