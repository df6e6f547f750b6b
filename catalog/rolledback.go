package catalog

import "encoding/json"

// RolledBackSeries is the time series in which a rollback keeps the versions
// that it removed from an entity. No model has it. Its values do not belong to
// a run, so no rollback removes them.
const RolledBackSeries = "takenBack"

// RollbacksSeries is the time series with the records of rollbacks.
const RollbacksSeries = "rollbacks"

// RolledBackVersion is a version that a rollback removed.
type RolledBackVersion struct {
	Aspect string `json:"aspect"`
	// Before is the Seq of the version that replaced it, 0 for none. CreatedOn
	// (epoch milliseconds), CreatedBy and Run are when it was written, by whom
	// and in which run.
	Before    int64           `json:"before"`
	CreatedOn int64           `json:"createdOn"`
	CreatedBy string          `json:"createdBy"`
	Run       string          `json:"run"`
	Value     json.RawMessage `json:"value"`

	// At is when it was rolled back, epoch milliseconds, By is the actor who did
	// that.
	At int64  `json:"-"`
	By string `json:"-"`
}
