package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// ingestionSource reads an ingestion source from the input of a mutation. The model has no place for a description: it is
// taken, as the reference takes it, and not kept.
func ingestionSource(input *object.UpdateIngestionSourceInput) *ingestion.Source {
	source := &ingestion.Source{
		Name: input.Name, Type: input.Type, Recipe: input.Config.Recipe, ExecutorID: input.Config.ExecutorID,
		Version: optional.Or(input.Config.Version, ""), DebugMode: input.Config.DebugMode, ExtraArgs: textsOf(input.Config.ExtraArgs),
	}
	if input.Schedule != nil {
		source.Schedule = &ingestion.Schedule{Interval: input.Schedule.Interval, Zone: input.Schedule.Timezone}
	}
	if input.Source != nil {
		source.Maker = string(input.Source.Type)
	}
	return source
}

// systemSources bounds the sources that a server made, of which there are few, as the reference bounds them.
const systemSources = 1000

// ofSystemSources returns the filter of runs of the sources that a server made, or of the other sources.
func ofSystemSources(ctx context.Context, only bool) (*object.FacetFilterInput, error) {
	found, err := object.SessionOf(ctx).Catalog.Search.Search(ctx, search.Request{
		Types: []string{model.EntityDataHubIngestionSource}, Input: "*", Count: systemSources, Facets: []string{}, WithoutMatches: true,
		Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "sourceType", Values: []string{string(object.IngestionSourceSourceTypeSystem)}, Condition: string(object.FilterOperatorEqual)}}}}},
	})
	if err != nil {
		return nil, err
	}
	other := !only
	filter := &object.FacetFilterInput{Field: "ingestionSource", Negated: &other, Values: []string{"none"}} // no source has this URN
	for i := range found.Hits {
		filter.Values = append(filter.Values, found.Hits[i].URN)
	}
	return filter, nil
}
