package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

const (
	// partEnds reads the edges that lead to entities whose URNs begin with a text of a list. No
	// byte of a URN is 0xff, so the text followed by 0xff is greater than all these URNs.
	partEnds = `SELECT j.key AS place, x.owner, CASE WHEN (SELECT o.type FROM entity o WHERE o.id = x.owner) IN (SELECT value FROM json_each(?3)) THEN x.src ELSE 0 END AS source
		FROM json_each(?1) j
		CROSS JOIN entity e ON e.urn >= j.value AND e.urn < j.value || CAST(x'ff' AS TEXT)
		CROSS JOIN %s x ON x.dst = e.id AND x.type IN (SELECT value FROM json_each(?2))%s`
	// partLists returns the rows of partEnds as arrays in the same order.
	partLists = "SELECT json_group_array(place), json_group_array(owner), json_group_array(source) FROM (SELECT DISTINCT place, owner, source FROM (%s) LIMIT ?5+0)"
)

// partText returns the statement that reads which entities state edges that lead to parts.
func partText(asOf int64) string {
	if asOf == 0 {
		return fmt.Sprintf(partLists, fmt.Sprintf(partEnds, "edge", " AND ?4 = 0"))
	}
	since := " AND coalesce(x.resumed, x.since) <= ?4"
	return fmt.Sprintf(partLists, fmt.Sprintf(partEnds, "edge", since)+" UNION "+fmt.Sprintf(partEnds, "ended_edge", since+" AND x.until > ?4"))
}

// EdgesToParts finds the entities that state edges to parts of entities.
func (s *Store) EdgesToParts(ctx context.Context, q graphstore.PartQuery) (graphstore.PartEdges, error) {
	if err := s.open(); err != nil || len(q.Prefixes) == 0 || q.Limit <= 0 {
		return graphstore.PartEdges{}, err
	}
	leave, err := s.walks.lane.Enter(ctx)
	if err != nil {
		return graphstore.PartEdges{}, err
	}
	defer leave()
	w := &walker{s: s, query: &graphstore.WalkQuery{}, epoch: s.memory.now(), also: []string{partText(q.AsOf)}}
	defer w.end()
	found, err := w.edgesToParts(ctx, &q)
	return found, s.failure(err)
}

// partEnd tells that an owner states edges to the parts at one index of the prefixes. Its
// source is 0 if the query did not ask for sources of this owner.
type partEnd struct{ place, owner, source int64 }

func (w *walker) edgesToParts(ctx context.Context, q *graphstore.PartQuery) (found graphstore.PartEdges, err error) {
	types, err := w.s.numbersOf(q.Types)
	if err != nil || len(types) == 0 {
		return found, err
	}
	sourcesOf, err := w.s.numbersOf(q.SourcesOf)
	if err != nil {
		return found, err
	}
	ends, err := w.partEnds(ctx, partText(q.AsOf), listJSON(q.Prefixes), numbersJSON(types), numbersJSON(sourcesOf), q.AsOf, q.Limit+1)
	if err != nil {
		return found, err
	}
	if len(ends) > q.Limit {
		ends, found.Cut = ends[:q.Limit], true
	}
	ids := make([]int64, 0, 2*len(ends))
	for _, e := range ends {
		ids = append(ids, e.owner, e.source)
	}
	slices.Sort(ids)
	nodes, err := w.nodesByID(ctx, slices.Compact(ids))
	if err != nil {
		return found, err
	}
	found.Edges = make([]graphstore.PartEdge, len(ends))
	for i, e := range ends {
		found.Edges[i] = graphstore.PartEdge{Prefix: int(e.place), Owner: nodes[e.owner].urn, Source: nodes[e.source].urn}
	}
	return found, nil
}

// numbersOf returns the numbers of the names that the store has.
func (s *Store) numbersOf(names []string) ([]int64, error) {
	numbers := []int64{}
	for _, name := range names {
		id, err := s.names.find(name)
		if err != nil {
			return nil, err
		}
		if id != 0 {
			numbers = append(numbers, id)
		}
	}
	return numbers, nil
}

func numbersJSON(numbers []int64) string {
	list, _ := json.Marshal(numbers) // integers always encode
	return string(list)
}

// partEnds reads three arrays of the same length.
func (w *walker) partEnds(ctx context.Context, text string, args ...any) ([]partEnd, error) {
	rows, err := w.rows(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var places, owners, sources sql.RawBytes
	if !rows.Next() {
		return nil, rows.Err()
	}
	if err := rows.Scan(&places, &owners, &sources); err != nil {
		return nil, err
	}
	owner, stop := iter.Pull(integers(owners))
	defer stop()
	source, stop := iter.Pull(integers(sources))
	defer stop()
	var ends []partEnd
	for place := range integers(places) {
		e := partEnd{place: place}
		e.owner, _ = owner()
		e.source, _ = source()
		ends = append(ends, e)
	}
	return ends, rows.Err()
}
