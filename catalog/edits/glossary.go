package edits

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// AtTop holds for terms and nodes that are not in a node.
var AtTop = catalog.Criterion{Field: "parentNode", Condition: "EXISTS", Negated: true}

// glossaryDepth is the largest number of nodes above a term or node.
const glossaryDepth = 100

// parentNode returns the node that contains a term or node, "" at the top.
func (s *Service) parentNode(ctx context.Context, u model.URN) (model.URN, error) {
	glossary, _ := model.GlossaryTypeOf(u.EntityType()) // callers ask for those alone
	aspect := glossary.Aspect
	stored, err := s.store.LatestAspects(ctx, []string{u.String()}, []string{aspect})
	if err != nil {
		return model.URN{}, catalog.StoreFailure(err)
	}
	if len(stored[u.String()]) == 0 {
		return model.URN{}, nil
	}
	var info struct {
		Parent string `json:"parentNode"`
	}
	if err := json.Unmarshal(stored[u.String()][0].Value, &info); err != nil {
		return model.URN{}, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspect, u, err)
	}
	if info.Parent == "" {
		return model.URN{}, nil
	}
	parent, _, err := s.catalog.ParseURN(info.Parent) // a value keeps the spelling of who wrote it
	return parent, err
}

// requireFreeName fails when another term, or another node, in the parent
// already has the name.
func (s *Service) requireFreeName(ctx context.Context, u model.URN, name string, parent model.URN) error {
	within := catalog.Criterion{Field: "parentNode", Values: []string{parent.String()}, Condition: "EQUAL"}
	if parent.IsZero() {
		within = AtTop
	}
	glossary, _ := model.GlossaryTypeOf(u.EntityType()) // callers pass only these types
	found, err := s.search.Search(ctx, search.Request{
		Types: []string{u.EntityType()}, Input: "*", Count: 2, Facets: []string{},
		Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{within, {Field: glossary.NameField, Values: []string{name}, Condition: "EQUAL"}}}}},
	})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		if hit.URN != u.String() {
			return catalog.Errorf(catalog.Invalid, "%s %q already exists in this place of the glossary: %s", u.EntityType(), name, hit.URN)
		}
	}
	return nil
}

// SetParentNode moves a term or node into a node, or with the zero URN to the
// top.
func (s *Service) SetParentNode(ctx context.Context, u, parent model.URN, o catalog.WriteOptions) error {
	glossary, ok := model.GlossaryTypeOf(u.EntityType())
	if !ok {
		return catalog.Errorf(catalog.Invalid, "%s is neither a glossaryTerm nor a glossaryNode", u)
	}
	if err := s.checkParent(ctx, u, parent); err != nil {
		return err
	}
	return s.catalog.Edit(ctx, []catalog.Edit{{URN: u, Aspect: glossary.Aspect, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		switch {
		case len(value) == 0:
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", u, glossary.Aspect)
		case parent.IsZero():
			delete(value, "parentNode")
		default:
			value["parentNode"] = parent.String()
		}
		return nil
	}}}, o)
}

// checkParent checks the node that is to be the parent of a term or node, the
// zero URN for none. It must exist, and must not be below that term or node.
func (s *Service) checkParent(ctx context.Context, u, parent model.URN) error {
	if parent.IsZero() {
		return nil
	}
	if err := s.requireExisting(ctx, parent, model.EntityGlossaryNode); err != nil {
		return err
	}
	at := parent
	for range glossaryDepth {
		if at == u {
			return catalog.Errorf(catalog.Invalid, "%s cannot be moved into %s, which is below it", u, parent)
		}
		var err error
		if at, err = s.parentNode(ctx, at); err != nil || at.IsZero() {
			return err
		}
	}
	return catalog.Errorf(catalog.Invalid, "%s is more than %d nodes below the top", parent, glossaryDepth)
}

// relatedTerms name the members of a term that list its related terms.
var relatedTerms = map[string]string{"isA": "isRelatedTerms", "hasA": "hasRelatedTerms"}

// EditRelatedTerms relates terms to a term, or ends these relationships. The
// relationship is isA or hasA.
func (s *Service) EditRelatedTerms(ctx context.Context, u model.URN, terms []model.URN, relationship string, add bool, o catalog.WriteOptions) error {
	list, ok := relatedTerms[relationship]
	if !ok {
		return catalog.Errorf(catalog.Invalid, "terms are related by isA or hasA, not by %q", relationship)
	}
	if err := catalog.RequireType(u, TermLabel.entityType); err != nil {
		return err
	}
	terms, err := catalog.AllOfType(terms, TermLabel.entityType)
	if err != nil {
		return err
	}
	if add {
		if slices.Contains(terms, u) {
			return catalog.Errorf(catalog.Invalid, "%s cannot be related to itself", u)
		}
		if err := s.catalog.RequireExisting(ctx, terms...); err != nil {
			return err
		}
	}
	return s.catalog.Edit(ctx, []catalog.Edit{{URN: u, Aspect: model.AspectGlossaryRelatedTerms, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		s.editURNs(value, list, terms, add)
		return nil
	}}}, o)
}

// editURNs adds URNs to an array or removes them from it.
func (s *Service) editURNs(value catalog.Tree, name string, urns []model.URN, add bool) {
	before := jsontree.Array(value, name)
	after := slices.DeleteFunc(slices.Clone(before), func(item any) bool {
		urn, _ := item.(string)
		return !add && s.catalog.SameURNAny(urn, urns)
	})
	if add {
		for _, urn := range urns {
			if !slices.ContainsFunc(after, s.catalog.Names(urn)) {
				after = append(after, urn.String())
			}
		}
	}
	if len(after) != len(before) {
		value[name] = after
	}
}
