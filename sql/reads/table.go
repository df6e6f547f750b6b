package reads

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

// tableReading is how a parsed text reads the columns of a table.
type tableReading struct {
	// sees: the text has the name of the table. unknown: the text reads tables whose columns are not
	// known, or has names whose meaning is not known.
	sees, unknown bool
	// unread: a part of the text was not understood, or the text writes the table.
	unread bool
	// byColumn has the readings by the name of the column in lower case.
	byColumn map[string]*Reading
	// rest reads all columns of the table, whose names are not known.
	rest bool
}

func (r *tableReading) size() int {
	size := 128
	for column, one := range r.byColumn {
		size += len(column) + 128 + 32*len(one.Places)
	}
	return size
}

// tables returns the tables that a text is read with.
func (r *tableReading) tables(asked *Tables) lineage.Tables {
	return func(_ context.Context, parts []string) (*lineage.Table, error) {
		if sameName(parts, asked.Name) {
			r.sees = true
			return &lineage.Table{Name: asked.name(), Columns: asked.Columns}, nil
		}
		for i, other := range asked.Others {
			if i < len(asked.OfOthers) && asked.OfOthers[i] != nil && sameName(parts, other) {
				return &lineage.Table{Name: "other." + strings.Join(other, "."), Columns: asked.OfOthers[i]}, nil
			}
		}
		r.unknown = true
		return nil, nil
	}
}

// sameName compares two names of a table, from the last part on, as far as both have parts.
func sameName(a, b []string) bool {
	n := min(len(a), len(b))
	return n > 0 && slices.EqualFunc(a[len(a)-n:], b[len(b)-n:], strings.EqualFold)
}

// fill notes the parts of a table that statements read.
func (r *tableReading) fill(table string, statements []lineage.Statement) {
	r.byColumn = map[string]*Reading{}
	for i := range statements {
		s := &statements[i]
		r.unread = r.unread || slices.Contains(s.Writes, table)
		for _, p := range s.NotUnderstood {
			r.unread = r.unread || !p.Name
			if p.LacksColumn() {
				r.unknown = true
				r.at(p.Text[strings.LastIndexByte(p.Text, '.')+1:]).Doubt = fmt.Sprintf("line %d has the name %s, and %s", p.Line, p.Text, p.Why)
			}
		}
		r.mentions(table, s.Mentions)
	}
}

func (r *tableReading) at(column string) *Reading {
	column = strings.ToLower(column)
	if r.byColumn[column] == nil {
		r.byColumn[column] = &Reading{}
	}
	return r.byColumn[column]
}

// mentions notes the places of a statement that read a table. Places that have the column's name come
// before places that read it under another one.
func (r *tableReading) mentions(table string, mentions []lineage.Mention) {
	named := map[string]bool{}
	for i := range mentions {
		if m := &mentions[i]; m.Table == table && m.Named && !m.Whole {
			named[strings.ToLower(m.Column)] = true
		}
	}
	for i := range mentions {
		m := &mentions[i]
		if m.Table != table {
			continue
		}
		one := r.at(m.Column)
		place := Place{Clause: clauseWords[m.Clause], Line: m.Line}
		switch {
		case m.Column == "*":
			r.rest = true
		case m.Whole:
			one.Star = true
		case !m.Named && named[strings.ToLower(m.Column)]:
		case m.Possible:
			one.Doubt = cmp.Or(one.Doubt, fmt.Sprintf("the name %s in line %d may mean a column of another table", m.Column, m.Line))
		default:
			one.Names = true
			if !slices.Contains(one.Places, place) {
				one.Places = append(one.Places, place)
			}
		}
	}
	for _, one := range r.byColumn {
		slices.SortStableFunc(one.Places, func(a, b Place) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(slices.Index(clauseOrder, a.Clause), slices.Index(clauseOrder, b.Clause)))
		})
	}
}

// clauseWords are the words of SQL for the clauses of the room sql/lineage, and clauseOrder is their order
// in a query.
var (
	clauseWords = map[string]string{
		lineage.ClauseSelect: "SELECT", lineage.ClauseStar: "SELECT", lineage.ClauseSubquery: "SELECT", lineage.ClauseJoin: "JOIN",
		lineage.ClauseFilter: "WHERE", lineage.ClauseGroup: "GROUP BY", lineage.ClauseHaving: "HAVING", lineage.ClauseWindow: "WINDOW",
		lineage.ClauseQualify: "QUALIFY", lineage.ClauseOrder: "ORDER BY",
	}
	clauseOrder = []string{"SELECT", "JOIN", "WHERE", "GROUP BY", "HAVING", "WINDOW", "QUALIFY", "ORDER BY"}
)

// of returns the reading of a column; nil if the words of the text are to be believed. words tells that the
// words of the text name the column.
func (r *tableReading) of(path string, words bool) *Reading {
	if r == nil || !r.sees || r.unread {
		return nil
	}
	found := Reading{Star: r.rest}
	path = strings.ToLower(path)
	for _, column := range slices.Sorted(maps.Keys(r.byColumn)) {
		// A read of a field is a read of the column around it, and a read of a column is a read of the fields
		// inside it.
		if column == path || strings.HasPrefix(column, path+".") || strings.HasPrefix(path, column+".") {
			found.add(r.byColumn[column])
		}
	}
	if !found.Names && found.Doubt == "" && words && r.unknown {
		return nil // the name may still mean the column
	}
	return &found
}
