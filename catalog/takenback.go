package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// rolledBackSeries is the time series in which a rollback keeps the versions
// that it removed from an entity. No model has it. Its values do not belong to
// a run, so no rollback removes them.
const rolledBackSeries = "takenBack"

// rolledBackVersion is a version that a rollback removed.
type rolledBackVersion struct {
	Aspect string `json:"aspect"`
	// Before is the Seq of the version that replaced it, 0 for none. CreatedOn
	// (epoch milliseconds), CreatedBy and Run say when it was written, by whom
	// and in which run.
	Before    int64           `json:"before"`
	CreatedOn int64           `json:"createdOn"`
	CreatedBy string          `json:"createdBy"`
	Run       string          `json:"run"`
	Value     json.RawMessage `json:"value"`

	// at is when it was rolled back, by is the actor who did that.
	at int64  `json:"-"`
	by string `json:"-"`
}

// keepRolledBack keeps a version that is rolled back for timelines, if these
// cover its aspect.
func (s *session) keepRolledBack(ch *change, latest, predecessor *graphstore.Aspect) error {
	if s.c.keepRolledBack == nil || !s.c.keepRolledBack(ch.aspect) {
		return nil
	}
	gone := rolledBackVersion{
		Aspect: ch.aspect.Name, CreatedOn: latest.CreatedOn, CreatedBy: latest.CreatedBy, Run: latest.System.RunID, Value: latest.Value,
	}
	if predecessor != nil {
		gone.Before = predecessor.Seq
	}
	value, err := json.Marshal(gone)
	if err != nil {
		return Errorf(Internal, "a version that is rolled back: %w", err)
	}
	now := s.tx.Now()
	s.pending.PutTimeSeries = append(s.pending.PutTimeSeries, graphstore.TimeSeriesValue{
		URN: ch.urn.String(), Aspect: rolledBackSeries, Key: strconv.FormatInt(now, 10) + " " + ch.aspect.Name, Timestamp: now,
		Value: value, CreatedOn: now, CreatedBy: s.actor,
	})
	return nil
}

// rolledBackPage is how many versions are read at once: each may be as large as
// an aspect.
const rolledBackPage = 5

// rolledBackVersions returns the versions that were rolled back of an entity,
// by aspect, the oldest rollback first. If there are more than the limits
// allow, the oldest are left out.
func (c *Catalog) rolledBackVersions(ctx context.Context, u model.URN) (map[string][]rolledBackVersion, error) {
	query := graphstore.TimeSeriesQuery{URN: u.String(), Aspect: rolledBackSeries, Limit: rolledBackPage}
	found := map[string][]rolledBackVersion{}
	size := 0
	for read := 0; read < limits.TimelineTakenBack && size < limits.TimelineTakenBackBytes; read += rolledBackPage {
		page, err := c.store.TimeSeries(ctx, query)
		if err != nil {
			return nil, storeFailure(err)
		}
		for i := range page {
			var v rolledBackVersion
			if err := json.Unmarshal(page[i].Value, &v); err != nil {
				return nil, Errorf(Internal, "a version of %s that was rolled back: %w", u, err)
			}
			size += len(page[i].Value)
			v.at, v.by = page[i].Timestamp, page[i].CreatedBy
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
	// value is nil when the aspect did not exist.
	value json.RawMessage
	// stored: the version can be read by this number. Its Seq is seq.
	stored       bool
	version, seq int64
	// run is the run that was rolled back: it wrote the value or, with undone,
	// its rollback restored the value.
	run    string
	undone bool
}

// pastValues merges the versions that were rolled back with the stored ones,
// the oldest first. Each is listed twice: when it was written, and when the
// value before it was restored.
func pastValues(versions []graphstore.Aspect, gone []rolledBackVersion) []pastValue {
	values := make([]pastValue, 0, len(versions)+2*len(gone))
	for i := range versions {
		v := &versions[i]
		values = append(values, pastValue{at: v.CreatedOn, actor: v.CreatedBy, value: v.Value, stored: true, version: v.Version, seq: v.Seq})
	}
	for i := range gone {
		g := &gone[i]
		wrote := placeOf(g, values, 0, g.CreatedOn)
		undone := pastValue{at: g.at, actor: g.by, run: g.Run, undone: true}
		if wrote > 0 {
			before := &values[wrote-1]
			undone.value, undone.stored, undone.version = before.value, before.stored, before.version
		}
		values = slices.Insert(values, wrote, pastValue{at: g.CreatedOn, actor: g.CreatedBy, value: g.Value, run: g.Run})
		values = slices.Insert(values, placeOf(g, values, wrote+1, g.at), undone)
	}
	return values
}

// placeOf returns the first index, not below from, of a value that is later than
// a moment. Of values of the same moment, those are later that have a higher
// Seq than the version that replaced the one rolled back.
func placeOf(g *rolledBackVersion, values []pastValue, from int, at int64) int {
	for i := from; i < len(values); i++ {
		if s := &values[i]; s.at > at || s.at == at && !s.undone && s.seq > g.Before {
			return i
		}
	}
	return len(values)
}

// explain adds to an event that it was rolled back, or that it comes from a
// rollback.
func (s *pastValue) explain(e *ChangeEvent) {
	switch {
	case s.run == "":
		return
	case s.undone:
		e.Description += " (rollback of run " + s.run + ")"
	default:
		e.Description += " (run " + s.run + ", rolled back since)"
	}
	parameters := map[string]any{"runId": s.run, "rollback": s.undone}
	for name, value := range e.Parameters {
		parameters[name] = value
	}
	e.Parameters = parameters
}
