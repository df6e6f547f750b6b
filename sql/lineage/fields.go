package lineage

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// Fields inside of columns: structs, and arrays of structs. A table is given with the paths of its fields, as in address.city,
// beside its columns. A name that goes on after a column, as in t.address.city, then means the field.

// parted parts the columns of a table from the fields inside of them. fields are the paths, by the paths in lower case.
func parted(given []string) (columns []string, fields map[string]string) {
	if !slices.ContainsFunc(given, func(name string) bool { return strings.Contains(name, ".") }) {
		return given, nil
	}
	columns, fields = []string{}, map[string]string{}
	known := map[string]bool{}
	for _, name := range given {
		known[name] = true
	}
	for _, name := range given {
		if before, _, nested := strings.Cut(name, "."); nested && known[before] {
			fields[strings.ToLower(name)] = name
		} else {
			columns = append(columns, name)
		}
	}
	return columns, fields
}

// inside reports whether the value is that of the column, or an element of it, so that a name after it means a field.
func (r *ref) inside() bool { return r.element || r.how == Identity }

// elements returns the columns as those of which a value is an element, as UNNEST and subscripts give it.
func (r refs) elements() refs {
	changed := make(refs, len(r))
	for i, one := range r {
		one.element = one.inside()
		one.how = stronger(one.how, Transformation)
		changed[i] = one
	}
	return changed
}

// within returns the fields that names mean after the columns, or the nearest field that is known around them.
func (r refs) within(names []string) refs {
	var found refs
	for _, one := range r {
		field, rest := one.column, len(names)
		if one.inside() && one.table != nil {
			for n := len(names); n > 0 && rest == len(names); n-- {
				path := strings.ToLower(one.column + "." + strings.Join(names[:n], "."))
				if known, is := one.table.fields[path]; is {
					field, rest = known, len(names)-n
				}
			}
		}
		if field != one.column {
			one.column, one.meaning, one.star = field, meaning{}, false
		}
		if rest > 0 {
			one.how = stronger(one.how, Transformation)
		}
		found = found.plus(refs{one})
	}
	return found
}

// explodes are the functions whose rows are the elements of their first argument.
var explodes = map[string]bool{"explode": true, "explode_outer": true, "posexplode": true, "posexplode_outer": true, "inline": true, "inline_outer": true, "unnest": true}

// exploded returns the columns of a function in FROM. The rows of some functions are elements of a column.
func (a *analyzer) exploded(v any, sc *scope) refs {
	node, ok := parser.NodeOf(v)
	if ok {
		name, args := node.Kind, list(node.Members["args"])
		if node.Kind == "function" {
			name = strings.ToLower(identifier(node.Members["name"]))
		}
		if this := node.Members["this"]; len(args) == 0 && this != nil && node.Kind != "function" {
			args = []any{this}
		}
		if explodes[name] && len(args) == 1 {
			return a.expression(args[0], sc, ClauseSelect).elements()
		}
	}
	return a.expression(v, sc, ClauseSelect).at(Transformation)
}

// subscripted returns the parts of a name with subscripts, as in t.items[0].sku, and the subscripts; nil for another
// expression.
func subscripted(v any) (parts []string, subscripts []any) {
	node, ok := parser.NodeOf(v)
	if !ok {
		return nil, nil
	}
	switch node.Kind {
	case "subscript":
		parts, subscripts = subscripted(node.Members["this"])
		return parts, append(subscripts, node.Members["index"])
	case "dot":
		if parts, subscripts = subscripted(node.Members["this"]); parts != nil {
			parts = append(parts, identifier(node.Members["field"]))
		}
		return parts, subscripts
	}
	return partsOf(v), nil
}
