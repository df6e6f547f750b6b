package graphstore

import "encoding/json"

// TimeSeriesValue is one value of a time-series aspect.
type TimeSeriesValue struct {
	URN, Aspect string
	// Key identifies the value within (URN, Aspect). Package catalog/write makes it. Values with
	// the same Key have the same Timestamp.
	Key string
	// Timestamp is timestampMillis, epoch milliseconds.
	Timestamp int64
	Value     json.RawMessage
	System    SystemMetadata
	// CreatedOn and CreatedBy are the time and the actor of the write.
	CreatedOn int64
	CreatedBy string
}

// TimeSeriesRange selects the values of one aspect between From and To, both included; 0 is
// unbounded. With a RunID, TimeSeriesRange selects only values that the run wrote. With an
// empty Aspect, TimeSeriesRange selects values of all aspects of the entity.
type TimeSeriesRange struct {
	URN, Aspect string
	From, To    int64
	RunID       string
}

// TimeSeriesQuery selects values. After continues behind the position of an earlier page in the
// same order.
type TimeSeriesQuery struct {
	URN, Aspect string
	From, To    int64
	Ascending   bool
	After       *TimeSeriesPosition
	Limit       int
	// Bytes is as in [Page].
	Bytes int
}

// SeriesOfAll selects the values of one aspect of all entities between From and To, both
// included; 0 is unbounded. After is the next of an earlier page.
type SeriesOfAll struct {
	Aspect   string
	From, To int64
	After    string
	Limit    int
}

// ManyTimeSeries selects values of one aspect of several entities, up to Limit of each.
type ManyTimeSeries struct {
	Aspect   string
	From, To int64
	Places   []TimeSeriesPlace
	Limit    int
}

// TimeSeriesPlace is an entity, and the place from which its values are read: behind After, or
// from the newest.
type TimeSeriesPlace struct {
	URN   string
	After *TimeSeriesPosition
}

// TimeSeriesPosition is a place in the order of a TimeSeriesQuery.
type TimeSeriesPosition struct {
	Timestamp int64
	Key       string
}
