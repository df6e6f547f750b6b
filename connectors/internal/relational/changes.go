package relational

import (
	"context"
	"time"
)

// The evidence of a value of the time series operation. It is in the property "basis" of the value.
const (
	// basisDatabase: the database tells when rows of the table were last changed.
	basisDatabase = "database"
	// basisCommit: the commit of the newest row. Later deletions are not seen.
	basisCommit = "commit of the newest row"
	// basisCounters: the database had counted more changed rows than at the last run. The change is between the two runs, and
	// the time is that of the later one.
	basisCounters = "counters of changed rows"
)

// recall reads the counters of the last run. Without them, a run goes on, and says so.
func (r *Reading) recall(ctx context.Context) error {
	if r.Memory == nil {
		return nil
	}
	r.Memory.Now.At = r.Now.UnixMilli()
	if _, err := r.Memory.Last(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Memory = nil
		r.Report.Warn("%v: changes of tables and usage since then are not known", err)
	}
	return nil
}

// changed is the value of the time series operation, which says when the rows were last changed; nil if that is not known.
func (r *Reading) changed(ctx context.Context, db Database, t *Table, name string) values {
	if t.Updated != nil {
		return r.operation(*t.Updated, basisDatabase, time.Time{})
	}
	if t.View || t.Changes == nil {
		return nil
	}
	changed, after := r.Memory.Changed(name, *t.Changes)
	if !changed && !after.IsZero() {
		return nil // the last run has stated this change already
	}
	if c, is := db.(Committer); is && *t.Changes > 0 {
		switch at, err := c.Committed(ctx, t); {
		case err != nil:
			r.Report.Warn("when %s was last changed is not known exactly: %v", name, err)
		case at != nil && at.After(after):
			return r.operation(*at, basisCommit, time.Time{})
		}
	}
	if !changed {
		return nil
	}
	return r.operation(r.Now, basisCounters, after)
}

func (r *Reading) operation(at time.Time, basis string, after time.Time) values {
	v := values{"timestampMillis": r.Now.UnixMilli(), "lastUpdatedTimestamp": at.UnixMilli(), "operationType": "UNKNOWN"}
	if basis == basisDatabase {
		return v
	}
	properties := map[string]string{"basis": basis}
	if !after.IsZero() {
		properties["after"] = after.UTC().Format(time.RFC3339)
	}
	v["customProperties"] = properties
	return v
}
