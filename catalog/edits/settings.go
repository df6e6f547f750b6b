package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// settingsID is the id of the entity that has the settings for everybody.
const settingsID = "0"

// A setting for everybody may be changed with its own privilege, or with the privilege for all of these
// settings.
const (
	manageSettings = "MANAGE_GLOBAL_SETTINGS"
	manageFeatures = "MANAGE_FEATURES"
)

// The members of the settings.
const (
	viewSettings        = "views"
	propagationSettings = "docPropagation"
	applicationSettings = "applications"
	homePageSettings    = "homePage"
	dismissedMember     = "dismissedAnnouncements"
)

// globalSettings returns the settings for everybody who uses the dialect of the actor; nil if none are
// stored.
func (s *Service) globalSettings(ctx context.Context, actor string) (catalog.Tree, error) {
	u, _, err := s.newURN(model.EntityGlobalSettings, settingsID, catalog.WriteOptions{Actor: actor})
	if err != nil {
		return nil, err
	}
	stored, err := s.store.LatestAspects(ctx, []string{u.String()}, []string{model.AspectGlobalSettingsInfo})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if len(stored[u.String()]) == 0 {
		return nil, nil
	}
	return catalog.TreeOf(stored[u.String()][0].Value)
}

// setGlobalSettings edits the settings for everybody who uses the dialect of the actor. The caller needs one
// of the privileges of the platform.
func (s *Service) setGlobalSettings(ctx context.Context, change func(catalog.Tree, catalog.AuditStamp) error, o catalog.WriteOptions, privileges ...string) error {
	if err := permission.Require(ctx, "change the settings for everybody", privileges...); err != nil {
		return err
	}
	u, _, err := s.newURN(model.EntityGlobalSettings, settingsID, o)
	if err != nil {
		return err
	}
	return s.editOrMake(permission.Decided(ctx), write.Edit{URN: u, Aspect: model.AspectGlobalSettingsInfo, Change: change}, o)
}

// setIn returns the change that sets a member of a part of settings. A part that is not stored yet begins
// with the given members.
func setIn(part, member string, value any, begins catalog.Tree) func(catalog.Tree, catalog.AuditStamp) error {
	return func(settings catalog.Tree, _ catalog.AuditStamp) error {
		members := jsontree.Member(settings, part)
		if members == nil {
			members = catalog.Tree{}
			for name, first := range begins {
				members[name] = first
			}
		}
		members[member] = value
		settings[part] = members
		return nil
	}
}

// ColumnPropagation reports whether programs should pass on descriptions of columns.
func (s *Service) ColumnPropagation(ctx context.Context, actor string) (bool, error) {
	settings, err := s.globalSettings(ctx, actor)
	if err != nil {
		return false, err
	}
	part := jsontree.Member(settings, propagationSettings)
	enabled, stated := part["columnPropagationEnabled"].(bool)
	return enabled || part != nil && !stated, nil // true is the default of the model
}

// SetColumnPropagation sets whether programs should pass on descriptions of columns.
func (s *Service) SetColumnPropagation(ctx context.Context, enabled bool, o catalog.WriteOptions) error {
	return s.setGlobalSettings(ctx, setIn(propagationSettings, "columnPropagationEnabled", enabled, catalog.Tree{"enabled": true}), o, manageFeatures, manageSettings)
}

// SetApplications sets whether pages offer applications.
func (s *Service) SetApplications(ctx context.Context, enabled bool, o catalog.WriteOptions) error {
	return s.setGlobalSettings(ctx, setIn(applicationSettings, "enabled", enabled, nil), o, manageFeatures, manageSettings)
}

// HomePage returns the layout of the home page of everybody; the zero URN if none is set.
func (s *Service) HomePage(ctx context.Context, actor string) (model.URN, error) {
	settings, err := s.globalSettings(ctx, actor)
	if err != nil {
		return model.URN{}, err
	}
	return model.StoredURN(jsontree.Text(jsontree.Member(settings, homePageSettings), "defaultTemplate")), nil
}

// SetAppearance sets a switch of how the actor sees the pages: showSimplifiedHomepage or showThemeV2.
func (s *Service) SetAppearance(ctx context.Context, name string, on bool, o catalog.WriteOptions) error {
	return s.setUserSettings(ctx, setIn("appearance", name, on, nil), o)
}

// SetLanguage sets the language of the actor's pages; "" removes it.
func (s *Service) SetLanguage(ctx context.Context, tag string, o catalog.WriteOptions) error {
	if len(tag) > limits.MaxLanguageTag {
		return catalog.Errorf(catalog.Invalid, "the tag of a language may have %d bytes, and this one has %d", limits.MaxLanguageTag, len(tag))
	}
	return s.setUserSettings(ctx, func(settings catalog.Tree, _ catalog.AuditStamp) error {
		settings["locale"] = catalog.Tree{}
		if tag != "" {
			settings["locale"] = catalog.Tree{"language": tag}
		}
		return nil
	}, o)
}

// HomePageChoice is a user's choice for the home page.
type HomePageChoice struct {
	// Template is the layout of the page; the zero URN leaves it as it is.
	Template model.URN
	// Default removes the choice of a layout.
	Default bool
	// Dismiss are announcements that the user has read.
	Dismiss []model.URN
}

// SetHomePage changes the actor's home page.
func (s *Service) SetHomePage(ctx context.Context, c HomePageChoice, o catalog.WriteOptions) error {
	if c.Default && !c.Template.IsZero() {
		return catalog.Errorf(catalog.Invalid, "a layout cannot be chosen and removed at the same time")
	}
	if !c.Template.IsZero() {
		if err := s.requireExisting(ctx, c.Template, model.EntityDataHubPageTemplate); err != nil {
			return err
		}
	}
	if err := catalog.TooMany("announcements", len(c.Dismiss), limits.MaxDismissed); err != nil {
		return err
	}
	dismissed, err := catalog.AllOfType(c.Dismiss, model.EntityPost)
	if err != nil {
		return err
	}
	return s.setUserSettings(ctx, func(settings catalog.Tree, _ catalog.AuditStamp) error {
		page := jsontree.Member(settings, homePageSettings)
		if page == nil {
			page = catalog.Tree{}
		}
		if c.Default {
			delete(page, "pageTemplate")
		}
		if !c.Template.IsZero() {
			page["pageTemplate"] = c.Template.String()
		}
		if len(dismissed) > 0 {
			page[dismissedMember] = withDismissed(jsontree.Texts(page, dismissedMember), dismissed)
		}
		settings[homePageSettings] = page
		return nil
	}, o)
}

// withDismissed adds announcements to those that were dismissed before. The first ones are forgotten if there
// are too many.
func withDismissed(before []string, more []model.URN) []any {
	for _, u := range more {
		if !slices.Contains(before, u.String()) {
			before = append(before, u.String())
		}
	}
	before = before[max(0, len(before)-limits.MaxDismissed):]
	all := make([]any, len(before))
	for i, urn := range before {
		all[i] = urn
	}
	return all
}
