package removal

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// ReferencePage bounds the references that are removed at once.
const ReferencePage = 200

// References are the relationships of other entities to an entity.
type References struct {
	// Total counts the relationships that can be removed.
	Total int64 `json:"total"`
	// Related contains some of the aspects that state these references.
	Related []RelatedAspect `json:"relatedAspects"`
}

// RelatedAspect states a relationship to an entity. Clients show the members in
// this order.
type RelatedAspect struct {
	Relationship string `json:"relationship"`
	Entity       string `json:"entity"`
	Aspect       string `json:"aspect"`
}

// maxRelated bounds the related aspects that are returned.
const maxRelated = 10

// DeleteReferences removes the mentions of an entity from the aspects of others, page by page. It returns the
// removed mentions or, in a dry run, the mentions that it would remove. The entity itself stays. Mentions in
// keys cannot be removed.
func (s *Service) DeleteReferences(ctx context.Context, u model.URN, dryRun bool, o catalog.WriteOptions) (References, error) {
	references := References{Related: []RelatedAspect{}}
	if err := s.writer.RequireWritableUnless(ctx, dryRun); err != nil {
		return references, err
	}
	if !dryRun {
		if err := s.writer.RequireDeletable(ctx, []model.URN{u}); err != nil {
			return references, err
		}
		ctx = permission.Decided(ctx) // the privilege to delete an entity includes its references
	}
	urn, is := u.String(), s.names.Names(u)
	skip := 0 // mentions that no edit removes, such as a key's
	for {
		page, err := s.mentions(ctx, urn, skip)
		if err != nil {
			return references, err
		}
		if len(page.Edges) == 0 {
			break
		}
		edits := s.referenceEdits(urn, page.Edges)
		if err := s.countReferences(ctx, is, edits, &references); err != nil {
			return references, err
		}
		if dryRun {
			skip += len(page.Edges)
			continue
		}
		if err := s.editReferences(ctx, edits, is, o.WithoutWait()); err != nil {
			return references, err
		}
		after, err := s.mentions(ctx, urn, 0)
		if err != nil {
			return references, err
		}
		skip += len(page.Edges) - int(page.Total-after.Total)
	}
	if dryRun {
		return references, nil
	}
	return references, s.writer.SettleIf(ctx, references.Total > 0, o)
}

// mentions returns the edges that lead to an entity.
func (s *Service) mentions(ctx context.Context, urn string, skip int) (graphstore.EdgePage, error) {
	found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{urn}, Direction: graphstore.Incoming, Page: graphstore.Page{Start: skip, Count: ReferencePage},
	})
	return found[urn], catalog.StoreFailure(err)
}

// referenceEdit removes the mentions of an entity from one aspect of another.
type referenceEdit struct {
	urn    model.URN
	aspect string
	// paths are the places of the aspect that may name the entity, and relationships the
	// relationships that such a place states.
	paths         [][]string
	relationships []string
}

// referenceEdits returns the edits of the aspects that may state the edges.
func (s *Service) referenceEdits(urn string, edges []graphstore.Edge) []*referenceEdit {
	type at struct {
		urn    model.URN
		aspect string
	}
	known := map[at]*referenceEdit{}
	var edits []*referenceEdit
	for i := range edges {
		source := model.StoredURN(edges[i].Source)
		for _, rel := range s.names.Registry().Relationships() {
			aspect, ok := s.names.Registry().Aspect(rel.Aspect)
			if !ok || aspect.IsKey || rel.Name != edges[i].Type || !slices.Contains(rel.SourceEntities, source.EntityType()) {
				continue
			}
			key := at{source, rel.Aspect}
			e, ok := known[key]
			if !ok {
				e = &referenceEdit{urn: key.urn, aspect: key.aspect}
				known[key], edits = e, append(edits, e)
			}
			e.paths, e.relationships = append(e.paths, strings.Split(rel.Path, "/")), append(e.relationships, rel.Name)
		}
	}
	return edits
}

// countReferences counts the relationships that edits would remove. Several mentions that state one
// relationship of an entity count once.
func (s *Service) countReferences(ctx context.Context, is func(any) bool, edits []*referenceEdit, into *References) error {
	urns, names := make([]string, len(edits)), make([]string, len(edits))
	for i, e := range edits {
		urns[i], names[i] = e.urn.String(), e.aspect
	}
	slices.Sort(urns)
	slices.Sort(names)
	latest, err := s.store.LatestAspects(ctx, slices.Compact(urns), slices.Compact(names))
	if err != nil {
		return catalog.StoreFailure(err)
	}
	type edge struct {
		source       model.URN
		relationship string
	}
	counted := map[edge]bool{}
	for _, e := range edits {
		for _, a := range latest[e.urn.String()] {
			if a.Name != e.aspect {
				continue
			}
			value, err := catalog.TreeOf(a.Value)
			if err != nil {
				return err
			}
			for i, path := range e.paths {
				relationship := edge{e.urn, e.relationships[i]}
				if !jsontree.Contains(value, path, is) {
					continue
				}
				if len(into.Related) < maxRelated {
					into.Related = append(into.Related, RelatedAspect{e.relationships[i], e.urn.String(), e.aspect})
				}
				if !counted[relationship] {
					counted[relationship] = true
					into.Total++
				}
			}
		}
	}
	return nil
}

// editReferences applies edits. An aspect without content afterwards is deleted.
func (s *Service) editReferences(ctx context.Context, found []*referenceEdit, is func(any) bool, o catalog.WriteOptions) error {
	edits := make([]write.Edit, len(found))
	for i, e := range found {
		edits[i] = write.Edit{URN: e.urn, Aspect: e.aspect, OrDelete: true, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			taken := false
			for _, path := range e.paths {
				taken = jsontree.Contains(value, path, is) || taken
				jsontree.Remove(value, path, is)
			}
			if taken && saysNothing(value) {
				return write.ErrNothingLeft
			}
			return nil
		}}
	}
	return s.writer.EditWith(ctx, edits, nil, o)
}

// saysNothing reports whether a value contains only empty lists, empty records
// and audit stamps.
func saysNothing(value any) bool {
	switch value := value.(type) {
	case []any:
		return !slices.ContainsFunc(value, func(item any) bool { return !saysNothing(item) })
	case catalog.Tree:
		if _, ok := value["actor"]; ok && value["time"] != nil && len(value) == 2 {
			return true
		}
		for _, member := range value {
			if !saysNothing(member) {
				return false
			}
		}
		return true
	}
	return false
}
