package catalog

import "encoding/json"

// RolledBackSeries is the time series with the versions that rollbacks removed from an entity. No
// model has it. Its values belong to no run, so no rollback removes them.
const RolledBackSeries = "takenBack"

// RollbacksSeries is the time series with the records of rollbacks.
const RollbacksSeries = "rollbacks"

// RolledBackVersion is a version that a rollback removed.
type RolledBackVersion struct {
	Aspect string `json:"aspect"`
	// Before is the Seq of the version that became the latest again, 0 for none. CreatedOn (epoch
	// milliseconds), CreatedBy and Run are when, by whom and in which run the removed version was
	// written.
	Before    int64           `json:"before"`
	CreatedOn int64           `json:"createdOn"`
	CreatedBy string          `json:"createdBy"`
	Run       string          `json:"run"`
	Value     json.RawMessage `json:"value"`

	// At is when the version was rolled back, epoch milliseconds, and By the actor of the rollback.
	At int64  `json:"-"`
	By string `json:"-"`
}
