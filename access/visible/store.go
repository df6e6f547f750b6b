package visible

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Store is a graph store that shows each caller only the entities that the caller may see. Transactions,
// records, positions and requests without a caller reach the store below unchanged.
type Store struct {
	graphstore.Store
	// joined has the types of entities that edges can have as ends.
	joined map[string]bool
	types  []string
}

var _ graphstore.Store = (*Store)(nil)

// NewStore makes a Store over another.
func NewStore(inner graphstore.Store, registry *model.Registry) *Store {
	s := &Store{Store: inner, joined: map[string]bool{}}
	for _, kind := range registry.EdgeKinds() {
		s.joined[kind.SourceType], s.joined[kind.DestinationType] = true, true
	}
	for _, e := range registry.Entities() {
		s.types = append(s.types, e.Name)
	}
	return s
}

// alongEdges returns the view of a caller from whom an entity with edges may be hidden, nil for other
// callers.
func (s *Store) alongEdges(ctx context.Context) *sight {
	view := of(ctx)
	if view == nil {
		return nil
	}
	if types, few := view.AllBut(); few && !slices.ContainsFunc(types, func(entityType string) bool { return s.joined[entityType] }) {
		return nil
	}
	for entityType := range s.joined {
		if entityType != "" && entityType != model.EntitySchemaField && !view.SeesType(entityType) {
			return view
		}
	}
	return nil
}

// someHidden returns the view of a caller from whom a stored entity may be hidden, nil for other callers:
// often the type that a caller may not see has no entities.
func (s *Store) someHidden(ctx context.Context) (*sight, error) {
	view := of(ctx)
	if view == nil || s.alongEdges(ctx) != nil {
		return view, nil
	}
	types, few := view.AllBut()
	if !few {
		types = s.types
	}
	for _, entityType := range types {
		if entityType == model.EntitySchemaField || view.SeesType(entityType) {
			continue
		}
		if _, total, err := s.Store.ListEntities(ctx, entityType, graphstore.Page{}); err != nil || total > 0 {
			return view, err
		}
	}
	return nil, nil
}

// tooMany is the error of a question whose answer would need more rows to be looked through than allowed.
func tooMany(what string) error {
	return catalog.Errorf(catalog.Invalid, "this question needs to look through more than %d %s to find those that you may see; ask for less", limits.VisibleRows, what)
}

// rowsAtOnce is how many rows are read from the store at once to be looked through.
const rowsAtOnce = 1000

// Entities reads nodes.
func (s *Store) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.Entities(ctx, urns)
	}
	urns, err := view.asked(ctx, urns)
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Entities(ctx, urns)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(e graphstore.Entity) bool { return isStandIn(e.URN) })
	return found, view.properties(ctx, found)
}

// properties removes hidden entities from the properties of nodes.
func (s *sight) properties(ctx context.Context, nodes []graphstore.Entity) error {
	n := s.maybeHidden()
	for i := range nodes {
		for _, value := range nodes[i].Properties {
			n.addProperty(value)
		}
	}
	hidden, err := s.hiddenOf(ctx, &n)
	if err != nil || hidden == nil {
		return err
	}
	for i := range nodes {
		left := make(map[string]any, len(nodes[i].Properties))
		for name, value := range nodes[i].Properties {
			if value, ok := cleanProperty(value, concealed{hidden, nodes[i].URN}); ok {
				left[name] = value
			}
		}
		nodes[i].Properties = left
	}
	return nil
}

func (n *named) addProperty(value any) {
	switch value := value.(type) {
	case string:
		n.addNamed(value)
	case []string:
		for _, text := range value {
			n.addProperty(text)
		}
	case []any:
		for _, item := range value {
			n.addProperty(item)
		}
	}
}

func cleanProperty(value any, hidden concealed) (any, bool) {
	switch value := value.(type) {
	case string:
		return value, !hidden.has(value)
	case []string:
		return slices.DeleteFunc(slices.Clone(value), hidden.has), true
	case []any:
		return cleanList(value, hidden), true
	}
	return value, true
}

// LatestAspects reads latest versions.
func (s *Store) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.LatestAspects(ctx, urns, names)
	}
	urns, err := view.asked(ctx, urns)
	if err != nil {
		return nil, err
	}
	found, err := s.Store.LatestAspects(ctx, urns, names)
	if err != nil {
		return nil, err
	}
	withoutStandIns(found)
	keys, lists := make([]string, 0, len(found)), make([][]graphstore.Aspect, 0, len(found))
	for urn, aspects := range found {
		keys, lists = append(keys, urn), append(lists, aspects)
	}
	if lists, err = view.aspects(ctx, lists...); err != nil {
		return nil, err
	}
	clean := make(map[string][]graphstore.Aspect, len(keys))
	for i, urn := range keys {
		if len(lists[i]) > 0 {
			clean[urn] = lists[i]
		}
	}
	return clean, nil
}

// AspectVersion reads one version.
func (s *Store) AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	view := of(ctx)
	if view != nil {
		var err error
		if key.URN, err = view.askedOne(ctx, key.URN); err != nil {
			return graphstore.Aspect{}, false, err
		}
	}
	a, ok, err := s.Store.AspectVersion(ctx, key, version)
	if view == nil || err != nil || !ok {
		return a, ok, err
	}
	clean, err := view.aspects(ctx, []graphstore.Aspect{a})
	if err != nil || len(clean[0]) == 0 {
		return graphstore.Aspect{}, false, err
	}
	return clean[0][0], true, nil
}

// AspectVersions reads the history of an aspect.
func (s *Store) AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	view := of(ctx)
	if view != nil {
		var err error
		if key.URN, err = view.askedOne(ctx, key.URN); err != nil {
			return nil, err
		}
	}
	found, err := s.Store.AspectVersions(ctx, key, page)
	if view == nil || err != nil {
		return found, err
	}
	clean, err := view.aspects(ctx, found)
	if err != nil {
		return nil, err
	}
	return clean[0], nil
}

// ListEntities lists entities of a type.
func (s *Store) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	view := of(ctx)
	if view == nil || entityType != model.EntitySchemaField && view.SeesType(entityType) {
		return s.Store.ListEntities(ctx, entityType, page)
	}
	urns, total := []string{}, int64(0)
	err := s.eachOfType(ctx, entityType, func(some []string) error {
		visible, err := view.only(ctx, some)
		if err != nil {
			return err
		}
		from := max(int64(page.Start)-total, 0)
		total += int64(len(visible))
		if from < int64(len(visible)) {
			visible = visible[from:]
			urns = append(urns, visible[:min(max(page.Count-len(urns), 0), len(visible))]...)
		}
		return nil
	})
	return urns, total, err
}

// eachOfType reads all entities of a type from the store.
func (s *Store) eachOfType(ctx context.Context, entityType string, use func(urns []string) error) error {
	for start := 0; ; start += rowsAtOnce {
		urns, total, err := s.Store.ListEntities(ctx, entityType, graphstore.Page{Start: start, Count: rowsAtOnce})
		if err != nil {
			return err
		}
		if total > limits.VisibleRows {
			return tooMany("entities")
		}
		if len(urns) > 0 {
			if err := use(urns); err != nil {
				return err
			}
		}
		if int64(start+rowsAtOnce) >= total {
			return nil
		}
	}
}

// scan reads on until a page is full of visible URNs, or nothing is left.
func (s *Store) scan(ctx context.Context, after string, limit int, read func(ctx context.Context, after string, limit int) ([]string, error)) ([]string, error) {
	view, err := s.someHidden(ctx)
	if err != nil {
		return nil, err
	}
	if view == nil || limit <= 0 {
		return read(ctx, after, limit)
	}
	found := []string{}
	for looked := 0; len(found) < limit; {
		count := max(limit-len(found), min(limit, rowsAtOnce))
		urns, err := read(ctx, after, count)
		if err != nil {
			return nil, err
		}
		visible, err := view.only(ctx, urns)
		if err != nil {
			return nil, err
		}
		found = append(found, visible[:min(limit-len(found), len(visible))]...)
		if len(urns) < count {
			break
		}
		if looked += len(urns); looked > limits.VisibleRows {
			return nil, tooMany("entities")
		}
		after = urns[len(urns)-1]
	}
	return found, nil
}

// ScanEntities reads all entities, in pages.
func (s *Store) ScanEntities(ctx context.Context, after string, limit int) ([]string, error) {
	return s.scan(ctx, after, limit, s.Store.ScanEntities)
}

// ScanNodes reads all nodes, in pages.
func (s *Store) ScanNodes(ctx context.Context, after string, limit int) ([]string, error) {
	return s.scan(ctx, after, limit, s.Store.ScanNodes)
}

// WithPrefix finds nodes by the beginning of their URN.
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	view := of(ctx)
	if view == nil {
		return s.Store.WithPrefix(ctx, prefix, limit)
	}
	for count := limit; ; count = min(2*count+rowsAtOnce, limits.VisibleRows+1) {
		urns, err := s.Store.WithPrefix(ctx, prefix, count)
		if err != nil {
			return nil, err
		}
		visible, err := view.only(ctx, urns)
		if err != nil {
			return nil, err
		}
		if len(visible) >= limit || len(urns) < count {
			return visible[:min(limit, len(visible))], nil
		}
		if count > limits.VisibleRows {
			return nil, tooMany("entities")
		}
	}
}

// CountAspects counts latest versions: all of them, minus those of hidden entities.
func (s *Store) CountAspects(ctx context.Context, aspect, urnLike string) (int64, error) {
	view, err := s.someHidden(ctx)
	if err != nil {
		return 0, err
	}
	total, err := s.Store.CountAspects(ctx, aspect, urnLike)
	if view == nil || err != nil || total == 0 {
		return total, err
	}
	seesColumns := s.alongEdges(ctx) == nil
	var matches func(string) bool
	if urnLike != "" {
		matches = graphstore.ParseLike(urnLike).Match
	}
	for _, entityType := range s.types {
		if entityType != model.EntitySchemaField && view.SeesType(entityType) || entityType == model.EntitySchemaField && seesColumns {
			continue
		}
		err := s.eachOfType(ctx, entityType, func(urns []string) error {
			visible, err := view.of(ctx, urns)
			if err != nil {
				return err
			}
			hidden := slices.DeleteFunc(urns, func(urn string) bool { return visible[urn] || matches != nil && !matches(urn) })
			if len(hidden) == 0 {
				return nil
			}
			found, err := s.Store.LatestAspects(ctx, hidden, []string{aspect})
			total -= int64(len(found))
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}
