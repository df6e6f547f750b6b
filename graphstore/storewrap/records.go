package storewrap

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
)

// Record reads a record of the server.
func (s *Store) Record(ctx context.Context, name string) (r graphstore.Record, ok bool, err error) {
	s.observe(ctx, "Record", func(ctx context.Context) (int, error) {
		r, ok, err = s.inner.Record(ctx, name)
		return 1, err
	})
	return r, ok, err
}

// RecordsNamed reads records of the server.
func (s *Store) RecordsNamed(ctx context.Context, names []string) (found []graphstore.Record, err error) {
	s.observe(ctx, "RecordsNamed", func(ctx context.Context) (int, error) {
		found, err = s.inner.RecordsNamed(ctx, names)
		return len(found), err
	})
	return found, err
}

// PutRecords writes records of the server.
func (s *Store) PutRecords(ctx context.Context, records []graphstore.Record) (next []string, err error) {
	s.observe(ctx, "PutRecords", func(ctx context.Context) (int, error) {
		next, err = s.inner.PutRecords(ctx, records)
		return len(records), err
	})
	return next, err
}

// ListRecords reads records of the server.
func (s *Store) ListRecords(ctx context.Context, prefix, after string, limit int) (found []graphstore.Record, err error) {
	s.observe(ctx, "ListRecords", func(ctx context.Context) (int, error) {
		found, err = s.inner.ListRecords(ctx, prefix, after, limit)
		return len(found), err
	})
	return found, err
}

// PutRecord writes a record of the server.
func (s *Store) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (next string, err error) {
	s.observe(ctx, "PutRecord", func(ctx context.Context) (int, error) {
		next, err = s.inner.PutRecord(ctx, name, value, revision)
		return 1, err
	})
	return next, err
}

// CreateRecord makes one of a bounded number of records of the server.
func (s *Store) CreateRecord(ctx context.Context, prefix, name string, value json.RawMessage, most int) (revision string, err error) {
	s.observe(ctx, "CreateRecord", func(ctx context.Context) (int, error) {
		revision, err = s.inner.CreateRecord(ctx, prefix, name, value, most)
		return 1, err
	})
	return revision, err
}

// DeleteRecord deletes a record of the server.
func (s *Store) DeleteRecord(ctx context.Context, name, revision string) (err error) {
	s.observe(ctx, "DeleteRecord", func(ctx context.Context) (int, error) {
		err = s.inner.DeleteRecord(ctx, name, revision)
		return 1, err
	})
	return err
}
