package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/features"
	"github.com/headwater-io/headwater/model"
)

// appConfig describes this server and its features. on reports whether a feature is on.
func (r *Resolver) appConfig(on func(name string) bool) *object.AppConfig {
	thirdParty := false
	return &object.AppConfig{
		AppVersion: &r.Version, AuthConfig: &object.AuthConfig{TokenAuthEnabled: r.Credentials != nil}, AnalyticsConfig: &object.AnalyticsConfig{},
		PoliciesConfig:           r.policiesConfig(),
		IdentityManagementConfig: &object.IdentityManagementConfig{Enabled: true}, ManagedIngestionConfig: &object.ManagedIngestionConfig{},
		LineageConfig: &object.LineageConfig{SupportsImpactAnalysis: true}, VisualConfig: visuals(), TelemetryConfig: &object.TelemetryConfig{EnableThirdPartyLogging: &thirdParty},
		TestsConfig: &object.TestsConfig{}, ViewsConfig: &object.ViewsConfig{Enabled: true},
		SemanticSearchConfig: &object.SemanticSearchConfig{EnabledEntities: []string{}}, EntityIndexV3: &object.EntityIndexV3Config{},
		FeatureFlags: &object.FeatureFlagsConfig{
			ShowSearchFiltersV2: on(features.Filters), ShowBrowseV2: on(features.Browse), MetricsEnabled: on(features.Metrics),
			ReadOnlyModeEnabled: on(features.ReadOnly), ShowAcrylInfo: on(features.AcrylInfo), ShowAccessManagement: on(features.Access),
		},
	}
}

// queriesPage is the number of queries that a page of a dataset shows.
const queriesPage = 5

// visuals are settings of pages. Pages decide about settings that visuals leaves out.
func visuals() *object.VisualConfig {
	queries := queriesPage
	return &object.VisualConfig{
		QueriesTab:     &object.QueriesTabConfig{QueriesTabResultSize: &queries},
		EntityProfiles: &object.EntityProfilesConfig{Domain: &object.EntityProfileConfig{}},
	}
}

// actorOf returns the URN of the request's actor.
func actorOf(ctx context.Context) string {
	s := object.SessionOf(ctx)
	if s.Actor != "" {
		return s.Actor
	}
	return catalog.SystemActor(s.Catalog.Registry().Dialects()[0])
}

// me returns the request's actor with the privileges of the platform that the actor has.
func (r *Resolver) me(ctx context.Context) *object.AuthenticatedUser {
	s := object.SessionOf(ctx)
	user, ok := s.NewBatch().Entity(actorOf(ctx)).(*object.CorpUser)
	if !ok {
		return nil // the actor is not a user
	}
	return &object.AuthenticatedUser{CorpUser: user, PlatformPrivileges: platformPrivileges(ctx)}
}

// updateTag replaces the name of a tag and, if they are given, its description and owners.
func (r *Resolver) updateTag(ctx context.Context, urn string, input object.TagUpdateInput) (*object.Tag, error) {
	update := replacementOf(ctx, urn)
	update.edits = append(update.edits, write.Edit{URN: update.urn, Aspect: model.AspectTagProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["name"] = input.Name
		if input.Description != nil {
			value["description"] = *input.Description
		}
		return nil
	}})
	update.owners(input.Ownership)
	return editThenGet[*object.Tag](ctx, update)
}
