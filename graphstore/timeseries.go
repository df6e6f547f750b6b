package graphstore

import "encoding/json"

// TimeSeriesValue is one value of a time-series aspect.
type TimeSeriesValue struct {
	URN, Aspect string
	// Key is the identity within (URN, Aspect), made by catalog. Values with
	// the same Key have the same Timestamp.
	Key string
	// Timestamp is timestampMillis, epoch milliseconds.
	Timestamp int64
	Value     json.RawMessage
	System    SystemMetadata
	// CreatedOn and CreatedBy are of the write.
	CreatedOn int64
	CreatedBy string
}

// TimeSeriesRange selects values of one aspect between From and To, both
// included; 0 means unbounded. With RunID only values written by that run.
// With an empty Aspect, of every aspect of the entity.
type TimeSeriesRange struct {
	URN, Aspect string
	From, To    int64
	RunID       string
}

// TimeSeriesQuery selects values. After resumes behind a (Timestamp, Key) of
// an earlier page in the same order.
type TimeSeriesQuery struct {
	URN, Aspect string
	From, To    int64
	Ascending   bool
	After       *TimeSeriesPosition
	Limit       int
	// Bytes is as in [Page].
	Bytes int
}

// SeriesOfAll selects the values of one aspect of all entities, between From and To, both
// included; 0 means unbounded. After is the next of an earlier page.
type SeriesOfAll struct {
	Aspect   string
	From, To int64
	After    string
	Limit    int
}

// ManyTimeSeries selects values of one aspect of several entities, up to Limit
// of each.
type ManyTimeSeries struct {
	Aspect   string
	From, To int64
	Places   []TimeSeriesPlace
	Limit    int
}

// TimeSeriesPlace is an entity, and where to go on with its values: behind
// After, or at the newest.
type TimeSeriesPlace struct {
	URN   string
	After *TimeSeriesPosition
}

// TimeSeriesPosition is a place in the order of a TimeSeriesQuery.
type TimeSeriesPosition struct {
	Timestamp int64
	Key       string
}
