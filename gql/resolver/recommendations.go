package resolver

import (
	"context"

	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
)

// recommendations lists entities and queries to look at next. On the home page, they are the
// entities that are viewed most and the queries that are searched most; in the search bar, the
// queries that are searched most.
func recommendations(ctx context.Context, input object.ListRecommendationsInput) (*object.ListRecommendationsResult, error) {
	result := &object.ListRecommendationsResult{Modules: []*object.RecommendationModule{}}
	if input.RequestContext == nil {
		return result, nil
	}
	limit := optional.Or(input.Limit, limits.DefaultRecommendations)
	var modules []func(context.Context, int) (*object.RecommendationModule, error)
	switch input.RequestContext.Scenario {
	case object.ScenarioTypeHome:
		modules = append(modules, mostViewed, mostSearched)
	case object.ScenarioTypeSearchBar:
		modules = append(modules, mostSearched)
	}
	for _, make := range modules {
		module, err := make(ctx, limit)
		if err != nil {
			return nil, err
		}
		if len(module.Content) > 0 {
			result.Modules = append(result.Modules, module)
		}
	}
	return result, nil
}

// mostViewed returns the entities whose pages were opened most.
func mostViewed(ctx context.Context, limit int) (*object.RecommendationModule, error) {
	s := object.SessionOf(ctx)
	most, err := s.Catalog.Tracking.Most(ctx, limit)
	if err != nil {
		return nil, err
	}
	batch, module := s.NewBatch(), &object.RecommendationModule{Title: "Most Popular", ModuleID: "HighUsageEntities", RenderType: object.RecommendationRenderTypeEntityNameList}
	for _, viewed := range most {
		module.Content = append(module.Content, &object.RecommendationContent{
			Value: viewed.URN, Entity: batch.Entity(viewed.URN), Params: &object.RecommendationParams{ContentParams: countOf(viewed.Views)},
		})
	}
	return module, nil
}

// mostSearched returns the queries that were searched most.
func mostSearched(ctx context.Context, limit int) (*object.RecommendationModule, error) {
	most, err := object.SessionOf(ctx).Catalog.Tracking.MostSearched(ctx, limit)
	if err != nil {
		return nil, err
	}
	module := &object.RecommendationModule{Title: "Most Searched", ModuleID: "MostSearchedQueries", RenderType: object.RecommendationRenderTypeSearchQueryList}
	for _, searched := range most {
		module.Content = append(module.Content, &object.RecommendationContent{
			Value: searched.Query, Params: &object.RecommendationParams{
				SearchParams: &object.SearchParams{Query: searched.Query}, ContentParams: countOf(searched.Searches),
			},
		})
	}
	return module, nil
}

func countOf(count int64) *object.ContentParams { return &object.ContentParams{Count: &count} }
