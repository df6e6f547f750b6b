package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// RelationshipsQuery asks for one hop of lineage.
type RelationshipsQuery struct {
	// Direction is UPSTREAM or DOWNSTREAM.
	Direction    string
	Start, Count int
	// SeparateSiblings tells that siblings keep their own edges. Otherwise an entity also has the
	// edges of its siblings, and the siblings themselves are left out.
	SeparateSiblings bool
	// From and To bound the time at which an edge was created or updated, epoch milliseconds; 0 is
	// unbounded. Edges without such a time, and edges drawn by hand, always count.
	From, To int64
	// AsOf asks for the edges of a past moment, epoch milliseconds; 0 is now. Whether the ends of
	// an edge exist and are soft-deleted is always as of now.
	AsOf int64
}

// RelationshipsPage is a page of the entities one hop away.
type RelationshipsPage struct {
	Start, Count int
	// Total counts all edges. Filtered counts the edges of the page that were left out because
	// their other end does not exist or is soft-deleted.
	Total, Filtered int
	Relationships   []Relationship
}

// Relationship is an edge of lineage, seen from the entity of the request.
type Relationship struct {
	Type, Entity string
	Degree       int
	// Created and Updated are the stamps that the aspect states; nil if it states none.
	Created, Updated *catalog.AuditStamp
	// Manual tells that somebody drew the edge by hand.
	Manual bool
	edge   graphstore.Edge
	// properties are the decoded properties of edge.
	properties statements.EdgeProperties
	readings   *statements.Readings
}

// Provenance tells who or what stated the edge.
func (r *Relationship) Provenance() statements.Provenance {
	p := statements.OfEdgeWith(&r.edge, &r.properties)
	p.Readings = r.readings
	return p
}

// RelationshipsOf lists the entities one hop upstream or downstream of several entities. The
// number of its store calls does not depend on the number of entities.
func (s *Service) RelationshipsOf(ctx context.Context, entities []model.URN, q RelationshipsQuery) (map[model.URN]RelationshipsPage, error) {
	if q.Direction != Upstream && q.Direction != Downstream {
		return nil, catalog.Errorf(catalog.Invalid, "direction must be UPSTREAM or DOWNSTREAM, not %q", q.Direction)
	}
	if _, err := catalog.PageOf(q.Start, q.Count); err != nil {
		return nil, err
	}
	if q.From < 0 || q.To < 0 || q.AsOf < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	q.Count = min(q.Count, catalog.MaxPage)
	urns := make([]string, len(entities))
	for i, u := range entities {
		urns[i] = u.String()
	}
	hop := &lineageHop{c: s, query: q, siblings: map[string]siblings{}}
	if !q.SeparateSiblings {
		if err := hop.readSiblings(ctx, urns); err != nil {
			return nil, err
		}
	}
	if err := hop.readEdges(ctx, urns); err != nil {
		return nil, err
	}
	pages := make(map[string]RelationshipsPage, len(urns))
	for _, urn := range urns {
		pages[urn] = hop.page(urn)
	}
	if err := hop.drop(ctx, pages); err != nil {
		return nil, err
	}
	if err := hop.addReadings(ctx, pages); err != nil {
		return nil, err
	}
	answer := make(map[model.URN]RelationshipsPage, len(entities))
	for _, u := range entities {
		answer[u] = pages[u.String()]
	}
	return answer, nil
}

// siblings is the value of the aspect siblings.
type siblings struct {
	URNs    []string `json:"siblings"`
	Primary bool     `json:"primary"`
}

// lineageHop reads one hop from several entities.
type lineageHop struct {
	c        *Service
	query    RelationshipsQuery
	siblings map[string]siblings
	edges    map[string][]Relationship
	totals   map[string]int
	// most bounds the edges that are read of each entity in each direction; 0 means the bound of
	// the query.
	most int
	// walks and withoutRemoved are as in [graphstore.EdgeQuery].
	walks, withoutRemoved bool
	// references asks also for the edges of assertions, queries and contracts about an entity.
	references bool
}

func (h *lineageHop) readSiblings(ctx context.Context, urns []string) error {
	stored, err := h.c.store.LatestAspects(ctx, urns, []string{model.AspectSiblings})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for urn, aspects := range stored {
		var s siblings
		if err := json.Unmarshal(aspects[0].Value, &s); err != nil {
			return catalog.Errorf(catalog.Internal, "siblings of %s: %w", urn, err)
		}
		h.siblings[urn] = s
	}
	return nil
}

// readEdges reads the outgoing and incoming edges of entities and of their
// siblings.
func (h *lineageHop) readEdges(ctx context.Context, urns []string) error {
	h.edges, h.totals = map[string][]Relationship{}, map[string]int{}
	all := slices.Clone(urns)
	for _, urn := range urns {
		all = append(all, h.siblings[urn].URNs...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	query := graphstore.EdgeQuery{AsOf: h.query.AsOf, Walks: h.walks, WithoutRemoved: h.withoutRemoved, Page: graphstore.Page{Count: h.query.Start + h.query.Count}}
	if h.query.From != 0 || h.query.To != 0 || len(h.siblings) > 0 {
		query.Count = catalog.MaxPage // all edges must be read before it is known how many remain
	}
	if h.most > 0 {
		query.Count = h.most
	}
	for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		query.URNs, query.Kinds, query.Direction = nil, h.kinds(direction), direction
		for _, urn := range all {
			if len(query.KindsOf(urn)) > 0 || h.walks && isRestricted(urn) {
				query.URNs = append(query.URNs, urn)
			}
		}
		if len(query.URNs) == 0 {
			continue
		}
		found, err := h.c.store.Edges(ctx, query)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for urn, page := range found {
			h.add(urn, page, direction)
		}
	}
	return nil
}

func (h *lineageHop) upstream() bool { return h.query.Direction == Upstream }

// kinds returns the kinds of outgoing or incoming edges that lead in the direction of the
// query. Kinds of the other direction may have the same relationship names.
func (h *lineageHop) kinds(d graphstore.Direction) []graphstore.EdgeKind {
	var kinds []graphstore.EdgeKind
	for _, kind := range append(h.c.registry.LineageKinds(), model.ColumnLineage()) {
		if kind.Upstream == (h.upstream() == (d == graphstore.Outgoing)) {
			kinds = append(kinds, graphKind(kind.EdgeKind))
		}
	}
	if h.references && h.upstream() == (d == graphstore.Outgoing) {
		kinds = append(kinds, referenceKinds...)
		kinds = append(kinds, foreignKey)
	}
	return kinds
}

// add keeps the edges of a page whose time is within the bounds of the query.
func (h *lineageHop) add(urn string, page graphstore.EdgePage, d graphstore.Direction) {
	h.totals[urn] += int(page.Total)
	for i := range page.Edges {
		e := &page.Edges[i]
		r := relationshipOf(e, d)
		if !h.inWindow(e, r.Manual) {
			h.totals[urn]--
			continue
		}
		h.edges[urn] = append(h.edges[urn], r)
	}
}

// relationshipOf returns an edge as seen from the end from which it was read.
func relationshipOf(e *graphstore.Edge, d graphstore.Direction) Relationship {
	properties := statements.PropertiesOf(e)
	return Relationship{
		Type: e.Type, Entity: e.OtherEnd(d), Degree: 1, Manual: properties.DrawnByHand(),
		Created: statements.StampOf(e.CreatedOn, e.CreatedActor), Updated: statements.StampOf(e.UpdatedOn, e.UpdatedActor), edge: *e, properties: properties,
	}
}

// truncated reports whether an entity has more edges than were read.
func (h *lineageHop) truncated() bool {
	for urn, total := range h.totals {
		if total > len(h.edges[urn]) {
			return true
		}
	}
	return false
}

func (h *lineageHop) inWindow(e *graphstore.Edge, manual bool) bool {
	if manual || e.CreatedOn == 0 && e.UpdatedOn == 0 || h.query.From == 0 && h.query.To == 0 {
		return true
	}
	in := func(at int64) bool {
		return at != 0 && at >= h.query.From && (h.query.To == 0 || at <= h.query.To)
	}
	return in(e.CreatedOn) || in(e.UpdatedOn)
}

// page merges the edges of an entity with the edges of its siblings, and returns the page of
// the query.
func (h *lineageHop) page(urn string) RelationshipsPage {
	own := append([]string{urn}, h.siblings[urn].URNs...)
	var edges []Relationship
	total := 0
	seen := map[[2]string]bool{}
	for _, of := range own {
		total += h.totals[of]
		for _, r := range h.edges[of] {
			id := [2]string{r.Type, r.Entity}
			if of != urn && r.Entity == urn || len(own) > 1 && slices.Contains(own, r.Entity) || seen[id] {
				total--
				continue
			}
			seen[id] = true
			edges = append(edges, r)
		}
	}
	slices.SortStableFunc(edges, func(a, b Relationship) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Entity, b.Entity))
	})
	start := min(h.query.Start, len(edges))
	return RelationshipsPage{
		Start: h.query.Start, Count: h.query.Count, Total: total,
		Relationships: edges[start:min(start+h.query.Count, len(edges))],
	}
}

// drop removes relationships whose other end does not exist, is soft-deleted, or has its
// primary sibling on the same page.
func (h *lineageHop) drop(ctx context.Context, pages map[string]RelationshipsPage) error {
	var ends []string
	for _, page := range pages {
		for _, r := range page.Relationships {
			ends = append(ends, r.Entity)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	nodes, err := h.c.store.Entities(ctx, ends)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	live := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		live[n.URN] = n.Exists && !n.Removed
	}
	if !h.query.SeparateSiblings {
		if err := h.readSiblings(ctx, ends); err != nil {
			return err
		}
	}
	for urn, page := range pages {
		shown := []Relationship{}
		present := map[string]bool{}
		for _, r := range page.Relationships {
			present[r.Entity] = live[r.Entity]
		}
		for _, r := range page.Relationships {
			switch {
			case !live[r.Entity]:
				page.Filtered++
			case !h.shadowed(r.Entity, present):
				shown = append(shown, r)
			}
		}
		page.Relationships = shown
		pages[urn] = page
	}
	return nil
}

// shadowed reports whether the primary sibling of an entity is present and replaces the entity.
func (h *lineageHop) shadowed(urn string, present map[string]bool) bool {
	s, ok := h.siblings[urn]
	if h.query.SeparateSiblings || !ok || s.Primary {
		return false
	}
	return slices.ContainsFunc(s.URNs, func(other string) bool { return present[other] })
}
