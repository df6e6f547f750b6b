package graphstore

import "context"

// RunReader finds what is current by the run that wrote it, or by the registry
// under which it was written.
type RunReader interface {
	// Runs returns the runs of which something is current, newest first,
	// then by name, and their number before paging. What was written without a run
	// belongs to no run.
	Runs(ctx context.Context, query RunsQuery) (runs []Run, total int64, err error)
	// Rows returns latest versions that a query selects, without their values.
	// Those of one entity follow each other. Next is where to continue, "" at
	// the end.
	Rows(ctx context.Context, query RowQuery) (rows []Row, next string, err error)
	// RowsOf returns the latest versions of entities, without their values, in
	// the order asked and then by aspect.
	RowsOf(ctx context.Context, urns []string) ([]Row, error)
	// RunTimeSeries returns which time-series aspects have values of a run. Next
	// is where to continue, "" at the end.
	RunTimeSeries(ctx context.Context, runID, after string, limit int) (rows []TimeSeriesRow, next string, err error)
	// VersionsBefore returns, in the order asked, the highest archived version of
	// each aspect that does not come from the origin, or nil if there is none, as
	// [Tx.Predecessors] does.
	VersionsBefore(ctx context.Context, keys []AspectKey, origin Origin) ([]*Aspect, error)
}

// RunsQuery asks for runs.
type RunsQuery struct {
	// IDs, if there are any, are the only runs that are looked at. Then the answer
	// also counts entities and series.
	IDs []string
	// Except are runs that are left out and not counted.
	Except []string
	// IncludeRemoved: runs whose rows are all of soft-deleted entities too.
	IncludeRemoved bool
	// Mark is the aspect with the soft-delete mark. What a run wrote of an entity is not
	// counted as removed if the run wrote the latest version of the mark itself.
	Mark string
	Page
}

// Run is the part of an ingestion run that is current.
type Run struct {
	ID string
	// Rows counts the latest versions that the run wrote, Removed those among
	// them of soft-deleted entities, and TimeSeries the values.
	Rows, Removed, TimeSeries int64
	// First and Latest are when the run first and last wrote any of it, epoch
	// milliseconds.
	First, Latest int64
	// Example is one of the latest versions, zero if there are only values.
	Example AspectKey
	// Entities counts the entities of all this, and Series the time series of
	// entities that have any of the values; 0 if the query has no IDs.
	Entities, Series int64
}

// RegistryVersion names a model that values were written under.
type RegistryVersion struct{ Name, Version string }

// Origin says where versions come from: a run or, with an empty RunID, a
// registry.
type Origin struct {
	RunID    string
	Registry RegistryVersion
}

// Of reports whether a version with this system metadata comes from the origin.
func (o Origin) Of(system *SystemMetadata) bool {
	return o.is(system.RunID, RegistryVersion{system.RegistryName, system.RegistryVersion})
}

// OfRow reports whether a latest version comes from the origin.
func (o Origin) OfRow(row *Row) bool { return o.is(row.RunID, row.Registry) }

func (o Origin) is(runID string, registry RegistryVersion) bool {
	if o.RunID != "" {
		return runID == o.RunID
	}
	return registry == o.Registry
}

// RowQuery selects latest versions.
type RowQuery struct {
	Origin
	// After is next from an earlier answer.
	After string
	Limit int
}

// Row is a latest version without its value.
type Row struct {
	URN, Aspect string
	RunID       string
	Registry    RegistryVersion
	// CreatedOn is when it was written, epoch milliseconds.
	CreatedOn int64
	// Removed is the entity's soft-delete mark.
	Removed bool
}

// TimeSeriesRow counts the values that a run wrote of an aspect.
type TimeSeriesRow struct {
	URN, Aspect string
	Values      int64
	// Latest is when the last of them was written, epoch milliseconds.
	Latest int64
}
