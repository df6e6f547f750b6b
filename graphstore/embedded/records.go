package embedded

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/headwater-io/headwater/graphstore"
)

// Record returns a record of the server.
func (s *Store) Record(ctx context.Context, name string) (graphstore.Record, bool, error) {
	r := graphstore.Record{Name: name}
	err := s.log.QueryRowContext(ctx, "SELECT value, revision FROM record WHERE name = ?", name).Scan((*[]byte)(&r.Value), &r.Revision)
	if errors.Is(err, sql.ErrNoRows) {
		return graphstore.Record{}, false, nil
	}
	return r, err == nil, s.failure(err)
}

// RecordsNamed returns the records that exist of some names.
func (s *Store) RecordsNamed(ctx context.Context, names []string) ([]graphstore.Record, error) {
	if len(names) == 0 {
		return []graphstore.Record{}, s.open()
	}
	rows, err := s.log.QueryContext(ctx, "SELECT r.name, r.value, r.revision FROM json_each(?) j CROSS JOIN record r ON r.name = j.value", listJSON(names))
	if err != nil {
		return nil, s.failure(err)
	}
	return s.recordsIn(rows)
}

func (s *Store) recordsIn(rows *sql.Rows) ([]graphstore.Record, error) {
	defer rows.Close()
	found := []graphstore.Record{}
	for rows.Next() {
		var r graphstore.Record
		if err := rows.Scan(&r.Name, (*[]byte)(&r.Value), &r.Revision); err != nil {
			return nil, s.failure(err)
		}
		found = append(found, r)
	}
	return found, s.failure(rows.Err())
}

// ListRecords returns the records whose names begin with a prefix. No such name is greater than
// the prefix followed by the greatest character.
func (s *Store) ListRecords(ctx context.Context, prefix, after string, limit int) ([]graphstore.Record, error) {
	rows, err := s.log.QueryContext(ctx, `SELECT name, value, revision FROM record
		WHERE name >= ?1 AND name < ?1 || char(1114111) AND name > ?2 ORDER BY name LIMIT ?3+0`, prefix, after, max(limit, 0))
	if err != nil {
		return nil, s.failure(err)
	}
	return s.recordsIn(rows)
}

// PutRecord stores a record, unless another caller wrote it meanwhile.
func (s *Store) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	next, err := s.PutRecords(ctx, []graphstore.Record{{Name: name, Value: value, Revision: revision}})
	if err != nil {
		return "", err
	}
	return next[0], nil
}

// PutRecords stores records, unless another caller wrote one of them meanwhile.
func (s *Store) PutRecords(ctx context.Context, records []graphstore.Record) ([]string, error) {
	if len(records) == 0 {
		return nil, s.open()
	}
	next := make([]string, len(records))
	for i := range next {
		next[i] = rand.Text()
	}
	err := s.changeRecord(ctx, func(w *writer) error {
		for i, r := range records {
			put, args := w.stmts.insertRecord, []any{string(r.Value), next[i], r.Name}
			if r.Revision != "" {
				put, args = w.stmts.updateRecord, append(args, r.Revision)
			}
			if err := changedIfNone(put.count(args...)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// CreateRecord makes a record if fewer than most records begin with the prefix. Writes of the
// same commit count too.
func (s *Store) CreateRecord(ctx context.Context, prefix, name string, value json.RawMessage, most int) (string, error) {
	revision := rand.Text()
	err := s.changeRecord(ctx, func(w *writer) error {
		made, err := w.stmts.insertRecordOf.count(string(value), revision, name, prefix, most)
		if err != nil || made > 0 {
			return err
		}
		// An update that changes nothing tells whether the name or the number was the obstacle.
		named, err := w.stmts.touchRecord.count(name)
		if err == nil && named == 0 {
			err = graphstore.ErrRecordsFull
		} else if err == nil {
			err = graphstore.ErrRecordChanged
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return revision, nil
}

// putRecord stores a record, whatever is stored under its name.
func (t *tx) putRecord(r *graphstore.Record) error {
	return t.w.stmts.putRecord.run(string(r.Value), rand.Text(), r.Name)
}

// DeleteRecord deletes a record, unless another caller wrote it meanwhile.
func (s *Store) DeleteRecord(ctx context.Context, name, revision string) error {
	return s.changeRecord(ctx, func(w *writer) error {
		return changedIfNone(w.stmts.deleteRecord.count(name, revision))
	})
}

// changeRecord returns ErrRecordChanged only after the other change is committed. The writer
// already sees a write of the same group; a caller that gets the error must see it too when it
// reads the record.
func (s *Store) changeRecord(ctx context.Context, change func(*writer) error) error {
	err := s.upkeep(ctx, change)
	if errors.Is(err, graphstore.ErrRecordChanged) || errors.Is(err, graphstore.ErrRecordsFull) {
		return errors.Join(err, s.upkeep(ctx, func(*writer) error { return nil }))
	}
	return err
}

func changedIfNone(rows int64, err error) error {
	if err == nil && rows == 0 {
		return graphstore.ErrRecordChanged
	}
	return err
}
