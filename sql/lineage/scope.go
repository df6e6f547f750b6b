package lineage

import (
	"slices"
	"strings"
)

// source is one item of a FROM clause.
type source struct {
	alias string
	// parts are the parts of the table's name, if the item is a table without an alias.
	parts []string
	rel   *relation
}

// named reports whether a qualifier names the source. A shorter qualifier names a table by the
// end of its name.
func (s *source) named(qualifier []string) bool {
	if s.alias != "" {
		return len(qualifier) == 1 && strings.EqualFold(s.alias, qualifier[0])
	}
	if len(qualifier) > len(s.parts) {
		return false
	}
	return slices.EqualFunc(s.parts[len(s.parts)-len(qualifier):], qualifier, strings.EqualFold)
}

// scope is a query with the names that can be used in it.
type scope struct {
	parent  *scope
	sources []*source
	// merged are the columns of USING and NATURAL, which have one name for both sides.
	merged []column
	ctes   map[string]*relation
	// outputs are the columns of the select list so far, by alias.
	outputs []column
	windows map[string]any
}

// cte finds a common table expression in the scope or around it.
func (sc *scope) cte(name string) (*relation, bool) {
	for s := sc; s != nil; s = s.parent {
		if rel, ok := s.ctes[strings.ToLower(name)]; ok {
			return rel, true
		}
	}
	return nil, false
}

func (sc *scope) define(name string, rel *relation) {
	if sc.ctes == nil {
		sc.ctes = map[string]*relation{}
	}
	sc.ctes[strings.ToLower(name)] = rel
}

// sourceOf finds the source that a qualifier names, in the scope or around it.
func (sc *scope) sourceOf(qualifier []string) *source {
	for s := sc; s != nil; s = s.parent {
		for _, src := range s.sources {
			if src.named(qualifier) {
				return src
			}
		}
	}
	return nil
}

func (sc *scope) output(name string) (refs, bool) {
	for _, c := range slices.Backward(sc.outputs) {
		if strings.EqualFold(c.name, name) {
			return c.refs, true
		}
	}
	return nil, false
}

// unqualified finds a column by its name alone, in the scope or around it. Where a clause may name
// outputs, ORDER BY finds an output before the columns of the sources, GROUP BY and the clauses
// after it before columns that are not known, and other clauses last. Dialects differ in this.
func (sc *scope) unqualified(name, clause string, s *script) (refs, bool) {
	ways := []func(string) (refs, bool){sc.exactly, sc.perhaps, sc.output}
	switch {
	case clause == ClauseOrder, s.aliasesFirst:
		ways = []func(string) (refs, bool){sc.output, sc.exactly, sc.perhaps}
	case s.lateralAliases, clause == ClauseGroup, clause == ClauseHaving, clause == ClauseQualify:
		ways = []func(string) (refs, bool){sc.exactly, sc.output, sc.perhaps}
	}
	for around := sc.parent; around != nil; around = around.parent {
		ways = append(ways, around.exactly, around.perhaps)
	}
	for _, way := range ways {
		if found, ok := way(name); ok {
			return found, true
		}
	}
	return nil, false
}

// exactly finds a name in the sources whose columns are known. A name that several sources have
// means one of these sources.
func (sc *scope) exactly(name string) (refs, bool) {
	for _, c := range sc.merged {
		if strings.EqualFold(c.name, name) {
			return c.refs, true
		}
	}
	var all refs
	count := 0
	for _, src := range sc.sources {
		if found, ok := src.rel.find(name); ok {
			all = all.plus(found)
			count++
		}
	}
	if count > 1 {
		all = all.maybe()
	}
	return all, count > 0
}

// perhaps finds a name in the sources whose columns are not known.
func (sc *scope) perhaps(name string) (refs, bool) {
	var all refs
	count := 0
	for _, src := range sc.sources {
		if src.rel.open() {
			all = all.plus(src.rel.guess(name))
			count++
		}
	}
	if count > 1 {
		all = all.maybe()
	}
	return all, count > 0
}

// certain reports whether a known column or an output has a name, in the scope or around it.
func (sc *scope) certain(name string) bool {
	for s := sc; s != nil; s = s.parent {
		if _, ok := s.exactly(name); ok {
			return true
		}
		if _, ok := s.output(name); ok {
			return true
		}
	}
	return false
}
