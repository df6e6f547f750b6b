package derived

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// StoredSQL is the SQL that the catalog stores of an entity, and how it is read.
type StoredSQL struct {
	// SQL is "" if none is stored.
	SQL string
	// Dialect is a name of a platform, by which the SQL is read; "" if it is not known. Database and Schema are the defaults
	// for tables that are named without them.
	Dialect, Database, Schema string
	// Places are where the SQL reads the upstream entity or column of the question, in the order of the text.
	Places []Place
	// Partial: there are more places than are listed. Unread says why the SQL, or a part of it, was not read; "" if it was.
	Partial bool
	Unread  string
}

// Place is a place in SQL that reads a column. Line counts from 1.
type Place struct {
	// Clause is one of the clauses of package sql/lineage.
	Clause string
	Line   int
	// Column is the path of the column.
	Column string
	// Possible: the name may mean another column.
	Possible bool
}

// SQLOf returns the SQL of an entity, or of the entity of a column, and the places that read an upstream entity or column,
// if one is named. It fails with NotFound if the catalog has no such entity, and as [Options.Turn] does.
func (s *Service) SQLOf(ctx context.Context, u, upstream model.URN) (*StoredSQL, error) {
	owner := u
	if holder, _, isColumn := model.ColumnOf(u); isColumn {
		owner = holder
	}
	d, err := s.load(ctx, owner.String())
	if err != nil {
		return nil, err
	}
	if d == nil {
		nodes, err := s.Store.Entities(ctx, []string{owner.String()})
		switch {
		case err != nil:
			return nil, catalog.StoreFailure(err)
		case len(nodes) == 0 || !nodes[0].Exists:
			return nil, catalog.NotStored(owner, "%s does not exist")
		case inputs[owner.EntityType()] == nil:
			return &StoredSQL{}, nil
		}
		d = &derivation{Service: s, urn: owner, values: map[string]catalog.Tree{}}
	}
	stored := &StoredSQL{SQL: d.text(), Places: []Place{}}
	place, err := d.place(ctx)
	if err != nil {
		return nil, err
	}
	if place != nil {
		stored.Dialect, stored.Database, stored.Schema = place.dialect, place.database, place.schema
	}
	if stored.SQL == "" || upstream.IsZero() {
		return stored, nil
	}
	if s.Turn != nil {
		leave, err := s.Turn(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	all, _, reason, err := d.read(ctx, stored.SQL)
	if err != nil {
		return nil, err
	}
	if stored.Unread = reason; all != nil {
		stored.read(all, upstream.String())
	}
	return stored, nil
}

// read adds the places of statements that read a table or a column.
func (s *StoredSQL) read(all []lineage.Statement, upstream string) {
	seen := map[Place]bool{}
	isColumn := model.StoredURN(upstream).EntityType() == model.EntitySchemaField
	for i := range all {
		for _, p := range all[i].NotUnderstood {
			if s.Unread == "" {
				s.Unread = p.Why
			}
		}
		for k := range all[i].Mentions {
			m := &all[i].Mentions[k]
			table := model.StoredURN(m.Table)
			if table.EntityType() != model.EntityDataset || m.Whole && m.Column == "*" && isColumn {
				continue
			}
			if isColumn {
				column, err := model.ColumnURN(table, m.Column)
				if err != nil || !sameColumn(column.String(), upstream) {
					continue
				}
			} else if !sameTable(m.Table, upstream) {
				continue
			}
			one := Place{Clause: m.Clause, Line: m.Line, Column: m.Column, Possible: m.Possible}
			switch {
			case seen[one]:
			case len(s.Places) == limits.MaxSQLAnswerItems:
				s.Partial = true
				return
			default:
				seen[one] = true
				s.Places = append(s.Places, one)
			}
		}
	}
}
