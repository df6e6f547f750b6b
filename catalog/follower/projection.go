package follower

import (
	"context"
	"maps"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// project makes the search documents of entities from their present state. The batch deletes
// the documents of entities that have none any more.
func (f *Follower) project(ctx context.Context, urns []string) (indexer.Batch, error) {
	names := f.aspectsOf(urns)
	if len(names) == 0 { // the model no longer has the types of these entities
		return indexer.Batch{Delete: urns}, nil
	}
	stored, err := f.store.LatestAspects(ctx, urns, names)
	if err != nil {
		return indexer.Batch{}, err
	}
	series, err := f.newestValues(ctx, stored)
	if err != nil {
		return indexer.Batch{}, err
	}
	documents := make([]indexer.Document, len(urns))
	found := make([]bool, len(urns))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	const stride = 32
	for low := 0; low < len(urns); low += stride {
		group.Go(safely.Func(func() error {
			for i := low; i < min(low+stride, len(urns)); i++ {
				documents[i], found[i] = f.document(ctx, urns[i], stored[urns[i]], series[urns[i]])
			}
			return ctx.Err()
		}))
	}
	if err := group.Wait(); err != nil {
		return indexer.Batch{}, err
	}
	var batch indexer.Batch
	for i, urn := range urns {
		if found[i] {
			batch.Put = append(batch.Put, documents[i])
		} else {
			batch.Delete = append(batch.Delete, urn)
		}
	}
	return batch, nil
}

// aspectsOf lists the versioned aspects from which the documents of entities are made.
func (f *Follower) aspectsOf(urns []string) []string {
	types, names := map[string]bool{}, map[string]bool{}
	for _, urn := range urns {
		entityType := model.StoredURN(urn).EntityType()
		if types[entityType] {
			continue
		}
		types[entityType] = true
		for _, name := range f.schema.Versioned(entityType) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// newestValues reads the time-series values from which documents are made.
func (f *Follower) newestValues(ctx context.Context, stored map[string][]graphstore.Aspect) (map[string][]graphstore.TimeSeriesValue, error) {
	byAspects := map[string][]string{} // entity type -> URNs
	for urn := range stored {
		if entityType := model.StoredURN(urn).EntityType(); len(f.schema.TimeSeries(entityType)) > 0 {
			byAspects[entityType] = append(byAspects[entityType], urn)
		}
	}
	newest := map[string][]graphstore.TimeSeriesValue{}
	for entityType, urns := range byAspects {
		found, err := f.store.LatestTimeSeries(ctx, urns, f.schema.TimeSeries(entityType))
		if err != nil {
			return nil, err
		}
		for urn, values := range found {
			newest[urn] = values
		}
	}
	return newest, nil
}

// document projects one entity. document leaves out and logs a value that cannot be parsed: one
// bad aspect must not stop the index.
func (f *Follower) document(ctx context.Context, urn string, aspects []graphstore.Aspect, series []graphstore.TimeSeriesValue) (indexer.Document, bool) {
	u := model.StoredURN(urn)
	if u.IsZero() || len(aspects)+len(series) == 0 {
		return indexer.Document{}, false
	}
	var values []*model.Value
	add := func(name string, text []byte, createdOn int64) {
		if !f.schema.Fills(u.EntityType(), name) {
			return
		}
		value, err := f.registry.ParseStored(name, text)
		if err != nil {
			f.logger.WarnContext(ctx, "an aspect cannot be indexed", "urn", urn, "aspect", name, "error", err)
			return
		}
		value.ModifiedOn = createdOn
		values = append(values, value)
	}
	for i := range aspects {
		add(aspects[i].Name, aspects[i].Value, aspects[i].CreatedOn)
	}
	for i := range series {
		add(series[i].Aspect, series[i].Value, series[i].CreatedOn)
	}
	if len(values) == 0 { // no aspect fills a field, so the key is the whole document
		key, err := f.keyValue(u)
		if err != nil {
			return indexer.Document{}, false
		}
		values = append(values, key)
	}
	return f.schema.Project(u, values)
}

func (f *Follower) keyValue(u model.URN) (*model.Value, error) {
	entity, ok := f.registry.Entity(u.EntityType())
	if !ok {
		return nil, catalog.Errorf(catalog.Invalid, "unknown entity type %s", u.EntityType())
	}
	text, err := f.registry.KeyValue(u)
	if err != nil {
		return nil, err
	}
	return f.registry.ParseStored(entity.KeyAspect, text)
}
