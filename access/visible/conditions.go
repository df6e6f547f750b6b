package visible

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Graph is the part of the graph store that lists the entities below domains, containers and terms. It is the
// store as the server itself sees it.
type Graph interface {
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error)
}

// indexed are the fields of documents that have the facts of policies.
var indexed = map[policies.Field]string{
	policies.FieldOwner: "owners", policies.FieldDomain: "domains", policies.FieldContainer: "container",
	policies.FieldTag: "tags", policies.FieldTerm: "glossaryTerms", policies.FieldInstance: "platformInstance",
}

// parentDomain is the field with the domain above a domain.
const parentDomain = "parentDomain"

// compiler turns the filter of a caller into a condition on documents.
type compiler struct {
	*Index
	view *sight
	// below has the entities that were found below domains, containers and terms.
	below map[string][]string
	// values counts the values of all conditions.
	values int
	// passing reports that some values are entities that were found by the beginning of their URNs, or by
	// their relationships.
	passing bool
}

// condition returns the condition that holds for the documents of the entities that a caller may read.
func (x *Index) condition(ctx context.Context, view *sight) (indexer.Expr, error) {
	made, err := view.Remember(ctx, "condition", func() (any, bool, error) {
		condition, lasts, err := x.compile(ctx, view)
		if condition != nil { // nil is a condition that always holds
			condition = &indexer.Standing{Expr: condition}
		}
		return condition, lasts, err
	})
	if err != nil {
		return nil, err
	}
	condition, _ := made.(indexer.Expr)
	return condition, nil
}

// compile makes one condition for all types of entities without privileges of their own for reading, and
// one for each type that has such privileges. Columns have no condition: a column belongs to its entity,
// of which its document has only the URN. A condition lasts unless it has values that any write may add
// to.
func (x *Index) compile(ctx context.Context, view *sight) (condition indexer.Expr, lasts bool, err error) {
	c := &compiler{Index: x, view: view, below: map[string][]string{}}
	own := policies.OwnTypes(policies.Read)
	slices.Sort(own)
	apart := indexer.In{Field: indexer.FieldType, Values: append(slices.Clone(own), model.EntitySchemaField)}
	condition, err = c.expr(ctx, view.Filter(""))
	if err != nil {
		return nil, false, err
	}
	either := indexer.Or{indexer.And{indexer.Not{Expr: apart}, condition}}
	// Types with the same condition share it.
	var alike []indexer.And
	for _, entityType := range own {
		c.values = 0
		if condition, err = c.expr(ctx, view.Filter(entityType)); err != nil {
			return nil, false, err
		}
		if who := view.SeenBy(); who != "" && entityType == model.EntityDataHubAccessToken { // as package permit decides
			condition = indexer.Or{condition, indexer.In{Field: "ownerUrn", Values: []string{who}}, indexer.In{Field: "actorUrn", Values: []string{who}}}
		}
		simple := indexer.Simplify(condition)
		if indexer.IsNever(simple) {
			continue
		}
		i := slices.IndexFunc(alike, func(other indexer.And) bool { return reflect.DeepEqual(other[1], simple) })
		if i < 0 {
			i, alike = len(alike), append(alike, indexer.And{indexer.In{Field: indexer.FieldType}, simple})
		}
		types := alike[i][0].(indexer.In)
		types.Values = append(types.Values, entityType)
		alike[i][0] = types
	}
	for _, each := range alike {
		either = append(either, each)
	}
	if view.SeesType(model.EntityDataset) {
		either = append(either, indexer.In{Field: indexer.FieldType, Values: []string{model.EntitySchemaField}})
	}
	return indexer.Simplify(either), !c.passing, nil
}

func (c *compiler) expr(ctx context.Context, f policies.Filter) (indexer.Expr, error) {
	var parts []indexer.Expr
	for i := range f.Of {
		part, err := c.expr(ctx, f.Of[i])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	switch f.Op {
	case policies.Any:
		return append(indexer.Or{}, parts...), nil
	case policies.All:
		return append(indexer.And{}, parts...), nil
	case policies.Not:
		return indexer.Not{Expr: parts[0]}, nil
	}
	if c.values += len(f.Values); c.values > limits.VisibleValues {
		return nil, tooManyValues()
	}
	return c.leaf(ctx, f)
}

// leaf returns the condition of one criterion.
func (c *compiler) leaf(ctx context.Context, f policies.Filter) (indexer.Expr, error) {
	switch f.Field {
	case policies.FieldType:
		return is(indexer.FieldType, f), nil
	case policies.FieldURN:
		return is(indexer.FieldURN, f), nil
	case policies.FieldOwner:
		if f.OwnerTypes != nil {
			return c.ownedAs(ctx, f)
		}
	case policies.FieldGroup:
		return c.members(ctx, f)
	case policies.FieldDomain, policies.FieldContainer, policies.FieldTerm:
		values, err := c.withBelow(ctx, f)
		if err != nil {
			return nil, err
		}
		f.Values, f.Prefix = values, false
	}
	if f.Field == policies.FieldDomain {
		parent := is(parentDomain, f)
		if !c.parentOfDomains {
			parent = indexer.And{ofType(model.EntityDomain), parent}
		}
		return indexer.Or{is(indexed[f.Field], f), parent}, nil
	}
	field, known := indexed[f.Field]
	if !known {
		return nil, tooManyValues()
	}
	return is(field, f), nil
}

func ofType(entityType string) indexer.Expr {
	return indexer.In{Field: indexer.FieldType, Values: []string{entityType}}
}

func is(field string, f policies.Filter) indexer.Expr {
	switch {
	case len(f.Values) == 0:
		return indexer.Or{}
	case f.Prefix:
		return indexer.Match{Field: field, Kind: indexer.Prefix, Texts: f.Values}
	}
	return indexer.In{Field: field, Values: f.Values}
}

// withBelow returns the values of a criterion and all entities below them. Prefixes are replaced by the
// entities whose URNs begin with them.
func (c *compiler) withBelow(ctx context.Context, f policies.Filter) ([]string, error) {
	key := fmt.Sprint(f.Prefix, f.Values)
	if found, known := c.below[key]; known {
		return found, nil
	}
	values, err := c.spelledOut(ctx, f)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, value := range values {
		seen[value] = true
	}
	for level := values; len(level) > 0; {
		var next []string
		err := c.eachSource(ctx, level, []string{model.RelationshipIsPartOf}, func(source string) {
			switch typeOf(source) {
			case model.EntityDomain, model.EntityContainer, model.EntityGlossaryNode, model.EntityGlossaryTerm:
				if !seen[source] {
					seen[source] = true
					next = append(next, source)
				}
			}
		})
		if err != nil {
			return nil, err
		}
		values, level = append(values, next...), next
	}
	if c.values += len(values); c.values > limits.VisibleValues {
		return nil, tooManyValues()
	}
	c.below[key] = values
	return values, nil
}

// eachSource calls found for the sources of the edges that lead to entities.
func (c *compiler) eachSource(ctx context.Context, to, relationships []string, found func(source string)) error {
	to = slices.DeleteFunc(slices.Clone(to), func(urn string) bool { return !strings.HasPrefix(urn, "urn:") })
	query := graphstore.EdgeQuery{URNs: to, Direction: graphstore.Incoming, Types: relationships, Page: graphstore.Page{Count: rowsAtOnce}}
	for len(query.URNs) > 0 {
		pages, err := c.store.Edges(ctx, query)
		if err != nil {
			return err
		}
		for _, urn := range query.URNs {
			for i := range pages[urn].Edges {
				found(pages[urn].Edges[i].Source)
			}
		}
		if query.Start += rowsAtOnce; query.Start > limits.VisibleRows {
			return tooManyValues()
		}
		query.URNs = slices.DeleteFunc(query.URNs, func(urn string) bool { return pages[urn].Total <= int64(query.Start) })
	}
	return nil
}

// ownedAs returns the condition of an ownership of certain types: the entities that have one.
func (c *compiler) ownedAs(ctx context.Context, f policies.Filter) (indexer.Expr, error) {
	if len(f.OwnerTypes) == 0 {
		return indexer.Or{}, nil
	}
	owned, err := c.sources(ctx, "owned", f, []string{model.RelationshipOwnedBy})
	if err != nil {
		return nil, err
	}
	as, err := c.view.Owned(ctx, owned, f)
	if err != nil {
		return nil, err
	}
	return is(indexer.FieldURN, policies.Filter{Values: as}), nil
}

// members returns the condition of a membership: the users who are members.
func (c *compiler) members(ctx context.Context, f policies.Filter) (indexer.Expr, error) {
	found, err := c.sources(ctx, "members", f, []string{model.RelationshipIsMemberOfGroup, model.RelationshipIsMemberOfNativeGroup})
	return is(indexer.FieldURN, policies.Filter{Values: found}), err
}

// spelledOut returns the values of a criterion. Prefixes are replaced by the entities whose URNs begin with
// them.
func (c *compiler) spelledOut(ctx context.Context, f policies.Filter) ([]string, error) {
	if !f.Prefix {
		return slices.Clone(f.Values), nil
	}
	c.passing = true
	var values []string
	for _, prefix := range f.Values {
		begin, err := c.store.WithPrefix(ctx, prefix, limits.VisibleValues)
		if err != nil {
			return nil, err
		}
		values = append(values, begin...)
	}
	return values, nil
}

// sources returns the entities that have a relationship to a value of a criterion.
func (c *compiler) sources(ctx context.Context, what string, f policies.Filter, relationships []string) ([]string, error) {
	c.passing = true
	key := fmt.Sprint(what, f.Prefix, f.Values)
	if found, known := c.below[key]; known {
		return found, nil
	}
	values, err := c.spelledOut(ctx, f)
	if err != nil {
		return nil, err
	}
	seen, found := map[string]bool{}, []string{}
	err = c.eachSource(ctx, values, relationships, func(source string) {
		if !seen[source] {
			seen[source] = true
			found = append(found, source)
		}
	})
	if err == nil {
		if c.values += len(found); c.values > limits.VisibleValues {
			err = tooManyValues()
		}
	}
	c.below[key] = found
	return found, err
}
