package indexer

import "slices"

// OfTypes returns a condition that holds for the same documents, in which parts on the type of an entity are
// decided where the whole asks for some types only. The condition of a caller who may not see everything has
// parts for types that most searches do not ask for. The parts of [Standing] conditions are left as they are.
func OfTypes(e Expr) Expr {
	all, ok := Simplify(e).(And)
	if !ok {
		return Simplify(e)
	}
	at := slices.IndexFunc(all, func(part Expr) bool {
		in, ok := part.(In)
		return ok && in.Field == FieldType
	})
	if at < 0 {
		return all
	}
	asked := all[at].(In)
	parts := make(And, len(all))
	for i, part := range all {
		if parts[i] = part; i != at {
			parts[i] = given(part, asked.Values)
		}
	}
	return Simplify(parts)
}

// given returns a condition that holds for the same documents among those of some types.
func given(e Expr, types []string) Expr {
	decide := func(part Expr) Expr { return given(part, types) }
	switch e := e.(type) {
	case And:
		return And(EachOf(e, decide))
	case Or:
		return Or(EachOf(e, decide))
	case Not:
		return Not{decide(e.Expr)}
	case In:
		if e.Field != FieldType {
			return e
		}
		both := slices.DeleteFunc(slices.Clone(e.Values), func(t string) bool { return !slices.Contains(types, t) })
		switch {
		case len(both) == 0:
			return Never
		case !slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(both, t) }):
			return And{}
		}
		return In{Field: FieldType, Values: both}
	}
	return e
}
