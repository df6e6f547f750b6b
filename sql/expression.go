package sql

// expression reads the names in a part of a clause. In a select list, a name after an operand
// is the alias of the operand.
func (r *reader) expression(tokens []token, at int, with *common, clause string, list bool) {
	operand := false // whether the last thing read was an operand
	for i := 0; i < len(tokens) && r.err == nil; {
		t := &tokens[i]
		switch {
		case t.kind == tokenGroup:
			r.inParentheses(tokens, i, at, with, clause)
			operand = true
			i++
		case t.is("as"):
			i = r.named(tokens, i+1, at, list)
			operand = true
		case t.is("*") && !operand && list:
			r.scopes[at].star = true
			i++
		case t.is("::"):
			i = afterType(tokens, i+1)
			operand = true
		case t.is(":") && i+1 < len(tokens) && (tokens[i+1].kind == tokenWord || tokens[i+1].kind == tokenQuoted):
			_, i = chain(tokens, i+1) // the path in a document, or a parameter
			operand = true
		case t.is("over") && i+1 < len(tokens) && tokens[i+1].isName():
			i += 2
			operand = true
		case t.is("top") && i+1 < len(tokens) && tokens[i+1].kind == tokenNumber && !operand:
			i += 2
		case t.isName() && !operators[t.lower]:
			i = r.columnOrOther(tokens, i, at, clause, list, operand)
			operand = true
		default:
			operand = t.kind == tokenString || t.kind == tokenNumber || t.is("end", "null", "true", "false", "]")
			i++
		}
	}
}

// inParentheses reads a subquery, arguments, or a part of an expression.
func (r *reader) inParentheses(tokens []token, i, at int, with *common, clause string) {
	group := tokens[i].group
	if isQuery(group) {
		scopes := r.query(group, at, with)
		for _, s := range scopes {
			r.scopes[s].output = i == 0 || !tokens[i-1].is("exists")
		}
		return
	}
	if i > 0 && tokens[i-1].is("over") {
		clause = clauseWindow
	}
	if r.nested++; r.nested <= 1000 {
		r.expression(group, at, with, clause, false)
	} else {
		r.fail(errTooDeep)
	}
	r.nested--
}

// named passes the tokens after AS: an alias in a select list, a type in a cast, the definition
// of a window.
func (r *reader) named(tokens []token, i, at int, list bool) int {
	if i >= len(tokens) || tokens[i].kind == tokenGroup {
		return i
	}
	if list {
		r.count()
		r.scopes[at].outputs = append(r.scopes[at].outputs, nameOf(&tokens[i]))
		return i + 1
	}
	for i < len(tokens) && !tokens[i].is(",") {
		i++
	}
	return i
}

var typeWords = wordSet("varying precision with without time zone local unsigned signed array")

// afterType passes the name of a type.
func afterType(tokens []token, i int) int {
	_, i = chain(tokens, i)
	for i < len(tokens) && (tokens[i].kind == tokenWord && typeWords[tokens[i].lower] || tokens[i].kind == tokenGroup || tokens[i].is("[", "]")) {
		i++
	}
	return i
}

// columnOrOther reads a name, which may be of a column, a function, a type, an argument or an
// alias.
func (r *reader) columnOrOther(tokens []token, i, at int, clause string, list, operand bool) int {
	single := &tokens[i]
	parts, end := chain(tokens, i)
	switch {
	case end+1 < len(tokens) && tokens[end].is(".") && tokens[end+1].is("*"): // a.*
		r.count()
		r.scopes[at].wholes = append(r.scopes[at].wholes, parts)
		return end + 2
	case end < len(tokens) && tokens[end].kind == tokenGroup: // a function
		return end
	case end < len(tokens) && (tokens[end].is("=>") || clause == clauseWindow && tokens[end].is("as")): // an argument, a window
		return end
	case len(parts) == 1 && single.kind == tokenWord && end < len(tokens) && tokens[end].kind == tokenString: // date '2026-10-21'
		return end
	case list && operand && len(parts) == 1:
		r.count()
		r.scopes[at].outputs = append(r.scopes[at].outputs, parts[0])
	default:
		r.mention(parts, at, clause)
	}
	return end
}
