package lineage

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/parser"
)

// Fields inside of columns: structs, and arrays of structs. A table is given with the paths of its fields, as in address.city,
// beside its columns. A name that goes on after a column, as in t.address.city, then means the field.

// fieldTree has the fields inside of the columns of a table.
type fieldTree struct {
	// paths are the paths of the fields, by the paths in lower case.
	paths map[string]string
	// inside are the names of the fields directly inside of a column or of a field, by its path in lower case, in their order.
	inside map[string][]string
}

// parted parts the columns of a table from the fields inside of them.
func parted(given []string) (columns []string, fields fieldTree) {
	if !slices.ContainsFunc(given, func(name string) bool { return strings.Contains(name, ".") }) {
		return given, fields
	}
	columns, fields = []string{}, fieldTree{paths: map[string]string{}, inside: map[string][]string{}}
	known := map[string]bool{}
	for _, name := range given {
		known[name] = true
	}
	for _, name := range given {
		if before, _, nested := strings.Cut(name, "."); nested && known[before] {
			path := strings.ToLower(name)
			if _, twice := fields.paths[path]; !twice {
				last := strings.LastIndexByte(path, '.')
				fields.inside[path[:last]] = append(fields.inside[path[:last]], name[last+1:])
			}
			fields.paths[path] = name
		} else {
			columns = append(columns, name)
		}
	}
	return columns, fields
}

// inside reports whether the value is the value of the column, or an element of it, so that a name after it
// means a field.
func (r *ref) inside() bool { return r.element || r.how == Identity }

// elements returns the columns as sources of a value that is an element of theirs, as UNNEST and subscripts give it.
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
				if known, is := one.table.fields.paths[path]; is {
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

// names returns the names of the fields directly inside of the columns, in their order; nil if they are not known.
func (r refs) names() []string {
	for _, one := range r {
		if one.inside() && one.table != nil {
			if names := one.table.fields.inside[strings.ToLower(one.column)]; names != nil {
				return names
			}
		}
	}
	return nil
}

// columnPaths are the columns of a table that a script makes, and the paths of the fields inside of them.
type columnPaths struct {
	names []string
	// size is the size of the paths of fields together.
	size int
}

func (p *columnPaths) column(name string) { p.names = append(p.names, name) }

// add adds a column and the fields that its type names.
func (p *columnPaths) add(d Definition) {
	p.column(d.Name)
	for _, field := range Fields(d.Type) {
		p.field(d.Name + "." + field)
	}
}

// columnOf returns the column of a path.
func columnOf(path string) string {
	column, _, _ := strings.Cut(path, ".")
	return column
}

// field adds the path of a field, and reports whether there is room for it.
func (p *columnPaths) field(path string) bool {
	if p.size += len(path); p.size > limits.MaxSQLTypeBytes {
		return false
	}
	p.names = append(p.names, path)
	return true
}

// fieldsOf adds the paths of all fields inside of the columns, after the name of an output that has their value.
func (p *columnPaths) fieldsOf(columns refs, before string) {
	for _, name := range columns.names() {
		if path := before + "." + name; p.field(path) {
			p.fieldsOf(columns.within([]string{name}), path)
		}
	}
}

// parts returns the fields directly inside of the columns as columns of their own, which only a star means; nil if they are not known.
func (r refs) parts() []column {
	var columns []column
	for _, name := range r.names() {
		one := column{name: name, refs: r.within([]string{name}), star: true}
		for i := range one.refs {
			one.refs[i].star = true
		}
		columns = append(columns, one)
	}
	return columns
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

// fieldReference reads an expression that names a field by a text: address:geo.lat of Snowflake, address['city'] of DuckDB and Spark,
// tupleElement(address, 'city') of ClickHouse. It returns false if the expression is another one, or the schema lacks the field.
func (a *analyzer) fieldReference(node parser.Node, sc *scope, clause string) (refs, bool) {
	path := fieldPath(map[string]any{node.Kind: node.Members}, true)
	if path == nil || !path.byText {
		return nil, false
	}
	columns, ok := a.named(path.names, sc, clause)
	if !ok || len(columns) == 0 || slices.ContainsFunc(columns, func(one ref) bool { return one.how != Identity || !strings.Contains(one.column, ".") }) {
		return nil, false
	}
	a.seeFirst(node.Members)
	columns = a.reference(parser.Node{Kind: "column", Members: map[string]any{}}, path.names, sc, clause)
	if path.elements {
		columns = columns.elements().plus(a.expression(path.subscripts, sc, clause).at(Transformation))
	}
	return columns, true
}

// fieldNames are the names of a column and of fields inside of it, as an expression gives them.
type fieldNames struct {
	names []string
	// byText: a name is given as a text. elements: subscripts say that the expression means an element of an array.
	byText, elements bool
	subscripts       []any
}

// fieldPath returns the names that an expression gives, as in t.items[0].sku; nil for another expression. texts tells
// that texts name fields too, as in address['city']; otherwise such a text is a subscript.
func fieldPath(v any, texts bool) *fieldNames {
	node, ok := parser.NodeOf(v)
	if !ok {
		return nil
	}
	m := node.Members
	if names := partsOf(v); names != nil {
		return &fieldNames{names: names}
	}
	inner, key := m["this"], any(nil)
	switch args := list(m["args"]); node.Kind {
	case "paren":
		return fieldPath(inner, texts)
	case "dot":
		if path := fieldPath(inner, texts); path != nil {
			path.names = append(path.names, identifier(m["field"]))
			return path
		}
		return nil
	case "subscript":
		key = m["index"]
	case "j_s_o_n_extract":
		key = m["expression"]
	case "function":
		if name := strings.ToLower(identifier(m["name"])); len(args) != 2 || name != "tupleelement" && name != "struct_extract" {
			return nil
		}
		inner, key = args[0], args[1]
	default:
		return nil
	}
	path := fieldPath(inner, texts)
	if path == nil {
		return nil
	}
	literal, _ := parser.NodeOf(key)
	name, isText := text(literal.Members["value"]), texts && literal.Kind == "literal" && text(literal.Members["literal_type"]) == "string"
	switch {
	case isText && node.Kind == "j_s_o_n_extract":
		names, elements := jsonPath(name)
		path.names, path.elements = append(path.names, names...), path.elements || elements
		path.byText = true
	case isText:
		path.names, path.byText = append(path.names, name), true
	case node.Kind == "subscript":
		path.elements, path.subscripts = true, append(path.subscripts, key)
	default:
		return nil
	}
	return path
}

// jsonPath returns the names of a path such as items[0].price and geo['lat'], and whether it has subscripts.
func jsonPath(path string) (names []string, elements bool) {
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.TrimPrefix(path, "$."), "['", "."), ".") {
		name, index, subscript := strings.Cut(strings.TrimSuffix(part, "']"), "[")
		elements = elements || subscript && index != ""
		names = append(names, strings.Trim(name, `"`))
	}
	return names, elements
}
