package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql/model"
)

// appConfig says what this server is and can do.
func (r *Resolver) appConfig() *model.AppConfig {
	thirdParty := false
	return &model.AppConfig{
		AppVersion: &r.Version, AuthConfig: &model.AuthConfig{}, AnalyticsConfig: &model.AnalyticsConfig{},
		PoliciesConfig:           &model.PoliciesConfig{PlatformPrivileges: []*model.Privilege{}, ResourcePrivileges: []*model.ResourcePrivileges{}},
		IdentityManagementConfig: &model.IdentityManagementConfig{Enabled: true}, ManagedIngestionConfig: &model.ManagedIngestionConfig{},
		LineageConfig: &model.LineageConfig{SupportsImpactAnalysis: true}, VisualConfig: &model.VisualConfig{}, TelemetryConfig: &model.TelemetryConfig{EnableThirdPartyLogging: &thirdParty},
		TestsConfig: &model.TestsConfig{}, ViewsConfig: &model.ViewsConfig{},
		FeatureFlags: &model.FeatureFlagsConfig{ShowSearchFiltersV2: true, ShowBrowseV2: true},
	}
}

// me is who asks. While nobody has to say who they are, everybody may do
// everything.
func (r *Resolver) me(ctx context.Context) *model.AuthenticatedUser {
	s := model.SessionOf(ctx)
	actor := s.Actor
	if actor == "" {
		actor = catalog.SystemActor(s.Catalog.Registry().Dialects()[0])
	}
	user, ok := s.NewBatch().Entity(actor).(*model.CorpUser)
	if !ok {
		return nil // of another kind than a user
	}
	return &model.AuthenticatedUser{CorpUser: user, PlatformPrivileges: &model.PlatformPrivileges{
		ViewAnalytics: true, ManagePolicies: true, ManageIdentities: true, GeneratePersonalAccessTokens: true, CreateDomains: true,
		ManageDomains: true, ManageIngestion: true, ManageSecrets: true, ManageTokens: true, ManageTests: true, ManageGlossaries: true,
		ManageUserCredentials: true, CreateTags: true, ManageTags: true, ManageGlobalViews: true, ManageOwnershipTypes: true,
	}}
}

// updateTag replaces a tag's name and, where they are given, its description
// and owners.
func (r *Resolver) updateTag(ctx context.Context, urn string, input model.TagUpdateInput) (*model.Tag, error) {
	update := &replacement{urn: urn}
	update.edits = append(update.edits, catalog.Edit{URN: urn, Aspect: "tagProperties", Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["name"] = input.Name
		if input.Description != nil {
			value["description"] = *input.Description
		}
		return nil
	}})
	update.owners(input.Ownership)
	return editThenGet[*model.Tag](ctx, urn, update.edits)
}
