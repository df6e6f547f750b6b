package object

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// relationshipsKey distinguishes the requests of a batch.
type relationshipsKey struct {
	types, direction string
	start, count     int
}

// Relationships are the entity's neighbours.
func (n *Node) Relationships(ctx context.Context, input RelationshipsInput) (*EntityRelationshipsResult, error) {
	return n.relationshipsAt(ctx, input, 0)
}

// relationshipsAt are the relationships at a moment; 0 is now.
func (n *Node) relationshipsAt(ctx context.Context, input RelationshipsInput, asOf int64) (*EntityRelationshipsResult, error) {
	start, count := optional.Or(input.Start, 0), optional.Or(input.Count, limits.DefaultRelationships)
	key := relationshipsKey{strings.Join(input.Types, ","), string(input.Direction), start, count}
	return batched(n, key, func(nodes []*Node) (map[*Node]*EntityRelationshipsResult, error) {
		query := read.RelationshipQuery{Direction: string(input.Direction), Types: input.Types, Start: start, Count: count, AsOf: asOf, Provenance: asOf == 0}
		pages, err := pagesOf(n.batch.session, keysOf(n.batch.nodes), count,
			func(urns []model.URN) (map[model.URN]read.RelationshipPage, error) {
				return n.batch.session.Catalog.RelationshipsOf(ctx, urns, query)
			},
			func(page read.RelationshipPage) int { return len(page.Relationships) })
		if err != nil {
			return nil, err
		}
		below, results := n.batch.session.NewBatch(), make(map[*Node]*EntityRelationshipsResult, len(nodes))
		for _, node := range nodes {
			page := pages[node.key]
			total := int(page.Total)
			result := &EntityRelationshipsResult{Start: &page.Start, Count: &page.Count, Total: &total, Relationships: []*EntityRelationship{}}
			for _, r := range page.Relationships {
				edge := &EntityRelationship{Type: r.Type, Direction: input.Direction, Entity: below.Entity(r.Entity)}
				if r.Provenance != nil {
					edge.Provenance = provenanceOf(r.Provenance, below)
				}
				if r.Created != nil {
					edge.Created = &AuditStamp{Time: r.Created.Time, Actor: &r.Created.Actor}
				}
				result.Relationships = append(result.Relationships, edge)
			}
			results[node] = result
		}
		return results, nil
	})
}

// itemsAtOnce is about the number of items of pages that one read returns.
const itemsAtOnce = 100_000

// pagesOf reads one page for each of some entities. However large the pages are, memory never
// has more than the items that the answer may have and the items of one more read.
func pagesOf[P any](s *Session, urns []model.URN, count int, read func(urns []model.URN) (map[model.URN]P, error), items func(P) int) (map[model.URN]P, error) {
	pages := make(map[model.URN]P, len(urns))
	for some := range slices.Chunk(urns, max(itemsAtOnce/max(count, 1), 1)) {
		found, err := read(some)
		if err != nil {
			return nil, err
		}
		n := 0
		for _, page := range found {
			n += items(page)
		}
		if err := s.take(n); err != nil {
			return nil, err
		}
		maps.Copy(pages, found)
	}
	return pages, nil
}

// lineageKey distinguishes the requests of a batch.
type lineageKey struct {
	query lineage.RelationshipsQuery
}

// Lineage returns the neighbours of the entity in lineage.
func (n *Node) Lineage(ctx context.Context, input LineageInput) (*EntityLineageResult, error) {
	query := lineage.RelationshipsQuery{
		Direction: string(input.Direction), Start: optional.Or(input.Start, 0), Count: optional.Or(input.Count, limits.DefaultRelationships),
		SeparateSiblings: optional.Or(input.SeparateSiblings, false), From: optional.Or(input.StartTimeMillis, 0), To: optional.Or(input.EndTimeMillis, 0),
		AsOf: optional.Or(input.AsOf, 0),
	}
	return batched(n, lineageKey{query}, func(nodes []*Node) (map[*Node]*EntityLineageResult, error) {
		pages, err := pagesOf(n.batch.session, keysOf(n.batch.nodes), query.Count,
			func(urns []model.URN) (map[model.URN]lineage.RelationshipsPage, error) {
				return n.batch.session.Catalog.Lineage.RelationshipsOf(ctx, urns, query)
			},
			func(page lineage.RelationshipsPage) int { return len(page.Relationships) })
		if err != nil {
			return nil, err
		}
		below, results := n.batch.session.NewBatch(), make(map[*Node]*EntityLineageResult, len(nodes))
		for _, node := range nodes {
			page := pages[node.key]
			result := &EntityLineageResult{
				Start: &page.Start, Count: &page.Count, Total: &page.Total, Filtered: &page.Filtered, Relationships: []*LineageRelationship{},
			}
			for _, r := range page.Relationships {
				result.Relationships = append(result.Relationships, lineageRelationship(r, below))
			}
			results[node] = result
		}
		return results, nil
	})
}

func lineageRelationship(r lineage.Relationship, below *Batch) *LineageRelationship {
	edge := &LineageRelationship{Type: r.Type, Entity: below.Entity(r.Entity), Degree: r.Degree, IsManual: &r.Manual}
	provenance := r.Provenance()
	edge.Provenance = provenanceOf(&provenance, below)
	if r.Created != nil {
		edge.CreatedOn, edge.CreatedActor = &r.Created.Time, below.Entity(r.Created.Actor)
	}
	if r.Updated != nil {
		edge.UpdatedOn, edge.UpdatedActor = &r.Updated.Time, below.Entity(r.Updated.Actor)
	}
	return edge
}
