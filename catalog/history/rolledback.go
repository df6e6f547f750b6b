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

// rolledBackPage is the number of versions that are read at once: each may be as large as an
// aspect.
const rolledBackPage = 5

// rolledBackVersions returns the versions of an entity that were rolled back, by aspect, the
// oldest rollback first. If there are more than the limits allow, the oldest are left out.
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

// pastValue is a value that an aspect had from a moment on, with its origin.
type pastValue struct {
	at    int64
	actor string
	// by is the run that wrote the value, "" for a rollback.
	by string
	// value is nil if the aspect did not exist.
	value json.RawMessage
	// stored reports that version is the number by which the value can be read; seq is then its Seq.
	stored       bool
	version, seq int64
	// run is a run that was rolled back. Without undone, the run wrote this value; with undone,
	// its rollback restored this value. gone is the version that was rolled back.
	run    string
	undone bool
	gone   *catalog.RolledBackVersion
}

// pastValues merges the rolled-back versions with the stored versions, the oldest first. A
// rolled-back version gives two values: its own value at the time of its write, and the
// restored value at the time of the rollback.
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

// placeOf returns the first index, from the given index on, of a value that is later than a
// moment. If a value has the same moment, Seq decides: the value is later if its Seq is higher
// than the Seq of the version that replaced the rolled-back version.
func placeOf(g *catalog.RolledBackVersion, values []pastValue, from int, at int64) int {
	for i := from; i < len(values); i++ {
		if s := &values[i]; s.at > at || s.at == at && !s.undone && s.seq > g.Before {
			return i
		}
	}
	return len(values)
}

// RollbackSuffix returns the end of the description of a change. With undone, a rollback of the
// run made the change; otherwise the run made it and was rolled back later.
func RollbackSuffix(run string, undone bool) string {
	if undone {
		return " (rollback of run " + run + ")"
	}
	return " (run " + run + ", rolled back since)"
}

// explain adds to an event that its change was rolled back, when and by whom, or that a
// rollback made it.
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
