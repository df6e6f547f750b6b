package lineage

import (
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// writer returns the function that reads a kind of statement that writes tables; nil for others.
func writer(kind string) func(a *analyzer, m map[string]any, parent *scope) {
	switch kind {
	case "insert":
		return (*analyzer).insert
	case "multitable_inserts":
		return (*analyzer).insertAll
	case "update":
		return (*analyzer).update
	case "delete":
		return (*analyzer).delete
	case "merge":
		return (*analyzer).mergeInto
	case "create_table":
		return (*analyzer).createTable
	case "create_view":
		return (*analyzer).createView
	}
	return nil
}

// target returns the table that a statement writes.
func (a *analyzer) target(v any) *table {
	m := object(v)
	if inner := object(m["table"]); inner != nil {
		m = inner
	}
	a.see(m)
	parts := tableParts(m)
	if len(parts) == 0 {
		a.notUnderstood("", "the name of a table is computed")
		return nil
	}
	t := a.table(parts)
	a.writes[t.name] = true
	return t
}

// targetColumns returns the names of the columns that a statement writes: the names that it states,
// or else all names of the table.
func targetColumns(stated []string, t *table) []string {
	if len(stated) == 0 && t != nil {
		return t.columns
	}
	return stated
}

func (a *analyzer) insert(m map[string]any, parent *scope) {
	sc := &scope{parent: parent}
	a.with(m["with"], sc)
	t := a.target(m["table"])
	names := targetColumns(identifiers(m["columns"]), t)
	query := m["query"]
	if query == nil {
		query = m["source"]
	}
	rel := &relation{}
	if rows := list(m["values"]); len(rows) > 0 {
		for _, row := range rows {
			a.row(rel, list(row), nthColumn, sc)
		}
		a.emit(rel, names)
	} else if node, ok := queryOf(query); ok {
		rel = a.query(node, sc, ClauseSelect)
		if isTrue(m["by_name"]) {
			names = nil
		}
		a.emit(rel, names)
	}
	a.conflict(m["on_conflict"], identifier(m["alias"]), t, rel.renamed(names), sc)
}

// conflict reads ON CONFLICT … DO UPDATE, whose "excluded" is the row that was to be inserted.
func (a *analyzer) conflict(v any, alias string, t *table, inserted *relation, parent *scope) {
	m := object(v)
	if inner := object(m["on_conflict"]); inner != nil {
		m = inner
	}
	if m == nil || t == nil {
		return
	}
	sc := &scope{parent: parent, sources: []*source{{alias: alias, parts: t.parts, rel: relationOf(t)}, {alias: "excluded", rel: inserted}}}
	a.assignments(m["action"], sc)
	a.expression(m["where_clause"], sc, ClauseFilter)
}

// assignments reads "column = expression" wherever it is below a tree.
func (a *analyzer) assignments(v any, sc *scope) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			a.assignments(one, sc)
		}
	case map[string]any:
		node, ok := parser.NodeOf(v)
		if ok && node.Kind == "eq" {
			parts := partsOf(node.Members["left"])
			if parts == nil {
				parts = []string{identifier(node.Members["left"])}
			}
			a.see(object(object(node.Members["left"])["column"]))
			a.assign(parts[len(parts)-1], node.Members["right"], sc)
			return
		}
		for _, one := range v {
			a.assignments(one, sc)
		}
	}
}

// assign makes an expression an output.
func (a *analyzer) assign(name string, v any, sc *scope) {
	from := len(a.trace)
	columns, alone := a.meaningOf(v, a.expression(v, sc, ClauseSelect), from)
	a.output(name, column{refs: columns, alone: alone}, false)
}

func (a *analyzer) insertAll(m map[string]any, parent *scope) {
	rel := a.queryIn(m["source"], parent, ClauseSelect)
	sc := &scope{parent: parent, sources: []*source{{rel: rel}}}
	for _, v := range list(m["expressions"]) {
		branch := object(object(v)["conditional_insert"])
		if branch["expression"] != nil {
			a.expression(branch["expression"], sc, ClauseFilter)
		}
		if into := object(object(branch["this"])["insert"]); into != nil {
			a.insert(into, sc)
		}
	}
}

// update reads UPDATE, whose table may be named by an alias of the FROM clause.
func (a *analyzer) update(m map[string]any, parent *scope) {
	sc := &scope{parent: parent}
	a.with(m["with"], sc)
	a.from(m["from_clause"], sc)
	a.joins(m["from_joins"], sc)
	target := object(m["table"])
	alias := identifier(target["alias"])
	if src := sc.sourceOf(tableParts(target)); src != nil && alias == "" && len(src.rel.rest) == 1 {
		a.writes[src.rel.rest[0].name] = true
	} else if src != nil && alias == "" && len(src.rel.columns) > 0 && len(src.rel.columns[0].refs) == 1 {
		a.writes[src.rel.columns[0].refs[0].table.name] = true
	} else if t := a.target(target); t != nil {
		sc.sources = append([]*source{{alias: alias, parts: t.parts, rel: relationOf(t)}}, sc.sources...)
	}
	for _, extra := range list(m["extra_tables"]) {
		a.from(map[string]any{"table": extra}, sc)
	}
	a.joins(m["table_joins"], sc)
	for _, pair := range list(m["set"]) {
		if two := list(pair); len(two) == 2 {
			name := identifier(two[0])
			a.see(two[0])
			a.assign(name[strings.LastIndexByte(name, '.')+1:], two[1], sc)
		}
	}
	a.expression(m["where_clause"], sc, ClauseFilter)
	a.orders(m, sc)
}

func (a *analyzer) delete(m map[string]any, parent *scope) {
	sc := &scope{parent: parent}
	a.with(m["with"], sc)
	t := a.target(m["table"])
	if rows, ok := queryOf(m["rows"]); ok && t != nil { // DELETE … USING that was parsed as a query
		a.query(rows, sc, ClauseSelect)
		delete(a.reads, t.name)
		return
	}
	if t != nil {
		sc.sources = append(sc.sources, &source{alias: identifier(m["alias"]), parts: t.parts, rel: relationOf(t)})
	}
	for _, other := range list(m["using"]) {
		a.from(map[string]any{"table": other}, sc)
	}
	a.joins(m["joins"], sc)
	a.expression(m["where_clause"], sc, ClauseFilter)
	a.orders(m, sc)
}

// mergeInto reads MERGE: the condition joins, the conditions of branches filter, and the branches
// write columns.
func (a *analyzer) mergeInto(m map[string]any, parent *scope) {
	sc := &scope{parent: parent}
	a.with(m["with_"], sc)
	into, _ := parser.NodeOf(m["this"])
	alias, ref := "", into.Members
	if into.Kind == "alias" {
		alias, ref = identifier(ref["alias"]), object(object(ref["this"])["table"])
	} else {
		alias = identifier(ref["alias"])
	}
	t := a.target(ref)
	if t == nil {
		return
	}
	sc.sources = append(sc.sources, &source{alias: alias, parts: t.parts, rel: relationOf(t)})
	a.from(m["using"], sc)
	a.expression(m["on"], sc, ClauseJoin)
	a.expression(m["using_cond"], sc, ClauseJoin)
	from := &scope{parent: sc.parent, ctes: sc.ctes, sources: sc.sources[1:]}
	for _, v := range list(object(object(m["whens"])["whens"])["expressions"]) {
		branch := object(object(v)["when"])
		a.expression(branch["condition"], sc, ClauseFilter)
		a.mergeBranch(branch["then"], t, sc, from)
	}
}

// mergeBranch reads a branch of MERGE. The values of INSERT come from the source alone.
func (a *analyzer) mergeBranch(then any, t *table, sc, from *scope) {
	parts := list(object(object(then)["tuple"])["expressions"])
	if len(parts) < 2 {
		return
	}
	switch verb := text(object(object(parts[0])["var"])["this"]); {
	case strings.HasPrefix(strings.ToUpper(verb), "UPDATE"):
		a.assignments(parts[1], sc)
	case strings.HasPrefix(strings.ToUpper(verb), "INSERT"):
		names, values := targetColumns(nil, t), parts[1]
		if len(parts) > 2 {
			names, values = nil, parts[2]
			for _, n := range list(object(object(parts[1])["tuple"])["expressions"]) {
				if parts := partsOf(n); parts != nil {
					names = append(names, parts[len(parts)-1])
				} else {
					names = append(names, identifier(n))
				}
			}
		}
		for i, v := range list(object(object(values)["tuple"])["expressions"]) {
			name := nthColumn(i)
			if i < len(names) {
				name = names[i]
			}
			a.assign(name, v, from)
		}
	}
}

// createTable reads CREATE TABLE, with a query or with columns.
func (a *analyzer) createTable(m map[string]any, parent *scope) {
	sc := &scope{parent: parent}
	a.with(m["with_cte"], sc)
	t := a.target(m["name"])
	if t == nil {
		return
	}
	var names []string
	var paths columnPaths
	for _, c := range list(m["columns"]) {
		d := definitionOf(c)
		names, a.defined = append(names, d.Name), append(a.defined, d)
		paths.add(d)
	}
	temporary := isTrue(m["temporary"])
	switch {
	case m["as_select"] != nil:
		a.define(t, a.queryIn(m["as_select"], sc, ClauseSelect).renamed(names), temporary)
	case m["clone_source"] != nil:
		a.define(t, a.tableRelation(tableParts(object(m["clone_source"]))), temporary)
	default:
		a.script.declare(t, paths.names, temporary)
	}
}

func (a *analyzer) createView(m map[string]any, parent *scope) {
	t := a.target(m["name"])
	if t == nil {
		return
	}
	var names []string
	for _, c := range list(m["columns"]) {
		names = append(names, identifier(object(c)["name"]))
	}
	for _, c := range list(object(m["schema"])["expressions"]) {
		names = append(names, identifier(object(object(c)["column_def"])["name"]))
	}
	rel := a.queryIn(m["query"], parent, ClauseSelect).renamed(names)
	if to := object(m["to_table"]); to != nil { // ClickHouse: the rows are kept in another table
		delete(a.writes, t.name)
		t = a.target(to)
	}
	if t != nil {
		a.define(t, rel, isTrue(m["temporary"]))
	}
}

// define makes the columns of a query the outputs of the statement, and tells the script that the
// table has these columns now.
func (a *analyzer) define(t *table, rel *relation, temporary bool) {
	a.emit(rel, nil)
	a.script.define(t, rel, temporary, sorted(a.reads))
}
