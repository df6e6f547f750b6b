package read

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// labelLists describe the places where an entity has labels: the aspect, the member with the
// list, the member that names the label, and the relationship that it states.
var labelLists = []struct{ kind, aspect, list, member, relationship string }{
	{statements.LabelTag, model.AspectGlobalTags, "tags", "tag", model.RelationshipTaggedWith},
	{statements.LabelTerm, model.AspectGlossaryTerms, "terms", "urn", model.RelationshipTermedWith},
	{statements.LabelOwner, model.AspectOwnership, "owners", "owner", model.RelationshipOwnedBy},
}

// LabelsOf returns the tags, terms and owners of entities, in the order of their aspects. A
// label with several attributions is listed once for each.
func (rd *Reader) LabelsOf(ctx context.Context, urns []model.URN) (map[model.URN][]statements.Label, error) {
	if err := catalog.TooMany("entities", len(urns), limits.MaxIDs); err != nil {
		return nil, err
	}
	query := graphstore.EdgeQuery{URNs: catalog.Texts(urns), Page: graphstore.Page{Count: catalog.MaxPage}}
	var aspects []string
	for _, l := range labelLists {
		query.Types, aspects = append(query.Types, l.relationship), append(aspects, l.aspect)
	}
	stored, err := rd.store.LatestAspects(ctx, query.URNs, aspects)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	edges, err := rd.store.Edges(ctx, query)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	labels := make(map[model.URN][]statements.Label, len(urns))
	for _, urn := range urns {
		if labels[urn], err = rd.labelsIn(stored[urn.String()], edges[urn.String()].Edges); err != nil {
			return nil, err
		}
	}
	return labels, nil
}

// labelsIn joins the labels in the aspects of an entity with the edges from the entity to these
// labels.
func (rd *Reader) labelsIn(aspects []graphstore.Aspect, edges []graphstore.Edge) ([]statements.Label, error) {
	type end struct{ relationship, urn string }
	known := make(map[end]*graphstore.Edge, len(edges))
	for i := range edges {
		known[end{edges[i].Type, edges[i].Destination}] = &edges[i]
	}
	labels := []statements.Label{}
	for _, l := range labelLists {
		for i := range aspects {
			if aspects[i].Name != l.aspect {
				continue
			}
			tree, err := catalog.TreeOf(aspects[i].Value)
			if err != nil {
				return nil, err
			}
			for _, item := range jsontree.Items(tree, l.list) {
				label := statements.Label{Kind: l.kind, URN: rd.Spelled(jsontree.Text(item, l.member))}
				if edge := known[end{l.relationship, label.URN}]; edge != nil {
					label.Provenance = statements.OfEdge(edge)
				}
				label.Provenance.Attribute(item)
				labels = append(labels, label)
			}
		}
	}
	return labels, nil
}
