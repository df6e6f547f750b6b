package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// expression returns an expression with values of a kind.
func (g *viewGenerator) expression(s *genScope, kind byte, depth int) string {
	if depth <= 0 || g.chance(45) {
		return g.ref(s, kind)
	}
	of := func(kind byte) string { return g.expression(s, kind, depth-1) }
	if g.chance(12) {
		return fmt.Sprintf("case when %s then %s else %s end", g.condition(s, depth-1), of(kind), of(kind))
	}
	if g.chance(8) {
		return "case " + g.ref(s, 't') + " when " + g.text() + " then " + of(kind) + " end"
	}
	if g.chance(8) {
		return g.scalar(s, kind)
	}
	switch kind {
	case 'i':
		return fmt.Sprintf(g.pick("coalesce(%s, 0)", "(%s + 1)", "-(%s)"), of('i'))
	case 'n':
		return fmt.Sprintf(g.pick("round(%s, 2)", "nullif(%s, 0)", "abs(%s)", "(%s * 1.2)", "cast(%s as numeric)"), of('n'))
	case 't':
		return g.textExpression(s, depth)
	case 'd':
		return fmt.Sprintf(g.pick("(%s + 1)", "date_trunc('month', %s)::date", "greatest(%s, date '2026-01-01')"), of('d'))
	case 's':
		return fmt.Sprintf(g.pick("(%s + interval '1 day')", "(%s at time zone 'UTC')::timestamp", "date_trunc('day', %s)"), of('s'))
	default:
		return "(" + g.condition(s, depth-1) + ")"
	}
}

func (g *viewGenerator) textExpression(s *genScope, depth int) string {
	of := func(kind byte) string { return g.expression(s, kind, depth-1) }
	switch g.random.IntN(6) {
	case 0:
		return "(" + of('t') + " || " + g.text() + " || " + of('t') + ")"
	case 1:
		return "(" + of('n') + ")::text"
	case 2:
		return "substring(" + of('t') + " from 1 for 3)"
	case 3:
		return "to_char(" + of('d') + ", 'YYYY')"
	case 4:
		return "trim(both 'x' from " + of('t') + ")"
	default:
		return fmt.Sprintf(g.pick("upper(%s)", "coalesce(%s, 'amount')", "concat(%s, 1)", "cast(%s as text)"), of('t'))
	}
}

// scalar returns a query with a single value, which may depend on a row of the outer query.
func (g *viewGenerator) scalar(s *genScope, kind byte) string {
	text, inner := g.named(g.relation())
	within := &genScope{sources: []genRelation{inner}}
	value := g.aggregate(within, kind)
	where := ""
	if g.chance(70) {
		where = " where " + g.correlated(s, inner)
	}
	return "(select " + value + " from " + text + where + ")"
}

// condition returns a condition for WHERE, ON, HAVING, FILTER or CASE.
func (g *viewGenerator) condition(s *genScope, depth int) string {
	if depth > 0 {
		switch g.random.IntN(9) {
		case 0:
			return "(" + g.condition(s, depth-1) + g.pick(" and ", " or ") + g.condition(s, depth-1) + ")"
		case 1:
			return "not (" + g.condition(s, depth-1) + ")"
		case 2:
			text, inner := g.named(g.relation())
			return g.pick("", "not ") + "exists (select " + g.pick("1", "*", "null") + " from " + text + " where " + g.correlated(s, inner) + ")"
		case 3:
			text, inner := g.named(g.relation())
			within := &genScope{sources: []genRelation{inner}}
			kind := g.kind(within)
			operator := g.pick(" in ", " not in ", " = any ", " <> all ")
			return g.qualifiedRef(s, kind) + operator + "(select " + g.qualifiedRef(within, kind) + " from " + text + g.where(within, 0) + ")"
		}
	}
	kind := g.kind(s)
	value := g.expression(s, kind, depth-1)
	if g.chance(20) {
		return value + g.pick(" is null", " is not null")
	}
	switch kind {
	case 'i':
		return value + g.pick(" > 3", " in (1, 2, 3)", " = any (array[1, 2])", " between 1 and 5", " <> "+g.ref(s, 'i'))
	case 'n':
		return value + g.pick(" > 1.5", " between 0 and 10", " >= "+g.ref(s, 'n'))
	case 't':
		return value + g.pick(" like ", " = ", " ilike ", " <> ", " ~ ") + g.text()
	case 'd':
		return value + g.pick(" >= date '2026-01-01'", " < current_date", " = "+g.ref(s, 'd'))
	case 's':
		return value + " < now()"
	default:
		return g.pick("", "not ") + value
	}
}

func (g *viewGenerator) where(s *genScope, depth int) string {
	if g.chance(45) {
		return ""
	}
	return g.decoy() + "\nwhere " + g.condition(s, depth)
}

// aggregate returns an aggregate over a group of rows, with a value of a kind.
func (g *viewGenerator) aggregate(s *genScope, kind byte) string {
	value := g.ref(s, kind)
	filter := ""
	if g.chance(20) {
		filter = " filter (where " + g.condition(s, 0) + ")"
	}
	switch kind {
	case 'i':
		return g.pick("count(*)", "count(distinct "+g.ref(s, g.kind(s))+")", "max("+value+")", "sum("+value+")") + filter
	case 'n':
		return g.pick("sum", "avg", "min", "max") + "(" + value + ")" + filter
	case 't':
		return g.pick("max("+value+")", "string_agg("+value+", ',' order by "+g.ref(s, g.kind(s))+")") + filter
	case 'b':
		return g.pick("bool_or", "every") + "(" + value + ")" + filter
	default:
		return g.pick("min", "max") + "(" + value + ")" + filter
	}
}

// window returns a window function with values of a kind.
func (g *viewGenerator) window(s *genScope, kind byte) string {
	over := " over (partition by " + g.ref(s, g.kind(s)) + " order by " + g.ref(s, g.kind(s)) + g.pick("", " desc nulls last") + ")"
	switch {
	case kind == 'i' && g.chance(70):
		return g.pick("row_number()", "rank()", "ntile(4)") + over
	case kind == 'n' && g.chance(50):
		return "sum(" + g.ref(s, 'n') + ") over (order by " + g.ref(s, g.kind(s)) + " rows between unbounded preceding and current row)"
	default:
		return g.pick("lag(", "lead(", "first_value(") + g.ref(s, kind) + ")" + over
	}
}

// selectList collects the columns of a SELECT. Their names are unique.
type selectList struct {
	g       *viewGenerator
	texts   []string
	columns []genColumn
}

func (o *selectList) has(name string) bool {
	return slices.ContainsFunc(o.columns, func(c genColumn) bool { return c.name == name })
}

// add adds an expression under the name of a column that it need not read.
func (o *selectList) add(text string, kind byte) {
	name := o.g.decoyName()
	for n := 2; o.has(name); n++ {
		name = fmt.Sprintf("%s_%d", o.g.decoyName(), n)
	}
	o.texts = append(o.texts, text+" as "+quoted(name))
	o.columns = append(o.columns, genColumn{name, kind})
}

// plain adds a column under its own name.
func (o *selectList) plain(source genRelation, c genColumn) {
	if !o.has(c.name) {
		o.texts = append(o.texts, quoted(source.name)+"."+o.g.written(c.name))
		o.columns = append(o.columns, c)
	}
}

// star adds all columns of a source, unless a name would then be there twice.
func (o *selectList) star(text string, columns []genColumn) {
	for i, c := range columns {
		if o.has(c.name) || slices.ContainsFunc(columns[:i], func(d genColumn) bool { return d.name == c.name }) {
			return
		}
	}
	o.texts = append(o.texts, text)
	o.columns = append(o.columns, columns...)
}

func (o *selectList) String() string { return strings.Join(o.texts, ", ") }

// query returns a SELECT, possibly with WITH and set operations, and its columns.
func (g *viewGenerator) query(depth int) (string, []genColumn) {
	with, before := "", len(g.ctes)
	if depth > 0 && g.chance(15) {
		with = g.with(depth)
	}
	text, columns, ordered := g.selection(depth, nil)
	if depth > 0 && g.chance(12) {
		kinds := make([]byte, len(columns))
		for i, c := range columns {
			kinds[i] = c.kind
		}
		other, _, _ := g.selection(depth-1, kinds)
		text = "(" + text + ")\n" + g.pick("union all", "union", "intersect", "except") + "\n(" + other + ")"
		ordered = false
	}
	if !ordered && g.chance(15) {
		text += "\norder by 1"
	}
	if g.chance(5) {
		text += "\nlimit 100"
	}
	g.ctes = g.ctes[:before]
	return with + text, columns
}

// with returns a WITH clause. Some of its queries have the names of tables.
func (g *viewGenerator) with(depth int) string {
	text := "with "
	if g.chance(15) {
		text = g.recursive() + ", "
	}
	for n := range 1 + g.random.IntN(2) {
		query, columns := g.query(depth - 1)
		name := g.alias()
		g.ctes = append(g.ctes, genRelation{name: name, columns: columns})
		if n > 0 {
			text += ",\n"
		}
		text += quoted(name) + " as (" + query + ")"
	}
	return text + "\n"
}

// recursive returns the beginning of a WITH clause whose first query reads itself.
func (g *viewGenerator) recursive() string {
	name := g.alias()
	first, a := g.named(g.tables[g.random.IntN(len(g.tables))])
	itself, b := g.named(g.tables[g.random.IntN(len(g.tables))])
	start, next := &genScope{sources: []genRelation{a}}, &genScope{sources: []genRelation{b}}
	g.ctes = append(g.ctes, genRelation{name: name, columns: []genColumn{{"step", 'i'}, {"label", 't'}}})
	return fmt.Sprintf("with recursive %s as (select %s::bigint as step, %s as label from %s union all select r.step + 1, r.label from %s r join %s on %s = r.step where r.step < 5)",
		quoted(name), g.qualifiedRef(start, 'i'), g.qualifiedRef(start, 't'), first, quoted(name), itself, g.qualifiedRef(next, 'i'))
}

// selection returns one SELECT, its columns, and whether it has an ORDER BY. If wanted is
// not empty, it has the kinds of its columns.
func (g *viewGenerator) selection(depth int, wanted []byte) (text string, columns []genColumn, ordered bool) {
	from, scope := g.from(depth)
	where := g.where(scope, depth)
	o := &selectList{g: g}
	switch {
	case wanted != nil:
		for _, kind := range wanted {
			o.add(g.expression(scope, kind, 1), kind)
		}
		return "select " + o.String() + from + where, o.columns, false
	case g.chance(25):
		text, columns = g.grouped(scope, o, from+where)
		return text, columns, false
	}
	g.ungrouped(scope, o, depth)
	switch {
	case g.chance(8):
		return "select distinct " + o.String() + from + where, o.columns, false
	case g.chance(5):
		on := g.ref(scope, g.kind(scope))
		return "select distinct on (" + on + ") " + o.String() + from + where + "\norder by " + on, o.columns, true
	case g.chance(20):
		return "select" + g.decoy() + " " + o.String() + from + where + "\norder by " + g.expression(scope, g.kind(scope), 1) + g.pick("", " desc"), o.columns, true
	}
	return "select" + g.decoy() + " " + o.String() + from + where, o.columns, false
}

// ungrouped fills the list of a SELECT without GROUP BY.
func (g *viewGenerator) ungrouped(scope *genScope, o *selectList, depth int) {
	if g.chance(12) {
		if len(scope.sources) == 1 && g.chance(60) {
			o.star("*", scope.sources[0].columns)
		} else {
			source := scope.sources[g.random.IntN(len(scope.sources))]
			o.star(quoted(source.name)+".*", source.columns)
		}
	}
	for range 1 + g.random.IntN(3) {
		source := scope.sources[g.random.IntN(len(scope.sources))]
		if len(source.columns) > 0 {
			o.plain(source, source.columns[g.random.IntN(len(source.columns))])
		}
	}
	for range 1 + g.random.IntN(3) {
		kind := g.kind(scope)
		if g.chance(15) {
			o.add(g.window(scope, kind), kind)
		} else {
			o.add(g.expression(scope, kind, depth), kind)
		}
	}
}

// grouped returns a SELECT with GROUP BY and its columns.
func (g *viewGenerator) grouped(scope *genScope, o *selectList, from string) (string, []genColumn) {
	var keys []string
	for range 1 + g.random.IntN(2) {
		kind := g.kind(scope)
		key := g.ref(scope, kind)
		if g.refs(scope, kind) == nil || slices.Contains(keys, key) {
			continue
		}
		keys = append(keys, key)
		if g.chance(80) { // the list need not have the column of a group
			o.add(key, kind)
		}
	}
	for range 1 + g.random.IntN(3) {
		kind := g.kind(scope)
		o.add(g.aggregate(scope, kind), kind)
	}
	text := "select " + o.String() + from
	if len(keys) > 0 {
		by := strings.Join(keys, ", ")
		text += g.decoy() + "\ngroup by " + g.pick(by, by, by, by, "rollup ("+by+")", "grouping sets (("+by+"), ())")
	}
	if g.chance(30) {
		kind := g.kind(scope)
		text += "\nhaving " + g.aggregate(scope, kind) + " is not null"
	}
	return text, o.columns
}
