package neo4j

import (
	"context"
	"maps"
	"slices"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
)

// frontierRows bounds the entities from which one statement takes a hop.
const frontierRows = 10_000

// walker walks hop by hop, with a few statements for each hop.
type walker struct {
	s     *Store
	query *graphstore.WalkQuery
	seen  map[string]bool
	// outgoing and incoming are the names of the relationships of Ahead.
	outgoing, incoming []string
}

// begin returns the start entities. The walk does not go on from a start entity that has no node.
func (w *walker) begin() []graphstore.Visit {
	begin := make([]graphstore.Visit, 0, len(w.query.From))
	for _, urn := range w.query.From {
		if !w.seen[urn] {
			w.seen[urn] = true
			begin = append(begin, graphstore.Visit{URN: urn, Type: graphstore.TypeOf(urn)})
		}
	}
	return begin
}

// hopPart is a part of a hop: from entities of one type, in one direction. The entities to which each relationship leads
// are of the types that leads lists.
type hopPart struct {
	urns      []string
	leads     map[string][]string
	direction graphstore.Direction
}

// partsAtOnce is how many parts of a hop one walk follows at the same time.
const partsAtOnce = 2

// hop returns the entities that are one hop from the frontier.
func (w *walker) hop(ctx context.Context, frontier []graphstore.Visit, expires time.Time) ([]graphstore.Visit, error) {
	parts := w.parts(frontier)
	found := make([][]graphstore.Visit, len(parts))
	err := safely.Each(ctx, len(parts), partsAtOnce, func(ctx context.Context, i int) (err error) {
		if graphstore.Expired(expires) {
			return graphstore.ErrImpatient
		}
		found[i], err = w.follow(ctx, parts[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return w.once(graphstore.SortVisits(slices.Concat(found...))), nil
}

// parts returns the parts of a hop.
func (w *walker) parts(frontier []graphstore.Visit) (parts []hopPart) {
	byType := map[string][]string{}
	for _, v := range frontier {
		byType[v.Type] = append(byType[v.Type], v.URN)
	}
	for near, urns := range byType {
		for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
			leads := map[string][]string{}
			for _, step := range w.query.Steps {
				if step.Direction == direction && step.NearType() == near && w.s.statements.Known(step.Type) {
					leads[step.Type] = append(leads[step.Type], step.FarType())
				}
			}
			if len(leads) == 0 {
				continue
			}
			for some := range slices.Chunk(urns, frontierRows) {
				parts = append(parts, hopPart{some, leads, direction})
			}
		}
	}
	return parts
}

// once merges entities that were reached twice in a hop: along several relationships, or from several parts
// of the frontier.
func (w *walker) once(next []graphstore.Visit) []graphstore.Visit {
	left := next[:0]
	for _, v := range next {
		if last := len(left) - 1; last >= 0 && left[last].URN == v.URN {
			left[last].MergeVisit(&v)
			continue
		}
		if w.query.MaxHops != 1 { // after the last hop, nobody asks
			w.seen[v.URN] = true
		}
		left = append(left, v)
	}
	return left
}

// follow follows relationships from entities of one type to entities of the types to which each relationship leads.
// If the caller asks which entities lead on, the rows have many entities each. A hop with too many entities for that
// is followed again, without an answer to this question.
func (w *walker) follow(ctx context.Context, part hopPart) ([]graphstore.Visit, error) {
	types := slices.Sorted(maps.Keys(part.leads))
	name := "read/hop_out"
	if part.direction == graphstore.Incoming {
		name = "read/hop_in"
	}
	params := map[string]any{"urns": part.urns}
	switch {
	case w.query.AsOf != 0:
		name += "_as_of"
		params["asOf"], params["types"] = w.query.AsOf, types
	case w.query.Before:
		name += "_before"
	case len(w.outgoing) == 0 || len(w.incoming) == 0:
		name += "_plain"
	default:
		next, all, err := w.followPacked(ctx, name, params, part.leads)
		if err != nil || all {
			return next, err
		}
		name += "_plain"
	}
	statement, err := w.s.statements.WithTypes(name, types)
	if err != nil {
		return nil, err
	}
	var next []graphstore.Visit
	_, err = query(ctx, w.s, w.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		v := visitOf(r)
		if !w.wants(&v, part.leads[text(r, "relationship")]) {
			return struct{}{}, nil
		}
		if !w.query.Before {
			v.Before, v.Others = "", false
		}
		next = append(next, v)
		return struct{}{}, nil
	})
	return next, err
}

// followPacked is follow with rows of many entities. A row also says which entities lead to further ones, and which lack a
// relationship. The result all reports whether the visits are complete.
func (w *walker) followPacked(ctx context.Context, name string, params map[string]any, leads map[string][]string) (next []graphstore.Visit, all bool, err error) {
	asked := w.s.statements.Known(w.query.Lacking)
	lacking := w.outgoing // any names: the answer is not used
	if asked {
		lacking = []string{w.query.Lacking}
	}
	statement, err := w.s.statements.Hop(name, slices.Sorted(maps.Keys(leads)), w.outgoing, w.incoming, lacking)
	if err != nil {
		return nil, false, err
	}
	params = maps.Clone(params)
	params["limit"] = packedVisits + 1
	read := 0
	_, err = query(ctx, w.s, w.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		before := len(next)
		next = appendAlike(next, r)
		read += len(next) - before
		types := leads[text(r, "relationship")]
		next = append(next[:before], slices.DeleteFunc(next[before:], func(v graphstore.Visit) bool { return !w.wants(&v, types) })...)
		for i := range next[before:] {
			next[before+i].Lacks = asked && next[before+i].Lacks
		}
		return struct{}{}, nil
	})
	return next, read <= packedVisits, err
}

// wants reports whether a hop reaches an entity along a relationship that leads to entities of the types.
func (w *walker) wants(v *graphstore.Visit, types []string) bool {
	return !w.seen[v.URN] && slices.Contains(types, v.Type) && (!w.query.WithoutRemoved || !v.Removed)
}
