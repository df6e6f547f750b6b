package graphstore

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrRecordChanged: somebody else wrote or deleted the record meanwhile, or it exists
// although it should not. Nothing was changed.
var ErrRecordChanged = errors.New("the record was changed meanwhile")

// ErrRecordsFull: there are as many records of a kind as there may be. Nothing was changed.
var ErrRecordsFull = errors.New("there are as many records as there may be")

// Record is a small named value of the server itself, such as the position of a follower
// or a webhook. It is not metadata: it has no versions, no edges, and is not in the change
// log.
type Record struct {
	// Name is a kind and a name within it, such as "webhook/abc".
	Name  string
	Value json.RawMessage
	// Revision is drawn at random whenever the record is written, so a record that was
	// deleted and made again has another one.
	Revision string
}

// Records keeps named values. Each write is durable when it returns, and happens only if the
// record is still the one that the writer knows: of several servers over one store, one wins.
// The reasons are in docs/decisions/0069-records-and-delivery.md.
type Records interface {
	// Record returns a record; false if there is none.
	Record(ctx context.Context, name string) (Record, bool, error)
	// ListRecords returns up to limit records whose names begin with a prefix, ordered by
	// the bytes of their names, after a name; "" is the beginning.
	ListRecords(ctx context.Context, prefix, after string, limit int) ([]Record, error)
	// PutRecord stores a value if the stored record has a revision, "" meaning that there
	// must be none, and returns the new revision. Otherwise it fails with
	// [ErrRecordChanged].
	PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (next string, err error)
	// CreateRecord stores a value under a name that begins with a prefix, and returns the new
	// revision. It fails with [ErrRecordChanged] if there is such a record, and with
	// [ErrRecordsFull] if most others begin with the prefix, however many callers and
	// servers create some at the same time.
	CreateRecord(ctx context.Context, prefix, name string, value json.RawMessage, most int) (revision string, err error)
	// DeleteRecord deletes a record if it has a revision. Otherwise, or if there is none,
	// it fails with [ErrRecordChanged].
	DeleteRecord(ctx context.Context, name, revision string) error
}
