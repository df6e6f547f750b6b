package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// domainType holds for domains.
var domainType = Filter{Op: Is, Field: FieldType, Values: []string{model.EntityDomain}}

// anyOf and allOf join parts: the parts of nested joins are taken over, equal parts are kept once, and a part
// that decides the whole alone replaces it.
func anyOf(parts ...Filter) Filter { return join(Any, parts) }

func allOf(parts ...Filter) Filter { return join(All, parts) }

func join(op Op, parts []Filter) Filter {
	if len(parts) == 1 {
		return parts[0] // the part is simple already, and comparing its parts again costs time
	}
	joined := Filter{Op: op}
	for _, part := range parts {
		if part.Op == op && len(joined.Of) == 0 {
			joined.Of = slices.Clone(part.Of)
			continue
		}
		if part.Op == op {
			for _, inner := range part.Of {
				joined.take(inner)
			}
			continue
		}
		if part.True() || part.False() {
			return part // an always in Any, or a never in All, decides the whole
		}
		joined.take(part)
	}
	if len(joined.Of) == 1 {
		return joined.Of[0]
	}
	return joined
}

// take adds a part. It merges two conditions on the same field into one that holds if either holds.
func (f *Filter) take(part Filter) {
	for i := range f.Of {
		other := &f.Of[i]
		if other.equal(&part) {
			return
		}
		if f.Op == Any && part.Op == Is && other.sameQuestion(&part) {
			other.Values = distinct(slices.Concat(other.Values, part.Values))
			return
		}
		if f.Op == Any {
			if either, ok := factored(other, &part); ok {
				*other = either
				return
			}
		}
	}
	f.Of = append(f.Of, part)
}

// factored returns the filter that holds where either of two filters does, if both are All and differ only in
// the values of one condition: (a and x) or (a and y) is a and (x or y). Policies that differ only in their
// tags, owners or containers thus become one condition; indexes accept only a limited number of conditions.
func factored(a, b *Filter) (Filter, bool) {
	if a.Op != All || b.Op != All || len(a.Of) != len(b.Of) {
		return Filter{}, false
	}
	differs := -1
	for i := range a.Of {
		if a.Of[i].equal(&b.Of[i]) {
			continue
		}
		if differs >= 0 || a.Of[i].Op != Is || !a.Of[i].sameQuestion(&b.Of[i]) {
			return Filter{}, false
		}
		differs = i
	}
	if differs < 0 {
		return Filter{}, false
	}
	either := Filter{Op: All, Of: slices.Clone(a.Of)}
	either.Of[differs].Values = distinct(slices.Concat(a.Of[differs].Values, b.Of[differs].Values))
	return either, true
}

func not(f Filter) Filter {
	switch {
	case f.True():
		return never
	case f.False():
		return always
	case f.Op == Not:
		return f.Of[0]
	}
	return Filter{Op: Not, Of: []Filter{f}}
}

// sameQuestion reports whether two filters ask the same of a resource, but for their values.
func (f *Filter) sameQuestion(other *Filter) bool {
	return f.Op == other.Op && f.Field == other.Field && f.Prefix == other.Prefix &&
		(f.OwnerTypes == nil) == (other.OwnerTypes == nil) && slices.Equal(f.OwnerTypes, other.OwnerTypes)
}

func (f *Filter) equal(other *Filter) bool {
	if !f.sameQuestion(other) || !slices.Equal(f.Values, other.Values) || len(f.Of) != len(other.Of) {
		return false
	}
	for i := range f.Of {
		if !f.Of[i].equal(&other.Of[i]) {
			return false
		}
	}
	return true
}

// String writes the filter as a reader would: TYPE is dataset and not (TAG is a or b).
func (f Filter) String() string {
	switch {
	case f.True():
		return "everything"
	case f.False():
		return "nothing"
	}
	parts := make([]string, len(f.Of))
	for i, part := range f.Of {
		parts[i] = part.String()
		if part.Op == Any || part.Op == All {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	switch f.Op {
	case Any:
		return strings.Join(parts, " or ")
	case All:
		return strings.Join(parts, " and ")
	case Not:
		return "not " + parts[0]
	}
	verb, types := "is", ""
	if f.Prefix {
		verb = "begins with"
	}
	if f.OwnerTypes != nil {
		types = " as " + strings.Join(f.OwnerTypes, ", ")
	}
	return fmt.Sprintf("%s %s %s%s", f.Field, verb, strings.Join(f.Values, ", "), types)
}
