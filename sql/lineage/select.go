package lineage

import (
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// selectQuery reads a SELECT. The FROM clause is read first, because all other clauses use it, and
// the select list second, because later clauses may name its outputs.
func (a *analyzer) selectQuery(m map[string]any, parent *scope, clause string) *relation {
	sc := &scope{parent: parent, windows: map[string]any{}}
	a.with(m["with"], sc)
	a.from(m["from"], sc)
	a.joins(m["joins"], sc)
	for _, v := range list(m["lateral_views"]) {
		a.lateralView(object(v), sc)
	}
	for _, w := range list(m["windows"]) {
		w := object(w)
		sc.windows[strings.ToLower(identifier(w["name"]))] = w["spec"]
	}
	rel := a.selectList(m, sc, clause)
	for _, c := range []struct{ key, clause string }{
		{"prewhere", ClauseFilter},
		{"where_clause", ClauseFilter},
		{"connect", ClauseFilter},
		{"group_by", ClauseGroup},
		{"having", ClauseHaving},
		{"qualify", ClauseQualify},
		{"distinct_on", ClauseGroup},
		{"limit_by", ClauseGroup},
	} {
		from := len(a.trace)
		a.clause(m[c.key], sc, c.clause)
		a.rowsBy(c.key, m[c.key], from)
	}
	for _, key := range []string{"distinct", "limit", "offset", "top", "fetch", "sample"} {
		a.rowsBy(key, m[key], len(a.trace))
	}
	for _, spec := range sc.windows {
		a.window(object(spec), sc)
	}
	a.orders(m, sc)
	return rel
}

// selectList reads the outputs of a SELECT.
func (a *analyzer) selectList(m map[string]any, sc *scope, clause string) *relation {
	rel := &relation{}
	for _, v := range list(m["expressions"]) {
		if !a.spend(1) {
			return rel
		}
		if star, qualifier, ok := starOf(v); ok {
			expanded := a.expand(star, qualifier, sc, clause)
			rel.columns = append(rel.columns, expanded.columns...)
			rel.rest = append(rel.rest, expanded.rest...)
			rel.made, rel.anyName = rel.made.plus(expanded.made), rel.anyName || expanded.anyName
			continue
		}
		items := a.item(v, sc, clause)
		rel.columns = append(rel.columns, items...)
		sc.outputs = append(sc.outputs, items...)
	}
	excluded := identifiers(m["exclude"])
	if len(excluded) == 0 {
		for _, v := range list(m["exclude"]) {
			node, _ := parser.NodeOf(v)
			excluded = append(excluded, identifier(node.Members["name"]))
		}
	}
	a.readExcluded(rel, excluded)
	rel.columns = without(rel.columns, excluded)
	sc.outputs = rel.columns
	return rel
}

// starOf returns the star that an item of a select list is, and the qualifier before it.
func starOf(v any) (star map[string]any, qualifier []string, ok bool) {
	node, isNode := parser.NodeOf(v)
	if !isNode {
		return nil, nil, false
	}
	switch node.Kind {
	case "star":
		if table := identifier(node.Members["table"]); table != "" {
			qualifier = strings.Split(table, ".")
		}
		return node.Members, qualifier, true
	case "column":
		if identifier(node.Members["name"]) == "*" {
			return node.Members, identifiers([]any{node.Members["table"]}), true
		}
	case "dot":
		if parts := partsOf(node.Members["this"]); parts != nil && identifier(node.Members["field"]) == "*" {
			return node.Members, parts, true
		}
	}
	return nil, nil, false
}

// item returns the columns that an item of a select list gives: one, but for a function that gives
// several with names of their own.
func (a *analyzer) item(v any, sc *scope, clause string) []column {
	if star, qualifier, ok := starOf(v); ok {
		return a.expand(star, qualifier, sc, clause).columns
	}
	node, ok := parser.NodeOf(v)
	if !ok {
		return nil
	}
	name, inner := "", v
	switch node.Kind {
	case "alias":
		name, inner = identifier(node.Members["alias"]), node.Members["this"]
		if names := identifiers(node.Members["column_aliases"]); len(names) > 0 {
			made := a.expression(inner, sc, clause).at(Transformation)
			columns := make([]column, len(names))
			for i, n := range names {
				columns[i] = column{name: n, refs: made}
			}
			return columns
		}
	case "eq": // T-SQL: name = expression
		if left, ok := parser.NodeOf(node.Members["left"]); ok && a.script.assigns && left.Kind == "column" && left.Members["table"] == nil {
			name, inner = identifier(left.Members["name"]), node.Members["right"]
		}
	}
	from, aliased := len(a.trace), name != ""
	columns, alone := a.meaningOf(inner, a.expression(inner, sc, clause), from)
	if name == "" {
		name = nameOf(inner)
	}
	if name == "" {
		name = nthColumn(len(sc.outputs))
	}
	return []column{{name: name, refs: columns, alone: alone, aliased: aliased}}
}

// nthColumn names a column that has no name.
func nthColumn(i int) string { return "_col_" + strconv.Itoa(i) }

// nameOf returns the name that an expression without an alias gives its output.
func nameOf(v any) string {
	node, ok := parser.NodeOf(v)
	if !ok {
		return ""
	}
	switch node.Kind {
	case "column":
		return identifier(node.Members["name"])
	case "dot":
		return identifier(node.Members["field"])
	case "cast", "try_cast", "safe_cast", "paren":
		return nameOf(node.Members["this"])
	case "function", "aggregate_function":
		return strings.ToLower(identifier(node.Members["name"]))
	case "window_function", "within_group":
		return nameOf(node.Members["this"])
	case "subquery":
		if inner, ok := queryOf(node.Members["this"]); ok {
			if items := list(inner.Members["expressions"]); len(items) == 1 {
				return aliasOf(items[0])
			}
		}
		return ""
	}
	if original := text(node.Members["original_name"]); original != "" {
		return strings.ToLower(original)
	}
	if own := text(node.Members["name"]); own != "" {
		return strings.ToLower(own)
	}
	return ""
}

func aliasOf(v any) string {
	if node, ok := parser.NodeOf(v); ok && node.Kind == "alias" {
		return identifier(node.Members["alias"])
	}
	return nameOf(v)
}

// expand returns the columns that a star stands for.
func (a *analyzer) expand(star map[string]any, qualifier []string, sc *scope, clause string) *relation {
	a.see(star)
	byName := clause
	if clause == ClauseSelect {
		clause = ClauseStar
	}
	rel := a.star(sc)
	if len(qualifier) > 0 {
		rel = &relation{anyName: true}
		if src := sc.sourceOf(qualifier); src != nil {
			rel = &relation{columns: slices.Clone(src.rel.columns), rest: src.rel.rest, made: src.rel.made, anyName: src.rel.anyName}
		} else if columns, ok := a.named(qualifier, sc, clause); ok { // the fields of a column
			if parts := columns.parts(); parts != nil {
				a.readAs(columns.named(), byName, qualifier[len(qualifier)-1])
				rel = &relation{columns: parts}
			} else {
				rel.made = columns.at(Transformation)
			}
		} else {
			a.notUnderstood(strings.Join(qualifier, ".")+".*", "no table has this name")
		}
	}
	excluded := lastParts(identifiers(star["except"]))
	a.readExcluded(rel, excluded)
	rel.columns = without(rel.columns, excluded)
	if !a.spend(len(rel.columns)) {
		return &relation{}
	}
	for i := range rel.columns {
		rel.columns[i].star = true
	}
	a.replace(rel, star, sc, clause)
	for _, pair := range list(star["rename"]) {
		if names := identifiers(pair); len(names) == 2 {
			for i := range rel.columns {
				if strings.EqualFold(rel.columns[i].name, names[0]) {
					rel.columns[i].name = names[1]
				}
			}
		}
	}
	return rel
}

// replace puts the expressions of REPLACE in the place of columns, and reads the other columns.
func (a *analyzer) replace(rel *relation, star map[string]any, sc *scope, clause string) {
	var made []column
	for _, v := range list(star["replace"]) {
		replaced := object(v)
		if inner := object(replaced["alias"]); inner["this"] != nil {
			replaced = inner
		}
		made = append(made, column{name: identifier(replaced["alias"]), refs: a.expression(replaced["this"], sc, clause)})
	}
	names := make([]string, len(made))
	for i, c := range made {
		names[i] = c.name
	}
	others := *rel
	others.columns = without(rel.columns, names)
	a.readStar(others.whole(), clause)
	for _, c := range made {
		if at := slices.IndexFunc(rel.columns, func(known column) bool { return strings.EqualFold(known.name, c.name) }); at >= 0 {
			rel.columns[at] = c
		} else {
			rel.columns = append(rel.columns, c)
		}
	}
}

// readExcluded reads the columns that a star leaves out by their names: the query fails without them.
func (a *analyzer) readExcluded(rel *relation, names []string) {
	for _, name := range names {
		if found, ok := rel.find(name); ok {
			a.readAs(found.byName(), ClauseSelect, name)
		}
	}
}

// lastParts returns names without the tables before them.
func lastParts(names []string) []string {
	last := make([]string, len(names))
	for i, n := range names {
		last[i] = n[strings.LastIndexByte(n, '.')+1:]
	}
	return last
}

// star returns all columns of the sources of a scope. Each column of USING comes once: before all
// other columns or, in some dialects, in the place of its first source.
func (a *analyzer) star(sc *scope) *relation {
	rel := &relation{}
	if !a.script.mergedInPlace {
		rel.columns = slices.Clone(sc.merged)
	}
	placed := map[string]bool{}
	for _, src := range sc.sources {
		for _, c := range src.rel.columns {
			at := slices.IndexFunc(sc.merged, func(m column) bool { return strings.EqualFold(m.name, c.name) })
			if at >= 0 && (!a.script.mergedInPlace || placed[sc.merged[at].name]) {
				continue
			}
			if at >= 0 {
				c = sc.merged[at]
				placed[c.name] = true
			}
			rel.columns = append(rel.columns, c)
		}
		if !a.spend(len(src.rel.columns)) {
			return rel
		}
		rel.rest = append(rel.rest, src.rel.rest...)
		rel.made, rel.anyName = rel.made.plus(src.rel.made), rel.anyName || src.rel.anyName
	}
	return rel
}

func without(columns []column, names []string) []column {
	if len(names) == 0 {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, c.name) })
	})
}

// clause reads the expressions of a clause, each of which may be the number of an output.
func (a *analyzer) clause(v any, sc *scope, clause string) {
	items := list(v)
	if items == nil {
		items = list(object(v)["expressions"])
	}
	if items == nil {
		items = []any{v}
	}
	for _, item := range items {
		if !a.ordinal(item, sc, clause) && !a.all(item) {
			a.expression(item, sc, clause)
		}
	}
}

// all reports whether an item is the word ALL, as in GROUP BY ALL.
func (a *analyzer) all(v any) bool {
	node, ok := parser.NodeOf(v)
	return ok && node.Kind == "column" && node.Members["table"] == nil && strings.EqualFold(identifier(node.Members["name"]), "all")
}

// ordinal reads an item such as the 1 of ORDER BY 1, which means the output at this place.
func (a *analyzer) ordinal(v any, sc *scope, clause string) bool {
	node, ok := parser.NodeOf(v)
	if !ok || node.Kind != "literal" || text(node.Members["literal_type"]) != "number" {
		return false
	}
	if i, err := strconv.Atoi(text(node.Members["value"])); err == nil && i >= 1 && i <= len(sc.outputs) {
		a.read(sc.outputs[i-1].refs, clause)
	}
	return true
}

// orders reads the clauses that order the rows.
func (a *analyzer) orders(m map[string]any, sc *scope) {
	for _, key := range []string{"order_by", "sort_by", "distribute_by", "cluster_by"} {
		for _, item := range list(object(m[key])["expressions"]) {
			this := object(item)["this"]
			if this == nil {
				this = item
			}
			if !a.ordinal(this, sc, ClauseOrder) && !a.all(this) {
				a.expression(this, sc, ClauseOrder)
			}
		}
	}
}
