package lineage

// table is a table that a statement names.
type table struct {
	name    string
	parts   []string
	columns []string // nil if they are not known
	fields  fieldTree
	// forms are how forms name columns, by the names in lower case.
	forms map[string]string
}

// ref is a column of a table that an expression takes values from.
type ref struct {
	table    *table
	column   string
	how      How
	possible bool
	// star: only a star means the column, and no name.
	star bool
	// element: the value is an element of the column, or the column itself.
	element bool
	meaning
}

// refs are the columns that an expression takes values from, each one once.
type refs []ref

// plus adds the columns of more. A column in both has the stronger way, and is certain if it is
// certain in one of the two.
func (r refs) plus(more refs) refs {
	if len(r) == 0 {
		return more
	}
	all := r[:len(r):len(r)]
next:
	for _, m := range more {
		for i := range all {
			if all[i].table == m.table && all[i].column == m.column {
				joint := all[i]
				joint.how = stronger(joint.how, m.how)
				joint.possible, joint.star, joint.meaning = joint.possible && m.possible, joint.star && m.star, joint.both(m.meaning)
				if joint != all[i] {
					all = append(refs(nil), all...)
					all[i] = joint
				}
				continue next
			}
		}
		all = append(all, m)
	}
	return all
}

// at returns the columns as sources of an expression that changes their values, at least in the given way.
func (r refs) at(least How) refs {
	if least == Identity {
		return r
	}
	changed := make(refs, len(r))
	for i, one := range r {
		one.how, one.element = stronger(one.how, least), false
		changed[i] = one
	}
	return changed
}

// byName returns the columns as columns that a name means, and not a star.
func (r refs) byName() refs {
	changed := make(refs, len(r))
	for i, one := range r {
		one.star = false
		changed[i] = one
	}
	return changed
}

func (r refs) maybe() refs {
	changed := make(refs, len(r))
	for i, one := range r {
		one.possible = true
		changed[i] = one
	}
	return changed
}
