package graphstore

import "context"

// RunReader finds current data by the run that wrote it, or by the registry with which it was
// written.
type RunReader interface {
	// Runs returns the runs that wrote current data, the newest first, then by name, and their
	// number before paging. Data that was written without a run belongs to no run.
	Runs(ctx context.Context, query RunsQuery) (runs []Run, total int64, err error)
	// Rows returns the latest versions that a query selects, without values. The rows of one
	// entity follow each other. Next is the place from which the next page continues, "" after the
	// last page.
	Rows(ctx context.Context, query RowQuery) (rows []Row, next string, err error)
	// RowsOf returns the latest versions of entities, without values, in the order of urns and
	// then by aspect.
	RowsOf(ctx context.Context, urns []string) ([]Row, error)
	// RunTimeSeries returns the time-series aspects that have values of a run. Next is the place
	// from which the next page continues, "" after the last page.
	RunTimeSeries(ctx context.Context, runID, after string, limit int) (rows []TimeSeriesRow, next string, err error)
	// VersionsBefore returns, in the order of keys, the highest archived version of each aspect
	// that does not come from the origin, or nil if there is none, as [Tx.Predecessors] does.
	VersionsBefore(ctx context.Context, keys []AspectKey, origin Origin) ([]*Aspect, error)
}

// RunsQuery asks for runs.
type RunsQuery struct {
	// IDs, if not empty, lists the only runs to return. Then the answer also counts entities and
	// series.
	IDs []string
	// Except lists runs that are left out and not counted.
	Except []string
	// IncludeRemoved asks also for runs all of whose rows belong to soft-deleted entities.
	IncludeRemoved bool
	// Mark is the aspect with the soft-delete mark. If a run wrote the latest version of the mark
	// of an entity itself, its rows of the entity do not count as removed.
	Mark string
	Page
}

// Run is the current data of an ingestion run.
type Run struct {
	ID string
	// Rows counts the latest versions that the run wrote. Removed counts the rows that belong to
	// soft-deleted entities. TimeSeries counts the time-series values.
	Rows, Removed, TimeSeries int64
	// First and Latest are when the run wrote the oldest and the newest of this data, epoch
	// milliseconds.
	First, Latest int64
	// Example is one of the latest versions, zero if the run has only time-series values.
	Example AspectKey
	// Entities counts the entities of this data, Series the time series that have any of the
	// values. Both are 0 if the query has no IDs.
	Entities, Series int64
}

// RegistryVersion names the model with which values were written.
type RegistryVersion struct{ Name, Version string }

// Origin is the origin of versions: a run or, if RunID is empty, a registry.
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
	// After is the next of an earlier answer.
	After string
	Limit int
}

// Row is a latest version without its value.
type Row struct {
	URN, Aspect string
	RunID       string
	Registry    RegistryVersion
	// CreatedOn is when the version was written, epoch milliseconds.
	CreatedOn int64
	// Removed is the soft-delete mark of the entity.
	Removed bool
}

// TimeSeriesRow counts the values that a run wrote of one aspect of an entity.
type TimeSeriesRow struct {
	URN, Aspect string
	Values      int64
	// Latest is when the newest of the values was written, epoch milliseconds.
	Latest int64
}
