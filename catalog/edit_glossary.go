package catalog

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// AtTop is what terms and nodes fulfil that are in no node.
var AtTop = Criterion{Field: "parentNode", Condition: "EXISTS", Negated: true}

// glossaryDepth bounds the way up from a term.
const glossaryDepth = 100

// parentNode returns the node that contains a term or node, "" at the top.
func (c *Catalog) parentNode(ctx context.Context, u model.URN) (string, error) {
	glossary, _ := model.GlossaryTypeOf(u.EntityType()) // callers ask for those alone
	aspect := glossary.Aspect
	stored, err := c.store.LatestAspects(ctx, []string{u.String()}, []string{aspect})
	if err != nil {
		return "", storeFailure(err)
	}
	if len(stored[u.String()]) == 0 {
		return "", nil
	}
	var info struct {
		Parent string `json:"parentNode"`
	}
	if err := json.Unmarshal(stored[u.String()][0].Value, &info); err != nil {
		return "", Errorf(Internal, "%s of %s: %w", aspect, u, err)
	}
	return info.Parent, nil
}

// requireFreeName fails when another term, or another node, in the parent
// already has the name.
func (c *Catalog) requireFreeName(ctx context.Context, u model.URN, name, parent string) error {
	within := Criterion{Field: "parentNode", Values: []string{parent}, Condition: "EQUAL"}
	if parent == "" {
		within = AtTop
	}
	glossary, _ := model.GlossaryTypeOf(u.EntityType()) // callers ask for those alone
	found, err := c.Search(ctx, SearchRequest{
		Types: []string{u.EntityType()}, Input: "*", Count: 2, Facets: []string{},
		Filter: &Filter{Or: []Conjunction{{And: []Criterion{within, {Field: glossary.NameField, Values: []string{name}, Condition: "EQUAL"}}}}},
	})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		if hit.URN != u.String() {
			return Errorf(Invalid, "%s %q already exists in this place of the glossary: %s", u.EntityType(), name, hit.URN)
		}
	}
	return nil
}

// SetParentNode moves a term or node into a node, or with "" to the top.
func (c *Catalog) SetParentNode(ctx context.Context, urn, parent string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	glossary, ok := model.GlossaryTypeOf(u.EntityType())
	if !ok {
		return Errorf(Invalid, "%s is neither a glossaryTerm nor a glossaryNode", u)
	}
	if parent, err = c.parentOf(ctx, u, parent); err != nil {
		return err
	}
	return c.Edit(ctx, []Edit{{URN: u.String(), Aspect: glossary.Aspect, Change: func(value Tree, _ AuditStamp) error {
		switch {
		case len(value) == 0:
			return Errorf(Invalid, "Failed to update %s. It has no %s.", u, glossary.Aspect)
		case parent == "":
			delete(value, "parentNode")
		default:
			value["parentNode"] = parent
		}
		return nil
	}}}, o)
}

// parentOf checks the node that is to be the parent of a term or node, "" for
// none. It must exist, and must not be below that term or node.
func (c *Catalog) parentOf(ctx context.Context, u model.URN, parent string) (string, error) {
	if parent == "" {
		return "", nil
	}
	parent, err := c.urnOf(parent, model.EntityGlossaryNode)
	if err != nil {
		return "", err
	}
	if err := c.requireExisting(ctx, parent); err != nil {
		return "", err
	}
	at := parent
	for range glossaryDepth {
		node, _, err := c.parseURN(at)
		if err != nil {
			return "", err
		}
		if node.String() == u.String() {
			return "", Errorf(Invalid, "%s cannot be moved into %s, which is below it", u, parent)
		}
		if at, err = c.parentNode(ctx, node); err != nil || at == "" {
			return parent, err
		}
	}
	return "", Errorf(Invalid, "%s is more than %d nodes below the top", parent, glossaryDepth)
}

// relatedTerms name the members of a term that list its related terms.
var relatedTerms = map[string]string{"isA": "isRelatedTerms", "hasA": "hasRelatedTerms"}

// EditRelatedTerms relates terms to a term, or ends these relationships. The
// relationship is isA or hasA.
func (c *Catalog) EditRelatedTerms(ctx context.Context, urn string, terms []string, relationship string, add bool, o WriteOptions) error {
	list, ok := relatedTerms[relationship]
	if !ok {
		return Errorf(Invalid, "terms are related by isA or hasA, not by %q", relationship)
	}
	urn, err := c.urnOf(urn, TermLabel.entityType)
	if err != nil {
		return err
	}
	if terms, err = c.urnsOfType(terms, TermLabel.entityType); err != nil {
		return err
	}
	if add {
		if slices.Contains(terms, urn) {
			return Errorf(Invalid, "%s cannot be related to itself", urn)
		}
		if err := c.requireExisting(ctx, terms...); err != nil {
			return err
		}
	}
	return c.Edit(ctx, []Edit{{URN: urn, Aspect: model.AspectGlossaryRelatedTerms, Change: func(value Tree, _ AuditStamp) error {
		c.editURNs(value, list, terms, add)
		return nil
	}}}, o)
}

// editURNs adds URNs to an array or removes them from it.
func (c *Catalog) editURNs(value Tree, name string, urns []string, add bool) {
	before := jsontree.Array(value, name)
	after := slices.DeleteFunc(slices.Clone(before), func(item any) bool {
		urn, _ := item.(string)
		return !add && c.namesAny(urn, urns)
	})
	if add {
		for _, urn := range urns {
			is := func(item any) bool {
				stored, ok := item.(string)
				return ok && c.names(stored, urn)
			}
			if !slices.ContainsFunc(after, is) {
				after = append(after, urn)
			}
		}
	}
	if len(after) != len(before) {
		value[name] = after
	}
}
