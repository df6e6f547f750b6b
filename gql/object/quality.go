package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/internal/optional"
)

// Quality says whether the entity's data was fresh and its checks passed, at the moment of the details.
func (d *EntityDetails) Quality(ctx context.Context) (*EntityQuality, error) {
	s := d.node.batch.session
	found, err := s.Catalog.Quality.Of(ctx, d.node.key, optional.Or(d.AsOf, 0))
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	if err := s.take(len(found.Assertions) + len(found.Incidents)); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	refs.asOf = optional.Or(d.AsOf, 0)
	q := &EntityQuality{
		Passed: found.Counts.Passed, Failed: found.Counts.Failed, Errors: found.Counts.Errors, Never: found.Counts.Never,
		Lacks: given(found.Reason),
	}
	if u := found.Updated; u != nil {
		q.Updated = &EntityDataUpdate{Time: u.Time, Operation: given(u.Operation), Rows: u.Rows, Actor: refs.Of(u.Actor)}
	}
	if p := found.Profile; p != nil {
		q.Profile = &EntityDataProfile{Time: p.Time, Rows: p.Rows, Columns: p.Columns, Bytes: p.Bytes, Partition: given(p.Partition)}
	}
	for i := range found.Assertions {
		q.Assertions = append(q.Assertions, refs.assertion(&found.Assertions[i]))
	}
	for _, one := range found.Incidents {
		q.Incidents = append(q.Incidents, &EntityActiveIncident{Ref: refs.Of(one.URN), Title: given(one.Title), Since: moment(one.Since)})
	}
	return q, refs.Read(ctx)
}

func (r *Refs) assertion(a *quality.Assertion) *EntityCheck {
	return &EntityCheck{
		Ref: r.Of(a.URN), Name: a.Name, Columns: a.Columns, Note: given(a.Note),
		Result: given(a.Result.Result), Time: moment(a.Time), Figures: a.Figures, Error: given(a.Error),
	}
}
