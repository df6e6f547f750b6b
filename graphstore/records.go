package graphstore

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrRecordChanged tells that another caller wrote or deleted the record meanwhile, or that a
// record exists which must not exist. Nothing was changed.
var ErrRecordChanged = errors.New("the record was changed meanwhile")

// ErrRecordsFull tells that there are as many records of a kind as the caller allows. Nothing
// was changed.
var ErrRecordsFull = errors.New("there are as many records as there may be")

// Record is a small named value of the server itself, such as the position of a follower or a
// webhook. Record is not metadata: it has no versions, no edges, and is not in the change log.
type Record struct {
	// Name is a kind and a name within it, such as "webhook/abc".
	Name  string
	Value json.RawMessage
	// Revision is drawn at random at each write of the record. So a record that was deleted and
	// made again has another revision.
	Revision string
}

// Records stores named values. A write is durable when it returns, and it happens only if the
// stored record still has the revision that the writer knows. So of several servers over one
// store, one wins.
// The reasons are in docs/decisions/0069-records-and-delivery.md.
type Records interface {
	// Record returns a record, and false if there is none.
	Record(ctx context.Context, name string) (Record, bool, error)
	// RecordsNamed returns the existing records with the given names, in any order.
	RecordsNamed(ctx context.Context, names []string) ([]Record, error)
	// ListRecords returns up to limit records whose names begin with a prefix and come after a
	// name, ordered by the bytes of their names. The name "" stands for the beginning.
	ListRecords(ctx context.Context, prefix, after string, limit int) ([]Record, error)
	// PutRecord stores a value if the stored record has the given revision, and returns the new
	// revision. The revision "" requires that there is no such record. Otherwise PutRecord fails
	// with [ErrRecordChanged].
	PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (next string, err error)
	// PutRecords stores several records, each under the condition of PutRecord, in one transaction:
	// all of them, or none. The Revision of each record is the one that the stored record must have.
	// PutRecords returns the new revisions in the order of the records, whose names must differ.
	PutRecords(ctx context.Context, records []Record) (next []string, err error)
	// CreateRecord stores a value under a name that begins with a prefix, and returns the new
	// revision. CreateRecord fails with [ErrRecordChanged] if the record exists, and with
	// [ErrRecordsFull] if the number of other records with the prefix is most. The bound holds for
	// any number of concurrent callers and servers.
	CreateRecord(ctx context.Context, prefix, name string, value json.RawMessage, most int) (revision string, err error)
	// DeleteRecord deletes a record if it has the given revision. If the record has another
	// revision or does not exist, DeleteRecord fails with [ErrRecordChanged].
	DeleteRecord(ctx context.Context, name, revision string) error
}
