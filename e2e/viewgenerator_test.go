package e2e

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A viewGenerator generates SQL statements that create ten tables and views over them, for
// [TestDatabaseJudgesImpact]. PostgreSQL accepts each statement. The same names occur as
// columns of several tables, in strings and comments, and as aliases.
type viewGenerator struct {
	random *rand.Rand
	tables []genRelation
	views  []genRelation
	// ctes are the WITH queries that the current query may read.
	ctes []genRelation
	// aliases are the aliases in the current view. Each stands for one source.
	aliases map[string]bool
}

// genRelation is a table, a view, a WITH query or the result of a query.
type genRelation struct {
	schema, name string
	columns      []genColumn
}

// genColumn is a column. Its kind is i(nteger), n(umeric), t(ext), d(ate), s (timestamp) or
// b(oolean).
type genColumn struct {
	name string
	kind byte
}

// genTables are the tables. Their definitions state the kind of each column.
var genTables = []struct{ schema, name, columns string }{
	{"public", "customers", `customer_id:i name:t email:t city:t region:t created_at:s active:b score:n`},
	{"public", "orders", `order_id:i customer_id:i status:t amount:n vat:n ordered_on:d "Net Amount":n note:t`},
	{"shop", "order_items", `order_id:i line_no:i product_id:i quantity:i price:n discount:n note:t`},
	{"shop", "products", `product_id:i name:t category:t price:n "Weight kg":n active:b`},
	{"crm", "customers", `id:i customer_id:i name:t "eMail":t owner_name:t created_at:s status:t score:n`},
	{"crm", "tickets", `ticket_id:i customer_id:i opened_on:d closed_on:d status:t priority:i subject:t`},
	{"Finance Dept", "Ledger", `"Id":i "customerId":i amount:n "Order":t "select":t booked_on:d "Status":t`},
	{"finance", "invoices", `invoice_id:i order_id:i amount:n currency:t issued_on:d paid:b memo:t`},
	{"ops", "shipments", `shipment_id:i order_id:i carrier:t shipped_on:d "Weight kg":n status:t`},
	{"ops", "returns", `return_id:i order_id:i line_no:i reason:t amount:n returned_on:d`},
}

// genKeys are statements that add keys to the tables.
var genKeys = []string{
	"alter table customers add primary key (customer_id)",
	"alter table orders add primary key (order_id), add foreign key (customer_id) references customers (customer_id)",
	"alter table shop.products add primary key (product_id)",
	"alter table shop.order_items add foreign key (order_id) references orders (order_id), add foreign key (product_id) references shop.products (product_id)",
	"alter table ops.shipments add foreign key (order_id) references orders (order_id)",
}

var genTypes = map[byte]string{'i': "integer", 'n': "numeric", 't': "text", 'd': "date", 's': "timestamp", 'b': "boolean"}

func newViewGenerator(seed uint64) *viewGenerator {
	return &viewGenerator{random: rand.New(rand.NewPCG(seed, 36))}
}

// makeTables returns the statements that create the tables.
func (g *viewGenerator) makeTables() []string {
	var statements, schemas []string
	for _, table := range genTables {
		r := genRelation{schema: table.schema, name: table.name}
		var definitions []string
		for _, m := range regexp.MustCompile(`(\w+|"[^"]+"):(\w)`).FindAllStringSubmatch(table.columns, -1) {
			r.columns = append(r.columns, genColumn{strings.Trim(m[1], `"`), m[2][0]})
			definitions = append(definitions, m[1]+" "+genTypes[m[2][0]])
		}
		if r.schema != "public" && !slices.Contains(schemas, r.schema) {
			schemas = append(schemas, r.schema)
			statements = append(statements, "create schema "+quoted(r.schema))
		}
		g.tables = append(g.tables, r)
		statements = append(statements, fmt.Sprintf("create table %s (%s)", r.text(), strings.Join(definitions, ", ")))
	}
	return append(statements, genKeys...)
}

// makeView returns the statement that creates another view.
func (g *viewGenerator) makeView() string {
	g.aliases, g.ctes = map[string]bool{}, nil
	query, columns := g.query(2)
	number := len(g.views) + 1
	view := genRelation{schema: g.tables[g.random.IntN(len(g.tables))].schema, columns: columns}
	view.name = fmt.Sprintf(g.pick("v_%d", "v_%d", "amount_%d", "Mixed View %d", "customersOf%d"), number)
	list := ""
	if g.chance(10) { // the view lists the names of its columns
		var names []string
		for i := range columns {
			columns[i].name = fmt.Sprintf("%s_%d", g.pick("status", "amount", "Id", "c"), i)
			names = append(names, quoted(columns[i].name))
		}
		list = " (" + strings.Join(names, ", ") + ")"
	}
	g.views = append(g.views, view)
	return "create view " + view.text() + list + " as" + g.decoy() + "\n" + query
}

func (g *viewGenerator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *viewGenerator) pick(of ...string) string { return of[g.random.IntN(len(of))] }

// decoy returns a comment with the name of a column that the query need not read, or "".
func (g *viewGenerator) decoy() string {
	name := g.decoyName()
	return g.pick("", "", "", " /* by "+name+" */", " -- where "+name+" > 0\n", " /* /* "+name+" */ */")
}

func (g *viewGenerator) decoyName() string {
	columns := g.tables[g.random.IntN(len(g.tables))].columns
	return columns[g.random.IntN(len(columns))].name
}

// text returns a string literal that contains the name of a column.
func (g *viewGenerator) text() string {
	return g.pick("'"+g.decoyName()+"'", "'%"+g.decoyName()+"%'", "'it''s from customers.email'", "$q$ "+g.decoyName()+" = 'x' $q$", "'a'")
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// quoted returns a name in SQL, in quotes if it needs them.
func quoted(name string) string {
	if plainName.MatchString(name) && name != "select" {
		return name
	}
	return `"` + name + `"`
}

// written returns a name in one of its spellings: without quotes, capitals have no meaning.
func (g *viewGenerator) written(name string) string {
	switch q := quoted(name); {
	case q == name && g.chance(10):
		return strings.ToUpper(name)
	case q == name && g.chance(10):
		return `"` + name + `"`
	default:
		return q
	}
}

func (r *genRelation) text() string {
	if r.schema == "" || r.schema == "public" {
		return quoted(r.name)
	}
	return quoted(r.schema) + "." + quoted(r.name)
}

// alias returns a name that no other source of the view has. Some aliases are names of
// tables and columns.
func (g *viewGenerator) alias() string {
	for n := 1; ; n++ {
		name := g.pick("t", "s", "c", "orders", "customers", "status", "amount", "A x", "Sub")
		if n > 1 {
			name = fmt.Sprintf("%s%d", name, g.random.IntN(10*n))
		}
		if !g.aliases[name] {
			g.aliases[name] = true
			return name
		}
	}
}

// genScope has the sources that an expression may read.
type genScope struct {
	sources []genRelation // the name of each source is its alias
	// merged are the columns that USING and NATURAL merge into one.
	merged map[string]bool
}

// refs returns the columns of a kind in the form that an expression uses; kind 0 means
// every kind.
func (g *viewGenerator) refs(s *genScope, kind byte) []string {
	counts := map[string]int{}
	for _, source := range s.sources {
		for _, c := range source.columns {
			counts[c.name]++
		}
	}
	var refs []string
	for _, source := range s.sources {
		for _, c := range source.columns {
			if kind != 0 && c.kind != kind {
				continue
			}
			if (counts[c.name] == 1 || counts[c.name] == 2 && s.merged[c.name]) && g.chance(50) {
				refs = append(refs, g.written(c.name))
			} else {
				refs = append(refs, quoted(source.name)+"."+g.written(c.name))
			}
		}
	}
	return refs
}

// ref returns a column of a kind, or a literal if no source has such a column.
func (g *viewGenerator) ref(s *genScope, kind byte) string {
	if refs := g.refs(s, kind); len(refs) > 0 {
		return g.pick(refs...)
	}
	switch kind {
	case 'i':
		return fmt.Sprint(g.random.IntN(9))
	case 'n':
		return "1.5::numeric"
	case 't':
		return g.text() + "::text"
	case 'd':
		return "date '2026-01-01'"
	case 's':
		return "timestamp '2026-01-01 00:00'"
	default:
		return "true"
	}
}

// qualifiedRef returns a column of a kind with its source, so that an inner query may use
// it.
func (g *viewGenerator) qualifiedRef(s *genScope, kind byte) string {
	var refs []string
	for _, source := range s.sources {
		for _, c := range source.columns {
			if c.kind == kind {
				refs = append(refs, quoted(source.name)+"."+g.written(c.name))
			}
		}
	}
	if len(refs) == 0 {
		return g.ref(&genScope{}, kind)
	}
	return g.pick(refs...)
}

// kindsOf returns the kinds of all columns in a scope, with repetitions.
func kindsOf(s *genScope) []byte {
	var kinds []byte
	for _, source := range s.sources {
		for _, c := range source.columns {
			kinds = append(kinds, c.kind)
		}
	}
	return kinds
}

func (g *viewGenerator) kind(s *genScope) byte {
	kinds := kindsOf(s)
	if len(kinds) == 0 {
		return 'i'
	}
	return kinds[g.random.IntN(len(kinds))]
}

// relation returns a relation for FROM: a WITH query, a view or a table.
func (g *viewGenerator) relation() genRelation {
	switch {
	case len(g.ctes) > 0 && g.chance(60):
		return g.ctes[g.random.IntN(len(g.ctes))]
	case len(g.views) > 0 && g.chance(15): // reads one of the newest views, so that views nest deeply
		return g.views[max(0, len(g.views)-1-g.random.IntN(3))]
	case len(g.views) > 0 && g.chance(30):
		return g.views[g.random.IntN(len(g.views))]
	default:
		return g.tables[g.random.IntN(len(g.tables))]
	}
}

// named returns a relation in the form that FROM uses, and as a source of the scope.
func (g *viewGenerator) named(r genRelation) (string, genRelation) {
	text, free := r.text(), !g.aliases[r.name]
	if r.schema == "public" {
		// A WITH query may have the name of a table in the search path, so the table needs
		// its schema.
		if !free {
			text = "public." + text
		}
		g.aliases[r.name] = true
	}
	if free && g.chance(25) {
		g.aliases[r.name] = true
		return text, genRelation{name: r.name, columns: r.columns}
	}
	source := genRelation{name: g.alias(), columns: r.columns}
	text += g.pick(" ", " as ") + quoted(source.name)
	if g.chance(6) { // other names for the first columns
		source.columns = slices.Clone(source.columns)
		var names []string
		for i := range min(3, len(source.columns)) {
			source.columns[i].name = fmt.Sprintf("x%d_%d", i, len(g.aliases))
			names = append(names, source.columns[i].name)
		}
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return text, source
}

// source returns a source for FROM: a relation, a query in parentheses, values or a
// function.
func (g *viewGenerator) source(depth int) (string, genRelation) {
	switch {
	case depth > 0 && g.chance(20):
		query, columns := g.query(depth - 1)
		source := genRelation{name: g.alias(), columns: columns}
		return "(" + query + ")" + g.decoy() + " as " + quoted(source.name), source
	case g.chance(3):
		source := genRelation{name: g.alias(), columns: []genColumn{{"customer_id", 'i'}, {"label", 't'}}}
		return fmt.Sprintf("(values (1, %s), (2, 'b')) as %s (customer_id, label)", g.text(), quoted(source.name)), source
	case g.chance(3):
		source := genRelation{name: g.alias(), columns: []genColumn{{"line_no", 'i'}}}
		return "generate_series(1, 3) as " + quoted(source.name) + " (line_no)", source
	default:
		return g.named(g.relation())
	}
}

// from returns a FROM clause and its scope. Lateral queries in it read the sources before
// them.
func (g *viewGenerator) from(depth int) (string, *genScope) {
	text, first := g.source(depth)
	scope := &genScope{sources: []genRelation{first}, merged: map[string]bool{}}
	joins := g.random.IntN(3)
	for n := range joins {
		if g.chance(12) {
			text += g.lateral(scope)
			continue
		}
		right, source := g.source(depth)
		if n == 0 && g.chance(5) { // join a table with itself
			r := g.relation()
			text, first = g.named(r)
			right, source = g.named(r)
			scope.sources[0] = first
		}
		text += g.join(scope, right, source, n == 0)
		if n == 0 && g.chance(5) { // an alias for the join, which hides the aliases of its sides
			text, scope = g.joined(text, scope)
		}
	}
	if g.chance(10) {
		right, source := g.source(depth)
		text += ",\n  " + right
		scope.sources = append(scope.sources, source)
	}
	return "\nfrom " + text, scope
}

// join adds a source to a scope and returns the text of its join.
func (g *viewGenerator) join(scope *genScope, right string, source genRelation, first bool) string {
	left := scope.sources[0]
	scope.sources = append(scope.sources, source)
	common, fits := commonColumns(left, source)
	switch kind := g.pick("join", "join", "inner join", "left join", "left outer join", "right join", "full join"); {
	case first && len(common) > 0 && g.chance(50):
		names := []string{}
		for _, name := range common {
			if len(names) == 0 || g.chance(30) {
				names = append(names, g.written(name))
				scope.merged[name] = true
			}
		}
		return "\n" + kind + " " + right + " using (" + strings.Join(names, ", ") + ")"
	case first && len(common) > 0 && fits && g.chance(50):
		for _, name := range common {
			scope.merged[name] = true
		}
		return "\nnatural " + kind + " " + right
	case g.chance(5):
		return "\ncross join " + right
	default:
		a, b := &genScope{sources: scope.sources[:len(scope.sources)-1]}, &genScope{sources: []genRelation{source}}
		k := g.kind(b)
		on := g.qualifiedRef(a, k) + " = " + g.qualifiedRef(b, k)
		if g.chance(20) {
			on += " and " + g.condition(&genScope{sources: scope.sources}, 0)
		}
		return "\n" + kind + " " + right + g.decoy() + " on " + on
	}
}

// commonColumns returns the columns of two sources with the same name and kind. fits is
// false if a common name has different kinds.
func commonColumns(a, b genRelation) (common []string, fits bool) {
	fits = true
	for _, c := range a.columns {
		for _, d := range b.columns {
			if c.name == d.name && c.kind == d.kind {
				common = append(common, c.name)
			} else if c.name == d.name {
				fits = false
			}
		}
	}
	return common, fits
}

// joined gives a join an alias, unless the join would have two columns of one name.
func (g *viewGenerator) joined(text string, scope *genScope) (string, *genScope) {
	counts := map[string]int{}
	var columns []genColumn
	for _, source := range scope.sources {
		for _, c := range source.columns {
			if counts[c.name]++; counts[c.name] == 1 {
				columns = append(columns, c)
			} else if !scope.merged[c.name] {
				return text, scope
			}
		}
	}
	source := genRelation{name: g.alias(), columns: columns}
	return "(" + text + ") as " + quoted(source.name), &genScope{sources: []genRelation{source}, merged: map[string]bool{}}
}

// lateral adds a lateral query, which reads the sources before it.
func (g *viewGenerator) lateral(scope *genScope) string {
	text, inner := g.named(g.relation())
	within := &genScope{sources: []genRelation{inner}}
	kind := g.kind(within)
	query := "select " + g.expression(within, kind, 1) + " as found, " + g.qualifiedRef(scope, 't') + " as outer_text" +
		" from " + text + " where " + g.correlated(scope, inner)
	if g.chance(50) {
		query += " order by " + g.qualifiedRef(within, g.kind(within)) + " desc limit 1"
	}
	source := genRelation{name: g.alias(), columns: []genColumn{{"found", kind}, {"outer_text", 't'}}}
	scope.sources = append(scope.sources, source)
	return "\n" + fmt.Sprintf(g.pick("cross join lateral (%s) as %s", "left join lateral (%s) as %s on true"), query, quoted(source.name))
}

// correlated returns a comparison of an inner source's column with a column of the outer
// query.
func (g *viewGenerator) correlated(outer *genScope, inner genRelation) string {
	scope := &genScope{sources: []genRelation{inner}}
	kind := g.kind(scope)
	condition := g.qualifiedRef(scope, kind) + g.pick(" = ", " <> ", " is not distinct from ") + g.qualifiedRef(outer, kind)
	if g.chance(30) {
		k := g.kind(scope)
		condition += " and " + g.qualifiedRef(scope, k) + " is not null"
	}
	return condition
}
