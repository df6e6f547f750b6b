package resolver

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// sourceTypes and catalogTypes are the entity types that a page offers to narrow a search, in
// order of preference. quickSourceTypes and quickCatalogTypes say how many of them a page
// offers.
var (
	sourceTypes = []string{
		model.EntityDataset, model.EntityDashboard, model.EntityDataFlow, model.EntityDataJob, model.EntityChart, model.EntityContainer,
		model.EntityMlModel, model.EntityMlModelGroup, model.EntityMlFeature, model.EntityMlFeatureTable, model.EntityMlPrimaryKey,
	}
	catalogTypes = []string{model.EntityDomain, model.EntityGlossaryTerm, model.EntityCorpGroup, model.EntityCorpuser}
)

const (
	quickPlatforms    = 5
	quickSourceTypes  = 3
	quickCatalogTypes = 2
)

// quickFilters returns filters for the platforms and types that most entities have.
func quickFilters(ctx context.Context, input object.GetQuickFiltersInput) (*object.GetQuickFiltersResult, error) {
	s := object.SessionOf(ctx)
	view, err := s.URNOrNone(input.ViewUrn)
	if err != nil {
		return nil, err
	}
	found, err := s.Catalog.Search.Search(ctx, search.Request{
		Types: s.NamesOf(nil), Input: "*", View: view, Facets: []string{"platform", "_entityType"}, WithoutMatches: true,
	})
	if err != nil {
		return nil, err
	}
	counts := map[string][]string{}
	for _, facet := range found.Facets {
		for _, count := range facet.Counts { // the most frequent first
			counts[facet.Field] = append(counts[facet.Field], count.Value)
		}
	}
	platforms := counts["platform"]
	platforms = platforms[:min(len(platforms), quickPlatforms)]
	slices.Sort(platforms)
	result, batch := &object.GetQuickFiltersResult{QuickFilters: []*object.QuickFilter{}}, s.NewBatch()
	add := func(field, value string) {
		result.QuickFilters = append(result.QuickFilters, &object.QuickFilter{Field: field, Value: value, Entity: batch.Entity(value)})
	}
	for _, platform := range platforms {
		add("platform", platform)
	}
	for _, group := range []struct {
		types []string
		most  int
	}{{sourceTypes, quickSourceTypes}, {catalogTypes, quickCatalogTypes}} {
		offered := 0
		for _, name := range group.types {
			if t, ok := object.TypeOf(name); ok && offered < group.most && slices.Contains(counts["_entityType"], name) {
				add("_entityType", string(t))
				offered++
			}
		}
	}
	return result, nil
}

// pairsOf returns pairs of texts as a map.
func pairsOf(pairs []*object.StringMapEntryInput) map[string]string {
	m := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		if pair != nil {
			m[pair.Key] = optional.Or(pair.Value, "")
		}
	}
	return m
}

// postOf reads an announcement from the input of a mutation.
func postOf(kind object.PostType, content *object.UpdatePostContentInput) edits.Post {
	post := edits.Post{
		Type: string(kind), ContentType: string(content.ContentType), Title: content.Title,
		Description: optional.Or(content.Description, ""), Link: optional.Or(content.Link, ""),
	}
	if media := content.Media; media != nil {
		post.MediaType, post.Media = string(media.Type), strings.TrimSpace(media.Location)
	}
	return post
}

// target reads the subject of an announcement: an entity, a column of it, or nothing.
func (a *arguments) target(input *object.CreatePostInput) edits.Resource {
	if input.ResourceUrn == nil {
		if a.err == nil && input.SubResource != nil {
			a.err = catalog.Errorf(catalog.Invalid, "subResource needs resourceUrn")
		}
		return edits.Resource{}
	}
	return a.resource(ref(*input.ResourceUrn, input.SubResourceType, input.SubResource))
}

// homePage reads the choice of a home page from the input of a mutation.
func (a *arguments) homePage(input *object.UpdateUserHomePageSettingsInput) edits.HomePageChoice {
	choice := edits.HomePageChoice{Template: a.urnOrNone(input.PageTemplate), Default: optional.Or(input.RemovePageTemplate, false)}
	for _, urn := range input.NewDismissedAnnouncements {
		if urn != nil {
			choice.Dismiss = append(choice.Dismiss, a.urn(*urn))
		}
	}
	return choice
}

// switches are the members of the appearance that the settings of users set.
var switches = map[object.UserSetting]string{
	object.UserSettingShowSimplifiedHomepage: "showSimplifiedHomepage",
	object.UserSettingShowThemeV2:            "showThemeV2",
}

// statementOf returns the statement of a query and its language. The statement is nil if the
// input has none.
func statementOf(input *object.QueryStatementInput) (*string, string) {
	if input == nil {
		return nil, ""
	}
	return &input.Value, string(input.Language)
}

func metadataTest(name, category string, description *string, definition *object.TestDefinitionInput) edits.MetadataTest {
	return edits.MetadataTest{Name: name, Category: category, Description: optional.Or(description, ""), Definition: optional.Or(definition.JSON, "")}
}
