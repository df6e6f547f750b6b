package lineage

import (
	"slices"
	"strings"
)

// column is a column of a relation.
type column struct {
	name string
	refs refs
	// star: "*" stands for the column.
	star bool
	// aliased: the SQL names the column by an alias.
	aliased bool
	// alone is the meaning of a column that has no refs.
	alone meaning
}

// relation has the columns that a table, a query or a function gives to a FROM clause.
type relation struct {
	// table is the table that the relation is; nil for a query or a function.
	table   *table
	columns []column
	// rest are tables whose columns are not known and are columns of the relation.
	rest []*table
	// made: the columns of the relation are not known, but each is made of made.
	made    refs
	anyName bool
	// row has the sources of a whole row read as one value, in dialects where a row is a struct whose fields
	// are the columns.
	row refs
}

// relationOf returns the relation that a table is.
func relationOf(t *table) *relation {
	if t.columns == nil {
		return &relation{table: t, rest: []*table{t}}
	}
	rel := &relation{table: t, columns: make([]column, len(t.columns))}
	for i, name := range t.columns {
		rel.columns[i] = column{name: name, refs: refs{{table: t, column: name, how: Identity, star: true}}}
	}
	return rel
}

// find returns the columns of the relation that have a name. A name is compared with its letter
// case first.
func (rel *relation) find(name string) (refs, bool) {
	at := slices.IndexFunc(rel.columns, func(c column) bool { return c.name == name })
	if at < 0 {
		at = slices.IndexFunc(rel.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
	}
	if at < 0 {
		return nil, false
	}
	return rel.columns[at].refs, true
}

// open reports whether the relation may have a column that find does not find.
func (rel *relation) open() bool { return rel.anyName || len(rel.rest) > 0 }

// guess returns the meaning of a name that find does not find, in a relation whose columns are not all known.
func (rel *relation) guess(name string) refs {
	found := rel.made.within([]string{name})
	for _, t := range rel.rest {
		one := refs{{table: t, column: name, how: Identity}}
		if len(rel.rest) > 1 {
			one = one.maybe()
		}
		found = found.plus(one)
	}
	return found
}

// whole returns all columns of the relation.
func (rel *relation) whole() refs {
	all := rel.made
	for _, c := range rel.columns {
		all = all.plus(c.refs)
	}
	for _, t := range rel.rest {
		all = all.plus(refs{{table: t, column: "*", how: Identity}})
	}
	return all
}

// renamed returns the relation with new names for its first columns.
func (rel *relation) renamed(names []string) *relation {
	if len(names) == 0 {
		return rel
	}
	changed := *rel
	changed.columns = slices.Clone(rel.columns)
	for i, name := range names {
		switch {
		case i < len(changed.columns):
			changed.columns[i].name = name
		case rel.open(): // the column at a place is not known
			changed.columns = append(changed.columns, column{name: name, refs: rel.whole().at(Transformation)})
		}
	}
	if len(rel.columns) == 0 && rel.anyName {
		changed.anyName, changed.made = false, nil
	}
	return &changed
}

// union joins the columns of two queries, by their places or by their names.
func (rel *relation) union(other *relation, byName bool) *relation {
	both := &relation{columns: slices.Clone(rel.columns), made: rel.made.plus(other.made), anyName: rel.anyName || other.anyName}
	both.rest = append(slices.Clone(rel.rest), other.rest...)
	for i, c := range other.columns {
		at := i
		if byName {
			at = slices.IndexFunc(both.columns, func(known column) bool { return strings.EqualFold(known.name, c.name) })
		}
		if at < 0 || at >= len(both.columns) {
			both.columns = append(both.columns, c)
			continue
		}
		both.columns[at].refs = both.columns[at].refs.plus(c.refs)
		both.columns[at].star = both.columns[at].star && c.star
	}
	return both
}
