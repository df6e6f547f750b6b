package gql

import (
	"context"
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/headwater-io/headwater/internal/limits"
)

// planner visits the fields of the future answer, with fragments expanded and fields of one
// name merged. It refuses fields of one name that cannot be merged according to the
// specification, and queries with too many merged fields.
//
// A field is compared with one field of the same name and path and not with all such fields,
// because equality is transitive. So the work is about linear in the number of merged fields,
// which is at most limits.MaxGraphQLSteps.
// The reasons are in docs/decisions/0028-what-a-query-may-cost.md.
type planner struct {
	ctx   context.Context
	steps int
	// cost is the cost of the operation that is being visited.
	cost cost
}

// part is a selection set of an object of the answer. copies is the number of times that the
// engine visits the set, because the engine copies the fields of a fragment once for each
// fragment directly around the set.
type part struct {
	set    ast.SelectionSet
	copies int
	under  *path
}

// path has the types of the objects around a field. If the paths of two fields have different
// object types at one place, no answer has both fields.
type path struct {
	above *path
	// of is the type at this place, "" for an interface or union.
	of    string
	below map[string]*path
}

// to returns the path of the fields below a field of a type.
func (p *path) to(def *ast.Definition) *path {
	name := ""
	if def != nil && !def.IsAbstractType() {
		name = def.Name
	}
	if next := p.below[name]; next != nil {
		return next
	}
	if p.below == nil {
		p.below = map[string]*path{}
	}
	p.below[name] = &path{above: p, of: name}
	return p.below[name]
}

// excludes reports whether no answer has fields of both paths. The paths have the same length.
func (p *path) excludes(other *path) bool {
	for ; p != other; p, other = p.above, other.above {
		if p.of != other.of && p.of != "" && other.of != "" {
			return true
		}
	}
	return false
}

// joined has the merged fields of one name at one place of an answer.
type joined struct {
	count int
	first *ast.Field
	// paths are the paths of the fields, each with one of its fields.
	paths []*path
	each  map[*path]*ast.Field
	below []part
}

// plan visits every operation of a valid document.
func plan(ctx context.Context, doc *ast.QueryDocument) error {
	p := &planner{ctx: ctx}
	for _, o := range doc.Operations {
		p.cost = 0
		if err := p.object([]part{{o.SelectionSet, 1, &path{}}}, 1, 0); err != nil {
			return err
		}
	}
	return nil
}

// object plans an object of the answer. lists is the number of lists of an introspection around
// the object.
func (p *planner) object(parts []part, depth, lists int) error {
	if depth > limits.MaxGraphQLDepth {
		return refuse("the query has more than %d fields within each other", limits.MaxGraphQLDepth)
	}
	c := collector{planner: p, names: map[string]*joined{}, spread: map[string]bool{}}
	for _, part := range parts {
		if err := c.add(part, 1, 0); err != nil {
			return err
		}
	}
	if len(c.order) > limits.MaxGraphQLFields {
		return refuse("%d fields of one object, at most %d are allowed", len(c.order), limits.MaxGraphQLFields)
	}
	for _, name := range c.order {
		j := c.names[name]
		if err := j.differences(); err != nil {
			return err
		}
		if err := p.pay(j.cost()); err != nil {
			return err
		}
		if len(j.below) == 0 {
			continue
		}
		within, err := introspected(j.first.Name, j.first.ObjectDefinition, lists)
		if err != nil {
			return err
		}
		if err := p.object(j.below, depth+1, within); err != nil {
			return err
		}
	}
	return nil
}

// collector merges the fields of one object of an answer.
type collector struct {
	*planner
	names  map[string]*joined
	order  []string
	spread map[string]bool
}

// add takes the fields of a set. times is the number of copies that the engine makes of the
// fields below a field of the set. nested is the number of fragments around the set.
func (c *collector) add(p part, times, nested int) error {
	if nested > limits.MaxGraphQLNesting {
		return refuse("the query has more than %d fragments directly within each other", limits.MaxGraphQLNesting)
	}
	for _, selected := range p.set {
		if c.steps += p.copies; c.steps > limits.MaxGraphQLSteps {
			return tooManySteps()
		}
		var err error
		switch selected := selected.(type) {
		case *ast.Field:
			err = c.field(selected, p, times)
		case *ast.InlineFragment:
			err = c.add(part{selected.SelectionSet, p.copies, p.under}, times*2, nested+1)
		case *ast.FragmentSpread: // the engine visits a fragment once for each object
			if selected.Definition != nil && !c.spread[selected.Name] {
				c.spread[selected.Name] = true
				err = c.add(part{selected.Definition.SelectionSet, 1, p.under}, times*2, nested+1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) field(f *ast.Field, p part, times int) error {
	j := c.names[f.Alias]
	if j == nil {
		j = &joined{first: f, each: map[*path]*ast.Field{}}
		c.names[f.Alias] = j
		c.order = append(c.order, f.Alias)
		if c.ctx.Err() != nil {
			return over(c.ctx)
		}
	}
	if j.count++; j.count > limits.MaxGraphQLRepeats {
		return refuse("the name %.60s more than %d times in one object", f.Alias, limits.MaxGraphQLRepeats)
	}
	if !sameShape(j.first, f) {
		return conflict(f, fmt.Sprintf("they return conflicting types %q and %q", j.first.Definition.Type, f.Definition.Type))
	}
	at := p.under.to(f.ObjectDefinition)
	if before := j.each[at]; before == nil {
		j.each[at] = f
		j.paths = append(j.paths, at)
	} else if reason := different(before, f); reason != "" {
		return conflict(f, reason)
	}
	if len(f.SelectionSet) > 0 {
		j.below = append(j.below, part{f.SelectionSet, p.copies * times, at})
	}
	return nil
}

// differences reports fields of one name that one answer can have but that differ.
func (j *joined) differences() error {
	for i, a := range j.paths {
		for _, b := range j.paths[i+1:] {
			if reason := different(j.each[a], j.each[b]); reason != "" && !a.excludes(b) {
				return conflict(j.each[b], reason)
			}
		}
	}
	return nil
}

// sameShape reports whether the values of two fields have the same form. The fields below them
// are compared when those fields are merged.
func sameShape(a, b *ast.Field) bool {
	if a == b || a.Definition == nil || b.Definition == nil {
		return true
	}
	x, y := a.Definition.Type, b.Definition.Type
	for {
		if x.NonNull != y.NonNull || (x.Elem == nil) != (y.Elem == nil) {
			return false
		}
		if x.Elem == nil {
			break
		}
		x, y = x.Elem, y.Elem
	}
	return x.NamedType == y.NamedType || len(a.SelectionSet) > 0 && len(b.SelectionSet) > 0
}

// different describes how two fields differ, "" if they are equal.
func different(a, b *ast.Field) string {
	if a == b {
		return ""
	}
	if a.Name != b.Name {
		return fmt.Sprintf("%q and %q are different fields", a.Name, b.Name)
	}
	if len(a.Arguments) != len(b.Arguments) {
		return "they have differing arguments"
	}
	for _, argument := range a.Arguments {
		other := b.Arguments.ForName(argument.Name)
		if other == nil || !sameValue(argument.Value, other.Value) {
			return "they have differing arguments"
		}
	}
	return ""
}

func sameValue(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, child := range a.Children {
		other := b.Children[i].Value
		if a.Kind == ast.ObjectValue { // the members of an object have no order
			other = b.Children.ForName(child.Name)
		}
		if other == nil || !sameValue(child.Value, other) {
			return false
		}
	}
	return true
}

func conflict(f *ast.Field, reason string) error {
	err := gqlerror.Errorf("Fields %q conflict because %s. Use different aliases on the fields to fetch both if this was intentional.", f.Alias, reason)
	if f.Position != nil {
		err.Locations = []gqlerror.Location{{Line: f.Position.Line, Column: f.Position.Column}}
	}
	errcode.Set(err, errcode.ValidationFailed)
	return gqlerror.List{err}
}

// introspectedLists are the fields of an introspection that are long lists.
var introspectedLists = map[string]bool{"fields": true, "interfaces": true, "possibleTypes": true, "inputFields": true}

// maxIntrospectedLists is the number of these lists that may be within each other.
const maxIntrospectedLists = 2

func introspected(name string, of *ast.Definition, lists int) (int, error) {
	if of == nil || !strings.HasPrefix(of.Name, "__") || !introspectedLists[name] {
		return lists, nil
	}
	if lists++; lists > maxIntrospectedLists {
		return 0, listOf(gqlerror.Errorf("Maximum introspection depth exceeded"), errcode.ValidationFailed)
	}
	return lists, nil
}
