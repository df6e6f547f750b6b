package policies

import (
	"slices"
	"strings"
)

// Op is the kind of a Filter.
type Op uint8

// The kinds. Any without parts is false, All without parts is true.
const (
	Any Op = iota
	All
	Not
	Is
)

// Filter is an expression over the facts of a resource. It is immutable.
type Filter struct {
	Op Op
	// Of are the parts of Any and All, or the one part of Not.
	Of []Filter
	// Field, Values and Prefix belong to Is: one value of the field is among Values, or begins with one of
	// them. Here the domains of a domain are only the domains that the resource names.
	Field  Field
	Values []string
	Prefix bool
	// OwnerTypes narrows an Is of FieldOwner to ownerships of these types, unless it is nil.
	OwnerTypes []string
}

var (
	always = Filter{Op: All}
	never  = Filter{Op: Any}
)

// True reports whether the filter holds for every resource.
func (f Filter) True() bool { return f.Op == All && len(f.Of) == 0 }

// False reports whether the filter holds for no resource.
func (f Filter) False() bool { return f.Op == Any && len(f.Of) == 0 }

// Filter returns an expression that holds for exactly the stored entities of a type for which Allows
// reports true. The type "" is any type. The expression is simplified: one that always or never holds is
// found by True and False.
func (r *Rights) Filter(privileges []string, entityType string) Filter {
	if r.actor.System {
		return always
	}
	// Privileges with the same denials share them: (a or b) and not c.
	var denials []Filter
	var allowed [][]Filter
	for _, privilege := range privileges {
		g := r.of[privilege]
		if g == nil {
			continue
		}
		denial := anyOf(r.filters(g.deny, entityType), r.filters(r.denied, entityType))
		i := slices.IndexFunc(denials, func(d Filter) bool { return d.equal(&denial) })
		if i < 0 {
			i, denials, allowed = len(denials), append(denials, denial), append(allowed, nil)
		}
		allowed[i] = append(allowed[i], r.filters(g.allow, entityType))
	}
	var either []Filter
	for i, denial := range denials {
		either = append(either, allOf(anyOf(allowed[i]...), not(denial)))
	}
	return anyOf(either...)
}

// filters returns the expression that holds where one of the rules does.
func (r *Rights) filters(rules []held, entityType string) Filter {
	parts := make([]Filter, len(rules))
	for i := range rules {
		parts[i] = r.filter(&rules[i], entityType)
	}
	return anyOf(parts...)
}

func (r *Rights) filter(h *held, entityType string) Filter {
	if h.constrained && h.denies() {
		return never // nothing is added or removed
	}
	var parts []Filter
	if h.scoped {
		for i := range h.criteria {
			parts = append(parts, h.criteria[i].filter(entityType, h.denies()))
		}
	}
	if h.byOwnership {
		parts = append(parts, r.ownership(h.Actors.OwnerTypes))
	}
	return allOf(parts...)
}

func (r *Rights) ownership(types []string) Filter {
	var names []string
	for _, name := range r.names {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 || types != nil && len(types) == 0 {
		return never
	}
	return Filter{Op: Is, Field: FieldOwner, Values: distinct(names), OwnerTypes: types}
}

func (c *criterion) filter(entityType string, denies bool) Filter {
	switch {
	case !c.known && denies:
		return always
	case !c.known:
		return never
	}
	is := c.is(entityType)
	if c.condition == NotEquals {
		return not(is)
	}
	return is
}

// is returns the expression that one value of the field is a value of the criterion, or begins with one.
func (c *criterion) is(entityType string) Filter {
	if len(c.values) == 0 {
		return never
	}
	leaf := Filter{Op: Is, Field: c.field, Values: c.values, Prefix: c.condition == StartsWith}
	if entityType != "" {
		leaf = leaf.of(entityType)
	}
	if c.field != FieldDomain {
		return leaf
	}
	itself := allOf(domainType.of(entityType), Filter{Op: Is, Field: FieldURN, Values: c.values, Prefix: leaf.Prefix})
	return anyOf(leaf, itself)
}

// of replaces a condition on the type by true or false, if the type is known.
func (f Filter) of(entityType string) Filter {
	switch {
	case f.Field != FieldType || entityType == "":
		return f
	case f.Matches(&Resource{Type: entityType}):
		return always
	}
	return never
}

// Matches reports whether the filter holds for a resource.
func (f Filter) Matches(resource *Resource) bool {
	switch f.Op {
	case Any:
		return slices.ContainsFunc(f.Of, func(part Filter) bool { return part.Matches(resource) })
	case All:
		return !slices.ContainsFunc(f.Of, func(part Filter) bool { return !part.Matches(resource) })
	case Not:
		return !f.Of[0].Matches(resource)
	}
	if f.Field == FieldOwner {
		return slices.ContainsFunc(resource.Owners, func(o Owner) bool {
			return (f.OwnerTypes == nil || slices.Contains(f.OwnerTypes, o.TypeURN)) && f.has(o.URN)
		})
	}
	switch f.Field {
	case FieldType:
		return f.has(resource.Type)
	case FieldURN:
		return resource.URN != "" && f.has(resource.URN)
	case FieldInstance:
		return resource.Instance != "" && f.has(resource.Instance)
	}
	return slices.ContainsFunc(resource.values(f.Field), f.has)
}

func (f Filter) has(value string) bool {
	if !f.Prefix {
		return slices.Contains(f.Values, value)
	}
	return slices.ContainsFunc(f.Values, func(prefix string) bool { return strings.HasPrefix(value, prefix) })
}

// Fields returns the fields that the filter asks for, in no order.
func (f Filter) Fields() []Field {
	if f.Op == Is {
		return []Field{f.Field}
	}
	var found []Field
	for _, part := range f.Of {
		for _, field := range part.Fields() {
			if !slices.Contains(found, field) {
				found = append(found, field)
			}
		}
	}
	return found
}

// URNs returns the values of the conditions on the URN of the resource: whole URNs, and beginnings. Of two
// resources with the same type and facts, the filter holds for both or for neither if no URN is in whole
// and both URNs begin with the same beginnings.
func (f Filter) URNs() (whole, beginnings []string) {
	if f.Op == Is && f.Field == FieldURN {
		if f.Prefix {
			return nil, f.Values
		}
		return f.Values, nil
	}
	for _, part := range f.Of {
		w, b := part.URNs()
		whole, beginnings = append(whole, w...), append(beginnings, b...)
	}
	return whole, distinct(beginnings)
}
