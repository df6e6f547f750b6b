package neo4j

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/shorthash"
)

// Record returns a record of the server.
func (s *Store) Record(ctx context.Context, name string) (graphstore.Record, bool, error) {
	found, err := s.readRecords(ctx, "read/record", map[string]any{"name": name})
	if err != nil || len(found) == 0 {
		return graphstore.Record{}, false, err
	}
	return found[0], true, nil
}

// RecordsNamed returns the records that exist of some names.
func (s *Store) RecordsNamed(ctx context.Context, names []string) ([]graphstore.Record, error) {
	return s.readRecords(ctx, "read/records_named", map[string]any{"names": names})
}

// ListRecords returns the records whose names begin with a prefix.
func (s *Store) ListRecords(ctx context.Context, prefix, after string, limit int) ([]graphstore.Record, error) {
	return s.readRecords(ctx, "read/records", map[string]any{"prefix": prefix, "after": after, "limit": max(limit, 0)})
}

// recordReads is the number of times that a record is read before the store is busy with it.
const recordReads = 100

// readRecords reads records. The database reads each property of a node by itself, also while another transaction
// commits the node. A record that was read with the value of one revision and the name of another is read again.
func (s *Store) readRecords(ctx context.Context, statement string, params map[string]any) ([]graphstore.Record, error) {
	found, err := rows(ctx, s, statement, params, recordOf)
	for reads := 1; err == nil; reads++ {
		torn := tornOf(found)
		if len(torn) == 0 {
			return append([]graphstore.Record{}, found...), nil
		}
		if reads == recordReads {
			return nil, fmt.Errorf("%w: the record %s is written all the time", graphstore.ErrBusy, torn[0])
		}
		var reread []graphstore.Record
		reread, err = rows(ctx, s, "read/records_named", map[string]any{"names": torn}, recordOf)
		found = replaced(found, torn, reread)
	}
	return nil, err
}

// tornOf returns the names of the records whose value is not the value of their revision.
func tornOf(records []graphstore.Record) []string {
	var names []string
	for _, r := range records {
		if _, sum, has := strings.Cut(r.Revision, "-"); has && sum != shorthash.Of(r.Value) {
			names = append(names, r.Name)
		}
	}
	return names
}

// replaced puts records that were read again in the place of the torn ones. A record that another caller deleted
// meanwhile is left out.
func replaced(found []graphstore.Record, torn []string, again []graphstore.Record) []graphstore.Record {
	byName := map[string]graphstore.Record{}
	for _, r := range again {
		byName[r.Name] = r
	}
	kept := found[:0]
	for _, r := range found {
		if slices.Contains(torn, r.Name) {
			var exists bool
			if r, exists = byName[r.Name]; !exists {
				continue
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// newRevision returns a new revision for a value: a random text, and a hash of the value by which a reader knows
// that the two belong together. A revision that an earlier release wrote has no hash.
func newRevision(value []byte) string { return rand.Text() + "-" + shorthash.Of(value) }

func recordOf(r *driver.Record) (graphstore.Record, error) {
	return graphstore.Record{Name: text(r, "name"), Value: json.RawMessage(text(r, "value")), Revision: text(r, "revision")}, nil
}

// PutRecord stores a record, unless another caller wrote it meanwhile.
func (s *Store) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	statement, next := "write/update_record", newRevision(value)
	if revision == "" {
		statement = "write/create_record"
	}
	err := s.writeRecord(ctx, statement, map[string]any{"name": name, "value": string(value), "revision": revision, "next": next})
	if err != nil {
		return "", err
	}
	return next, nil
}

// PutRecords stores records, unless another caller wrote one of them meanwhile. They are locked in
// the order of their names, so that two callers cannot wait for each other.
func (s *Store) PutRecords(ctx context.Context, records []graphstore.Record) ([]string, error) {
	next := make([]string, len(records))
	list := make([]map[string]any, len(records))
	for i, r := range records {
		next[i] = newRevision(r.Value)
		list[i] = map[string]any{"name": r.Name, "value": string(r.Value), "revision": r.Revision, "next": next[i]}
	}
	if len(list) == 0 {
		return next, nil
	}
	slices.SortFunc(list, func(a, b map[string]any) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	if err := s.writeRecord(ctx, "write/put_changed_records", map[string]any{"rows": list, "count": len(list)}); err != nil {
		return nil, err
	}
	return next, nil
}

// CreateRecord makes a record if fewer than most records begin with the prefix.
func (s *Store) CreateRecord(ctx context.Context, prefix, name string, value json.RawMessage, most int) (string, error) {
	revision := newRevision(value)
	outcome := ""
	err := s.changeRecord(ctx, "write/create_record_of", map[string]any{
		"prefix": prefix, "name": name, "value": string(value), "next": revision, "most": most,
	}, func(r *driver.Record) { outcome = text(r, "outcome") })
	switch {
	case err != nil:
		return "", err
	case outcome == "there":
		return "", graphstore.ErrRecordChanged
	case outcome == "full":
		return "", graphstore.ErrRecordsFull
	}
	return revision, nil
}

// putRecords stores records, whatever is stored under their names.
func (t *tx) putRecords(b *graphstore.Batch) error {
	return execRows(t, "write/put_records", toRows(b.PutRecords, recordRow))
}

func recordRow(r *graphstore.Record) row {
	return row{"name": r.Name, "value": string(r.Value), "revision": newRevision(r.Value)}
}

// DeleteRecord deletes a record, unless another caller wrote it meanwhile.
func (s *Store) DeleteRecord(ctx context.Context, name, revision string) error {
	return s.writeRecord(ctx, "write/delete_record", map[string]any{"name": name, "revision": revision})
}

// writeRecord runs a statement that returns a row if the record had the expected revision.
func (s *Store) writeRecord(ctx context.Context, name string, params map[string]any) error {
	return s.changeRecord(ctx, name, params, func(*driver.Record) {})
}

// changeRecord is writeRecord that passes the returned row to each.
func (s *Store) changeRecord(ctx context.Context, name string, params map[string]any, each func(*driver.Record)) error {
	if s.closed.Load() {
		return graphstore.ErrClosed
	}
	statement, err := s.statements.Text(name)
	if err != nil {
		return err
	}
	leave, err := s.lanes.writes.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	_, err = session.ExecuteWrite(ctx, func(tx driver.ManagedTransaction) (any, error) {
		result, err := tx.Run(ctx, statement, params)
		if err != nil {
			return nil, err
		}
		if result.Next(ctx) {
			each(result.Record())
			_, err = result.Consume(ctx)
			return nil, err
		}
		if err := result.Err(); err != nil {
			return nil, err
		}
		return nil, graphstore.ErrRecordChanged
	}, bounds(ctx, 0)...)
	return s.failure(ctx, err)
}
