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
	// From is where the log is followed from if it has not been followed yet.
	From string `json:"from"`
}

func (d *definition) follower() string { return string(records.Webhooks) + d.ID }

// progress is what is known of the batch that is sent now. It is written before a batch
// is sent for the first time, so that the batch is the same, under the same id, when it
// is sent again by whichever server.
type progress struct {
	// First and Last are the places of the batch's events.
	First place `json:"first"`
	Last  place `json:"last"`
	// Attempts failed since Since; the next one is due at Next, epoch milliseconds.
	Attempts int    `json:"attempts,omitempty"`
	Since    int64  `json:"since,omitempty"`
	Next     int64  `json:"next,omitempty"`
	Status   int    `json:"status,omitempty"`
	Error    string `json:"error,omitempty"`
	// Dead is how many dead letters there are.
	Dead int `json:"dead,omitempty"`
}

// forgetFailures forgets the failures of a batch.
func (p *progress) forgetFailures() { p.Attempts, p.Since, p.Next, p.Status, p.Error = 0, 0, 0, 0, "" }

// place is where an event is: the cursor after its change, and its number among the
// events of that.
type place struct {
	Cursor string `json:"cursor"`
	Index  int    `json:"index,omitempty"`
}

func placeOf(e *streams.Event) place { return place{e.Cursor, e.Index} }
