package object

import "context"

// StoredSQL answers with the SQL that is stored of an entity.
func (s *Session) StoredSQL(ctx context.Context, urn string, upstreamURN *string) (*StoredSQL, error) {
	u, err := s.URN(urn)
	if err != nil {
		return nil, err
	}
	upstream, err := s.URNOrNone(upstreamURN)
	if err != nil {
		return nil, err
	}
	found, err := s.Catalog.StoredSQL.SQLOf(ctx, u, upstream)
	if err != nil {
		return nil, err
	}
	if err := s.take(len(found.Places)); err != nil {
		return nil, err
	}
	stored := &StoredSQL{
		SQL: given(found.SQL), Dialect: given(found.Dialect), Database: found.Database, Schema: found.Schema,
		Places: make([]*StoredSQLPlace, len(found.Places)), Partial: found.Partial, Unread: given(found.Unread),
	}
	for i := range found.Places {
		p := &found.Places[i]
		stored.Places[i] = &StoredSQLPlace{Clause: p.Clause, Line: p.Line, Column: p.Column, Possible: p.Possible}
	}
	return stored, nil
}
