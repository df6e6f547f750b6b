package history

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// rolledBackPage is how many versions are read at once: each may be as large as
// an aspect.
const rolledBackPage = 5

// rolledBackVersions returns the versions that were rolled back of an entity,
// by aspect, the oldest rollback first. If there are more than the limits
// allow, the oldest are left out.
// The reasons are in docs/decisions/0037-timelines.md.
func (s *Service) rolledBackVersions(ctx context.Context, u model.URN) (map[string][]catalog.RolledBackVersion, error) {
	query := graphstore.TimeSeriesQuery{URN: u.String(), Aspect: catalog.RolledBackSeries, Limit: rolledBackPage}
	found := map[string][]catalog.RolledBackVersion{}
	size := 0
	for read := 0; read < limits.TimelineTakenBack && size < limits.TimelineTakenBackBytes; read += rolledBackPage {
		page, err := s.store.TimeSeries(ctx, query)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range page {
			var v catalog.RolledBackVersion
			if err := json.Unmarshal(page[i].Value, &v); err != nil {
				return nil, catalog.Errorf(catalog.Internal, "a version of %s that was rolled back: %w", u, err)
			}
			size += len(page[i].Value)
			v.At, v.By = page[i].Timestamp, page[i].CreatedBy
			found[v.Aspect] = append(found[v.Aspect], v)
		}
		if len(page) < rolledBackPage {
			break
		}
		last := &page[len(page)-1]
		query.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
	}
	for _, list := range found {
		slices.Reverse(list)
	}
	return found, nil
}

// pastValue is the value that an aspect had from a moment on, and its origin.
type pastValue struct {
	at    int64
	actor string
	// by is the run that wrote it, "" for a rollback.
	by string
	// value is nil when the aspect did not exist.
	value json.RawMessage
	// stored: the version can be read by this number. Its Seq is seq.
	stored       bool
	version, seq int64
	// run is the run that was rolled back: it wrote the value or, with undone,
	// its rollback restored the value. gone is that version.
	run    string
	undone bool
	gone   *catalog.RolledBackVersion
}

// pastValues merges the versions that were rolled back with the stored ones,
// the oldest first. Each is listed twice: when it was written, and when the
// value before it was restored.
func pastValues(versions []graphstore.Aspect, gone []catalog.RolledBackVersion) []pastValue {
	values := make([]pastValue, 0, len(versions)+2*len(gone))
	for i := range versions {
		v := &versions[i]
		values = append(values, pastValue{at: v.CreatedOn, actor: v.CreatedBy, by: runOf(&v.System), value: v.Value, stored: true, version: v.Version, seq: v.Seq})
	}
	for i := range gone {
		g := &gone[i]
		wrote := placeOf(g, values, 0, g.CreatedOn)
		undone := pastValue{at: g.At, actor: g.By, run: g.Run, undone: true, gone: g}
		if wrote > 0 {
			before := &values[wrote-1]
			undone.value, undone.stored, undone.version = before.value, before.stored, before.version
		}
		values = slices.Insert(values, wrote, pastValue{at: g.CreatedOn, actor: g.CreatedBy, by: g.Run, value: g.Value, run: g.Run, gone: g})
		values = slices.Insert(values, placeOf(g, values, wrote+1, g.At), undone)
	}
	return values
}

// placeOf returns the first index, not below from, of a value that is later than
// a moment. Of values of the same moment, those are later that have a higher
// Seq than the version that replaced the one rolled back.
func placeOf(g *catalog.RolledBackVersion, values []pastValue, from int, at int64) int {
	for i := from; i < len(values); i++ {
		if s := &values[i]; s.at > at || s.at == at && !s.undone && s.seq > g.Before {
			return i
		}
	}
	return len(values)
}

// RollbackSuffix is the end of the description of a change that a rollback of a run
// undid or, if undone is false, that the run had made.
func RollbackSuffix(run string, undone bool) string {
	if undone {
		return " (rollback of run " + run + ")"
	}
	return " (run " + run + ", rolled back since)"
}

// explain adds to an event that it was rolled back, when and by whom, or that it
// comes from a rollback.
func (s *pastValue) explain(e *ChangeEvent) {
	if s.gone == nil {
		return
	}
	parameters := map[string]any{"runId": s.run, "rollback": s.undone}
	e.Description += RollbackSuffix(s.run, s.undone)
	if !s.undone {
		parameters["rolledBackAt"] = time.UnixMilli(s.gone.At).UTC().Format(time.RFC3339Nano)
		parameters["rolledBackBy"] = s.gone.By
	}
	maps.Copy(parameters, e.Parameters)
	e.Parameters = parameters
}
