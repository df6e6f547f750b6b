package webhooks

import (
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/streams"
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

func (d *definition) follower() string { return string(records.Webhooks) + d.ID }

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

// forgetFailures resets the failed attempts of the batch.
func (p *progress) forgetFailures() { p.Attempts, p.Since, p.Next, p.Status, p.Error = 0, 0, 0, 0, "" }

// place is the place of an event: the cursor after its change, and the index of the event among
// the events of the change.
type place struct {
	Cursor string `json:"cursor"`
	Index  int    `json:"index,omitempty"`
}

func placeOf(e *streams.Event) place { return place{e.Cursor, e.Index} }
