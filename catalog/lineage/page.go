package lineage

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// Filter selects from the entities that a walk reached. A column has the platform, owners,
// tags, terms and domains of its entity. An entity passes a list if it has any value of the
// list, and passes the filter if it passes every list; an empty list selects all. Every value
// except a type may be a URN or the last part of a URN.
type Filter struct {
	Types, Platforms, Owners, Tags, Terms, Domains []string
}

// Request asks for a page of the entities upstream or downstream of an entity or column.
type Request struct {
	Walk   WalkQuery
	Filter Filter
	// Removed is one of the constants. Empty means RemovedPass or, for a past moment, RemovedShow:
	// an entity that is removed now may not have been removed then.
	Removed      string
	Start, Count int
	// Paths bounds the shortest paths to each entity that are returned.
	Paths int
	// Edges asks for the edges between the entities of the page and the start
	// of the walk.
	Edges bool
	// Basis asks for the basis of the answer. An empty answer always has it.
	Basis bool
}

// Result is a page of the entities that a walk reached.
type Result struct {
	URN string `json:"urn"`
	// Name and Type describe the start of the walk. They are set when the request asks for edges.
	Name      string `json:"name,omitempty"`
	Type      string `json:"type,omitempty"`
	Direction string `json:"direction"`
	Columns   bool   `json:"columns"`
	AsOf      int64  `json:"asOf,omitempty"`
	Start     int    `json:"start"`
	Count     int    `json:"count"`
	// Total counts the entities that pass the filter, Reached all entities that the walk reached.
	Total   int `json:"total"`
	Reached int `json:"reached"`
	// Partial tells that the walk was cut; Reason says why.
	Partial bool   `json:"partial"`
	Reason  string `json:"reason,omitempty"`
	// Note warns that the entity had not been written yet at the moment of the request.
	Note string `json:"note,omitempty"`
	// Basis is the basis of the answer, if the request asked for it or the answer is empty.
	Basis    *Basis   `json:"basis,omitempty"`
	Entities []Entity `json:"entities"`
	Edges    []Link   `json:"edges,omitempty"`
}

// Entity is an entity, or a column, that a walk reached.
type Entity struct {
	URN    string `json:"urn"`
	Type   string `json:"type"`
	Degree int    `json:"degree"`
	// Name is the display name; for a column, its path.
	Name string `json:"name,omitempty"`
	// Platform is the URN of the platform.
	Platform string `json:"platform,omitempty"`
	// Entity is the entity of a column, empty for an entity.
	Entity  string `json:"entity,omitempty"`
	Exists  bool   `json:"exists"`
	Removed bool   `json:"removed"`
	// AsOfToday names the members that are as of now although the answer is about a past moment,
	// because their former values are not known.
	AsOfToday []string `json:"asOfToday,omitempty"`
	// Paths lead from the start of the walk to this entity.
	Paths [][]PathStep `json:"paths,omitempty"`
}

// PathStep is an entity on a path, with the edge that leads to it. The first
// one, at the start of the walk, has no edge.
type PathStep struct {
	URN  string `json:"urn"`
	Edge *Link  `json:"edge,omitempty"`
}

// Of returns a page of the entities upstream or downstream of an entity or column. Of fails
// with NotFound when nothing is known of the entity.
func (s *Service) Of(ctx context.Context, r Request) (*Result, error) {
	page, err := catalog.PageOf(r.Start, r.Count)
	if err != nil {
		return nil, err
	}
	if r.Paths < 0 || r.Paths > MaxPaths {
		return nil, catalog.Errorf(catalog.Invalid, "a request may ask for 0 to %d paths of each entity", MaxPaths)
	}
	if err := r.checkRemoved(); err != nil {
		return nil, err
	}
	if err := s.checkFilter(&r.Filter); err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	r.Walk.paths = r.Paths > 0
	walk, err := s.walk(ctx, r.Walk)
	if err != nil {
		return nil, err
	}
	if len(walk.Reached) == 0 {
		if err := s.requireKnown(ctx, walk.Query.URN); err != nil {
			return nil, err
		}
	}
	selected := walk.Reached
	if r.Removed != RemovedShow {
		if selected, err = s.withoutRemoved(ctx, selected); err != nil {
			return nil, err
		}
	}
	if selected, err = s.selectNamed(ctx, walk.nodes, walk.Query.URN, selected, &r.Filter, r.Walk.AsOf); err != nil {
		return nil, err
	}
	result := &Result{
		URN: walk.Query.URN.String(), Direction: walk.Query.Direction, Columns: walk.Query.Columns, AsOf: walk.Query.AsOf,
		Start: r.Start, Total: len(selected), Reached: len(walk.Reached),
	}
	start := min(page.Start, len(selected))
	selected = selected[start:min(start+page.Count, len(selected))]
	result.Count = len(selected)
	paths, err := s.readPage(ctx, walk, selected, result, &r)
	if err != nil {
		return nil, err
	}
	result.Partial, result.Reason = walk.Partial(), walk.Reason()
	if result.Note, err = s.noteOfPast(ctx, walk.Query.URN, walk.Query.AsOf); err != nil {
		return nil, err
	}
	if r.Basis || result.Total == 0 {
		if result.Basis, err = s.basisOfWalk(ctx, walk, result.Total == 0); err != nil {
			return nil, err
		}
	}
	return result, s.annotate(ctx, slices.Concat(result.addPaths(paths), pointers(result.Edges)), walk.Query.AsOf)
}

// readPage reads what a result tells of the selected entities: their names and states, the edges among them if the request
// asks for edges, and the paths to them, which readPage returns.
func (s *Service) readPage(ctx context.Context, walk *Walk, selected []Reached, result *Result, r *Request) (paths map[string][]Path, err error) {
	urns, described := urnsOf(selected), selected
	reads := []func(ctx context.Context) error{
		func(ctx context.Context) error {
			entities, err := s.describe(ctx, walk.nodes, described, walk.Query.AsOf)
			if err == nil && r.Edges {
				start := entities[len(selected)]
				result.Name, result.Type, entities = start.Name, start.Type, entities[:len(selected)]
			}
			result.Entities = entities
			return err
		},
	}
	if r.Paths > 0 {
		reads = append(reads, func(ctx context.Context) (err error) {
			paths, err = s.Paths(ctx, walk, urns, r.Paths)
			return err
		})
	}
	if r.Edges {
		described = append(slices.Clone(selected), Reached{URN: result.URN, Type: walk.Query.URN.EntityType()})
		reads = append(reads, func(ctx context.Context) (err error) {
			result.Edges, err = s.EdgesWithin(ctx, walk, urns)
			return err
		})
	}
	err = together(ctx, reads...)
	return paths, err
}

func (s *Service) checkFilter(f *Filter) error {
	if err := catalog.CheckLists("values of a filter", f.Types, f.Platforms, f.Owners, f.Tags, f.Terms, f.Domains); err != nil {
		return err
	}
	for _, name := range f.Types {
		if _, err := s.names.EntityType(name); err != nil {
			return err
		}
	}
	return nil
}

// addPaths adds to a result the paths to its entities, and returns the edges on them.
func (r *Result) addPaths(paths map[string][]Path) []*Link {
	on := make([][]PathStep, 0, len(r.Entities))
	for i := range r.Entities {
		found := paths[r.Entities[i].URN]
		if len(found) > 0 {
			r.Entities[i].Paths = make([][]PathStep, 0, len(found))
		}
		for _, p := range found {
			r.Entities[i].Paths = append(r.Entities[i].Paths, p.Steps())
		}
		on = append(on, r.Entities[i].Paths...)
	}
	return edgesOn(on)
}

// annotate gives edges of the present how they fade, and all edges both readings of their SQL, where those differ.
func (s *Service) annotate(ctx context.Context, edges []*Link, asOf int64) error {
	if len(edges) == 0 {
		return nil
	}
	return together(ctx,
		func(ctx context.Context) error { return s.fadeNow(ctx, edges, asOf) },
		func(ctx context.Context) error { return s.addReadings(ctx, edges, asOf) })
}

// Steps returns the entities on the path, each with the edge that leads to it.
func (p Path) Steps() []PathStep {
	steps := append(make([]PathStep, 0, len(p.Edges)+1), PathStep{URN: p.Start})
	for i := range p.Edges {
		steps = append(steps, PathStep{URN: p.end(i), Edge: p.Edges[i]})
	}
	return steps
}

// describe returns the entities that a walk reached, with their names, platforms and states as of
// a moment; 0 is now.
func (s *Service) describe(ctx context.Context, known nodesRead, reached []Reached, asOf int64) ([]Entity, error) {
	if err := s.readNodes(ctx, known, reached); err != nil {
		return nil, err
	}
	entities := make([]Entity, len(reached))
	for i, r := range reached {
		node := known.of(r)
		entities[i] = s.entityOf(r, &node)
	}
	if asOf == 0 {
		return entities, nil
	}
	past, err := s.pastOf(ctx, reached, asOf)
	for i := range entities {
		past.describe(&entities[i])
	}
	return entities, err
}

// entityOf adds the name and platform from a node. The node of a column is the node of its
// entity.
func (s *Service) entityOf(r Reached, node *graphstore.Entity) Entity {
	asset := assetOf(r.URN)
	e := Entity{URN: r.URN, Type: r.Type, Degree: r.Degree, Exists: r.Exists, Removed: r.Removed, Platform: read.PlatformOf(asset, node)}
	if isRestricted(r.URN) {
		e.Name = catalog.Restricted
	} else if asset != r.URN {
		// Columns do not have aspects of their own: a column exists if its entity exists.
		e.Entity, e.Name, e.Exists, e.Removed = asset, columnPath(r.URN), node.Exists, node.Removed
	} else {
		e.Name = read.NameOf(s.registry, asset, node)
	}
	return e
}

// nodesRead has the nodes that a request has read, by URN. An entity without a node has the zero
// value.
type nodesRead map[string]graphstore.Entity

// of returns the node of a reached entity; for a column, the node of its entity.
func (n nodesRead) of(r Reached) graphstore.Entity { return n[assetOf(r.URN)] }

// readNodes adds to known the nodes of reached entities that known lacks.
func (s *Service) readNodes(ctx context.Context, known nodesRead, reached []Reached) error {
	var urns []string
	for _, r := range reached {
		asset := assetOf(r.URN)
		if _, read := known[asset]; !read {
			known[asset] = graphstore.Entity{}
			urns = append(urns, asset)
		}
	}
	for part := range slices.Chunk(urns, catalog.MaxPage) {
		nodes, err := s.store.Entities(ctx, part)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, n := range nodes {
			known[n.URN] = n
		}
	}
	return nil
}

// selectReached returns the entities that pass a filter at a moment.
func (s *Service) selectReached(ctx context.Context, known nodesRead, reached []Reached, f *Filter, asOf int64) ([]Reached, error) {
	if len(f.Types) > 0 {
		reached = slices.DeleteFunc(slices.Clone(reached), func(r Reached) bool {
			return !slices.Contains(f.Types, r.Type) && !slices.Contains(f.Types, model.StoredURN(assetOf(r.URN)).EntityType())
		})
	}
	if len(f.Platforms) > 0 {
		if err := s.readNodes(ctx, known, reached); err != nil {
			return nil, err
		}
		reached = slices.DeleteFunc(slices.Clone(reached), func(r Reached) bool {
			node := known.of(r)
			return !namedBy(f.Platforms, read.PlatformOf(assetOf(r.URN), &node))
		})
	}
	for relationship, wanted := range map[string][]string{
		model.RelationshipOwnedBy: f.Owners, model.RelationshipTaggedWith: f.Tags, model.RelationshipTermedWith: f.Terms, model.RelationshipAssociatedWith: f.Domains,
	} {
		if len(wanted) == 0 {
			continue
		}
		ends, err := s.endsOf(ctx, reached, relationship, asOf)
		if err != nil {
			return nil, err
		}
		reached = slices.DeleteFunc(slices.Clone(reached), func(r Reached) bool {
			return !slices.ContainsFunc(ends[assetOf(r.URN)], func(end string) bool { return namedBy(wanted, end) })
		})
	}
	return reached, nil
}

// endsOf lists, for each reached entity, the entities at the other ends of its edges of one
// relationship.
func (s *Service) endsOf(ctx context.Context, reached []Reached, relationship string, asOf int64) (map[string][]string, error) {
	ends := map[string][]string{}
	var urns []string
	for _, r := range reached {
		if r.Lacks && asOf == 0 && relationship == model.RelationshipOwnedBy { // Lacks is asked of owners only
			continue
		}
		asset := assetOf(r.URN)
		if _, known := ends[asset]; !known {
			ends[asset] = nil
			urns = append(urns, asset)
		}
	}
	parts := slices.Collect(slices.Chunk(urns, catalog.MaxPage))
	found := make([]map[string][]string, len(parts))
	err := eachAtOnce(ctx, len(parts), func(ctx context.Context, i int) (err error) {
		found[i], err = s.store.FarEnds(ctx, graphstore.EndQuery{URNs: parts[i], Type: relationship, AsOf: asOf})
		return catalog.StoreFailure(err)
	})
	for _, some := range found {
		maps.Copy(ends, some)
	}
	return ends, err
}

// readsAtOnce is how many parts of one question are read at the same time: the store finds the next part while this
// process reads the answer of another one.
const readsAtOnce = 2

// eachAtOnce calls read for each of n parts, readsAtOnce of them at once. It stops when one fails.
func eachAtOnce(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	return safely.Each(ctx, n, readsAtOnce, read)
}

// together reads parts of an answer that do not depend on each other, at the same time.
func together(ctx context.Context, reads ...func(ctx context.Context) error) error {
	return eachAtOnce(ctx, len(reads), func(ctx context.Context, i int) error { return reads[i](ctx) })
}
