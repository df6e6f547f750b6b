package gql

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/headwater-io/headwater/internal/limits"
)

// cost is the work of a field with its most expensive arguments, for all entities at one place
// of the answer together. [limits.MaxGraphQLCost] bounds the sum of the costs of a query.
// The reasons are in docs/decisions/0076-costs-and-turns-of-readers.md.
type cost int

const (
	// free: the field reads nothing, or only from memory.
	free cost = 0
	// single: the field reads entities by their URNs, or edits one entity.
	single cost = 1
	// below: the field reads a page for each entity of a place; the pages of all these entities
	// are read together.
	below cost = 2
	// paged: the field reads a page that the index or the store finds, or edits many entities.
	paged cost = 5
	// walked: the field reads many entities, versions or records of the change log.
	walked cost = 40
)

// dear reports whether a query resolves only one field of this cost at a time. So a query takes
// one place in the lanes of the store, where other queries wait behind it, and leaves the
// processor to other queries.
func (c cost) dear() bool { return c >= below }

// fieldsAtOnce is the number of other fields of a query that are resolved at a time.
const fieldsAtOnce = 4

// turns are the turns of the fields of a query.
type turns struct{ dear, others chan struct{} }

func newTurns() turns { return turns{make(chan struct{}, 1), make(chan struct{}, fieldsAtOnce)} }

// take waits for the turn of a field and returns the function that ends the turn.
func (t *turns) take(ctx context.Context) (end func(), err error) {
	of := t.others
	field := graphql.GetFieldContext(ctx)
	switch {
	case field == nil || !field.IsMethod && !field.IsResolver:
		return func() {}, nil // the field is a member of an object that was already read
	case costOf(field.Object, field.Field.Field).dear():
		of = t.dear
	}
	select {
	case of <- struct{}{}:
		return func() { <-of }, nil
	case <-ctx.Done():
		return nil, over(ctx)
	}
}

// costOf is the cost of a field of an object.
func costOf(object string, f *ast.Field) cost {
	if f == nil {
		return free
	}
	switch object {
	case "Query":
		return queryCosts[f.Name]
	case "Mutation":
		return mutationCosts[f.Name]
	}
	return fieldCosts[f.Name]
}

// cost is the cost of the fields of one name at one place. Fields of different types are fields
// of different entities, and the highest cost counts.
func (j *joined) cost() cost {
	most := free
	for _, f := range j.each {
		object := ""
		if f.ObjectDefinition != nil {
			object = f.ObjectDefinition.Name
		}
		most = max(most, costOf(object, f))
	}
	return most
}

// pay adds the cost of a field to the cost of its operation.
func (p *planner) pay(c cost) error {
	if p.cost += c; p.cost > limits.MaxGraphQLCost {
		return refuse("the fields of the query cost more than %d; a page or a search costs %d, a walk, a timeline, a run or a part of the change log %d: ask for less in one query", limits.MaxGraphQLCost, paged, walked)
	}
	return nil
}
