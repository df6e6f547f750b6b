package webhooks

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/graphstore"
)

// These begin the names of the records of webhooks: definitions, the progress of deliveries,
// and dead letters.
const (
	hookPrefix     = "webhook/"
	progressPrefix = "webhook-progress/"
	deadPrefix     = "webhook-dead/"
)

// definition is a webhook as it is stored.
type definition struct {
	ID             string         `json:"id"`
	URL            string         `json:"url"`
	Secret         string         `json:"secret"`
	Description    string         `json:"description,omitempty"`
	Filter         streams.Filter `json:"filter"`
	Enabled        bool           `json:"enabled"`
	DisabledReason string         `json:"disabledReason,omitempty"`
	Created        int64          `json:"created"`
	CreatedBy      string         `json:"createdBy,omitempty"`
	// From is the cursor at which a follower that does not exist yet begins.
	From string `json:"from"`
}

func (d *definition) follower() string { return hookPrefix + d.ID }

// progress is the state of the batch that is being sent. progress is stored before the first
// attempt, so that any server sends the same batch, under the same id, in every further
// attempt.
type progress struct {
	// First and Last are the places of the first and the last event of the batch.
	First place `json:"first"`
	Last  place `json:"last"`
	// Attempts counts the failed attempts, the first of which was at Since. The next attempt is
	// due at Next. Both times are epoch milliseconds.
	Attempts int    `json:"attempts,omitempty"`
	Since    int64  `json:"since,omitempty"`
	Next     int64  `json:"next,omitempty"`
	Status   int    `json:"status,omitempty"`
	Error    string `json:"error,omitempty"`
	// Dead is the number of dead letters.
	Dead int `json:"dead,omitempty"`
}

// reset resets the failed attempts of the batch.
func (p *progress) reset() { p.Attempts, p.Since, p.Next, p.Status, p.Error = 0, 0, 0, 0, "" }

// place is the place of an event: the cursor after its change, and the index of the event among
// the events of the change.
type place struct {
	Cursor string `json:"cursor"`
	Index  int    `json:"index,omitempty"`
}

func placeOf(e *streams.Event) place { return place{e.Cursor, e.Index} }

// read decodes a record into a value. The revision is "" if there is no record.
func (s *Service) read(ctx context.Context, name string, into any) (revision string, err error) {
	r, ok, err := s.Records.Record(ctx, name)
	if err != nil || !ok {
		return "", catalog.StoreFailure(err)
	}
	return r.Revision, json.Unmarshal(r.Value, into)
}

// update changes a record, and repeats the change if another caller has changed the record
// meanwhile. The function change gets the stored value, or the zero value, and may refuse the
// change with an error.
func update[T any](ctx context.Context, s *Service, name string, change func(*T) error) (T, error) {
	for {
		var value T
		revision, err := s.read(ctx, name, &value)
		if err == nil {
			err = change(&value)
		}
		if err != nil {
			return value, err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return value, err
		}
		if _, err = s.Records.PutRecord(ctx, name, text, revision); !errors.Is(err, graphstore.ErrRecordChanged) {
			return value, catalog.StoreFailure(err)
		}
	}
}

// forget deletes a record, whichever revision it has.
func (s *Service) forget(ctx context.Context, name string) error {
	for {
		r, ok, err := s.Records.Record(ctx, name)
		if err != nil || !ok {
			return catalog.StoreFailure(err)
		}
		if err = s.Records.DeleteRecord(ctx, name, r.Revision); !errors.Is(err, graphstore.ErrRecordChanged) {
			return catalog.StoreFailure(err)
		}
	}
}
