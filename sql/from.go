package sql

import "strings"

// from reads the sources of a query, and the conditions by which they are joined.
func (r *reader) from(tokens []token, at int, with *common) {
	wanted, lateral := true, false // wanted: a source must follow; lateral: that source sees the sources before it
	for i := 0; i < len(tokens) && r.err == nil; {
		t := &tokens[i]
		switch {
		case t.is(",", "join", "apply", "straight_join"):
			wanted, lateral = true, t.is("apply")
			i++
		case t.is("lateral"):
			lateral = true
			i++
		case t.is("natural"):
			r.scopes[at].natural = true
			i++
		case t.is("on"):
			end := i + 1
			for end < len(tokens) && !endsCondition(tokens, end) {
				end++
			}
			r.expression(tokens[i+1:end], at, with, clauseJoin, false)
			i = end
		case t.is("using"):
			if i++; i < len(tokens) && tokens[i].kind == tokenGroup {
				r.joinedBy(tokens[i].group, at)
				i++
			}
		case wanted && (t.kind == tokenGroup || t.isName() || t.is("unnest", "table") && i+1 < len(tokens)):
			if t.is("only", "table", "rows") && i+1 < len(tokens) && (tokens[i+1].isName() || tokens[i+1].kind == tokenGroup) {
				i++
				continue
			}
			i = r.source(tokens, i, at, with, lateral)
			wanted, lateral = false, false
		default:
			end := i + 1
			r.expression(tokens[i:end], at, with, clauseFrom, false)
			i = end
		}
	}
}

var joinWords = wordSet("join inner left right full outer cross natural semi anti asof straight_join apply global any")

// endsCondition reports whether the condition of a join ends before a token.
func endsCondition(tokens []token, i int) bool {
	t := &tokens[i]
	if t.is(",", "on", "using") {
		return true
	}
	if t.kind != tokenWord || !joinWords[t.lower] {
		return false
	}
	// Before a parenthesis, as in left(x, 1), these words are functions.
	return i+1 >= len(tokens) || tokens[i+1].kind != tokenGroup || t.is("join", "apply")
}

func (r *reader) joinedBy(columns []token, at int) {
	for i := range columns {
		if columns[i].kind == tokenQuoted || columns[i].kind == tokenWord {
			r.mention([]name{nameOf(&columns[i])}, at, clauseJoin)
		}
	}
}

// source reads one source with its alias, and returns where the next part begins.
func (r *reader) source(tokens []token, i, at int, with *common, lateral bool) int {
	var s source
	parent := r.scopes[at].parent
	if lateral {
		parent = at
	}
	switch t := &tokens[i]; {
	case t.kind == tokenGroup && isQuery(t.group):
		s.queries = r.query(t.group, parent, with)
		i++
	case t.kind == tokenGroup:
		r.from(t.group, at, with)
		given, renamed, end := alias(tokens, i+1)
		if given.text != "" {
			r.addSource(at, source{alias: given, joined: true, renamed: renamed})
		}
		return end
	case t.is("unnest"):
		i++
		r.expression(tokens[i:i+1], at, with, clauseFrom, false)
		i++
	default:
		parts, end := chain(tokens, i)
		i = end
		if i < len(tokens) && tokens[i].kind == tokenGroup && !tokens[i-1].is("with") { // a function
			r.expression(tokens[i:i+1], at, with, clauseFrom, false)
			i++
			break
		}
		s.table = tableName(parts)
		if len(parts) == 1 {
			if scopes, found := with.find(parts[0]); found {
				s.table, s.queries = nil, scopes
				s.alias = parts[0]
			}
		}
	}
	given, renamed, end := alias(tokens, i)
	if given.text != "" {
		s.alias, s.renamed = given, renamed
	}
	r.addSource(at, s)
	return end
}

// alias reads [AS] alias [(columns)].
func alias(tokens []token, i int) (given name, columns []name, end int) {
	explicit := i < len(tokens) && tokens[i].is("as")
	if explicit {
		i++
	}
	if i >= len(tokens) || !tokens[i].isName() || !explicit && tokens[i].kind == tokenWord && (joinWords[tokens[i].lower] || notAlias[tokens[i].lower]) {
		return name{}, nil, i
	}
	given = nameOf(&tokens[i])
	if i++; i < len(tokens) && tokens[i].kind == tokenGroup {
		for k := range tokens[i].group {
			if t := &tokens[i].group[k]; (t.kind == tokenQuoted || t.kind == tokenWord) && (k == 0 || tokens[i].group[k-1].is(",")) {
				columns = append(columns, nameOf(t))
			}
		}
		i++
	}
	return given, columns, i
}

// notAlias are words that may follow a source and are not an alias of the source.
var notAlias = wordSet("tablesample pivot unpivot match_recognize at before for final sample use ignore force ordinality")

// chain reads a name of several parts, as in schema.table.
func chain(tokens []token, i int) (parts []name, end int) {
	for i < len(tokens) && (tokens[i].kind == tokenQuoted || tokens[i].kind == tokenWord) {
		parts = append(parts, nameOf(&tokens[i]))
		if i++; i+1 >= len(tokens) || !tokens[i].is(".") || tokens[i+1].kind != tokenQuoted && tokens[i+1].kind != tokenWord {
			break
		}
		i++
	}
	return parts, i
}

// tableName returns the parts of the name of a table. BigQuery puts several parts between one
// pair of quotes.
func tableName(written []name) []name {
	var parts []name
	for _, n := range written {
		for part := range strings.SplitSeq(n.text, ".") {
			parts = append(parts, name{part, n.quoted})
		}
	}
	return parts
}
