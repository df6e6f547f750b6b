package catalog

import (
	"context"

	"github.com/headwater-io/headwater/graphstore"
)

// DefaultRelationshipCount is the page size when none is asked for.
const DefaultRelationshipCount = 100

// RelationshipQuery asks for the neighbours of an entity.
type RelationshipQuery struct {
	URN string
	// Direction is INCOMING or OUTGOING: with OUTGOING the entity is the
	// source of the edges.
	Direction string
	// Types are relationship names; none means all.
	Types        []string
	Start, Count int
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
}

// RelationshipPage is a page of neighbours; Count is the number returned.
type RelationshipPage struct {
	Start         int            `json:"start"`
	Count         int            `json:"count"`
	Total         int64          `json:"total"`
	Relationships []Relationship `json:"relationships"`
}

// Relationship is one edge, seen from the entity asked about.
type Relationship struct {
	Type   string `json:"type"`
	Entity string `json:"entity"`
	// Created is when and by whom the relationship was made, where its aspect
	// says so.
	Created *AuditStamp `json:"created,omitempty"`
}

// Relationships lists the neighbours of an entity, ordered by relationship and
// URN. Ends that were never ingested and soft-deleted ones are listed.
func (c *Catalog) Relationships(ctx context.Context, q RelationshipQuery) (RelationshipPage, error) {
	u, _, err := c.parseURN(q.URN)
	if err != nil {
		return RelationshipPage{}, err
	}
	page, err := pageOf(q.Start, q.Count)
	if err != nil {
		return RelationshipPage{}, err
	}
	if q.AsOf < 0 {
		return RelationshipPage{}, Errorf(Invalid, "asOf must be a moment in epoch milliseconds")
	}
	query := graphstore.EdgeQuery{URN: u.String(), Types: q.Types, AsOf: q.AsOf, Page: page}
	switch q.Direction {
	case "OUTGOING":
	case "INCOMING":
		query.Direction = graphstore.Incoming
	default:
		return RelationshipPage{}, Errorf(Invalid, "direction must be INCOMING or OUTGOING, not %q", q.Direction)
	}
	edges, total, err := c.store.Edges(ctx, query)
	if err != nil {
		return RelationshipPage{}, storeFailure(err)
	}
	found := RelationshipPage{Start: q.Start, Count: len(edges), Total: total, Relationships: make([]Relationship, len(edges))}
	for i := range edges {
		r := Relationship{Type: edges[i].Type, Entity: edges[i].Destination}
		if query.Direction == graphstore.Incoming {
			r.Entity = edges[i].Source
		}
		if edges[i].CreatedOn != 0 && edges[i].CreatedActor != "" {
			r.Created = &AuditStamp{Time: edges[i].CreatedOn, Actor: edges[i].CreatedActor}
		}
		found.Relationships[i] = r
	}
	return found, nil
}
