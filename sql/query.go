package sql

import "github.com/headwater-io/headwater/internal/limits"

// name is one identifier, such as the schema or the table in schema.table, as the statement
// spells it.
type name struct {
	text   string
	quoted bool
}

// source is one thing from which a query reads: a table, or other queries.
type source struct {
	alias name
	// table is the name of a table. queries are the scopes of a derived table.
	table   []name
	queries []int
	// joined: the source is a join in parentheses, whose sides are other sources of the scope.
	joined bool
	// renamed are the new names of the source's columns, in the order of the columns, if the
	// alias lists them.
	renamed []name
}

// scope is one SELECT with its sources.
type scope struct {
	// parent is the scope around a subquery whose columns the subquery may name; -1 if there is
	// none.
	parent  int
	sources []source
	// outputs are the aliases of the select list.
	outputs []name
	// star: the select list has "*". wholes are the aliases of sources that are read as a
	// whole, as in a.* or count(a).
	star   bool
	wholes [][]name
	// natural: columns of sources are joined by their names.
	natural bool
	// output: the selected columns leave the statement, or the statement reads all of them, as
	// by IN.
	output bool
}

// mention is a name that may be the name of a column.
type mention struct {
	parts  []name
	scope  int
	clause string
}

// The clauses, as answers name them.
const (
	clauseSelect = "SELECT"
	clauseFrom   = "FROM"
	clauseJoin   = "JOIN"
	clauseWhere  = "WHERE"
	clauseGroup  = "GROUP BY"
	clauseHaving = "HAVING"
	clauseWindow = "WINDOW"
	clauseOrder  = "ORDER BY"
	clauseLimit  = "LIMIT"
	clauseOther  = "statement"
)

// reader reads statements into scopes and mentions.
type reader struct {
	scopes   []scope
	mentions []mention
	sources  int
	// names is the number of mentions, scopes and aliases.
	names int
	err   error
	// nested is the depth of the query that is being read.
	nested int
}

// common are the common table expressions that a query sees, by name.
type common struct {
	name   name
	scopes []int
	next   *common
}

func (c *common) find(n name) (scopes []int, found bool) {
	for ; c != nil; c = c.next {
		if sameName(c.name, n) {
			return c.scopes, true
		}
	}
	return nil, false
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// count counts the mentions, scopes and aliases that the reader keeps of the text.
func (r *reader) count() {
	if r.names++; r.names > limits.MaxSQLNames {
		r.fail(errTooManyNames)
	}
}

func (r *reader) newScope(parent int) int {
	r.count()
	if r.err != nil && len(r.scopes) > 0 {
		return 0
	}
	r.scopes = append(r.scopes, scope{parent: parent})
	return len(r.scopes) - 1
}

func (r *reader) mention(parts []name, scope int, clause string) {
	r.count()
	r.mentions = append(r.mentions, mention{parts, scope, clause})
}

func (r *reader) addSource(at int, s source) {
	if r.sources++; r.sources > limits.MaxSQLSources {
		r.fail(errTooManyNames)
		return
	}
	r.scopes[at].sources = append(r.scopes[at].sources, s)
}

// isQuery reports whether tokens are a query, perhaps within parentheses.
func isQuery(tokens []token) bool {
	for len(tokens) > 0 {
		if tokens[0].kind != tokenGroup {
			return tokens[0].is("select", "with", "values")
		}
		if len(tokens) > 1 && !isSetOperation(tokens[1:]) && !tokens[1].is("order", "limit", "offset", "fetch") {
			return false // a join within parentheses, or an expression
		}
		tokens = tokens[0].group
	}
	return false
}

// isSetOperation reports whether tokens begin with UNION and the like before a query.
func isSetOperation(tokens []token) bool {
	if !tokens[0].is("union", "intersect", "except", "minus") {
		return false
	}
	for i := 1; i < len(tokens); i++ {
		if !tokens[i].is("all", "distinct") {
			return isQuery(tokens[i:min(i+1, len(tokens))])
		}
	}
	return false
}

// query reads a query and returns the scopes of its branches: one, or several of a UNION.
func (r *reader) query(tokens []token, parent int, with *common) []int {
	if r.nested++; r.nested > 2*limits.MaxSQLDepth {
		r.fail(errTooDeep)
	}
	defer func() { r.nested-- }()
	if r.err != nil || len(tokens) == 0 {
		return nil
	}
	if tokens[0].is("with") {
		tokens, with = r.withClause(tokens[1:], parent, with)
	}
	var branches []int
	begin := 0
	for i := 0; i <= len(tokens); i++ {
		if i == len(tokens) || isSetOperation(tokens[i:]) {
			branches = append(branches, r.branch(tokens[begin:i], parent, with)...)
			for i++; i < len(tokens) && tokens[i].is("all", "distinct"); i++ {
			}
			begin = i
		}
	}
	return branches
}

// withClause reads common table expressions. It returns the tokens after them.
func (r *reader) withClause(tokens []token, parent int, with *common) ([]token, *common) {
	i := 0
	recursive := len(tokens) > 0 && tokens[0].is("recursive")
	if recursive {
		i++
	}
	for i < len(tokens) && tokens[i].isName() {
		defined := &common{name: nameOf(&tokens[i]), next: with}
		for i++; i < len(tokens) && !tokens[i].is("as"); i++ { // a list of columns
		}
		for i++; i < len(tokens) && tokens[i].kind != tokenGroup; i++ { // [NOT] MATERIALIZED
		}
		if i >= len(tokens) {
			r.fail(errNotQuery)
			return nil, with
		}
		visible := with
		if recursive { // a query that selects from itself has the columns of its first branch
			visible = &common{name: defined.name, scopes: []int{len(r.scopes)}, next: with}
		}
		defined.scopes = r.query(tokens[i].group, parent, visible)
		with = defined
		i++
		if i >= len(tokens) || !tokens[i].is(",") {
			break
		}
		i++
	}
	return tokens[min(i, len(tokens)):], with
}

// branch reads a SELECT, or a query in parentheses.
func (r *reader) branch(tokens []token, parent int, with *common) []int {
	if len(tokens) == 0 || r.err != nil {
		return nil
	}
	if tokens[0].kind == tokenGroup && isQuery(tokens[0].group) {
		scopes := r.query(tokens[0].group, parent, with)
		if len(scopes) > 0 {
			r.clauses(tokens[1:], scopes[0], with, clauseOther)
		}
		return scopes
	}
	at := r.newScope(parent)
	r.clauses(tokens[1:], at, with, clauseSelect)
	return []int{at}
}

// clauses reads a SELECT clause by clause. Sources come first, so that lists can be told from
// sources in any order.
func (r *reader) clauses(tokens []token, at int, with *common, first string) {
	type part struct {
		clause string
		tokens []token
	}
	var parts []part
	clause, begin := first, 0
	for i := 0; i <= len(tokens); i++ {
		next, length := "", 0
		if i < len(tokens) {
			if next, length = clauseAt(tokens, i); length == 0 {
				continue
			}
		}
		parts = append(parts, part{clause, tokens[begin:min(i, len(tokens))]})
		clause, begin = next, i+length
		i += max(length-1, 0)
	}
	for _, p := range parts {
		if p.clause == clauseFrom {
			r.from(p.tokens, at, with)
		}
	}
	for _, p := range parts {
		if p.clause != clauseFrom {
			r.expression(p.tokens, at, with, p.clause, p.clause == clauseSelect)
		}
	}
}

// clauseAt returns the clause that begins at a token, and by how many tokens.
func clauseAt(tokens []token, i int) (clause string, length int) {
	t := &tokens[i]
	if t.kind != tokenWord {
		return "", 0
	}
	followedBy := func(word string) bool { return i+1 < len(tokens) && tokens[i+1].is(word) }
	switch t.lower {
	case "from":
		if i > 0 && tokens[i-1].is("distinct") && i > 1 && tokens[i-2].is("is", "not") {
			return "", 0 // IS DISTINCT FROM
		}
		return clauseFrom, 1
	case "where", "prewhere":
		return clauseWhere, 1
	case "group", "sort", "cluster", "distribute", "order", "partition":
		if !followedBy("by") {
			return "", 0
		}
		if t.lower == "group" {
			return clauseGroup, 2
		}
		return clauseOrder, 2
	case "having", "qualify":
		return clauseHaving, 1
	case "window":
		if i+2 < len(tokens) && tokens[i+2].is("as") {
			return clauseWindow, 1
		}
	case "connect":
		if followedBy("by") {
			return clauseWhere, 2
		}
	case "start":
		if followedBy("with") {
			return clauseWhere, 2
		}
	case "limit", "offset", "fetch":
		return clauseLimit, 1
	}
	return "", 0
}

func nameOf(t *token) name { return name{t.text, t.kind == tokenQuoted} }
