package lineage

import "strings"

// Clauses in which columns are read without their values flowing to an output.
const (
	ClauseJoin     = "join"
	ClauseFilter   = "filter"
	ClauseGroup    = "group"
	ClauseHaving   = "having"
	ClauseWindow   = "window"
	ClauseQualify  = "qualify"
	ClauseOrder    = "order"
	ClauseSubquery = "subquery" // a query in an expression, as in IN (SELECT …)
	ClauseSelect   = "select"   // a select list whose output is not used
	ClauseStar     = "star"     // "*" in a select list whose output is not used
)

// place is a place in the text that reads a column.
type place struct {
	ref
	clause string
	line   int
	// named: the place has the column's name. whole: the place is "*", or names a row as a whole.
	named, whole bool
}

func (p place) inList() bool { return p.clause == ClauseSelect || p.clause == ClauseStar }

// read records that a clause reads columns.
func (a *analyzer) read(columns refs, clause string) {
	for _, one := range columns {
		a.readAt(place{ref: one, clause: clause, named: true})
	}
}

// readAs records that a clause reads columns under a name.
func (a *analyzer) readAs(columns refs, clause, name string) {
	for _, one := range columns {
		a.readAt(place{ref: one, clause: clause, named: strings.EqualFold(name, one.column[strings.LastIndexByte(one.column, '.')+1:])})
	}
}

// readStar records that "*" reads columns.
func (a *analyzer) readStar(columns refs, clause string) {
	for _, one := range columns {
		a.readAt(place{ref: one, clause: clause, whole: true})
	}
}

func (a *analyzer) readAt(p place) {
	if a.spend(1) {
		p.line = a.line
		a.places = append(a.places, p)
	}
}
