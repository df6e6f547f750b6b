package lineage

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// from adds the items of a FROM clause to a scope.
func (a *analyzer) from(v any, sc *scope) {
	if items := list(object(v)["expressions"]); items != nil {
		for _, item := range items {
			a.from(item, sc)
		}
		return
	}
	node, ok := parser.NodeOf(v)
	if !ok || !a.spend(1) {
		return
	}
	switch node.Kind {
	case "joined_table":
		a.joinedTable(node.Members, sc)
	case "paren":
		a.from(node.Members["this"], sc)
	default:
		if src := a.source(node, sc); src != nil {
			sc.sources = append(sc.sources, src)
		}
	}
}

// joinedTable adds a join in parentheses, which may have an alias of its own.
func (a *analyzer) joinedTable(m map[string]any, sc *scope) {
	inner := &scope{parent: sc.parent, ctes: sc.ctes}
	a.from(m["left"], inner)
	a.joins(m["joins"], inner)
	for _, v := range list(m["lateral_views"]) {
		a.lateralView(object(v), inner)
	}
	if alias := identifier(m["alias"]); alias != "" {
		sc.sources = append(sc.sources, &source{alias: alias, rel: a.star(inner)})
		return
	}
	sc.sources, sc.merged = append(sc.sources, inner.sources...), append(sc.merged, inner.merged...)
}

// joins adds the joined sources to a scope and reads their conditions.
func (a *analyzer) joins(v any, sc *scope) {
	for _, j := range list(v) {
		m := object(j)
		kind, before := text(m["kind"]), len(sc.sources)
		if kind == "Array" {
			a.arrayJoin(m["this"], sc)
			continue
		}
		if node, ok := parser.NodeOf(m["this"]); ok && node.Kind == "subquery" && strings.HasSuffix(kind, "Apply") {
			node.Members["lateral"] = true
		}
		a.from(m["this"], sc)
		for _, p := range list(m["pivots"]) {
			if node, ok := parser.NodeOf(p); ok && len(sc.sources) > before {
				last := sc.sources[len(sc.sources)-1]
				last.rel = a.pivot(node.Members, last.rel, sc)
			}
		}
		// A semi join or an anti join gives no columns of the joined source.
		half := strings.Contains(kind, "Semi") || strings.Contains(kind, "Anti")
		if names := identifiers(m["using"]); len(names) > 0 {
			a.see(list(m["using"])[0])
			merged := sc.merged
			a.merge(names, before, sc)
			if half {
				sc.merged = merged
			}
		}
		if strings.HasPrefix(kind, "Natural") {
			a.merge(common(sc.sources[:before], sc.sources[before:]), before, sc)
		}
		for _, key := range []string{"on", "match_condition"} {
			if m[key] != nil {
				from := len(a.trace)
				a.expression(m[key], sc, ClauseJoin)
				a.rowsBy("join "+kind, m[key], from)
			}
		}
		if half {
			sc.sources = sc.sources[:before]
		}
	}
}

// merge reads the columns of USING on both sides, and makes one column of each name.
func (a *analyzer) merge(names []string, before int, sc *scope) {
	left := &scope{sources: sc.sources[:before], merged: sc.merged}
	right := &scope{sources: sc.sources[before:]}
	for _, name := range names {
		var both refs
		for _, side := range []*scope{left, right} {
			found, ok := side.exactly(name)
			if !ok {
				found, _ = side.perhaps(name)
			}
			both = both.plus(found)
		}
		a.read(both.named(), ClauseJoin)
		a.rows = append(a.rows, "using "+formOf(both, name))
		sc.merged = slices.DeleteFunc(slices.Clone(sc.merged), func(c column) bool { return strings.EqualFold(c.name, name) })
		sc.merged = append(sc.merged, column{name: name, refs: both.named()})
	}
}

// common returns the names of the columns that both sides of a NATURAL JOIN have.
func common(left, right []*source) []string {
	var names []string
	for _, r := range right {
		for _, c := range r.rel.columns {
			if slices.ContainsFunc(left, func(l *source) bool { _, ok := l.rel.find(c.name); return ok }) {
				names = append(names, c.name)
			}
		}
	}
	return names
}

// arrayJoin adds the columns of ARRAY JOIN of ClickHouse.
func (a *analyzer) arrayJoin(v any, sc *scope) {
	items := []any{v}
	if node, ok := parser.NodeOf(v); ok && node.Kind == "tuple" {
		items = list(node.Members["expressions"])
	}
	for _, item := range items {
		made := a.expression(item, sc, ClauseSelect).at(Transformation)
		sc.merged = append(sc.merged, column{name: aliasOf(item), refs: made})
	}
}

// lateralView adds a LATERAL VIEW of Hive and Spark.
func (a *analyzer) lateralView(m map[string]any, sc *scope) {
	made := a.exploded(m["this"], sc)
	rel := functionRelation(made, identifiers(m["column_aliases"]))
	if strings.HasPrefix(nameOf(m["this"]), "inline") {
		rel = rowsRelation(made, identifiers(m["column_aliases"]))
	}
	sc.sources = append(sc.sources, &source{alias: identifier(m["table_alias"]), rel: rel})
}

// functionRelation is the relation that a function in FROM gives: columns of the given names, or of any name.
func functionRelation(made refs, names []string) *relation {
	if len(names) == 0 {
		return &relation{anyName: true, made: made}
	}
	rel := &relation{}
	for _, n := range names {
		rel.columns = append(rel.columns, column{name: n, refs: made})
	}
	return rel
}

// rowsRelation is the relation of a function whose rows are structs: the fields are the columns, if they are known.
func rowsRelation(made refs, names []string) *relation {
	parts := made.parts()
	if parts == nil || len(names) > len(parts) {
		return functionRelation(made, names)
	}
	return (&relation{columns: parts, row: made}).renamed(names)
}

// source returns an item of a FROM clause.
func (a *analyzer) source(node parser.Node, sc *scope) *source {
	m := node.Members
	alias, names := identifier(m["alias"]), identifiers(m["column_aliases"])
	switch node.Kind {
	case "table":
		return a.tableSource(m, sc)
	case "subquery":
		parent := &scope{parent: sc.parent, ctes: sc.ctes}
		if isTrue(m["lateral"]) {
			parent = sc
		}
		return &source{alias: alias, rel: a.query(node, parent, ClauseSelect)}
	case "values":
		return &source{alias: alias, rel: a.values(m, sc)}
	case "pivot", "unpivot":
		return a.pivotSource(node, sc)
	case "lateral":
		if inner, ok := queryOf(m["this"]); ok {
			return &source{alias: alias, rel: a.query(inner, sc, ClauseSelect).renamed(names)}
		}
		if alias == "" {
			alias = text(m["alias"])
		}
		for _, n := range list(m["column_aliases"]) {
			names = append(names, identifier(n))
		}
		return a.functionSource(m["this"], alias, slices.Compact(names), sc)
	case "alias":
		return a.aliasSource(m, alias, names, sc)
	case "tuple":
		return a.definedSource(m, sc)
	case "unnest":
		return a.unnestSource(m, alias, names, sc)
	}
	if queries[node.Kind] {
		return &source{alias: alias, rel: a.query(node, sc, ClauseSelect)}
	}
	return a.functionSource(map[string]any{node.Kind: m}, alias, names, sc)
}

// aliasSource returns an item of a FROM clause with the alias around it.
func (a *analyzer) aliasSource(m map[string]any, alias string, names []string, sc *scope) *source {
	inner, ok := parser.NodeOf(m["this"])
	for ok && inner.Kind == "paren" {
		inner, ok = parser.NodeOf(inner.Members["this"])
	}
	if !ok {
		return nil
	}
	switch inner.Kind {
	case "unnest":
		return a.unnestSource(inner.Members, alias, names, sc)
	case "joined_table":
		joined := &scope{parent: sc.parent, ctes: sc.ctes}
		a.joinedTable(inner.Members, joined)
		return &source{alias: alias, rel: a.star(joined).renamed(names)}
	}
	if inner.Kind == "table" || queries[inner.Kind] || inner.Kind == "lateral" {
		src := a.source(inner, sc)
		src.alias, src.rel = alias, src.rel.renamed(names)
		return src
	}
	return a.functionSource(m["this"], alias, names, sc)
}

// definedSource returns a function with the definition of its columns: f() AS t(a int, b text).
func (a *analyzer) definedSource(m map[string]any, sc *scope) *source {
	items := list(m["expressions"])
	if len(items) != 2 {
		return nil
	}
	as, _ := parser.NodeOf(items[1])
	return a.functionSource(items[0], nameIn(as.Members["this"]), definedColumns(as.Members), sc)
}

func (a *analyzer) unnestSource(m map[string]any, alias string, names []string, sc *scope) *source {
	made := a.expression(m["this"], sc, ClauseSelect)
	for _, v := range list(m["expressions"]) {
		made = made.plus(a.expression(v, sc, ClauseSelect))
	}
	made = made.elements()
	rel := functionRelation(made, names)
	switch {
	case a.script.dialect == "bigquery" && len(names) == 0 && made.names() != nil,
		a.script.rows && len(names) == len(made.names()) && len(names) > 1:
		rel = rowsRelation(made, names)
	case len(names) == 0 && alias != "": // BigQuery: the alias is the element
		rel.columns = append(rel.columns, column{name: alias, refs: rel.made})
	}
	if offset := identifier(m["offset_alias"]); offset != "" {
		rel.columns = append(rel.columns, column{name: offset})
	}
	return &source{alias: alias, rel: rel}
}

// functionSource returns the relation that a function in a FROM clause gives. A function without aliases of
// columns gives a column of its own name too.
func (a *analyzer) functionSource(v any, alias string, names []string, sc *scope) *source {
	made := a.exploded(v, sc)
	node, _ := parser.NodeOf(v)
	if len(names) == 0 {
		names = definedColumns(node.Members)
	}
	rel := functionRelation(made, names)
	if len(names) == 0 && alias != "" {
		rel.columns = append(rel.columns, column{name: alias, refs: made})
	}
	if alias == "" {
		alias = nameOf(v)
	}
	return &source{alias: alias, rel: rel}
}

// definedColumns returns the columns that XMLTABLE, JSON_TABLE or OPENJSON define.
func definedColumns(m map[string]any) []string {
	var names []string
	for _, key := range []string{"columns", "expressions"} {
		for _, c := range list(m[key]) {
			def := object(c)
			for _, kind := range []string{"column_def", "j_s_o_n_column_def", "open_j_s_o_n_column_def"} {
				if inner := object(def[kind]); inner != nil {
					def = inner
				}
			}
			name := identifier(def["name"])
			if name == "" {
				name = nameIn(def["this"])
			}
			if name != "" {
				names = append(names, name)
			}
			names = append(names, definedColumns(object(object(def["nested_schema"])["j_s_o_n_schema"]))...)
		}
	}
	if schema := object(object(m["schema"])["j_s_o_n_schema"]); schema != nil {
		names = append(names, definedColumns(schema)...)
	}
	return names
}

// nameIn returns the name that an identifier or a bare word is.
func nameIn(v any) string {
	if word := object(object(v)["var"]); word != nil {
		return text(word["this"])
	}
	return identifier(v)
}

// tableSource returns a table of a FROM clause: a common table expression, an array of another
// source, a temporary table of the script, or a table of the database.
func (a *analyzer) tableSource(m map[string]any, sc *scope) *source {
	a.see(m)
	parts := tableParts(m)
	alias, names := identifier(m["alias"]), identifiers(m["column_aliases"])
	if len(parts) == 0 {
		a.notUnderstood("", "the name of a table is computed")
		return &source{alias: alias, rel: &relation{anyName: true}}
	}
	src := &source{alias: alias, parts: parts}
	rel, isCTE := sc.cte(parts[0])
	switch {
	case len(parts) == 1 && isCTE:
		src.rel = rel
	case len(parts) > 1 && a.script.unnests && sc.sourceOf(parts[:1]) != nil:
		made, _ := a.named(parts, sc, ClauseSelect)
		a.read(made, ClauseSelect)
		src.rel = functionRelation(made.elements(), names)
		return src
	default:
		src.rel = a.tableRelation(parts)
	}
	src.rel = src.rel.renamed(names)
	for _, p := range list(m["pivots"]) {
		if node, ok := parser.NodeOf(p); ok {
			src.rel = a.pivot(node.Members, src.rel, sc)
		}
	}
	return src
}

// tableRelation returns the relation of a table that is read. A temporary table stands for the
// tables that it was made of.
func (a *analyzer) tableRelation(parts []string) *relation {
	if made, ok := a.script.temporary(parts); ok {
		for _, name := range made.reads {
			a.reads[name] = true
		}
		return made.relation
	}
	t := a.table(parts)
	a.reads[t.name] = true
	return relationOf(t)
}

func (a *analyzer) pivotSource(node parser.Node, sc *scope) *source {
	m := node.Members
	inner := &scope{parent: sc.parent, ctes: sc.ctes}
	this, ok := parser.NodeOf(m["this"])
	if ok && this.Kind == "column" { // DuckDB: PIVOT t ON …
		m["this"] = map[string]any{"table": map[string]any{"name": this.Members["name"], "schema": this.Members["table"]}}
	}
	a.from(m["this"], inner)
	rel := a.star(inner)
	if node.Kind == "unpivot" {
		rel = a.unpivot(m, rel, inner)
	} else {
		rel = a.pivot(m, rel, inner)
	}
	alias := identifier(m["alias"])
	if alias == "" && len(inner.sources) == 1 {
		alias = inner.sources[0].alias
	}
	return &source{alias: alias, rel: rel.renamed(identifiers(m["alias_columns"]))}
}

// pivot returns the columns that PIVOT leaves, and columns of any name made of the aggregated columns.
func (a *analyzer) pivot(m map[string]any, rel *relation, sc *scope) *relation {
	inner := &scope{parent: sc.parent, ctes: sc.ctes, sources: []*source{{rel: rel}}}
	var made refs
	var used []string
	for _, key := range []string{"expressions", "using"} {
		for _, v := range list(m[key]) {
			made = made.plus(a.expression(v, inner, ClauseSelect))
			used = append(used, columnNames(v)...)
		}
	}
	for _, v := range list(m["fields"]) {
		a.expression(v, inner, ClauseGroup)
		used = append(used, columnNames(v)...)
	}
	a.expression(m["group"], inner, ClauseGroup)
	return &relation{columns: without(rel.columns, used), rest: rel.rest, anyName: true, made: made.at(Aggregation)}
}

func (a *analyzer) unpivot(m map[string]any, rel *relation, sc *scope) *relation {
	var made refs
	var used []string
	inner := &scope{parent: sc.parent, sources: []*source{{rel: rel}}}
	for _, v := range list(m["columns"]) {
		made = made.plus(a.expression(v, inner, ClauseSelect))
		used = append(used, columnNames(v)...)
	}
	changed := &relation{columns: without(rel.columns, used), rest: rel.rest}
	changed.columns = append(changed.columns, column{name: identifier(m["name_column"])})
	for _, name := range append([]string{identifier(m["value_column"])}, identifiers(m["extra_value_columns"])...) {
		changed.columns = append(changed.columns, column{name: name, refs: made.at(Transformation)})
	}
	return changed
}

// columnNames returns the names of the columns in an expression.
func columnNames(v any) []string {
	var names []string
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			names = append(names, columnNames(one)...)
		}
	case map[string]any:
		if node, ok := parser.NodeOf(v); ok && node.Kind == "column" {
			return []string{identifier(node.Members["name"])}
		}
		for _, one := range v {
			names = append(names, columnNames(one)...)
		}
	}
	return names
}
