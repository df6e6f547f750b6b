package neo4j

import (
	"context"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

const (
	// fewEnds bounds the relationships of an entity that are read to find the relationships that
	// lead back along a hop. For entities with more relationships, the hop is followed from its
	// near ends.
	fewEnds = 100
	// pairRows bounds the pairs of one statement.
	pairRows = 5000
)

// tracer finds the near ends of a hop.
type tracer struct {
	s     *Store
	query *graphstore.FeederQuery
	steps map[graphstore.Step]bool
	// at has the indexes of the near ends, once they are asked for. feeders has, for each far end, the indexes of the
	// near ends that lead to the far end.
	at      map[string]int
	feeders map[string][]int
}

// Feeders finds the near ends of a hop. Feeders starts from the far ends if they have few
// relationships, and otherwise from the near ends, as a walk does.
func (s *Store) Feeders(ctx context.Context, q graphstore.FeederQuery) (map[string][]string, error) {
	t := &tracer{s: s, query: &q, steps: map[graphstore.Step]bool{}, feeders: make(map[string][]int, len(q.To))}
	for _, step := range q.Steps {
		t.steps[step] = true
	}
	for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		if err := t.follow(ctx, direction); err != nil {
			return nil, err
		}
	}
	found := make(map[string][]string, len(t.feeders))
	for urn, places := range t.feeders {
		found[urn] = graphstore.FirstFeeders(places, q.From, q.Most)
	}
	return found, nil
}

// follow finds the near ends along relationships of one direction.
func (t *tracer) follow(ctx context.Context, d graphstore.Direction) error {
	types := t.s.namesOf(t.query.Steps, &d)
	from := t.leading(t.query.From, d, graphstore.Step.NearType)
	to := t.leading(t.query.To, d, graphstore.Step.FarType)
	if len(types) == 0 || len(from) == 0 || len(to) == 0 {
		return nil
	}
	name := "_out"
	if d == graphstore.Incoming {
		name = "_in"
	}
	params := map[string]any{"from": from, "to": to, "few": fewEnds, "statedBy": nil}
	if t.query.AsOf != 0 {
		name += "_as_of"
		params["asOf"], params["types"] = t.query.AsOf, types
	}
	if len(t.query.StatedBy) > 0 {
		params["statedBy"] = t.query.StatedBy
		if t.query.AsOf == 0 && len(to) < len(from)/10 {
			return t.stated(ctx, "read/stated"+name, types, params, d)
		}
	} else if t.query.AsOf == 0 {
		many, err := t.fromFarEnds(ctx, "read/feeders"+name, types, params, d)
		if err != nil || len(many) == 0 {
			return err
		}
		params["to"] = many
	}
	statement, err := t.s.statements.WithTypes("read/ahead"+name, types)
	if err != nil {
		return err
	}
	_, err = query(ctx, t.s, t.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		t.note(text(r, "feeder"), text(r, "relationship"), text(r, "urn"), d)
		return struct{}{}, nil
	})
	return err
}

// stated finds the near ends of stated relationships from the far ends.
func (t *tracer) stated(ctx context.Context, name string, types []string, params map[string]any, d graphstore.Direction) error {
	statement, err := t.s.statements.WithTypes(name, types)
	if err != nil {
		return err
	}
	delete(params, "from")
	_, err = query(ctx, t.s, t.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		t.note(text(r, "feeder"), text(r, "relationship"), text(r, "urn"), d)
		return struct{}{}, nil
	})
	return err
}

// placeOf returns the index of an entity in From, and whether it is one of From.
func (t *tracer) placeOf(urn string) (int, bool) {
	if t.at == nil {
		t.at = make(map[string]int, len(t.query.From))
		for place, near := range t.query.From {
			if _, repeated := t.at[near]; !repeated {
				t.at[near] = place
			}
		}
	}
	place, near := t.at[urn]
	return place, near
}

// leading returns the URNs of the entities that may be an end of a step of one direction. The
// function side selects the near or the far end of a step.
func (t *tracer) leading(urns []string, d graphstore.Direction, side func(graphstore.Step) string) []string {
	types := map[string]bool{}
	for _, step := range t.query.Steps {
		if step.Direction == d && t.s.statements.Known(step.Type) {
			types[side(step)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(urns), func(urn string) bool { return !types[graphstore.TypeOf(urn)] })
}

// fromFarEnds follows the hop in reverse from the entities with few relationships, and returns
// the other entities.
func (t *tracer) fromFarEnds(ctx context.Context, name string, types []string, params map[string]any, d graphstore.Direction) (many []string, err error) {
	statement, err := t.s.statements.WithTypes(name, types)
	if err != nil {
		return nil, err
	}
	_, err = query(ctx, t.s, t.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		urn := text(r, "urn")
		if hub, _ := r.Get("many"); hub == true {
			many = append(many, urn)
		}
		value, _ := r.Get("feeders")
		feeders, _ := value.([]any)
		for _, feeder := range feeders {
			if pair, _ := feeder.([]any); len(pair) == 2 {
				relationship, _ := pair[0].(string)
				from, _ := pair[1].(string)
				t.note(from, relationship, urn, d)
			}
		}
		return struct{}{}, nil
	})
	return many, err
}

// note records that an entity leads to another entity, if the relationship between them is a
// step.
func (t *tracer) note(from, relationship, to string, d graphstore.Direction) {
	near, far := graphstore.TypeOf(from), graphstore.TypeOf(to)
	if d == graphstore.Incoming {
		near, far = far, near
	}
	if t.steps[graphstore.Step{EdgeKind: graphstore.EdgeKind{Type: relationship, SourceType: near, DestinationType: far}, Direction: d}] {
		if place, isNear := t.placeOf(from); isNear {
			t.feeders[to] = append(t.feeders[to], place)
		}
	}
}

// namesOf returns the relationship names of steps; if a direction is given, of the steps in
// this direction.
func (s *Store) namesOf(steps []graphstore.Step, d *graphstore.Direction) []string {
	var names []string
	for _, step := range steps {
		if (d == nil || step.Direction == *d) && s.statements.Known(step.Type) && !slices.Contains(names, step.Type) {
			names = append(names, step.Type)
		}
	}
	slices.Sort(names)
	return names
}

// RemovedAmong finds the entities that are soft-deleted.
func (s *Store) RemovedAmong(ctx context.Context, urns []string) (map[string]bool, error) {
	removed := map[string]bool{}
	if len(urns) == 0 {
		return removed, nil
	}
	_, err := rows(ctx, s, "read/removed_among", map[string]any{"urns": urns}, func(r *driver.Record) (struct{}, error) {
		removed[text(r, "urn")] = true
		return struct{}{}, nil
	})
	return removed, err
}

// FarEnds finds the entities to which relationships lead.
func (s *Store) FarEnds(ctx context.Context, q graphstore.EndQuery) (map[string][]string, error) {
	found := map[string][]string{}
	if !s.statements.Known(q.Type) || len(q.URNs) == 0 {
		return found, nil
	}
	types := []string{q.Type}
	name, params := "read/far_ends", map[string]any{"urns": q.URNs}
	if q.AsOf != 0 {
		name += "_as_of"
		params["asOf"], params["types"] = q.AsOf, types
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return nil, err
	}
	_, err = query(ctx, s, s.lanes.reads, statement, params, func(r *driver.Record) (struct{}, error) {
		value, _ := r.Get("ends")
		items, _ := value.([]any)
		ends := make([]string, len(items))
		for i, item := range items {
			ends[i], _ = item.(string)
		}
		slices.Sort(ends)
		found[q.URNs[integer(r, "place")]] = ends
		return struct{}{}, nil
	})
	return found, err
}

// EdgesBetween reads the edges of pairs.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	found := make(map[graphstore.Pair][]graphstore.Edge, len(q.Pairs))
	types := s.namesOf(q.Steps, nil)
	if len(types) == 0 || len(q.Pairs) == 0 {
		return found, nil
	}
	name, params := "read/edges_between", map[string]any{}
	if q.AsOf != 0 {
		name += "_as_of"
		params["asOf"], params["types"] = q.AsOf, types
	}
	statement, err := s.statements.WithTypes(name, types)
	if err != nil {
		return nil, err
	}
	for pairs := range slices.Chunk(q.Pairs, pairRows) {
		list := make([][]string, len(pairs))
		for i, pair := range pairs {
			list[i] = []string{pair.From, pair.To}
		}
		params["pairs"] = list
		_, err = query(ctx, s, s.lanes.reads, statement, params, func(r *driver.Record) (struct{}, error) {
			pair := pairs[integer(r, "pair")]
			leaves, _ := r.Get("leaves")
			if e, ok := pairEdge(&q, pair, text(r, "type"), leaves == true, properties(r, "statement")); ok {
				found[pair] = append(found[pair], e)
			}
			return struct{}{}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	for pair, edges := range found {
		found[pair] = graphstore.MergePair(edges)
	}
	return found, nil
}

// pairEdge returns the edge of a statement between the entities of a pair, if the statement is
// a step.
func pairEdge(q *graphstore.PairQuery, pair graphstore.Pair, relationship string, leaves bool, statement map[string]any) (graphstore.Edge, bool) {
	d := graphstore.Outgoing
	if !leaves {
		d = graphstore.Incoming
	}
	for _, step := range graphstore.WithDirections(q.Steps, graphstore.TypeOf(pair.From), graphstore.TypeOf(pair.To)) {
		// A statement from an entity to itself has both directions.
		if step.Type == relationship && (step.Direction == d || pair.From == pair.To) {
			return edgeOf(pair.From, graphstore.EdgeQuery{Direction: step.Direction}, relationship, pair.To, statement), true
		}
	}
	return graphstore.Edge{}, false
}
