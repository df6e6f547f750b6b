package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// AtTop is the criterion of terms and nodes that no node contains.
var AtTop = catalog.Criterion{Field: "parentNode", Condition: "EXISTS", Negated: true}

// requireFreeName fails when another term, or another node, in the parent already has the name.
func (s *Service) requireFreeName(ctx context.Context, u model.URN, name string, parent model.URN) error {
	within := catalog.Criterion{Field: "parentNode", Values: []string{parent.String()}, Condition: "EQUAL"}
	if parent.IsZero() {
		within = AtTop
	}
	glossary, _ := model.GlossaryTypeOf(u.EntityType()) // callers pass only types of the glossary
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

// relatedTerms has, by relationship, the member of a term that lists the related terms.
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
		if err := s.writer.RequireExisting(ctx, terms...); err != nil {
			return err
		}
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: u, Aspect: model.AspectGlossaryRelatedTerms, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		s.editURNs(value, list, terms, add)
		return nil
	}}}, o)
}

// editURNs adds URNs to a list of the value, or removes URNs from the list.
func (s *Service) editURNs(value catalog.Tree, name string, urns []model.URN, add bool) {
	before := jsontree.Array(value, name)
	after := slices.DeleteFunc(slices.Clone(before), func(item any) bool {
		urn, _ := item.(string)
		return !add && s.names.SameURNAny(urn, urns)
	})
	if add {
		for _, urn := range urns {
			if !slices.ContainsFunc(after, s.names.Names(urn)) {
				after = append(after, urn.String())
			}
		}
	}
	if len(after) != len(before) {
		value[name] = after
	}
}
