package read

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// RelationshipQuery asks for the neighbours of an entity.
type RelationshipQuery struct {
	URN model.URN
	// Direction is INCOMING or OUTGOING. With OUTGOING, the entity is the source of the edges.
	Direction string
	// Types are the names of relationships; empty means all.
	Types        []string
	Start, Count int
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
	// Provenance asks for who or what stated each edge.
	Provenance bool
}

// RelationshipPage is a page of neighbours. Count is the number of returned neighbours.
type RelationshipPage struct {
	Start         int            `json:"start"`
	Count         int            `json:"count"`
	Total         int64          `json:"total"`
	Relationships []Relationship `json:"relationships"`
}

// Relationship is an edge, seen from the entity of the query.
type Relationship struct {
	Type   string `json:"type"`
	Entity string `json:"entity"`
	// Created is the time and the actor of the creation, if the aspect states them.
	Created *catalog.AuditStamp `json:"created,omitempty"`
	// Via is the URN of the query from which the relationship comes, "" for none.
	Via string `json:"via,omitempty"`
	// Provenance tells who or what stated the edge; nil if the query did not ask for it.
	Provenance *statements.Provenance `json:"provenance,omitempty"`
}

// Relationships lists the neighbours of an entity, ordered by relationship and URN.
// Relationships includes neighbours that were never ingested or are soft-deleted.
func (rd *Reader) Relationships(ctx context.Context, q RelationshipQuery) (RelationshipPage, error) {
	pages, err := rd.RelationshipsOf(ctx, []model.URN{q.URN}, q)
	return pages[q.URN], err
}

// RelationshipsOf lists the neighbours of several entities at once. RelationshipsOf ignores the
// URN of the query.
func (rd *Reader) RelationshipsOf(ctx context.Context, urns []model.URN, q RelationshipQuery) (map[model.URN]RelationshipPage, error) {
	page, err := catalog.PageOf(q.Start, q.Count)
	if err != nil {
		return nil, err
	}
	if err := catalog.CheckLists("relationship types", q.Types); err != nil {
		return nil, err
	}
	if q.AsOf < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "asOf must be a moment in epoch milliseconds")
	}
	query := graphstore.EdgeQuery{URNs: catalog.Texts(urns), Types: q.Types, AsOf: q.AsOf, Page: page}
	switch q.Direction {
	case "OUTGOING":
	case "INCOMING":
		query.Direction = graphstore.Incoming
	default:
		return nil, catalog.Errorf(catalog.Invalid, "direction must be INCOMING or OUTGOING, not %q", q.Direction)
	}
	found, err := rd.store.Edges(ctx, query)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	pages := make(map[model.URN]RelationshipPage, len(found))
	for _, urn := range urns {
		if edges, ok := found[urn.String()]; ok {
			pages[urn] = relationshipPage(edges, query, q.Provenance)
		}
	}
	if q.Provenance {
		return pages, rd.addReadings(ctx, found, pages, q.AsOf)
	}
	return pages, nil
}

// addReadings gives the edges of lineage on pages both readings of their SQL, where a client's SQL parser and the server
// differ, or differed at the moment of the query. found has the edges of the pages, in their order.
func (rd *Reader) addReadings(ctx context.Context, found map[string]graphstore.EdgePage, pages map[model.URN]RelationshipPage, asOf int64) error {
	var owners []string
	for _, page := range found {
		for i := range page.Edges {
			if page.Edges[i].Type == model.RelationshipDownstreamOf {
				owners = append(owners, page.Edges[i].Owners...)
			}
		}
	}
	aspects := rd.store.LatestAspects
	if asOf != 0 {
		aspects = func(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
			return rd.past(ctx, urns[:min(len(urns), limits.ImpactPastEntities)], asOf, names)
		}
	}
	readings, err := statements.ReadingsOf(ctx, aspects, owners)
	if err != nil || len(readings) == 0 {
		return err
	}
	for urn, page := range pages {
		edges := found[urn.String()].Edges
		for i := range page.Relationships {
			page.Relationships[i].Provenance.Readings = readings.Of(edges[i].Source, edges[i].Destination)
		}
	}
	return nil
}

func relationshipPage(found graphstore.EdgePage, q graphstore.EdgeQuery, provenance bool) RelationshipPage {
	page := RelationshipPage{Start: q.Start, Count: len(found.Edges), Total: found.Total, Relationships: make([]Relationship, len(found.Edges))}
	for i := range found.Edges {
		e := &found.Edges[i]
		page.Relationships[i] = Relationship{Type: e.Type, Entity: e.OtherEnd(q.Direction), Created: statements.StampOf(e.CreatedOn, e.CreatedActor), Via: e.Via}
		if provenance {
			p := statements.OfEdge(e)
			page.Relationships[i].Provenance = &p
		}
	}
	return page
}
