package lineage

import (
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// expression returns the columns that an expression takes values from, and records that the clause
// reads them. Kinds without a rule of their own take values from all of their parts.
func (a *analyzer) expression(v any, sc *scope, clause string) refs {
	if !a.spend(1) {
		return nil
	}
	switch v := v.(type) {
	case []any:
		var all refs
		for _, one := range v {
			all = all.plus(a.expression(one, sc, clause))
		}
		return all
	case map[string]any:
		if node, ok := parser.NodeOf(v); ok {
			return a.node(node, sc, clause)
		}
		return a.members(v, sc, clause)
	}
	return nil
}

// notValues are the members of expressions that are names, types and comments.
var notValues = map[string]bool{
	"alias": true, "span": true, "inferred_type": true, "data_type": true, "to": true, "hint": true, "hints": true,
	"comments": true, "leading_comments": true, "trailing_comments": true, "operator_comments": true, "constraints": true,
	"limit": true, "offset": true,
}

func (a *analyzer) members(m map[string]any, sc *scope, clause string) refs {
	var all refs
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch value := m[key]; value.(type) {
		case []any, map[string]any:
			if !notValues[key] {
				all = all.plus(a.expression(value, sc, clause))
			}
		}
	}
	return all
}

// node returns the columns of an expression by its kind.
func (a *analyzer) node(node parser.Node, sc *scope, clause string) refs {
	m := node.Members
	switch node.Kind {
	case "column", "dot":
		return a.columnReference(node, sc, clause)
	case "subscript", "j_s_o_n_extract":
		if columns, ok := a.fieldReference(node, sc, clause); ok {
			return columns
		}
		if node.Kind == "j_s_o_n_extract" {
			return a.members(m, sc, clause).at(Transformation)
		}
		return a.expression(m["this"], sc, clause).elements().plus(a.expression(m["index"], sc, clause).at(Transformation))
	case "identifier", "literal", "data_type", "var", "boolean", "null", "star", "parameter", "placeholder", "interval_unit":
		return a.plain(node, sc, clause)
	case "paren", "alias":
		return a.expression(m["this"], sc, clause)
	case "named_argument":
		return a.expression(m["value"], sc, clause)
	case "select", "union", "intersect", "except", "subquery", "values":
		return a.scalarQuery(node, sc, clause)
	case "exists", "in", "any", "all", "some":
		return a.compared(node, sc, clause)
	case "window_function":
		made := a.expression(m["this"], sc, clause)
		a.expression(object(m["keep"])["order_by"], sc, ClauseOrder) // Oracle's KEEP (DENSE_RANK FIRST ORDER BY …)
		a.window(object(m["over"]), sc)
		return made.at(Transformation)
	case "lambda":
		return a.lambda(m, sc, clause)
	case "within_group":
		made := a.expression(m["this"], sc, clause)
		return made.plus(a.expression(m["order_by"], sc, clause)).at(Aggregation)
	case "function", "aggregate_function":
		how := Transformation
		if node.Kind == "aggregate_function" || aggregates[strings.ToLower(identifier(m["name"]))] {
			how = Aggregation
		}
		if columns, ok := a.fieldReference(node, sc, clause); ok {
			return columns
		}
		return a.call(m, sc, clause).at(how)
	}
	if aggregates[node.Kind] {
		return a.call(m, sc, clause).at(Aggregation)
	}
	return a.members(m, sc, clause).at(Transformation)
}

// call reads the arguments of a function. The order inside an aggregation is not a value.
func (a *analyzer) call(m map[string]any, sc *scope, clause string) refs {
	args := maps.Clone(m)
	delete(args, "order_by")
	delete(args, "name")
	a.expression(m["order_by"], sc, ClauseOrder)
	return a.starArgument(m, sc, clause).plus(a.members(args, sc, clause))
}

// starArgument returns all columns for a function that takes a row as "*", as COLUMNS(*) does;
// COUNT(*) takes none.
func (a *analyzer) starArgument(m map[string]any, sc *scope, clause string) refs {
	var all refs
	for _, arg := range list(m["args"]) {
		star, qualifier, ok := starOf(arg)
		if ok && !strings.EqualFold(identifier(m["name"]), "count") {
			all = all.plus(a.expand(star, qualifier, sc, clause).whole())
		}
	}
	return all
}

// plain reads a name without a kind as a column. Literals, types and the like have no columns.
func (a *analyzer) plain(node parser.Node, sc *scope, clause string) refs {
	if node.Kind == "identifier" {
		return a.columnReference(parser.Node{Kind: "column", Members: map[string]any{"name": node.Members, "span": node.Members["span"]}}, sc, clause)
	}
	return nil
}

// scalarQuery reads a query that stands for a value.
func (a *analyzer) scalarQuery(node parser.Node, sc *scope, clause string) refs {
	inside := clause
	if clause != ClauseSelect {
		inside = ClauseSubquery
	}
	return a.query(node, sc, inside).whole().at(Transformation)
}

// compared reads IN, EXISTS and the like: their queries give rows to compare with, not values.
func (a *analyzer) compared(node parser.Node, sc *scope, clause string) refs {
	m := node.Members
	var values refs
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if notValues[key] {
			continue
		}
		if query, ok := queryOf(m[key]); ok {
			a.query(query, sc, ClauseSubquery)
			continue
		}
		for _, one := range list(m[key]) {
			if query, ok := queryOf(one); ok {
				a.query(query, sc, ClauseSubquery)
			} else {
				values = values.plus(a.expression(one, sc, clause))
			}
		}
		if object(m[key]) != nil {
			values = values.plus(a.expression(m[key], sc, clause))
		}
	}
	return values.at(Transformation)
}

// window reads the order and the partitions of a window.
func (a *analyzer) window(over map[string]any, sc *scope) {
	a.expression(over["partition_by"], sc, ClauseWindow)
	for _, o := range list(over["order_by"]) {
		a.expression(object(o)["this"], sc, ClauseWindow)
	}
	a.expression(over["frame"], sc, ClauseWindow)
}

// lambda reads a function in an expression, whose parameters are not columns.
func (a *analyzer) lambda(m map[string]any, sc *scope, clause string) refs {
	inner := &scope{parent: sc}
	for _, name := range identifiers(m["parameters"]) {
		inner.merged = append(inner.merged, column{name: name})
	}
	return a.expression(m["body"], inner, clause)
}

// partsOf returns the parts of a name with dots; nil for another expression.
func partsOf(v any) []string {
	node, ok := parser.NodeOf(v)
	if !ok {
		return nil
	}
	switch node.Kind {
	case "column":
		if table := identifier(node.Members["table"]); table != "" {
			return []string{table, identifier(node.Members["name"])}
		}
		return []string{identifier(node.Members["name"])}
	case "dot":
		if before := partsOf(node.Members["this"]); before != nil {
			return append(before, identifier(node.Members["field"]))
		}
	case "paren":
		return partsOf(node.Members["this"])
	}
	return nil
}

// columnReference reads a name in an expression.
func (a *analyzer) columnReference(node parser.Node, sc *scope, clause string) refs {
	a.see(node.Members)
	if columns, ok := a.fieldReference(node, sc, clause); ok {
		return columns
	}
	path := fieldPath(map[string]any{node.Kind: node.Members}, false)
	if path == nil { // a field of an expression
		return a.expression(node.Members["this"], sc, clause).at(Transformation)
	}
	if path.elements {
		index := a.expression(path.subscripts, sc, clause).at(Transformation)
		return a.reference(node, path.names, sc, clause).elements().plus(index)
	}
	return a.reference(node, path.names, sc, clause)
}

// reference reads a name by its parts.
func (a *analyzer) reference(node parser.Node, parts []string, sc *scope, clause string) refs {
	if node.Kind == "dot" {
		a.seeFirst(node.Members)
	}
	columns, ok := a.named(parts, sc, clause)
	if !ok {
		if last := strings.ToLower(parts[len(parts)-1]); !pseudo[last] && !hidden[last] && !strings.HasPrefix(parts[0], "@") && !strings.HasPrefix(parts[0], "$") {
			a.unknownName(strings.Join(parts, "."), WhyNoColumn)
		}
		return nil
	}
	columns = columns.named()
	for _, one := range columns {
		a.trace = append(a.trace, one.spelled())
	}
	if len(parts) == 1 && sc.sourceOf(parts) != nil && !sc.certain(parts[0]) { // a whole row
		a.readStar(columns, clause)
	} else {
		a.readAs(columns, clause, parts[len(parts)-1])
	}
	return columns
}

// seeFirst sees the first name of a name with dots.
func (a *analyzer) seeFirst(m map[string]any) {
	if inner, ok := parser.NodeOf(m["this"]); ok {
		a.see(inner.Members)
		a.seeFirst(inner.Members)
	}
}

// named returns the columns that a name means. A name of several parts is a column after its
// table, or a field after its column.
func (a *analyzer) named(parts []string, sc *scope, clause string) (refs, bool) {
	for n := len(parts) - 1; n > 0; n-- {
		src := sc.sourceOf(parts[:n])
		if src == nil {
			continue
		}
		found, ok := src.rel.find(parts[n])
		if !ok && src.rel.open() {
			found, ok = src.rel.guess(parts[n]), true
		}
		if !ok && src.rel.row != nil {
			return src.rel.row.within(parts[n:]), true
		}
		if !ok {
			if hidden[strings.ToLower(parts[n])] {
				return nil, true
			}
			if t := src.rel.table; t != nil { // the known columns may be out of date
				a.unknownName(strings.Join(parts, "."), whyLacks(t.name))
				return refs{{table: t, column: parts[n], how: Identity, possible: true}}, true
			}
			continue
		}
		if n < len(parts)-1 {
			found = found.within(parts[n+1:])
		}
		return found, true
	}
	found, ok := sc.unqualified(parts[0], clause, a.script)
	if ok && len(parts) > 1 {
		if whole := sc.sourceOf(parts[:1]); whole != nil {
			return nil, false // the table does not have the column
		}
		found = found.within(parts[1:])
	}
	if src := sc.sourceOf(parts[:1]); src != nil && len(parts) == 1 && !sc.certain(parts[0]) {
		if src.rel.row != nil {
			return src.rel.row, true
		}
		return src.rel.whole().at(Transformation), true // a whole row
	}
	return found, ok
}

// hidden are columns that databases give to every table.
var hidden = map[string]bool{
	"ctid": true, "xmin": true, "xmax": true, "tableoid": true, "rowid": true, "_rowid_": true, "oid": true, "rownum": true,
	"_partitiontime": true, "_partitiondate": true, "_table_suffix": true,
}

// pseudo are names that are calls without parentheses.
var pseudo = map[string]bool{
	"level": true, "current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true,
	"current_user": true, "session_user": true, "user": true, "sysdate": true, "systimestamp": true, "current_schema": true,
	"default": true, "true": true, "false": true,
}
